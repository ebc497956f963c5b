#include "runtime/terminal/input_filter.h"

#include <algorithm>

#include "runtime/output/text.h"
#include "runtime/output/utf8.h"
#include "runtime/terminal/code_point.h"

namespace gibbous {
namespace {

constexpr char kCancel = '\x18';
constexpr char kSubstitute = '\x1a';
constexpr char kEscapeByte = '\x1b';
constexpr char kBell = '\x07';
constexpr char kDelete = '\x7f';
constexpr std::size_t kMaxNumber = 100'000;
constexpr char32_t kFirstControl = 0x80;
constexpr char32_t kLastControl = 0x9F;

bool is_ascii(char byte) {
  return (static_cast<unsigned char>(byte) & 0x80U) == 0;
}

bool is_intermediate(char byte) {
  return byte >= ' ' && byte <= '/';
}

}  // namespace

void InputFilter::pass(std::string_view bytes, std::size_t most, const Write& write) {
  std::string joined;
  if (!incomplete_.empty()) {
    joined = incomplete_.append(bytes);
    incomplete_.clear();
    bytes = joined;
  }
  const std::size_t tail = incomplete_utf8_tail(bytes);
  const std::string_view rest = bytes.substr(bytes.size() - tail);
  bytes.remove_suffix(tail);
  while (!bytes.empty()) {
    bytes.remove_prefix(is_ascii(bytes.front()) ? pass_ascii(bytes, most, write)
                                                : pass_wide(bytes, write));
  }
  incomplete_ = rest;
}

// Passes the bytes before the first that is not ASCII, and returns how many there are.
std::size_t InputFilter::pass_ascii(std::string_view bytes, std::size_t most, const Write& write) {
  std::size_t from = 0;
  std::size_t at = 0;
  for (; at < bytes.size() && is_ascii(bytes[at]); ++at) {
    const Step what = step(bytes[at]);
    if (what == Step::kOn) continue;
    const bool repeats = what == Step::kRepeat;
    write(bytes.substr(from, at - from + (repeats ? 0 : 1)));
    from = at + 1;
    if (!repeats) continue;
    write(std::string_view(&kCancel, 1));  // replaces its last byte
    if (plain_) repeat(most, write);
  }
  if (at > from) write(bytes.substr(from, at - from));
  return at;
}

std::size_t InputFilter::pass_wide(std::string_view bytes, const Write& write) {
  std::string kept;
  std::size_t at = 0;
  while (at < bytes.size() && !is_ascii(bytes[at])) {
    const std::string_view rest = bytes.substr(at);
    const Utf8Step next = utf8_step(rest);
    at += next.size;
    const std::string character = to_utf8(rest.substr(0, next.size));
    const char32_t code = code_point(character);
    if (code >= kFirstControl && code <= kLastControl) continue;
    kept += character;
    last_ = character;
  }
  if (!kept.empty()) write(kept);
  return at;
}

InputFilter::Step InputFilter::step(char byte) {
  if (byte == kEscapeByte) {
    state_ = State::kEscape;
  } else if (byte == kCancel || byte == kSubstitute) {
    state_ = State::kGround;
  } else if (byte < ' ' || byte == kDelete) {
    if (byte == kBell && state_ == State::kString) state_ = State::kGround;
  } else if (state_ == State::kGround) {
    last_.assign(1, byte);
  } else if (state_ == State::kEscape) {
    begin(byte);
    if (byte == '8') return Step::kRestore;
  } else if (state_ == State::kSequence) {
    return go_on(byte);
  }
  return Step::kOn;
}

void InputFilter::begin(char byte) {
  if (is_intermediate(byte)) return;
  const bool string = byte == 'P' || byte == 'X' || byte == ']' || byte == '^' || byte == '_';
  state_ = byte == '[' ? State::kSequence : string ? State::kString : State::kGround;
  plain_ = first_ = true;
  number_ = 0;
}

InputFilter::Step InputFilter::go_on(char byte) {
  if (byte >= '0' && byte <= '9') {
    const auto digit = static_cast<std::size_t>(byte - '0');
    if (first_) number_ = std::min(number_ * 10 + digit, kMaxNumber);
  } else if (byte == ';' || byte == ':') {
    first_ = false;
  } else if (byte >= '@') {
    state_ = State::kGround;
    if (byte == 'b') return Step::kRepeat;
    if (byte == 'u' || byte == 'l') return Step::kRestore;
  } else {
    plain_ = false;
  }
  return Step::kOn;
}

void InputFilter::repeat(std::size_t most, const Write& write) const {
  if (last_.empty()) return;
  std::string again;
  for (std::size_t left = std::clamp<std::size_t>(number_, 1, most); left > 0; --left) {
    again += last_;
  }
  write(again);
}

}  // namespace gibbous
