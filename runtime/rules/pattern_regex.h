// PatternRegex: the expression of a pattern, with what a text must hold so that it can match. Most
// texts lack it, which is found sooner than that they do not match, and without compiling the
// expression. Immutable to its users, any thread.
#pragma once

#include <string>
#include <utility>

#include "runtime/command/lazy_regex.h"
#include "runtime/rules/needed_text.h"

namespace gibbous::rules {

class PatternRegex : public command::LazyRegex {
 public:
  PatternRegex(const std::string& expression, const re2::RE2::Options& options)
      : LazyRegex(expression, options), needed_(needed_text(expression)) {}
  const NeededText& needed() const { return needed_; }

 private:
  const NeededText needed_;
};

}  // namespace gibbous::rules
