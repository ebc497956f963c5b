// Which words of a command are known to read, by tables made by hand. What the shipped tables say
// is in policies/cases/reading_*.lua.
#include <functional>
#include <string>
#include <vector>

#include "tests/runtime/rules/by_hand.h"

using namespace by_hand;  // NOLINT: the words of this test
using gibbous::command::ReadingSpec;

namespace {

std::shared_ptr<const Knowledge> knowing(const std::function<void(ReadingSpec&)>& change) {
  auto made = std::make_shared<Knowledge>();
  auto spec = std::make_shared<ReadingSpec>();
  spec->flags = " -a -r --all --color ";
  spec->values = " -n --lines ";
  spec->attached = " -U ";
  change(*spec);
  made->programs["show"] = std::make_shared<const ProgramSpec>();
  made->reading["show"] = std::move(spec);
  return made;
}

Rule reading() {
  Rule made = of_program("r", Decision::kAllow, "show");
  made.known_to_read = true;
  return made;
}

bool reads(const std::string& line, const std::function<void(ReadingSpec&)>& change) {
  const Outcome outcome = rule_set({reading()}, knowing(change))->judge(facts(line), "plan", {});
  return !outcome.matched.empty();
}

struct Case {
  const char* line;
  bool reads;
};

void check(const std::vector<Case>& cases, const std::function<void(ReadingSpec&)>& change) {
  for (const Case& each : cases) {
    CAPTURE(each.line);
    CHECK(reads(each.line, change) == each.reads);
  }
}

void nothing(ReadingSpec& /*spec*/) {}

std::string why(const std::string& line, const std::function<void(ReadingSpec&)>& change) {
  std::vector<Step> steps;
  (void)rule_set({reading()}, knowing(change))->judge(facts(line), "plan", {}, &steps);
  REQUIRE(steps.size() == 1);
  return steps[0].why;
}

}  // namespace

TEST_CASE("a command reads if each of its options is listed, and spelt like that") {
  check(
      {
          {"show", true},
          {"show x y", true},
          {"show -a x --all", true},
          {"show -ar x", true},
          {"show -x", false},
          {"show -ax", false},
          {"show --al", false},
          {"show --all-else", false},
          {"show --color=auto x", true},
          {"show -n 5 x", true},
          {"show -n5 x", true},
          {"show -an5", true},
          {"show -n -x y", true},  // the value
          {"show --lines -x", true},
          {"show --lines=5 -x", false},
          {"show -U3 x", true},
          {"show -U -x", false},  // its value is only ever attached
          {"show -Ux", true},
          {"show -- -x", true},
          {"show x -x", false},
          {"show -5", false},
          {"show -all", false},
          {"show --help", true},
          {"show --version", true},
          {"show -", true},
      },
      nothing);
}

TEST_CASE("kinds of options can be listed") {
  check({{"show -5 x", true}, {"show -a5", true}, {"show -5x", false}},
        [](ReadingSpec& spec) { spec.digits = true; });
  check({{"show +a x", true}, {"show +x", false}}, [](ReadingSpec& spec) {
    spec.plus = true;
    spec.flags += "+a ";
  });
  check({{"show +x", true}}, nothing);  // an operand
  check({{"show -name x", true}, {"show -ar", false}, {"show -nam x", false}},
        [](ReadingSpec& spec) {
          spec.single_dash_long = true;
          spec.values += "-name ";
        });
  check({{"show x -x", true}, {"show -x x", false}},
        [](ReadingSpec& spec) { spec.options_first = true; });
  check({{"show -n 5", true}, {"show -n 6", false}, {"show -n6", false}, {"show --lines 6", true}},
        [](ReadingSpec& spec) {
          spec.only = {{" -n ", {"5"}}};
        });
}

TEST_CASE("a word that is not known in advance may be any option") {
  const std::vector<Case> unknown = {
      {"show $x", false},        {"show '$x'", false},       {"show *", false},
      {"show -n $x", false},     {"show -'$x'", false},      {"show --'$x'", false},
      {"show --color$x", false}, {"show --all $x y", false},
  };
  check(unknown, nothing);
  const std::vector<Case> known = {
      {"show a'$x'", true}, {"show -n '$x'", true},      {"show -n'$x'", true},
      {"show -- $x", true}, {"show --color='$x'", true}, {"show a*", true},
  };
  check(known, nothing);
  check({{"show $x", true}, {"show '$x' *", true}, {"show -x $x", false}},
        [](ReadingSpec& spec) { spec.any_words = true; });
}

TEST_CASE("operands can be limited in number and kind") {
  check({{"show x", true}, {"show x y", false}, {"show a'$x'", true}, {"show a*", false}},
        [](ReadingSpec& spec) { spec.most_operands = 1; });
  check({{"show +5", true}, {"show 5", false}, {"show +'$x'", true}, {"show -- 5", false}},
        [](ReadingSpec& spec) { spec.operand = {"+*"}; });
  check({{"show a", true}, {"show @a", false}, {"show a b @c", false}, {"show -- '$x'", false}},
        [](ReadingSpec& spec) { spec.not_operand = {"@*"}; });
}

TEST_CASE("an option can be required") {
  check({{"show -a", true},
         {"show -ra x", true},
         {"show", false},
         {"show -r", false},
         {"show -- -a", false},
         {"show -n -a", false}},
        [](ReadingSpec& spec) { spec.needs = " -a "; });
  check({{"show", true}, {"show -r", true}, {"show x", false}, {"show x -a", true}},
        [](ReadingSpec& spec) { spec.needs_for_operands = " -a --all "; });
}

TEST_CASE("only listed subcommands read, with their own options and those of the program") {
  const auto with_subcommands = [](ReadingSpec& spec) {
    auto log = std::make_shared<ReadingSpec>();
    log->flags = " -p ";
    spec.subcommands["log"] = log;
    spec.subcommands["stash list"] = log;
  };
  check(
      {
          {"show", false},
          {"show --all", false},
          {"show log", true},
          {"show -n 5 log -p x", true},
          {"show log -a", true},
          {"show -p log", false},
          {"show log -x", false},
          {"show stash", false},
          {"show stash list -p", true},
          {"show stash drop", false},
          {"show stash -p list", false},
          {"show stash -a list", true},
          {"show push", false},
          {"show push log", false},
          {"show lo", false},
          {"show '$x' log", false},
          {"show -- log", false},
      },
      with_subcommands);
  check({{"show -a log", true}, {"show log -a", false}, {"show stash -a list", true}},
        [&](ReadingSpec& spec) {
          with_subcommands(spec);
          spec.own_options = true;
        });
  check({{"show", true}, {"show -a", true}, {"show push", false}}, [&](ReadingSpec& spec) {
    with_subcommands(spec);
    spec.alone = true;
  });
}

TEST_CASE("a program that starts the command needs a table, too, for its own words") {
  auto knowledge = std::make_shared<Knowledge>(*knowing(nothing));
  auto wrap = std::make_shared<ReadingSpec>();
  wrap->flags = " -0 ";
  wrap->needs = " -0 ";  // only where it stands alone
  knowledge->reading["wrap"] = wrap;
  auto tool = std::make_shared<ReadingSpec>();
  tool->subcommands["run"] = std::make_shared<ReadingSpec>();
  knowledge->reading["tool"] = tool;
  const auto set = rule_set({reading()}, knowledge);
  const auto started = [&](const std::string& by) {
    SimpleCommand made = command("show x");
    made.wrappers = {"wrap"};
    made.started_by = {
        std::make_shared<const std::vector<Value>>(command(by).argv),
    };
    return !set->judge(facts({made}), "plan", {}).matched.empty();
  };
  CHECK(started("wrap"));
  CHECK(started("/usr/bin/wrap -0"));
  CHECK_FALSE(started("wrap -o x"));
  CHECK_FALSE(started("$wrap"));
  CHECK_FALSE(started("other"));
  CHECK(started("tool run"));
  CHECK_FALSE(started("tool exec"));
  CHECK_FALSE(started("tool"));
}

TEST_CASE("variables that are set for a command must be harmless") {
  auto knowledge = std::make_shared<Knowledge>(*knowing(nothing));
  knowledge->reading_variables = {{"LC_*", "TZ"}, {"HOME", "GIT_*"}};
  auto setting = std::make_shared<ReadingSpec>();
  setting->sets_variables = true;
  knowledge->reading["set"] = setting;
  knowledge->programs["set"] = std::make_shared<const ProgramSpec>();
  Rule made = reading();
  made.programs = patterns({"show", "set"});
  const auto set = rule_set({made}, knowledge);
  const auto with = [&](const std::string& line, const char* variable) {
    SimpleCommand changed = command(line);
    changed.assignments.push_back({variable, value("x"), true});
    return !set->judge(facts({changed}), "plan", {}).matched.empty();
  };
  CHECK(with("show", "LC_ALL"));
  CHECK(with("show", "TZ"));
  CHECK_FALSE(with("show", "OTHER"));
  CHECK_FALSE(with("show", "HOME"));
  CHECK(with("set", "OTHER"));  // for later commands
  CHECK_FALSE(with("set", "HOME"));
  CHECK_FALSE(with("set", "GIT_DIR"));
}

TEST_CASE("the trace says which word is not known to read") {
  CHECK(why("show -a", nothing) == "program \"show\", known to read");
  CHECK(why("show --al", nothing) == "not known to read: the option \"--al\"");
  CHECK(why("show -az", nothing) == "not known to read: the option \"-z\"");
  CHECK(why("show '$x'", nothing) == "not known to read: \"$x\", which may become an option");
  CHECK(why("show x", [](ReadingSpec& spec) { spec.most_operands = 0; }) ==
        "not known to read: the operand \"x\"");
  CHECK(why("show", [](ReadingSpec& spec) { spec.needs = " -a --all "; }) ==
        "not known to read: it without one of -a --all");
  CHECK(why("show a b", [](ReadingSpec& spec) {
          spec.subcommands["a c"] = std::make_shared<ReadingSpec>();
        }) == "not known to read: the subcommand \"a\"");
}

TEST_CASE("a rule about a program without a table is refused") {
  Rule made = of_program("r", Decision::kAllow, "shwo");
  made.known_to_read = true;
  const auto created = RuleSet::create({made}, knowing(nothing));
  REQUIRE_FALSE(created);
  CHECK(created.status().message() ==
        "rules.lua:7: rule r: known_to_read: the knowledge has no table `reading` of \"shwo\"; did "
        "you mean \"show\"?");
}
