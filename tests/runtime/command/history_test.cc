#include "runtime/command/history.h"

#include "tests/support/catch.h"

using namespace gibbous::command;

namespace {

constexpr Dialects kOnlyBash = bit_of(Dialect::kBash);

bool refers(std::string_view typed, Dialects dialects = kOnlyBash, std::size_t from = 0) {
  INFO(typed);
  return may_refer_to_history(typed, from, dialects);
}

}  // namespace

TEST_CASE("a line that may stand for an earlier one is told from those that do not") {
  for (const char* line :
       {"!!\n", "!rm\n", "!-1\n", "!?x?\n", "!$\n", "sudo !!\n", "echo !$\n", "echo \"!x\"\n",
        "^a^b\n", "true\n^a^b^\n", "!(a)\n", "echo a!b\n", "!#\n", "!{x}\n", "\\\\!x\n",
        "echo 'a' !x\n", "! !x\n", "\"a'!x'\"\n", "'\\'!x\n"}) {
    CHECK(refers(line));
  }
  for (const char* line :
       {"echo hi!\n", "! false\n", "[ ! -f x ]\n", "[ a != b ]\n", "echo 'a!b'\n",
        "echo \"done!\"\n", "echo \\!x\n", "a=b^c\n", "echo x!", "echo\t!\t\n"}) {
    CHECK_FALSE(refers(line));
  }
}

TEST_CASE("quotes protect in bash alone") {
  CHECK(refers("echo 'a!b'\n", kOnlyBash | kForeignShell));
  CHECK(refers("echo 'a!b'\n", kAnyDialect));
  CHECK_FALSE(refers("echo \\!b\n", kAnyDialect));
}

TEST_CASE("a quote that a line leaves open may hold in the next one, or not") {
  CHECK(refers("echo 'a\n!x'\n"));
  CHECK(refers("echo 'it\ndon't !x\n"));
}

TEST_CASE("only what is typed now counts") {
  const std::string_view lines = "!x\necho a\n";
  CHECK(refers(lines));
  CHECK_FALSE(refers(lines, kOnlyBash, 3));
}
