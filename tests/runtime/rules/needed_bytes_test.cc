#include "runtime/rules/needed_bytes.h"

#include <re2/re2.h>

#include <string>
#include <vector>

#include "tests/support/catch.h"

namespace gibbous::rules {
namespace {

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

TEST_CASE("what is not understood needs nothing") {
  for (const char* each : {"a|b", "", ".*", "\\x41", "\\pL", "\\Qa|b\\E", "(\\Qa)b\\E)c", "a)",
                           "(a", "[a", "a{", "*", "a\\", "\xc3\xa4"})
    CHECK(needed_bytes(each).empty());
}

TEST_CASE("an expression matches no text without a byte that it needs") {
  const std::vector<std::string> pieces = {"a",   "b",    "|",     "(",    ")",   "[",   "]", "*",
                                           "?",   "+",    "{0,1}", "{2}",  "\\.", "\\w", "^", "$",
                                           "(?:", "(?i)", "[^a]",  "[]b]", "\\b", "\\n", ".", "=",
                                           "\\Q", "\\E",  "{",     "}",    "-"};
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
    const std::string needed = needed_bytes(expression);
    const re2::RE2 regex(expression, options);
    if (!regex.ok() || needed.empty()) continue;
    ++useful;
    for (const std::string& text : texts) {
      const bool lacks = std::any_of(needed.begin(), needed.end(), [&](char byte) {
        return text.find(byte) == std::string::npos;
      });
      if (lacks && re2::RE2::PartialMatch(text, regex)) wrong = expression + " in " + text;
    }
  }
  CHECK(wrong.empty());
  CHECK(useful > 1000);
}

}  // namespace
}  // namespace gibbous::rules
