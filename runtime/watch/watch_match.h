// WatchMatch: what a watcher reports, and WatchSink: its receiver. Plain data, any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "runtime/output/stream.h"
#include "runtime/watch/watch_patterns.h"
#include "runtime/watch/watch_spec.h"

namespace gibbous {

struct WatchMatch {
  std::size_t watcher = 0;  // its index in the set
  std::string event;
  WatchStream stream = WatchStream::kStdout;
  std::string line;               // the line or row that matched, as a person sees it
  Offset offset = 0;              // of the line's first byte; not set for a screen
  std::uint64_t line_number = 0;  // from 0, as Stream counts; not set for a screen
  std::size_t column = 0;         // where in `line` the match begins, from 1; not set for a screen
  int row = 0;                    // of a screen, from 1; else 0
  bool partial = false;           // the line had not ended yet
  bool cut = false;               // it is longer than kMaxMatchedBytes, and this is its beginning
  std::vector<WatchGroup> groups;
  std::vector<std::string> before;  // lines, the oldest first
  std::vector<std::string> after;   // fewer than requested when no more came in time
};

class WatchSink {
 public:
  virtual ~WatchSink() = default;
  // Called for each match before it is assembled, so a match that is not wanted costs little. A
  // `true` uses up a `once` watcher.
  virtual bool wants(std::size_t watcher) = 0;
  // Neither may call the set.
  virtual void on_match(WatchMatch match) = 0;
};

}  // namespace gibbous
