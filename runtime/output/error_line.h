// Which lines of an output look like errors: words that tools use when they fail, in the places
// where they use them, and not "0 errors", "no error" or the name of error.cc. A heuristic for
// excerpts. Pure, any thread.
#pragma once

#include <cstddef>
#include <string_view>

namespace gibbous {

// Only this much of a longer line is examined.
inline constexpr std::size_t kMaxCheckedLineBytes = 8192;

// `line` is cleaned text without its line end.
bool looks_like_error(std::string_view line);

}  // namespace gibbous
