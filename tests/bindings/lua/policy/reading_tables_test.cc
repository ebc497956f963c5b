// The table `reading` of a policy's knowledge.
#include "tests/bindings/lua/policy/policy_tables_fixture.h"
#include "tests/support/catch.h"

namespace gibbous::lua {
namespace {

using Catch::Matchers::Contains;
using test::PolicyTables;
using ReadTexts = std::vector<std::string>;

std::string knowing(const std::string& reading) {
  return "return { programs = { ls = {}, git = {} }, variables = {}, languages = {}, paths = {},\n"
         "reading = { " +
         reading + " } }";
}

TEST_CASE("every key of a table of what reads is read") {
  PolicyTables tables;
  REQUIRE(tables.read_knowledge(knowing(R"(
ls = '-a --all',
git = {
  flags = '-h', values = '-C -X', attached = '-U', only = { ['-X -C'] = { 'a b', 'c*' } },
  operands = 2, operand = 'a* b', not_operand = { 'c d' }, needs = '-h', needs_for_operands = '-C',
  single_dash_long = true, options_first = true, plus = true, digits = true, any_words = true,
  alone = true, own_options = true, sets_variables = true,
  subcommands = { log = '-p', ['stash list'] = { operands = 0 } },
} }, reading_variables = { harmless = 'LC_* TZ', configuring = { 'HOME' })")));
  CHECK(tables.knowledge.reading_variables.harmless == ReadTexts{"LC_*", "TZ"});
  CHECK(tables.knowledge.configures("HOME"));
  CHECK_FALSE(tables.knowledge.configures("HOMES"));
  const command::ReadingSpec& plain = *tables.knowledge.reading.at("ls");
  CHECK(plain.flags == " -a --all ");
  CHECK(plain.most_operands == -1);
  CHECK_FALSE(plain.any_words);
  const command::ReadingSpec& spec = *tables.knowledge.reading.at("git");
  CHECK(spec.flags == " -h ");
  CHECK(spec.values == " -C -X ");
  CHECK(spec.attached == " -U ");
  REQUIRE(spec.only.size() == 1);
  CHECK(spec.only[0].options == " -X -C ");
  CHECK(spec.only[0].globs == ReadTexts{"a b", "c*"});
  CHECK(spec.most_operands == 2);
  CHECK(spec.operand == ReadTexts{"a*", "b"});
  CHECK(spec.not_operand == ReadTexts{"c d"});
  CHECK(spec.needs == " -h ");
  CHECK(spec.needs_for_operands == " -C ");
  CHECK(spec.single_dash_long);
  CHECK(spec.options_first);
  CHECK(spec.plus);
  CHECK(spec.digits);
  CHECK(spec.any_words);
  CHECK(spec.alone);
  CHECK(spec.own_options);
  CHECK(spec.sets_variables);
  REQUIRE(spec.subcommands.size() == 2);
  CHECK(spec.subcommands.at("log")->flags == " -p ");
  CHECK(spec.subcommands.at("stash list")->most_operands == 0);
}

TEST_CASE("every mistake in a table of what reads has its message") {
  struct Mistake {
    const char* reading;
    const char* message;
  };
  const Mistake mistakes[] = {
      {"ls = { flag = '-a' }", "reading.ls: unknown key 'flag'; did you mean 'flags'?"},
      {"ls = 'a'", "reading.ls: 'a' is not an option: expected '-x' or '--name', without '='"},
      {"ls = '--a=b'", "'--a=b' is not an option"},
      {"ls = '-'", "'-' is not an option"},
      {"ls = { flags = '-a', values = '-a' }", "reading.ls: the option '-a' is listed twice"},
      {"ls = { flags = '-a', needs = '-b' }", "needs: the option '-b' is not listed"},
      {"ls = { needs_for_operands = '-b' }", "needs_for_operands: the option '-b' is not listed"},
      {"ls = { only = { ['-b'] = 'x' } }", "only: the option '-b' is not listed"},
      {"ls = { operands = -1 }", "reading.ls.operands"},
      {"ls = { any_words = 1 }", "reading.ls.any_words: expected true or false"},
      {"ls = 5", "reading.ls: expected a string of options, or a table of what may stand"},
      {"git = { subcommands = { a = { subcommands = {} } } }", "a subcommand has none of its own"},
      {"git = { subcommands = { a = 'x' } }", "reading.git.subcommands.a: 'x' is not an option"},
      {"}, reading_variables = { harmful = 'x'", "reading_variables: unknown key 'harmful'"},
      {"sl = '-a'", "reading: 'sl' needs a table in `programs`, too"},
  };
  for (const Mistake& each : mistakes) {
    CAPTURE(each.reading);
    PolicyTables tables;
    CHECK_FALSE(tables.read_knowledge(knowing(each.reading)));
    CHECK_THAT(tables.faults, Contains(each.message));
  }
}

}  // namespace
}  // namespace gibbous::lua
