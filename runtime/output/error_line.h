// Finds lines of output that look like errors: a watcher preset finds them, or they have words that
// tools use when they fail, where they use them, but not "0 errors", "no error" or the name of
// error.cc. A heuristic for excerpts. Pure, any thread.
#pragma once

#include <cstddef>
#include <string_view>

#include "runtime/output/error_patterns.h"

namespace gibbous {

// Only this much of a longer line is examined.
inline constexpr std::size_t kMaxCheckedLineBytes = 8192;

// `line` is cleaned text without its line end.
bool looks_like_error(std::string_view line,
                      const ErrorPatterns& patterns = *ErrorPatterns::shipped());

}  // namespace gibbous
