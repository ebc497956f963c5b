// LineBlock: a piece of output made of whole lines, as text that may be searched whole. A fast
// survey of all bytes counts the lines and finds invisible parts; only if there are any, each line
// is cleaned. WatchLane reuses one block for its memory. Loop thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gibbous {

class LineBlock {
 public:
  struct Line {
    std::string_view text;    // as a person sees it
    std::size_t begin = 0;    // in the raw bytes
    std::size_t end = 0;      // the same, without the '\n'
    std::uint64_t index = 0;  // from 0
  };

  // `raw` is lines separated by ' ', with none at its end, so that an empty `raw` is one empty
  // line. It must outlive the use of the block.
  void set(std::string_view raw);

  std::uint64_t lines() const { return lines_; }
  std::string_view raw() const { return raw_; }
  // Applies clean() to each line.
  std::string_view text() const { return cleaned_ ? std::string_view(scratch_) : raw_; }
  // Returns true if text() holds a folding character (required_literals.h).
  bool folding() const { return folding_; }
  // Returns the line that begins at `begin` in text(). Calls must come in ascending order.
  Line line(std::size_t begin);

 private:
  struct Start {
    std::size_t text = 0;
    std::size_t raw = 0;
  };

  void clean_lines();

  std::string_view raw_;
  std::uint64_t lines_ = 0;
  bool folding_ = false;
  bool cleaned_ = false;
  std::string scratch_;        // when cleaned
  std::vector<Start> starts_;  // of the lines, when cleaned
  // Lines before this place are counted, if the block is not cleaned.
  std::size_t counted_ = 0;
  std::uint64_t index_ = 0;
};

}  // namespace gibbous
