// decode_ansi_c(): one pass over the text between the quotes, with one small function per kind of
// escape.
#include "runtime/command/ansi_c.h"

#include <cstddef>
#include <cstdint>
#include <optional>

namespace gibbous::command {
namespace {

constexpr int kOctalDigits = 3;
constexpr int kHexDigits = 2;
constexpr int kShortUnicodeDigits = 4;
constexpr int kLongUnicodeDigits = 8;
constexpr int kAnyNumberOfDigits = 1 << 30;
constexpr std::uint32_t kDelete = 0x7F;
constexpr std::uint32_t kControlBits = 0x1F;

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// Also encodes surrogates and values beyond Unicode, as bash does.
void append_utf8(std::string& out, std::uint32_t code) {
  const auto put = [&out](std::uint32_t byte) { out += static_cast<char>(byte); };
  const auto tail = [&](int shift) { put(0x80U | ((code >> shift) & 0x3FU)); };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xC0U | (code >> 6));
    tail(0);
  } else if (code < 0x10000) {
    put(0xE0U | (code >> 12));
    tail(6);
    tail(0);
  } else {
    put(0xF0U | ((code >> 18) & 0x07U));
    tail(12);
    tail(6);
    tail(0);
  }
}

class Decoder {
 public:
  explicit Decoder(std::string_view inside) : inside_(inside) {}

  std::string decode() {
    while (at_ < inside_.size() && !ended_) {
      const char c = inside_[at_++];
      if (c != '\\' || at_ == inside_.size()) {
        out_ += c;
      } else {
        escape(inside_[at_++]);
      }
    }
    return out_;
  }

 private:
  // Reads up to `most` digits; returns nothing if there are none.
  std::optional<std::uint32_t> digits(int base, int most) {
    std::uint32_t value = 0;
    int count = 0;
    for (; count < most && at_ < inside_.size(); ++count, ++at_) {
      const int digit = hex_value(inside_[at_]);
      if (digit < 0 || digit >= base) break;
      value = value * static_cast<std::uint32_t>(base) + static_cast<std::uint32_t>(digit);
    }
    if (count == 0) return std::nullopt;
    return value;
  }

  void byte(std::uint32_t value) {
    value &= 0xFFU;
    if (value == 0) {
      ended_ = true;
    } else {
      out_ += static_cast<char>(value);
    }
  }

  void hex() {
    if (at_ < inside_.size() && inside_[at_] == '{') {
      ++at_;
      const auto value = digits(16, kAnyNumberOfDigits);
      if (at_ < inside_.size() && inside_[at_] == '}') ++at_;
      byte(value.value_or(0));
    } else if (const auto value = digits(16, kHexDigits)) {
      byte(*value);
    } else {
      out_ += "\\x";
    }
  }

  void unicode(char kind) {
    const auto value = digits(16, kind == 'u' ? kShortUnicodeDigits : kLongUnicodeDigits);
    if (!value) {
      out_ += '\\';
      out_ += kind;
    } else if (*value == 0) {
      ended_ = true;
    } else {
      append_utf8(out_, *value);
    }
  }

  void control() {
    if (at_ == inside_.size()) {
      out_ += "\\c";
      return;
    }
    const char c = inside_[at_++];
    if (c == '\\' && at_ < inside_.size() && inside_[at_] == '\\') ++at_;
    if (c == '?') {
      byte(kDelete);
      return;
    }
    const char upper = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    byte(static_cast<std::uint32_t>(static_cast<unsigned char>(upper)) & kControlBits);
  }

  void escape(char c) {
    constexpr std::string_view kNames = "abeEfnrtv\\'\"?";
    constexpr std::string_view kMeanings = "\a\b\033\033\f\n\r\t\v\\'\"?";
    if (const std::size_t which = kNames.find(c); which != std::string_view::npos) {
      out_ += kMeanings[which];
    } else if (c >= '0' && c <= '7') {
      --at_;
      byte(digits(8, kOctalDigits).value_or(0));
    } else if (c == 'x') {
      hex();
    } else if (c == 'u' || c == 'U') {
      unicode(c);
    } else if (c == 'c') {
      control();
    } else {
      out_ += '\\';
      out_ += c;
    }
  }

  std::string_view inside_;
  std::size_t at_ = 0;
  bool ended_ = false;
  std::string out_;
};

}  // namespace

std::string decode_ansi_c(std::string_view inside) {
  return Decoder(inside).decode();
}

}  // namespace gibbous::command
