// Both streams of a run as one text (ArrivalOrder), with a line of its own for each hole in it,
// such as "[4096 bytes of stdout not kept]". Offsets are those of the order: such a line has none.
// Loop thread only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "runtime/output/arrival_order.h"
#include "runtime/output/stream.h"

namespace gibbous {

struct MergedSlice {
  Slice slice;
  std::vector<Gap> gaps;  // inside of it
};

struct MergedLines {
  Lines lines;            // those for holes count, too
  std::vector<Gap> gaps;  // inside of them
};

// Returns up to `max` bytes from `from`. A hole at the beginning is the gap of the slice.
MergedSlice read_merged(const ArrivalOrder& order, const ArrivalOrder::Streams& streams,
                        Offset from, std::size_t max);
// Returns the last `count` lines, at most `max_bytes`, as Stream::tail does.
MergedLines tail_merged(const ArrivalOrder& order, const ArrivalOrder::Streams& streams,
                        std::uint64_t count, std::size_t max_bytes);

}  // namespace gibbous
