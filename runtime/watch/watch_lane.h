// WatchLane: one stream of a WatchSet. Makes blocks of whole lines out of arbitrary chunks, keeps
// the unfinished line, and reports at most one match per watcher and line. Loop thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/watch/line_block.h"
#include "runtime/watch/line_context.h"
#include "runtime/watch/watch_match.h"
#include "runtime/watch/watch_patterns.h"
#include "runtime/watch/watcher_bits.h"

namespace gibbous {

// Only the beginning of a longer line is matched, as in runtime/wait.
inline constexpr std::size_t kMaxMatchedBytes = std::size_t{64} << 10;

class WatchLane {
 public:
  // All lanes share `active`, the watchers that may still match. It and the sink must outlive this.
  WatchLane(std::shared_ptr<const WatchPatterns> patterns, WatchStream stream, WatcherBits* active,
            WatchSink* sink);

  // The same as in WatchSet.
  void feed(Offset from, std::string_view bytes);
  void skip_to(Offset offset, std::uint64_t line_number);
  void flush_partial();
  void end();

 private:
  WatcherBits wanted() const { return *active_ & in_scope_; }
  bool idle() const;
  void take_rest_of_line(std::string_view* bytes);
  void take_whole_lines(std::string_view bytes);
  void keep_partial(std::string_view bytes);
  void finish_partial();
  void take_block(std::string_view raw, std::uint64_t bytes, bool cut);
  void look_through(bool cut);
  void tell(std::size_t watcher, const LineBlock::Line& line, bool cut);
  WatchMatch make(std::size_t watcher, const LineBlock::Line& line) const;

  const std::shared_ptr<const WatchPatterns> patterns_;
  const WatchStream stream_;
  WatcherBits* const active_;
  WatchSink* const sink_;
  WatcherBits in_scope_;
  LineContext context_;
  LineBlock block_;
  std::vector<LineCandidate> candidates_;

  Offset next_ = 0;                  // where the next byte belongs
  Offset line_offset_ = 0;           // of the unfinished line, or of the block being searched
  std::uint64_t line_number_ = 0;    // the same
  std::string partial_;              // the beginning of the unfinished line
  std::uint64_t partial_bytes_ = 0;  // size of the whole line so far
  std::uint64_t flushed_bytes_ = 0;  // its size when it was last examined unfinished
  WatcherBits reported_;             // watchers that have matched the unfinished line
};

}  // namespace gibbous
