// clean(): a line as a terminal would show it, in two parts: the text before the cursor (the end of
// the result so far) and the text after it (a stack, the next character on top). Every character
// moves between the two at most once for each time that it was written, so the whole is linear.
#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "runtime/output/escape.h"
#include "runtime/output/text.h"
#include "runtime/output/utf8.h"

namespace gibbous {
namespace {

constexpr auto kIsPlain = [] {
  std::array<bool, 256> plain{};
  for (std::size_t byte = 0x20; byte < 0x7F; ++byte) plain[byte] = true;
  plain[static_cast<unsigned char>('\t')] = true;
  return plain;
}();

std::size_t plain_prefix(std::string_view bytes) {
  std::size_t at = 0;
  while (at < bytes.size() && kIsPlain[static_cast<unsigned char>(bytes[at])]) ++at;
  return at;
}

// Returns where the character that ends at `end` begins, not before `low`, which is less than
// `end`.
std::size_t character_before(std::string_view text, std::size_t low, std::size_t end) {
  std::size_t at = end - 1;
  while (at > low && is_utf8_continuation(text[at]) && end - at < kMaxUtf8Bytes) --at;
  return at;
}

class Cleaner {
 public:
  explicit Cleaner(CleanOptions options) : options_(options) {}

  std::string run(std::string_view raw) {
    text_.reserve(raw.size());
    while (!raw.empty()) {
      const std::size_t plain = plain_prefix(raw);
      if (plain > 0) put_plain(raw.substr(0, plain));
      raw.remove_prefix(plain);
      if (!raw.empty()) raw.remove_prefix(special(raw));
    }
    finish_line();
    return std::move(text_);
  }

 private:
  // Takes an item that begins with a byte that is not plain. Returns its size.
  std::size_t special(std::string_view raw) {
    const char byte = raw[0];
    if (byte == '\n') {
      finish_line();
      text_ += '\n';
      line_ = text_.size();
      return 1;
    }
    if (byte == '\r' && options_.resolve_returns) {
      const std::size_t returns = std::min(raw.find_first_not_of('\r'), raw.size());
      if (returns == raw.size() || raw[returns] != '\n') to_first_column();
      return returns;
    }
    if (byte == '\b' && options_.resolve_returns) {
      back();
      return 1;
    }
    if (const Escape escape = escape_at(raw); escape.size > 0) {
      if (!options_.strip_ansi) {
        const std::string_view sequence = raw.substr(0, escape.size);
        options_.replace_invalid ? put(to_utf8(sequence)) : put(sequence);
      } else if (options_.resolve_returns) {
        apply(escape.effect);
      }
      return escape.size;
    }
    if (static_cast<unsigned char>(byte) >= 0x80) {
      const Utf8Step step = utf8_step(raw);
      put(step.valid || !options_.replace_invalid ? raw.substr(0, step.size) : kReplacement);
      return step.size;
    }
    if (!options_.strip_ansi || byte == '\r' || byte == '\b') put(raw.substr(0, 1));
    return 1;
  }

  void put_plain(std::string_view bytes) {
    begin_again();
    while (!after_.empty() && !bytes.empty()) {
      drop_after();
      text_ += bytes[0];
      bytes.remove_prefix(1);
    }
    text_.append(bytes);
  }

  // Writes one character, or something without width.
  void put(std::string_view bytes) {
    begin_again();
    if (!after_.empty()) drop_after();
    text_.append(bytes);
  }

  // Kept escape sequences cannot be overwritten one by one, so the whole line is replaced.
  void begin_again() {
    if (!replace_line_) return;
    text_.resize(line_);
    replace_line_ = false;
  }

  void to_first_column() {
    if (!options_.strip_ansi) {
      replace_line_ = true;
      return;
    }
    while (text_.size() > line_) step_left();
    // Trailing blanks are invisible.
    if (!after_.empty()) after_.append(blanks_, ' ');
    blanks_ = 0;
  }

  void back() {
    if (text_.size() > line_) {
      if (after_.empty()) {
        text_.resize(character_before(text_, line_, text_.size()));
      } else {
        step_left();
      }
    } else if (blanks_ > 0) {
      --blanks_;
      if (!after_.empty()) after_ += ' ';
    }
  }

  void step_left() {
    const std::size_t at = character_before(text_, line_, text_.size());
    after_.append(text_, at);
    text_.resize(at);
  }

  void drop_after() { after_.resize(character_before(after_, 0, after_.size())); }

  void apply(EscapeEffect effect) {
    switch (effect) {
      case EscapeEffect::kNone:
        return;
      case EscapeEffect::kEraseToEnd:
        after_.clear();
        return;
      case EscapeEffect::kEraseLine:
        after_.clear();
        blank_before();
        return;
      case EscapeEffect::kEraseToStart:
        blank_before();
        return;
      case EscapeEffect::kFirstColumn:
        to_first_column();
        return;
    }
  }

  // Blanks everything before the cursor, which stays.
  void blank_before() {
    for (std::size_t at = line_; at < text_.size(); ++at) {
      if (!is_utf8_continuation(text_[at])) ++blanks_;
    }
    text_.resize(line_);
  }

  void finish_line() {
    if (blanks_ > 0 && (text_.size() > line_ || !after_.empty())) text_.insert(line_, blanks_, ' ');
    blanks_ = 0;
    while (!after_.empty()) {
      const std::size_t at = character_before(after_, 0, after_.size());
      text_.append(after_, at);
      after_.resize(at);
    }
    replace_line_ = false;
  }

  const CleanOptions options_;
  std::string text_;        // finished lines, and the current line up to the cursor
  std::size_t line_ = 0;    // where the current line begins in text_
  std::string after_;       // the text after the cursor, last character first
  std::size_t blanks_ = 0;  // blank columns before what text_ holds of the line
  bool replace_line_ = false;
};

}  // namespace

std::string clean(std::string_view raw, CleanOptions options) {
  return Cleaner(options).run(raw);
}

}  // namespace gibbous
