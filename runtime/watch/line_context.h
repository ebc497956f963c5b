// LineContext: the lines around the matches of one stream. Keeps the last few lines, and the
// matches that wait for the lines after them. Costs nothing without a request for context.
// WatchLane uses it; loop thread.
//
// A match is reported once the lines after it have come, so a later match may overtake it.
#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/watch/watch_match.h"

namespace gibbous {

inline constexpr std::size_t kMaxContextLineBytes = std::size_t{1} << 10;

class LineContext {
 public:
  // `before` is the largest number of lines that any watcher wants. The sink must outlive this.
  LineContext(unsigned before, WatchSink* sink) : kept_(before), sink_(sink) {}

  // Returns the `count` lines before the one that begins at `begin` in `block`, which continues the
  // last remembered block.
  std::vector<std::string> before(std::string_view block, std::size_t begin, unsigned count) const;
  // Collects the lines after the match, whose line ends at `end` in `block`, and delivers the match
  // once there are enough, now or later.
  void deliver(WatchMatch match, std::string_view block, std::size_t end, unsigned count);
  // Begins the next block, before its own matches are delivered; its lines have no ' ' at the end.
  void begin_block(std::string_view block);
  // Remembers that block, once its matches have been delivered.
  void end_block(std::string_view block);
  // Delivers every waiting match with the lines that it has.
  void flush();

  bool waiting() const { return !waiting_.empty(); }
  bool keeps() const { return kept_ > 0; }

 private:
  struct Waiting {
    WatchMatch match;
    unsigned missing = 0;
  };

  unsigned kept_;
  WatchSink* sink_;
  std::deque<std::string> last_;  // raw, the oldest first
  std::vector<Waiting> waiting_;
};

}  // namespace gibbous
