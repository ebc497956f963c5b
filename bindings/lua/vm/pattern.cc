// A backtracking matcher. run() matches the rest of the pattern at one position and recurses only
// for parts that it may have to try again (quantifiers, captures), so the pattern bounds its depth,
// not the subject.
#include "bindings/lua/vm/pattern.h"

#include <array>
#include <cstdint>
#include <cstring>
#include <lua.hpp>

#include "bindings/lua/vm/budget.h"

namespace gibbous::lua {

namespace {

constexpr char kEscape = '%';
constexpr std::size_t kStepsPerCheck = 8192;
constexpr std::size_t kCompareBytesPerStep = 32;
constexpr std::size_t kSetBytesPerStep = 4;

constexpr std::size_t kCharacters = 256;

// A set of characters as 256 bits.
class CharacterSet {
 public:
  constexpr bool has(unsigned char c) const {
    return ((words_[c / kBits] >> (c % kBits)) & 1) != 0;
  }
  constexpr void add(unsigned char c) { words_[c / kBits] |= std::uint64_t{1} << (c % kBits); }
  constexpr void add(const CharacterSet& other) {
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] |= other.words_[i];
  }
  constexpr void invert() {
    for (std::uint64_t& word : words_) word = ~word;
  }

 private:
  static constexpr unsigned kBits = 64;
  std::array<std::uint64_t, kCharacters / kBits> words_{};
};

// Returns true when `c` is of %<letter>: ASCII only, whatever the host's locale. A capital is the
// complement; a letter without a class, like any other character, stands for itself.
constexpr bool is_of_class(unsigned c, unsigned letter) {
  const bool capital = letter >= 'A' && letter <= 'Z';
  const bool lower = c >= 'a' && c <= 'z';
  const bool upper = c >= 'A' && c <= 'Z';
  const bool digit = c >= '0' && c <= '9';
  const bool graph = c > ' ' && c < 127;
  switch (capital ? letter - 'A' + 'a' : letter) {
    case 'a':
      return (lower || upper) != capital;
    case 'c':
      return (c < ' ' || c == 127) != capital;
    case 'd':
      return digit != capital;
    case 'g':
      return graph != capital;
    case 'l':
      return lower != capital;
    case 'p':
      return (graph && !lower && !upper && !digit) != capital;
    case 's':
      return (c == ' ' || (c >= '\t' && c <= '\r')) != capital;
    case 'u':
      return upper != capital;
    case 'w':
      return (lower || upper || digit) != capital;
    case 'x':
      return (digit || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F')) != capital;
    case 'z':
      return (c == 0) != capital;
    default:
      return c == letter;
  }
}

constexpr std::array<CharacterSet, kCharacters> make_letter_sets() {
  std::array<CharacterSet, kCharacters> sets{};
  for (unsigned letter = 0; letter < kCharacters; ++letter) {
    const bool may_have_class = letter >= 'A' && letter <= 'z';
    const unsigned first = may_have_class ? 0 : letter;
    for (unsigned c = first; c < (may_have_class ? kCharacters : letter + 1); ++c) {
      if (is_of_class(c, letter)) sets[letter].add(static_cast<unsigned char>(c));
    }
  }
  return sets;
}

// What %<letter> matches.
constexpr auto kLetterSets = make_letter_sets();

bool in_class(unsigned char c, unsigned char letter) {
  return kLetterSets[letter].has(c);
}

unsigned char byte(const char* at) {
  return static_cast<unsigned char>(*at);
}

// Calls item(first, last) for each range and each character of the set between '[' (or '[^') and
// ']', and letter(l) for each %l, until one of them returns true.
template <typename Item, typename Letter>
bool any_of_set(const char* text, const char* close, Item item, Letter letter) {
  while (text < close) {
    if (*text == kEscape) {  // after a range it may be the last one: then it escapes the ']'
      if (letter(byte(text + 1))) return true;
      text += 2;
    } else if (text + 2 < close && text[1] == '-') {
      if (item(byte(text), byte(text + 2))) return true;
      text += 3;
    } else {
      if (item(byte(text), byte(text))) return true;
      ++text;
    }
  }
  return false;
}

bool in_set(unsigned char c, const char* text, const char* close) {
  const bool complement = text < close && *text == '^';
  const bool inside = any_of_set(
      complement ? text + 1 : text, close,
      [c](unsigned char first, unsigned char last) { return first <= c && c <= last; },
      [c](unsigned char letter) { return in_class(c, letter); });
  return inside != complement;
}

// Reads the set as bits, for a long run of characters.
CharacterSet read_set(const char* text, const char* close) {
  const bool complement = text < close && *text == '^';
  CharacterSet set;
  any_of_set(
      complement ? text + 1 : text, close,
      [&set](unsigned first, unsigned last) {
        for (unsigned c = first; c <= last; ++c) set.add(static_cast<unsigned char>(c));
        return false;
      },
      [&set](unsigned char letter) {
        set.add(kLetterSets[letter]);
        return false;
      });
  if (complement) set.invert();
  return set;
}

constexpr bool is_quantifier(char c) {
  return c == '*' || c == '+' || c == '-' || c == '?';
}

}  // namespace

bool is_plain_pattern(std::string_view pattern) {
  return pattern.find_first_of("^$*+?.([%-") == std::string_view::npos;
}

Matcher::Matcher(lua_State* state, std::string_view subject, std::string_view pattern)
    : state_(state),
      subject_(subject.data()),
      subject_end_(subject.data() + subject.size()),
      pattern_(pattern.data()),
      pattern_end_(pattern.data() + pattern.size()),
      next_check_(kStepsPerCheck),
      most_steps_(kPatternSteps + subject.size() * kPatternStepsPerByte) {
  if (pattern.empty() || std::strchr("^$.([%)", pattern[0]) != nullptr) return;
  const bool optional = pattern.size() > 1 && is_quantifier(pattern[1]) && pattern[1] != '+';
  if (!optional) first_literal_ = byte(pattern.data());
}

const char* Matcher::match_at(const char* at) {
  level_ = 0;
  depth_ = 0;
  return run(at, pattern_);
}

const char* Matcher::skip_to_candidate(const char* at) const {
  if (first_literal_ < 0) return at;
  const auto rest = static_cast<std::size_t>(subject_end_ - at);
  return static_cast<const char*>(std::memchr(at, first_literal_, rest));
}

void Matcher::check() {
  if (steps_ > most_steps_) {
    luaL_error(state_, "pattern too complex: more than %d steps", static_cast<int>(most_steps_));
  }
  next_check_ = steps_ + kStepsPerCheck;
  Budget::of(state_).charge(state_, steps_ - charged_);
  charged_ = steps_;
}

void Matcher::fail(const char* message) {
  luaL_error(state_, "%s", message);
  __builtin_unreachable();
}

const char* Matcher::run(const char* at, const char* pattern) {
  if (++depth_ > kMaxPatternDepth) fail("pattern too complex");
  const char* end = run_parts(at, pattern);
  --depth_;
  return end;
}

const char* Matcher::run_parts(const char* at, const char* pattern) {
  while (pattern != pattern_end_) {
    step();
    switch (*pattern) {
      case '(':
        if (pattern + 1 != pattern_end_ && pattern[1] == ')') {
          return open_capture(at, pattern + 2, kPosition);
        }
        return open_capture(at, pattern + 1, kOpen);
      case ')':
        return close_capture(at, pattern + 1);
      case '$':
        if (pattern + 1 == pattern_end_) return at == subject_end_ ? at : nullptr;
        break;
      case kEscape: {
        const char kind = pattern + 1 != pattern_end_ ? pattern[1] : '\0';
        if (kind == 'b') {
          at = match_balanced(at, pattern + 2);
          if (at == nullptr) return nullptr;
          pattern += 4;
          continue;
        }
        if (kind == 'f') {
          if (pattern + 2 == pattern_end_ || pattern[2] != '[') {
            fail("missing '[' after '%f' in pattern");
          }
          const Single set = read_single(pattern + 2);
          if (!at_frontier(at, set)) return nullptr;
          pattern = set.end;
          continue;
        }
        if (kind >= '0' && kind <= '9') {
          at = match_again(at, kind);
          if (at == nullptr) return nullptr;
          pattern += 2;
          continue;
        }
        break;
      }
      default:
        break;
    }
    const Single single = read_single(pattern);
    const char quantifier =
        single.end != pattern_end_ && is_quantifier(*single.end) ? *single.end : '\0';
    if (quantifier == '*') return run_greedy(at, single, 0, single.end + 1);
    if (quantifier == '+') return run_greedy(at, single, 1, single.end + 1);
    if (quantifier == '-') return run_lazy(at, single, single.end + 1);
    const bool here = at != subject_end_ && single.has(byte(at));
    if (quantifier == '?') {
      if (here) {
        const char* end = run(at + 1, single.end + 1);
        if (end != nullptr) return end;
      }
      pattern = single.end + 1;
      continue;
    }
    if (!here) return nullptr;
    ++at;
    pattern = single.end;
  }
  return at;
}

const char* Matcher::run_greedy(const char* at, const Single& single, std::size_t least,
                                const char* rest) {
  std::size_t count = count_run(at, single);
  if (count < least) return nullptr;
  if (rest == pattern_end_) return at + count;
  for (;; --count) {
    step();
    const char* end = run(at + count, rest);
    if (end != nullptr || count == least) return end;
  }
}

const char* Matcher::run_lazy(const char* at, const Single& single, const char* rest) {
  for (;; ++at) {
    step();
    const char* end = run(at, rest);
    if (end != nullptr) return end;
    if (at == subject_end_ || !single.has(byte(at))) return nullptr;
  }
}

// Returns how many characters from `at` on are in `single`.
std::size_t Matcher::count_run(const char* at, const Single& single) {
  const char* here = at;
  switch (single.kind) {
    case Single::Kind::kAny:
      return static_cast<std::size_t>(subject_end_ - at);
    case Single::Kind::kLiteral:
      while (here != subject_end_ && *here == *single.text) ++here;
      break;
    case Single::Kind::kClass:
      while (here != subject_end_ && in_class(byte(here), byte(single.text))) ++here;
      break;
    case Single::Kind::kSet: {
      const char* const close = single.end - 1;
      const CharacterSet set = read_set(single.text, close);
      while (here != subject_end_ && set.has(byte(here))) ++here;
      step(static_cast<std::size_t>(close - single.text) / kSetBytesPerStep);
      break;
    }
  }
  const auto count = static_cast<std::size_t>(here - at);
  step(count);
  return count;
}

const char* Matcher::open_capture(const char* at, const char* rest, std::ptrdiff_t length) {
  if (level_ >= kMaxCaptures) fail("too many captures");
  captures_[static_cast<std::size_t>(level_)] = {at, length};
  ++level_;
  const char* end = run(at, rest);
  if (end == nullptr) --level_;
  return end;
}

const char* Matcher::close_capture(const char* at, const char* rest) {
  int level = level_ - 1;
  while (level >= 0 && captures_[static_cast<std::size_t>(level)].length != kOpen) --level;
  if (level < 0) fail("invalid pattern capture");
  Capture& capture = captures_[static_cast<std::size_t>(level)];
  capture.length = at - capture.start;
  const char* end = run(at, rest);
  if (end == nullptr) capture.length = kOpen;
  return end;
}

// %bxy
const char* Matcher::match_balanced(const char* at, const char* pair) {
  if (pattern_end_ - pair < 2) fail("unbalanced pattern");
  if (at == subject_end_ || *at != pair[0]) return nullptr;
  std::size_t open = 1;
  for (const char* next = at + 1; next != subject_end_; ++next) {
    step();
    if (*next == pair[1]) {
      if (--open == 0) return next + 1;
    } else if (*next == pair[0]) {
      ++open;
    }
  }
  return nullptr;
}

// %1: repeats the match of capture 1.
const char* Matcher::match_again(const char* at, char digit) {
  const int index = digit - '1';
  if (index < 0 || index >= level_ || captures_[static_cast<std::size_t>(index)].length == kOpen) {
    fail("invalid capture index");
  }
  const Capture& capture = captures_[static_cast<std::size_t>(index)];
  if (capture.length == kPosition || capture.length > subject_end_ - at) return nullptr;
  const auto length = static_cast<std::size_t>(capture.length);
  step(1 + length / kCompareBytesPerStep);
  return std::memcmp(capture.start, at, length) == 0 ? at + length : nullptr;
}

// Matches between a character outside the set and one in it; both ends count as zero bytes.
bool Matcher::at_frontier(const char* at, const Single& set) const {
  const unsigned char before = at == subject_ ? 0 : byte(at - 1);
  const unsigned char after = at == subject_end_ ? 0 : byte(at);
  return !set.has(before) && set.has(after);
}

bool Matcher::Single::has(unsigned char c) const {
  switch (kind) {
    case Kind::kAny:
      return true;
    case Kind::kLiteral:
      return c == byte(text);
    case Kind::kClass:
      return in_class(c, byte(text));
    case Kind::kSet:
      return in_set(c, text, end - 1);
  }
  __builtin_unreachable();
}

Matcher::Single Matcher::read_single(const char* pattern) {
  switch (*pattern) {
    case '.':
      return {Single::Kind::kAny, pattern, pattern + 1};
    case kEscape:
      if (pattern + 1 == pattern_end_) fail("malformed pattern (ends with '%')");
      return {Single::Kind::kClass, pattern + 1, pattern + 2};
    case '[':
      return {Single::Kind::kSet, pattern + 1, end_of_set(pattern + 1)};
    default:
      return {Single::Kind::kLiteral, pattern, pattern + 1};
  }
}

// Returns the position after the ']' that closes the set. A ']' at its very beginning, or after a
// '%', is part of it.
const char* Matcher::end_of_set(const char* pattern) {
  const char* at = pattern;
  if (at != pattern_end_ && *at == '^') ++at;
  do {
    if (at == pattern_end_) fail("malformed pattern (missing ']')");
    const bool escape = *at == kEscape;
    ++at;
    if (escape && at != pattern_end_) ++at;
  } while (at == pattern_end_ || *at != ']');
  step(static_cast<std::size_t>(at - pattern) / kSetBytesPerStep);
  return at + 1;
}

void Matcher::push_capture(int index, const char* start, const char* end) {
  if (index >= level_) {
    if (index != 0) fail("invalid capture index");
    lua_pushlstring(state_, start, static_cast<std::size_t>(end - start));
    return;
  }
  const Capture& capture = captures_[static_cast<std::size_t>(index)];
  if (capture.length == kOpen) fail("unfinished capture");
  if (capture.length == kPosition) {
    lua_pushinteger(state_, capture.start - subject_ + 1);
    return;
  }
  lua_pushlstring(state_, capture.start, static_cast<std::size_t>(capture.length));
}

int Matcher::push_captures(const char* start, const char* end, bool whole) {
  const int count = level_ == 0 && whole ? 1 : level_;
  luaL_checkstack(state_, count, "too many captures");
  for (int index = 0; index < count; ++index) push_capture(index, start, end);
  return count;
}

}  // namespace gibbous::lua
