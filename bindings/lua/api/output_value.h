// The output of a run as scripts read it: options in, plain tables out. Every function throws
// WrongUse. Loop thread only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "bindings/lua/check/wrong_use.h"
#include "bindings/lua/vm/value.h"
#include "runtime/output/error_patterns.h"
#include "runtime/runs/runs.h"

namespace gibbous::lua {

inline constexpr std::size_t kDefaultReadBytes = std::size_t{64} << 10;
inline constexpr std::size_t kMaxReadBytes = std::size_t{2} << 20;

// The options of h:read, h:tail, h:place, h:excerpt and h:error_excerpt as scripts give them;
// `patterns` find errors.
Json read_stream(Run& run, const Json& options);
Json tail_stream(Run& run, const Json& options);
Json place_reader(Run& run, const Json& options);
Json excerpt_stream(Run& run, const Json& options, std::shared_ptr<const ErrorPatterns> patterns);
Json error_excerpt_of(Run& run, const Json& options, const ErrorPatterns& patterns);
// Reads an offset in each stream, 0 where none is given.
ArrivalOrder::Offsets parse_places(const FieldPath& place, const Json& table);
// Returns the size that the options of h:error_excerpt and journal.error_excerpt ask for; throws
// WrongUse in the name of `owner`.
std::size_t parse_error_excerpt(const char* owner, const Json& options);

}  // namespace gibbous::lua
