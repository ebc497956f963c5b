#include "runtime/terminal/code_point.h"

#include <cstddef>

#include "runtime/output/utf8.h"

namespace gibbous {
namespace {

constexpr unsigned kPayloadBits = 6;
constexpr char32_t kPayloadMask = 0x3f;
constexpr char32_t kContinuation = 0x80;
constexpr char32_t kLast1 = 0x7f;
constexpr char32_t kLast2 = 0x7ff;
constexpr char32_t kLast3 = 0xffff;
constexpr char32_t kLast = 0x10ffff;
constexpr char32_t kFirstSurrogate = 0xd800;
constexpr char32_t kLastSurrogate = 0xdfff;

char32_t payload_of_first(unsigned char first, std::size_t size) {
  constexpr unsigned char kMasks[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
  return first & kMasks[size];
}

char tail_byte(char32_t character, unsigned place) {
  return static_cast<char>(kContinuation | ((character >> (place * kPayloadBits)) & kPayloadMask));
}

}  // namespace

char32_t code_point(std::string_view sequence) {
  char32_t character = payload_of_first(static_cast<unsigned char>(sequence[0]), sequence.size());
  for (const char byte : sequence.substr(1)) {
    character = character << kPayloadBits | (static_cast<unsigned char>(byte) & kPayloadMask);
  }
  return character;
}

void append_utf8(std::string& text, char32_t character) {
  const bool surrogate = character >= kFirstSurrogate && character <= kLastSurrogate;
  if (surrogate || character > kLast) {
    text += kReplacement;
  } else if (character <= kLast1) {
    text += static_cast<char>(character);
  } else if (character <= kLast2) {
    text += static_cast<char>(0xc0 | (character >> kPayloadBits));
    text += tail_byte(character, 0);
  } else if (character <= kLast3) {
    text += static_cast<char>(0xe0 | (character >> (2 * kPayloadBits)));
    text += tail_byte(character, 1);
    text += tail_byte(character, 0);
  } else {
    text += static_cast<char>(0xf0 | (character >> (3 * kPayloadBits)));
    text += tail_byte(character, 2);
    text += tail_byte(character, 1);
    text += tail_byte(character, 0);
  }
}

std::string to_utf8(char32_t character) {
  std::string text;
  append_utf8(text, character);
  return text;
}

}  // namespace gibbous
