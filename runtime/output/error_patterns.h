// The watcher presets that find errors, as this folder knows them: regexes over one cleaned line.
// error_patterns.inc holds them; it is generated from scripts/watchers, where they are written and
// described, and a test compares the two. Pure, any thread; compiled at the first use.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace gibbous {

enum class ErrorPreset : std::uint8_t { kCompileError, kTestFailure, kStackTrace };

struct ErrorPattern {
  ErrorPreset preset = ErrorPreset::kCompileError;
  std::string_view regex;  // RE2
};

// Which presets find something in a line, one bit each; 0: none.
using FoundPresets = std::uint8_t;
constexpr FoundPresets preset_bit(ErrorPreset preset) {
  return static_cast<FoundPresets>(1U << static_cast<unsigned>(preset));
}

const std::vector<ErrorPattern>& error_patterns();

// `line` is cleaned text without its line end; only kMaxCheckedLineBytes of it are examined.
FoundPresets presets_in(std::string_view line);

}  // namespace gibbous
