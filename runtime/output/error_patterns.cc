// ErrorPatterns::find(): all patterns are one set, so that a line costs one pass.
#include "runtime/output/error_patterns.h"

#include <re2/re2.h>
#include <re2/set.h>

#include <mutex>
#include <utility>

#include "runtime/output/error_line.h"

namespace gibbous {
namespace {

// A set that needs more searches without its memory of states, and finds the same.
constexpr std::int64_t kMaxSetBytes = 16 * 1024 * 1024;
constexpr std::size_t kMaxRegexBytes = std::size_t{8} << 10;

re2::RE2::Options pattern_options() {
  re2::RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(kMaxSetBytes);
  return options;
}

std::vector<ErrorPattern> shipped_patterns() {
  return {
#include "runtime/output/error_patterns.inc"
  };
}

}  // namespace

class ErrorPatterns::Set {
 public:
  std::vector<int> match(const std::vector<ErrorPattern>& patterns, std::string_view line) {
    std::call_once(once_, [this, &patterns] { compile(patterns); });
    std::vector<int> matches;
    if (set_) set_->Match({line.data(), line.size()}, &matches);
    return matches;
  }

 private:
  void compile(const std::vector<ErrorPattern>& patterns) {
    if (patterns.empty()) return;
    auto set = std::make_unique<re2::RE2::Set>(pattern_options(), re2::RE2::UNANCHORED);
    std::string problem;
    for (const ErrorPattern& pattern : patterns) set->Add(pattern.regex, &problem);
    if (set->Compile()) set_ = std::move(set);
  }

  std::once_flag once_;
  std::unique_ptr<re2::RE2::Set> set_;
};

ErrorPatterns::ErrorPatterns(std::vector<ErrorPattern> patterns)
    : patterns_(std::move(patterns)), set_(std::make_unique<Set>()) {}

ErrorPatterns::~ErrorPatterns() = default;

const std::shared_ptr<const ErrorPatterns>& ErrorPatterns::shipped() {
  static const std::shared_ptr<const ErrorPatterns> patterns(new ErrorPatterns(shipped_patterns()));
  return patterns;
}

std::shared_ptr<const ErrorPatterns> ErrorPatterns::of(std::vector<ErrorPattern> patterns) {
  if (patterns == shipped()->all()) return shipped();
  return std::shared_ptr<const ErrorPatterns>(new ErrorPatterns(std::move(patterns)));
}

FoundPresets ErrorPatterns::find(std::string_view line) const {
  FoundPresets found = 0;
  for (const int at : set_->match(patterns_, line.substr(0, kMaxCheckedLineBytes))) {
    found |= preset_bit(patterns_[static_cast<std::size_t>(at)].preset);
  }
  return found;
}

Status check_error_pattern(const std::string& regex) {
  if (regex.size() > kMaxRegexBytes) {
    return Status::error("invalid_arguments",
                         "is longer than " + std::to_string(kMaxRegexBytes) + " bytes");
  }
  const re2::RE2 compiled(regex, pattern_options());
  if (!compiled.ok()) return Status::error("invalid_arguments", compiled.error());
  return {};
}

}  // namespace gibbous
