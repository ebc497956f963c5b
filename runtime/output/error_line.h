// Finds lines of output that look like errors: a watcher preset finds them, or they have words that
// tools use when they fail, where they use them, but not "0 errors", "no error" or the name of
// error.cc. A heuristic for excerpts. Pure, any thread.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "runtime/base/cut_line.h"
#include "runtime/output/error_patterns.h"

namespace gibbous {

// Only this much of a longer line is examined.
inline constexpr std::size_t kMaxCheckedLineBytes = std::size_t{64} << 10;

// Returns where a line looks like an error: the word, or the beginning of a line that a preset
// finds. `line` is cleaned text without its line end.
std::optional<LinePlace> find_error(std::string_view line,
                                    const ErrorPatterns& patterns = *ErrorPatterns::shipped());
inline bool looks_like_error(std::string_view line,
                             const ErrorPatterns& patterns = *ErrorPatterns::shipped()) {
  return find_error(line, patterns).has_value();
}

}  // namespace gibbous
