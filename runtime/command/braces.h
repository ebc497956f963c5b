// Brace expansion over the pieces of a word: {a,b}, {1..5}, nested. The expander of words uses it;
// results point into the word and into this object.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/command/syntax.h"

namespace gibbous::command {

class Braces {
 public:
  using Parts = std::vector<const Part*>;

  // Makes at most `most` words; `spend` pays for the work and returns false when the budget is used
  // up.
  Braces(std::size_t most, std::function<bool(std::size_t bytes)> spend)
      : most_(most), spend_(std::move(spend)) {}

  static bool stand_in(const std::vector<Part>& parts);
  // Returns every word that the braces produce.
  std::vector<Parts> words(const Parts& parts);
  bool too_many() const { return count_ > most_; }
  // The sequence of which only the beginning was taken, or "".
  const std::string& long_sequence() const { return long_sequence_; }

 private:
  std::size_t close_of(const Parts& parts, std::size_t open);
  std::vector<Parts> choices_of(const Parts& parts, std::size_t open, std::size_t close);
  std::vector<Parts> sequence(const Parts& parts);

  std::size_t most_;
  std::function<bool(std::size_t)> spend_;
  std::deque<Part> made_;
  std::size_t count_ = 0;
  std::string long_sequence_;
};

// Parses a whole number of at most nine digits; returns false for anything else.
bool number_of(std::string_view text, long* number);

}  // namespace gibbous::command
