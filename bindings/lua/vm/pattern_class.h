// The character classes of Lua patterns (%a, %d, ...): ASCII only, whatever the host's locale. Used
// by pattern.cc. Pure, any thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace gibbous::lua {

inline constexpr std::size_t kCharacters = 256;
inline constexpr unsigned kAsciiCharacters = 128;

enum ClassBit : std::uint16_t {
  kAlpha = 1 << 0,
  kControl = 1 << 1,
  kDigit = 1 << 2,
  kGraph = 1 << 3,
  kLower = 1 << 4,
  kPunctuation = 1 << 5,
  kSpace = 1 << 6,
  kUpper = 1 << 7,
  kHexDigit = 1 << 8,
  kZero = 1 << 9,
};

constexpr std::array<std::uint16_t, kCharacters> make_classes() {
  std::array<std::uint16_t, kCharacters> classes{};
  for (unsigned c = 0; c < kAsciiCharacters; ++c) {
    unsigned bits = 0;
    const bool lower = c >= 'a' && c <= 'z';
    const bool upper = c >= 'A' && c <= 'Z';
    const bool digit = c >= '0' && c <= '9';
    const bool graph = c > ' ' && c < 127;
    if (lower || upper) bits |= kAlpha;
    if (lower) bits |= kLower;
    if (upper) bits |= kUpper;
    if (digit) bits |= kDigit;
    if (digit || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F')) bits |= kHexDigit;
    if (graph) bits |= kGraph;
    if (graph && !lower && !upper && !digit) bits |= kPunctuation;
    if (c == ' ' || (c >= '\t' && c <= '\r')) bits |= kSpace;
    if (c < ' ' || c == 127) bits |= kControl;
    if (c == 0) bits |= kZero;
    classes[c] = static_cast<std::uint16_t>(bits);
  }
  return classes;
}

inline constexpr auto kClasses = make_classes();

// Returns the bits of a class letter, 0 for any other letter.
constexpr unsigned class_bits(unsigned char lower_letter) {
  switch (lower_letter) {
    case 'a':
      return kAlpha;
    case 'c':
      return kControl;
    case 'd':
      return kDigit;
    case 'g':
      return kGraph;
    case 'l':
      return kLower;
    case 'p':
      return kPunctuation;
    case 's':
      return kSpace;
    case 'u':
      return kUpper;
    case 'w':
      return kAlpha | kDigit;
    case 'x':
      return kHexDigit;
    case 'z':
      return kZero;
    default:
      return 0;
  }
}

// %<letter>: a capital is the complement; a letter without a class (bits 0) matches itself.
struct ClassLetter {
  std::uint16_t bits = 0;
  bool complement = false;
};

constexpr std::array<ClassLetter, kCharacters> make_letters() {
  std::array<ClassLetter, kCharacters> letters{};
  for (unsigned c = 'a'; c <= 'z'; ++c) {
    const auto bits = static_cast<std::uint16_t>(class_bits(static_cast<unsigned char>(c)));
    letters[c] = {bits, false};
    letters[c - 'a' + 'A'] = {bits, true};
  }
  return letters;
}

inline constexpr auto kLetters = make_letters();

// Returns true when c is in %<letter>.
constexpr bool in_class(unsigned char c, unsigned char letter) {
  const ClassLetter what = kLetters[letter];
  if (what.bits == 0) return c == letter;
  return ((kClasses[c] & what.bits) != 0) != what.complement;
}

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

constexpr std::array<CharacterSet, kCharacters> make_letter_sets() {
  std::array<CharacterSet, kCharacters> sets{};
  for (unsigned letter = 0; letter < kCharacters; ++letter) {
    for (unsigned c = 0; c < kCharacters; ++c) {
      const auto character = static_cast<unsigned char>(c);
      if (in_class(character, static_cast<unsigned char>(letter))) sets[letter].add(character);
    }
  }
  return sets;
}

// Returns what %<letter> matches.
inline constexpr auto kLetterSets = make_letter_sets();

}  // namespace gibbous::lua
