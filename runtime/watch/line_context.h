// LineContext: the lines around matches, of one stream. Keeps the last few lines, and the matches
// that wait for lines to come. Costs nothing for those who ask for none. Used by WatchLane, loop
// thread.
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
  // `before`: how many lines any watcher wants. The sink must outlive this.
  LineContext(unsigned before, WatchSink* sink) : kept_(before), sink_(sink) {}

  // The `count` lines before the one that begins at `begin` in `block`, which goes on where the
  // last remembered block ended.
  std::vector<std::string> before(std::string_view block, std::size_t begin, unsigned count) const;
  // Takes what follows the match in `block`, whose line ends at `end`, and delivers it when that is
  // enough or, else, when the rest has come.
  void deliver(WatchMatch match, std::string_view block, std::size_t end, unsigned count);
  // The next block, before its own matches are delivered; lines without a '\n' at the end.
  void begin_block(std::string_view block);
  // The same block, when its matches have been delivered.
  void end_block(std::string_view block);
  // Delivers what waits as it is.
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
