#include "runtime/watch/watch_set.h"

#include <utility>

namespace gibbous {

WatchSet::WatchSet(std::shared_ptr<const WatchPatterns> patterns, WatchSink* sink)
    : patterns_(std::move(patterns)),
      lanes_{WatchLane(patterns_, WatchStream::kStdout, &active_, sink),
             WatchLane(patterns_, WatchStream::kStderr, &active_, sink)},
      screen_(patterns_, &active_, sink) {
  for (std::size_t watcher = 0; watcher < patterns_->size(); ++watcher) active_.add(watcher);
}

WatchSet::~WatchSet() = default;

void WatchSet::feed(WatchStream stream, Offset from, std::string_view bytes) {
  lane(stream).feed(from, bytes);
}

void WatchSet::skip_to(WatchStream stream, Offset offset, std::uint64_t line_number) {
  lane(stream).skip_to(offset, line_number);
}

void WatchSet::flush_partial(WatchStream stream) {
  lane(stream).flush_partial();
}

void WatchSet::end(WatchStream stream) {
  lane(stream).end();
}

}  // namespace gibbous
