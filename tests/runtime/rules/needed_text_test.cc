#include "runtime/rules/needed_text.h"

#include <re2/re2.h>

#include <string>
#include <vector>

#include "tests/support/catch.h"

namespace gibbous::rules {
namespace {

std::string needed_bytes(std::string_view expression) {
  return needed_text(expression).bytes;
}

TEST_CASE("the bytes without which an expression matches nothing are found") {
  CHECK(needed_bytes("ext::.*") == "ext:");
  CHECK(needed_bytes("(?s)[A-Z_0-9]+=(?:.*x)?rm") == "=rm");
  CHECK(needed_bytes("(?i)(?:file|open):a") == ":");
  CHECK(needed_bytes("a+b*c?d{0,2}e") == "ae");
  CHECK(needed_bytes("\\+[^0-9/].*") == "+");
  CHECK(needed_bytes("[]|)]x") == "x");
  CHECK(needed_bytes("[[:alpha:]|]x\\d") == "x");
  CHECK(needed_bytes("a(?P<name>[)]b)c") == "ac");
}

TEST_CASE("the words of which an expression needs one are found") {
  using Lists = std::vector<std::vector<std::string>>;
  CHECK(needed_text("--?(?:push|pull)(?:[-=].*)?").words == Lists{{"push", "pull"}});
  CHECK(needed_text("(?i).*(PassWord|token)+.*").words == Lists{{"password", "token"}});
  CHECK(needed_text("(?:a|b)x(?:c|d-e)").words == Lists{{"a", "b"}, {"c", "d-e"}});
  for (const char* each : {"(?:a|b)?", "(?:a|)", "(?:a.|b)", "(?:a|(?:b))", "(a|b){0,1}",
                           "(?:a|b)|c", "(?P<x>a|b)", "()"})
    CHECK(needed_text(each).words.empty());
}

TEST_CASE("a text lacks what an expression needs in the same case, or in any") {
  CHECK(lacks("git status", needed_text("(?i).*(?:token|secret).*")));
  CHECK_FALSE(lacks("git SECRET", needed_text("(?i).*(?:token|secret).*")));
  CHECK(lacks("git SECRET", needed_text(".*(?:token|secret).*")));
  CHECK_FALSE(lacks("\xe2\x84\xaa", needed_text("(?i)(?:k|token)")));  // the sign for kelvin
}

TEST_CASE("what is not understood needs nothing") {
  for (const char* each : {"a|b", "", ".*", "\\x41", "\\pL", "\\Qa|b\\E", "(\\Qa)b\\E)c", "a)",
                           "(a", "[a", "a{", "*", "a\\", "\xc3\xa4"})
    CHECK(needed_bytes(each).empty());
}

TEST_CASE("an expression matches no text that lacks what it needs") {
  const std::vector<std::string> pieces = {
      "a",   "b",   "|",   "(",   ")", "[",   "]",    "*",        "?",    "+",   "{0,1}",
      "{2}", "\\.", "\\w", "^",   "$", "(?:", "(?i)", "[^a]",     "[]b]", "\\b", "\\n",
      ".",   "=",   "\\Q", "\\E", "{", "}",   "-",    "(?:a|bb)", "(b|A)"};
  const std::vector<std::string> texts = {"",   "a", "b",   "A",  "=",   "ab", "aab", "B=", "a.b",
                                          "\n", "{", "a{b", "||", "a-b", "()", "a=A", "bb", "-="};
  re2::RE2::Options options;
  options.set_log_errors(false);
  std::uint64_t state = 1;
  const auto next = [&](std::size_t most) {
    state = state * 6'364'136'223'846'793'005U + 1'442'695'040'888'963'407U;
    return static_cast<std::size_t>(state >> 33U) % most;
  };
  std::string wrong;
  int useful = 0;
  constexpr int kExpressions = 20'000;
  for (int made = 0; made < kExpressions; ++made) {
    std::string expression;
    for (std::size_t count = 1 + next(6); count > 0; --count)
      expression += pieces[next(pieces.size())];
    const NeededText needed = needed_text(expression);
    const re2::RE2 regex(expression, options);
    if (!regex.ok() || (needed.bytes.empty() && needed.words.empty())) continue;
    ++useful;
    for (const std::string& text : texts) {
      if (lacks(text, needed) && re2::RE2::PartialMatch(text, regex))
        wrong = expression + " in " + text;
    }
  }
  CHECK(wrong.empty());
  CHECK(useful > 1000);
}

}  // namespace
}  // namespace gibbous::rules
