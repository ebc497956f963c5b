// Finds what a text must hold so that an expression in the syntax of RE2 can match, without
// compiling it: a policy has hundreds of expressions, and a process that judges one command
// compiles only those that may match. Pure, any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gibbous::rules {

// Less than what is needed may be here, and never more.
struct NeededText {
  std::string bytes;                            // all of these
  std::vector<std::vector<std::string>> words;  // of each list, one
  bool folds = false;                           // `words` are in lower case, and any case counts
};

NeededText needed_text(std::string_view expression);
bool lacks(std::string_view text, const NeededText& needed);

}  // namespace gibbous::rules
