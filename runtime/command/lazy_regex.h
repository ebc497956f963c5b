// LazyRegex: an RE2 pattern that is compiled at its first use. A policy has hundreds of patterns,
// of which a command meets a few. Immutable to its users, any thread.
#pragma once

#include <re2/re2.h>

#include <memory>
#include <mutex>
#include <string>
#include <utility>

namespace gibbous::command {

class LazyRegex {
 public:
  explicit LazyRegex(std::string pattern) : LazyRegex(std::move(pattern), default_options()) {}
  LazyRegex(std::string pattern, const re2::RE2::Options& options)
      : pattern_(std::move(pattern)), options_(options) {}

  const std::string& pattern() const { return pattern_; }
  const re2::RE2::Options& options() const { return options_; }

  // Returns null for a wrong pattern. Code that reads an untested pattern calls this at once.
  const re2::RE2* get() const {
    std::call_once(once_, [this] { compile(); });
    return regex_->ok() ? regex_.get() : nullptr;
  }
  // Returns the error of the pattern, or "".
  std::string error() const { return get() == nullptr ? regex_->error() : ""; }
  // Returns the part of a wrong pattern that is wrong, or "".
  std::string error_part() const { return get() == nullptr ? regex_->error_arg() : ""; }

 private:
  static constexpr int kMaxMemory = 4 << 20;  // bytes, of the program and its automaton

  static re2::RE2::Options default_options() {
    re2::RE2::Options options;
    options.set_log_errors(false);
    options.set_max_mem(kMaxMemory);
    return options;
  }
  void compile() const { regex_ = std::make_unique<const re2::RE2>(pattern_, options_); }

  const std::string pattern_;
  const re2::RE2::Options options_;
  mutable std::once_flag once_;
  mutable std::unique_ptr<const re2::RE2> regex_;
};

}  // namespace gibbous::command
