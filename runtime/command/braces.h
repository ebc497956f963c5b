// Brace expansion: {a,b}, {1..5}, nested, over the pieces of a word. Used by the expander of words;
// what it gives points into the word and into this object.
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

  // At most `most` words; `spend` is asked for the work, and says no when there is no more.
  Braces(std::size_t most, std::function<bool(std::size_t bytes)> spend)
      : most_(most), spend_(std::move(spend)) {}

  static bool stand_in(const std::vector<Part>& parts);
  // All words that the braces make.
  std::vector<Parts> words(const Parts& parts);
  bool too_many() const { return count_ > most_; }
  // A sequence of which only the beginning was taken; "" for none.
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

// A whole number of at most nine digits. False: it is none.
bool number_of(std::string_view text, long* number);

}  // namespace gibbous::command
