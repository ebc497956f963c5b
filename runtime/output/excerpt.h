// excerpt: shows as much of an output as a token budget allows, chosen for meaning: its head, its
// tail, and the lines that look like errors with their context. Collapses progress, folds repeats,
// and notes exactly what it cut and how to get it. Pure, any thread.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "runtime/output/error_patterns.h"
#include "runtime/output/stream.h"

namespace gibbous {

// Models count in tokens; 4 bytes per token is the rule of thumb for English and logs.
inline constexpr std::size_t kBytesPerToken = 4;

struct ExcerptOptions {
  std::size_t budget_tokens = 2000;
  std::size_t context_lines = 2;      // around each line that looks like an error
  std::size_t max_line_bytes = 2000;  // longer lines are clamped, with a note
  std::shared_ptr<const ErrorPatterns> patterns = ErrorPatterns::shipped();
};

struct Excerpt {
  std::string text;      // within the budget, notes included
  bool complete = true;  // nothing was left out
  std::vector<Gap> cut;  // byte ranges that `text` lacks, whether still kept or not
};

Excerpt excerpt(const Stream& stream, const ExcerptOptions& options);

}  // namespace gibbous
