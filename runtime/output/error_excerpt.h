// error_excerpt: shows why a run failed in a few hundred bytes: the first lines that look like
// errors, each with the two lines after it, and the last three lines, numbered as by `grep -n -A
// 2`. Pure, any thread.
#pragma once

#include <cstddef>
#include <string>

#include "runtime/output/error_patterns.h"
#include "runtime/output/stream.h"

namespace gibbous {

inline constexpr std::size_t kErrorExcerptBytes = 600;

// Returns at most max_bytes, each line ended by '\n'; "" without output. "1501:FATAL: ..." is line
// 1501 (from 1) and looks like an error, "1502- at x" is another line, "…" stands for lines left
// out. Output that fits in a few lines has no numbers. With output on both streams each part is
// named: "stderr:".
std::string error_excerpt(const Stream& out, const Stream& err,
                          std::size_t max_bytes = kErrorExcerptBytes,
                          const ErrorPatterns& patterns = *ErrorPatterns::shipped());

}  // namespace gibbous
