// Like runtime/output/newlines.cc, but finds out more about each byte, which costs less than a
// second pass.
#include "runtime/watch/survey.h"

#include <algorithm>
#include <cstring>

#include "runtime/output/escape.h"
#include "runtime/output/newlines.h"
#include "runtime/output/utf8.h"
#include "runtime/watch/required_literals.h"

namespace gibbous {
namespace {

constexpr std::size_t kSurveyLanes = 16;
constexpr std::size_t kSurveyUnrolled = 2;
constexpr std::size_t kSurveyStep = kSurveyLanes * kSurveyUnrolled;
// The counters of a lane, added up, must fit 8 bits.
constexpr std::size_t kMaxSteps = 127;
constexpr std::uint8_t kHighBit = 0x80;
constexpr std::uint64_t kHighBits = 0x8080808080808080U;

using Vector = std::uint8_t __attribute__((vector_size(kSurveyLanes)));
using Signed = std::int8_t __attribute__((vector_size(kSurveyLanes)));

Vector load(const char* bytes) {
  Vector vector;
  std::memcpy(&vector, bytes, sizeof vector);
  return vector;
}

struct Tally {
  Vector newlines{};
  Vector controls{};  // in the high bit of each lane
  Vector beyond{};    // the same

  void take(const char* bytes) {
    const Vector vector = load(bytes);
    const auto newline = static_cast<Vector>(vector == '\n');
    newlines -= newline;  // a true comparison is -1
    // The shift moves printable ASCII to the lowest values of a signed byte.
    constexpr std::uint8_t kShift = kHighBit - ' ';
    constexpr std::int8_t kEnd = static_cast<std::int8_t>(0x7F - ' ' + kHighBit);
    const Vector shifted = vector + kShift;
    Signed moved;
    std::memcpy(&moved, &shifted, sizeof moved);
    const auto odd = static_cast<Vector>(moved >= kEnd);
    const auto tab = static_cast<Vector>(vector == '\t');
    controls |= odd & ~(newline | tab | vector);
    beyond |= vector;
  }
};

std::uint64_t sum(Vector vector) {
  std::uint64_t total = 0;
  for (std::size_t lane = 0; lane < kSurveyLanes; ++lane) total += vector[lane];
  return total;
}

bool any_high(Vector vector) {
  std::uint64_t words[kSurveyLanes / sizeof(std::uint64_t)];
  std::memcpy(words, &vector, sizeof vector);
  return ((words[0] | words[1]) & kHighBits) != 0;
}

bool is_beyond(char byte) {
  return (static_cast<unsigned char>(byte) & kHighBit) != 0;
}

bool is_control(char byte) {
  const auto value = static_cast<unsigned char>(byte);
  constexpr unsigned char kDelete = 0x7F;
  return (value < ' ' && byte != '\n' && byte != '\t') || value == kDelete;
}

// Returns the place of the first byte beyond ASCII, from `at` on.
std::size_t skip_ascii(std::string_view text, std::size_t at) {
  constexpr std::size_t kStride = 4 * kSurveyLanes;
  for (; at + kStride <= text.size(); at += kStride) {
    const char* bytes = text.data() + at;
    if (any_high(load(bytes) | load(bytes + kSurveyLanes) | load(bytes + 2 * kSurveyLanes) |
                 load(bytes + 3 * kSurveyLanes))) {
      break;
    }
  }
  for (; at + sizeof(std::uint64_t) <= text.size(); at += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data() + at, sizeof word);
    if ((word & kHighBits) != 0) break;
  }
  while (at < text.size() && !is_beyond(text[at])) ++at;
  return at;
}

}  // namespace

ByteSurvey survey(std::string_view bytes) {
  ByteSurvey result;
  const char* at = bytes.data();
  std::size_t left = bytes.size();
  while (left >= kSurveyStep) {
    const std::size_t steps = std::min(left / kSurveyStep, kMaxSteps);
    Tally one;
    Tally other;
    for (std::size_t step = 0; step < steps; ++step, at += kSurveyStep) {
      one.take(at);
      other.take(at + kSurveyLanes);
    }
    left -= steps * kSurveyStep;
    result.newlines += sum(one.newlines + other.newlines);
    result.controls = result.controls || any_high(one.controls | other.controls);
    result.beyond_ascii = result.beyond_ascii || any_high(one.beyond | other.beyond);
  }
  result.newlines += count_newlines(at, left);
  result.controls = result.controls || std::any_of(at, at + left, is_control);
  result.beyond_ascii = result.beyond_ascii || std::any_of(at, at + left, is_beyond);
  return result;
}

BeyondAscii look_beyond_ascii(std::string_view text) {
  BeyondAscii result;
  for (std::size_t at = 0; (at = skip_ascii(text, at)) < text.size();) {
    const Utf8Step step = utf8_step(text.substr(at));
    const std::string_view character = text.substr(at, step.size);
    // This lead byte begins U+0080 to U+00BF, half of which are controls.
    result.clean = result.clean && step.valid && character[0] != kC1Lead;
    result.folding =
        result.folding || std::find(std::begin(kFoldingCharacters), std::end(kFoldingCharacters),
                                    character) != std::end(kFoldingCharacters);
    at += step.size;
  }
  return result;
}

}  // namespace gibbous
