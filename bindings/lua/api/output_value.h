// The output of a run as scripts read it: options in, plain tables out. Every function throws
// WrongUse. Loop thread only.
#pragma once

#include <cstddef>
#include <cstdint>

#include "bindings/lua/vm/value.h"
#include "runtime/runs/runs.h"

namespace gibbous::lua {

inline constexpr std::size_t kDefaultReadBytes = std::size_t{64} << 10;
inline constexpr std::size_t kMaxReadBytes = std::size_t{2} << 20;

// The options of h:read, h:tail, h:excerpt and h:error_excerpt as scripts give them.
Json read_stream(Run& run, const Json& options);
Json tail_stream(Run& run, const Json& options);
Json excerpt_stream(Run& run, const Json& options);
Json error_excerpt_of(Run& run, const Json& options);
// Returns the size that the options of h:error_excerpt and journal.error_excerpt ask for; throws
// WrongUse in the name of `owner`.
std::size_t parse_error_excerpt(const char* owner, const Json& options);

// Both streams of a run in the order in which their lines came.
struct MergedOutput {
  Stream text;                   // a copy of [from, ...)
  Offset from = 0;               // offset in the merged output
  std::uint64_t first_line = 0;  // number of the first line, from 0
};
// Returns what is kept of it. Gives incomplete lines their place.
MergedOutput merged_output(Run& run);

}  // namespace gibbous::lua
