// LiteralFinder: finds up to a few thousand literals in a text, at several GB/s. For a few
// literals, it compares two rare bytes of each in whole vectors; for many, it looks up a word every
// few bytes in a table that says whether a literal may lie around it. WatchPatterns uses it.
// Immutable, any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gibbous {

struct LiteralHit {
  std::size_t at = 0;       // a byte of the literal's place in the text
  std::size_t literal = 0;  // its index
};

class LiteralFinder {
 public:
  // Each literal has at least kMinLiteralBytes and no '\n'.
  explicit LiteralFinder(std::vector<std::string> literals);

  // Appends the places of literals in `text`, ignoring case, in the order of LiteralHit::at. Some
  // hits are wrong, such as '@' for '`'. `text` may be cut only between lines.
  void find(std::string_view text, std::vector<LiteralHit>* hits) const;

 private:
  // Two bytes of a literal, with their offsets in it.
  struct Pair {
    std::size_t first = 0;
    std::size_t second = 0;
  };
  // A word of a literal, and more of it to confirm a hit at once.
  struct Gram {
    std::uint32_t word = 0;
    std::uint32_t literal = 0;
    std::uint32_t offset = 0;         // of the word in the literal
    std::uint32_t longer_offset = 0;  // of `longer` in the literal
    std::uint64_t longer = 0;         // up to eight bytes, folded
    std::uint64_t longer_mask = 0;
  };

  void choose_pairs();
  void choose_grams();
  void add_grams(std::size_t literal);
  void add_gram(std::size_t literal, std::size_t offset);
  void find_pairs(std::string_view text, std::vector<LiteralHit>* hits) const;
  void find_grams(std::string_view text, std::vector<LiteralHit>* hits) const;
  void check_pairs(std::string_view text, std::size_t begin, std::size_t end,
                   std::vector<LiteralHit>* hits) const;
  void check_grams(std::string_view text, std::size_t at, std::uint32_t word,
                   std::vector<LiteralHit>* hits) const;

  std::vector<std::string> literals_;
  std::vector<Pair> pairs_;           // empty: many literals
  std::size_t stride_ = 1;            // distance between the words that are looked up
  std::uint32_t mask_ = 0;            // selects the bytes of a word that count
  std::vector<Gram> grams_;           // sorted by the hash of their words
  std::vector<std::uint32_t> slots_;  // where the grams of each group of hashes begin, and the end
  std::vector<std::uint64_t> table_;  // a bit for each hash of a gram's word
};

}  // namespace gibbous
