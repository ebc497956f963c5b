// ErrorPatterns: the watcher presets that find errors, as this folder knows them: regexes over one
// cleaned line. error_patterns.inc holds the shipped ones; it is generated from scripts/watchers,
// where they are written and described, and a test compares the two. Scripts may have others.
// Immutable, any thread; compiled at the first use.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "gibbous/status.h"

namespace gibbous {

enum class ErrorPreset : std::uint8_t { kCompileError, kTestFailure, kStackTrace };

struct ErrorPattern {
  ErrorPreset preset = ErrorPreset::kCompileError;
  std::string regex;  // RE2

  bool operator==(const ErrorPattern&) const = default;
};

// Which presets find something in a line, one bit each; 0: none.
using FoundPresets = std::uint8_t;
constexpr FoundPresets preset_bit(ErrorPreset preset) {
  return static_cast<FoundPresets>(1U << static_cast<unsigned>(preset));
}

inline constexpr std::size_t kMaxErrorPatterns = 500;

class ErrorPatterns {
 public:
  static const std::shared_ptr<const ErrorPatterns>& shipped();
  // Returns the shipped ones when these are the same. At most kMaxErrorPatterns, each of which must
  // be valid (check_error_pattern).
  static std::shared_ptr<const ErrorPatterns> of(std::vector<ErrorPattern> patterns);
  ~ErrorPatterns();
  ErrorPatterns(const ErrorPatterns&) = delete;
  ErrorPatterns& operator=(const ErrorPatterns&) = delete;

  const std::vector<ErrorPattern>& all() const { return patterns_; }
  // `line` is cleaned text without its line end; only kMaxCheckedLineBytes of it are examined.
  FoundPresets find(std::string_view line) const;

 private:
  class Set;
  explicit ErrorPatterns(std::vector<ErrorPattern> patterns);

  const std::vector<ErrorPattern> patterns_;
  const std::unique_ptr<Set> set_;
};

// Says what is wrong with a regex (code invalid_arguments).
Status check_error_pattern(const std::string& regex);

}  // namespace gibbous
