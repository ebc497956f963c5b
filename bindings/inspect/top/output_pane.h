// OutputPane: which lines of a run's output are on the screen of `gibbous top`: the end as it
// grows, a place that a person has scrolled to, or one that a search has found. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bindings/inspect/output_tail.h"

namespace gibbous::top {

class OutputPane {
 public:
  // Shows the end again, and forgets the search.
  void reset();
  // Positive: towards the beginning.
  void scroll(std::ptrdiff_t lines, const inspect::OutputTail& output);
  void to_beginning(const inspect::OutputTail& output);
  void to_end() { bottom_.reset(); }
  bool follows() const { return !bottom_; }

  // Searches for the text, ignoring case, from the last line on screen towards the beginning. False
  // when it is nowhere.
  bool search(const std::string& text, const inspect::OutputTail& output);
  // Moves to the match before or after the last one.
  bool search_again(bool backwards, const inspect::OutputTail& output);
  const std::string& wanted() const { return wanted_; }

  // Returns at most `rows` printable lines, with the matches in inverse video.
  std::vector<std::string> lines(std::size_t rows, const inspect::OutputTail& output) const;

 private:
  bool find(std::int64_t from, std::int64_t step, const inspect::OutputTail& output);
  std::string highlighted(std::string line) const;

  // Lines count from the run's first one, so that they keep their numbers when old ones go.
  std::optional<std::uint64_t> bottom_;  // behind the last line on screen; none: the end
  std::optional<std::uint64_t> match_;
  std::string wanted_;
};

}  // namespace gibbous::top
