// The bounded pattern functions: the same results as LuaJIT's, and an end for patterns that never
// end there.
#include "bindings/lua/vm/pattern.h"

#include <random>
#include <string>
#include <vector>

#include "tests/bindings/lua/vm/state_fixture.h"
#include "tests/support/catch.h"
#include "tests/support/pattern_differential.h"

namespace gibbous::lua {
namespace {

using test::evaluate;
using test::make_state;
using test::run;

// Makes patterns from meaningful parts, and subjects from characters that they match.
class RandomPatterns {
 public:
  explicit RandomPatterns(unsigned seed) : engine_(seed) {}

  std::string subject() { return pick_many(kCharacters, kMaxSubject); }

  std::string pattern() { return (below(4) == 0 ? "^" : "") + pick_many(kParts, kMaxParts); }

  std::string replacement() { return pick_many(kReplacements, kMaxReplacement); }

  int init() { return static_cast<int>(below(30)) - 15; }

 private:
  static constexpr std::size_t kMaxSubject = 14;
  static constexpr std::size_t kMaxParts = 7;
  static constexpr std::size_t kMaxReplacement = 4;
  std::size_t below(std::size_t end) { return engine_() % end; }

  std::string pick_many(const std::vector<std::string>& from, std::size_t most) {
    std::string text;
    for (std::size_t count = below(most + 1); count > 0; --count) text += from[below(from.size())];
    return text;
  }

  const std::vector<std::string> kCharacters{
      "a", "b", "ab", "c", "A", "1",  "2", " ", "\t", ".",    "(",        ")", "[", "]",
      "-", "%", "^",  "$", "_", "\n", "*", "a", "b",  "\x7f", "\xc3\xa9", "x", "0"};
  const std::vector<std::string> kParts{
      "a",      "b",     "ab",    ".",    "%a",    "%d",  "%s",    "%w",     "%p",      "%x",
      "%l",     "%u",    "%c",    "%g",   "%z",    "%A",  "%D",    "%S",     "%W",      "%P",
      "%G",     "%L",    "%U",    "%X",   "%C",    "%Z",  "%%",    "%.",     "%(",      "%é",
      "[ab]",   "[^ab]", "[a-c]", "[%a]", "[^%s]", "[]]", "[^]]",  "[]a]",   "[a-]",    "[%a-z]",
      "[a-%%]", "[-a]",  "[",     "]",    "(",     ")",   "()",    "(a)",    "(.-)",    "(%w+)",
      "%1",     "%2",    "%b()",  "%bxx", "%baa",  "%b",  "%f[a]", "%f[%w]", "%f[^%w]", "%f",
      "%",      "$",     "^",     "*",    "+",     "-",   "?",     "a*",     "a+",      "a-",
      "a?",     ".*",    ".+",    ".-",   "%a*",   "%d+", "[ab]*", "[^a]-",  "%q",      "%0"};
  const std::vector<std::string> kReplacements{"x", "%0", "%1", "%2", "%%",
                                               "%", "-",  "",   "%a", "9"};
  std::mt19937 engine_;
};

TEST_CASE("random patterns give the same answers as LuaJIT's") {
  constexpr int kRounds = 60'000;
  test::PatternDifferential differential;
  RandomPatterns random(20260101);
  for (int round = 0; round < kRounds; ++round) {
    const std::string subject = random.subject();
    const std::string pattern = random.pattern();
    const std::string difference =
        differential.difference(subject, pattern, random.replacement(), random.init());
    INFO("round " << round);
    if (!difference.empty()) FAIL(difference);
  }
}

TEST_CASE("every pair of a byte and a class agrees with LuaJIT's") {
  test::PatternDifferential differential;
  std::string bytes;
  for (int c = 1; c < 256; ++c) bytes += static_cast<char>(c);
  bytes += '\0';
  for (int letter = 1; letter < 256; ++letter) {
    if (letter >= '0' && letter <= '9') continue;
    for (const std::string& pattern : {std::string("%") + static_cast<char>(letter),
                                       std::string("[%") + static_cast<char>(letter) + "]",
                                       std::string("[^%") + static_cast<char>(letter) + "x]+"}) {
      const std::string difference = differential.difference(bytes, pattern, "<%0>", 1);
      if (!difference.empty()) FAIL(difference);
    }
  }
}

TEST_CASE("known patterns of scripts agree with LuaJIT's") {
  test::PatternDifferential differential;
  struct Example {
    const char* subject;
    const char* pattern;
    const char* replacement;
  };
  for (const Example& example : std::initializer_list<Example>{
           {"rm -rf /", "^%s*rm%s+%-[rf]+%s+/%s*$", "no"},
           {"  trim me\t", "^%s*(.-)%s*$", "%1"},
           {"key = value; other=2", "(%w+)%s*=%s*(%w+)", "%2:%1"},
           {"f(a(b)c)d(e)", "%b()", "[%0]"},
           {"THE (quick) fox", "%f[%a]%a+%f[%A]", "<%0>"},
           {"a,b,,c", "([^,]*)", "[%1]"},
           {"hello world", "(o)(.)", "%2%1"},
           {"aaa", "a-", "x"},
           {"abc", "", "-"},
           {"abab", "(ab)%1", "!"},
           {"\"quoted\" 'single'", "([\"'])(.-)%1", "<%2>"},
           {"x", "()x()", "%1%2"},
           {"2026-01-02", "^(%d%d%d%d)-(%d%d)-(%d%d)$", "%3.%2.%1"},
           {"", "^$", "empty"},
           {"line\nline", "[^\n]+", "%0!"},
       }) {
    const std::string difference =
        differential.difference(example.subject, example.pattern, example.replacement, 1);
    INFO(difference);
    CHECK(difference.empty());
  }
}

TEST_CASE("a catastrophic pattern ends with an error instead of never") {
  auto state = make_state();
  for (const char* call : {"find(s, p)", "match(s, p)", "gsub(s, p, '')", "gmatch(s, p)()"}) {
    const std::string script =
        "local s = ('a'):rep(40)\nlocal p = ('a-'):rep(12) .. 'b'\n"
        "string." +
        std::string(call);
    const ScriptError error = run(*state, script);
    CHECK(error.message == "pattern too complex: more than 1002560 steps");
    CHECK(error.line == 3);
  }
}

TEST_CASE("the budget ends a long search in the middle") {
  const test::TickingClock clock(std::chrono::milliseconds(1));
  auto state = make_state(&clock);
  const ScriptError error = run(*state,
                                "local s = ('a'):rep(4000000)\n"
                                "local n = s:find('(a*)*b')\nerror('not reached')",
                                test::kChunk, std::chrono::milliseconds(50));
  CHECK(error.code == "budget_exceeded");
  CHECK(error.line == 2);
}

TEST_CASE("a long subject may take many steps") {
  auto state = make_state();
  CHECK(evaluate(*state,
                 "local s = ('word '):rep(200000)\n"
                 "local count = 0\n"
                 "for _ in s:gmatch('%w+') do count = count + 1 end\n"
                 "local _, n = s:gsub('(%w+)%s', '%1')\n"
                 "return count .. ' ' .. n") == "200000 200000");
}

TEST_CASE("the depth of a pattern is bounded") {
  auto state = make_state();
  CHECK(run(*state, "local s = ('a'):rep(1000); s:find(('a?'):rep(1000))").message ==
        "pattern too complex");
  CHECK(run(*state, "('x'):find(('('):rep(33))").message == "too many captures");
}

TEST_CASE("a zero byte in a pattern is an ordinary character") {
  auto state = make_state();
  CHECK(evaluate(*state, "return tostring(('a\\0b'):find('a\\0b', 1))") == "1");
  CHECK(evaluate(*state, "return tostring(('a\\0c'):match('a%z[c]'))") == std::string("a\0c", 3));
  CHECK(evaluate(*state, "return tostring(('ab'):match('a\\0.*'))") == "nil");
}

TEST_CASE("an error of wrong arguments names the function and the argument") {
  auto state = make_state();
  CHECK(run(*state, "string.find(nil, 'x')").message ==
        "bad argument #1 to 'find' (string expected, got nil)");
  CHECK(run(*state, "string.gsub('x', 'x', true)").message ==
        "bad argument #3 to 'gsub' (string/function/table expected)");
  CHECK(run(*state, "string.gsub('x', 'x', function() return {} end)").message ==
        "invalid replacement value (a table)");
}

TEST_CASE("a callback may use patterns itself, and fail") {
  auto state = make_state();
  CHECK(evaluate(*state,
                 "return (('ab cd'):gsub('%w+', function(w) return (w:gsub('.', '%0%0')) end))") ==
        "aabb ccdd");
  const ScriptError error =
      run(*state,
          "\nlocal _ = ('ab'):gsub('.', function() error({ code = 'mine', message = 'm' }) end)");
  CHECK(error.code == "mine");
  CHECK(error.line == 2);
}

}  // namespace
}  // namespace gibbous::lua
