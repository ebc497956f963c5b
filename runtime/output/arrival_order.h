// ArrivalOrder: in which order the lines of two streams came, so that both can be read as one text.
// It holds no output. A line takes its place when it is complete, so that none is cut by another; a
// line that is read before it is complete keeps the place that it had then, and a newline is added
// where the other stream goes on. Offsets in that text count the bytes of both streams and those
// newlines. The order is that of the reads: what a program writes to both pipes within about a
// millisecond may change places. Where a stream has lost bytes, the text has a hole, and what the
// other stream printed meanwhile stands in it. Loop thread only.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "runtime/output/stream.h"

namespace gibbous {

// Older changes between the streams are forgotten: the text begins after them.
inline constexpr std::size_t kMaxArrivals = 8192;
// A hole inside of what is read takes this much of its size, because readers name it.
inline constexpr std::size_t kHoleBytes = 48;

class ArrivalOrder {
 public:
  static constexpr std::size_t kStreams = 2;
  using Streams = std::array<const Stream*, kStreams>;
  using Offsets = std::array<Offset, kStreams>;

  // Bytes of the text without a hole between them.
  struct Part {
    std::string bytes;
    Offset from = 0;
    Offset to = 0;
    std::uint64_t line = 0;  // number of its first line, from 0
    Offsets lost{};          // bytes of each stream that are missing before it
  };

  // Stream `index` has new bytes: [from, stream.end()).
  void note(std::size_t index, const Stream& stream, Offset from);
  // Gives the lines that are not complete yet their place at the end.
  void place_rest(const Streams& streams);

  // One past the newest byte, without lines that have no place yet.
  Offset end() const { return end_; }
  // The oldest byte that is kept, and that only kept ones follow.
  Offset begin(const Streams& streams) const;
  // Returns the next `max` bytes from `from` that are kept and whose order is known.
  std::vector<Part> read(const Streams& streams, Offset from, std::size_t max) const;

  // Returns how many bytes of each stream are before `at`.
  Offsets before(Offset at) const;
  // A stretch of one stream, from where the stretch of it before this one ended.
  struct Stretch {
    std::size_t stream = 0;
    Offset to = 0;
  };
  // Returns how what comes after these offsets alternates between the streams, as far as it is
  // known.
  std::vector<Stretch> stretches(const Offsets& after) const;
  // Returns the first byte that readers who are at these offsets have not both passed.
  Offset first_after(const Offsets& read) const;

 private:
  // A piece of one stream, up to the next arrival.
  struct Arrival {
    Offset at = 0;    // in the text; a newline is added before it unless the one before ends here
    Offset from = 0;  // in the stream
    Offset to = 0;
    std::uint8_t stream = 0;
    std::uint64_t lines = 0;         // newlines before it, in the text
    std::uint64_t stream_lines = 0;  // the same in the stream

    Offset end() const { return at + (to - from); }
  };
  class Reading;

  void place(std::size_t index, const Stream& stream, Offset to, bool ends_line);

  std::deque<Arrival> arrivals_;  // neighbours are of different streams
  Offset end_ = 0;
  std::uint64_t lines_ = 0;                             // newlines before end_
  Offsets placed_{};                                    // bytes of each stream that have a place
  std::array<std::uint64_t, kStreams> stream_lines_{};  // newlines in those
  bool in_line_ = false;                                // the newest byte does not end a line
  std::array<bool, kStreams> waits_{};                  // has bytes without a place
  std::size_t first_waiting_ = 0;                       // of those that wait
};

}  // namespace gibbous
