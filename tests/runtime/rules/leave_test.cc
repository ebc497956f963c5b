// Which lines need no sandbox, and which only read: Outcome::leaves and Outcome::reads.
#include "tests/runtime/rules/by_hand.h"

namespace {

using namespace by_hand;  // NOLINT: of tests
using gibbous::command::kInWorkspace;
using gibbous::command::kOutside;

Rule allowing(const char* id, const char* program, bool leaves, bool reads) {
  Rule made = of_program(id, Decision::kAllow, program);
  made.leaves = leaves;
  made.reads = reads;
  return made;
}

// `fetch` leaves, `head` may stand beside it, `sort` only reads, `make` is known.
Outcome judge(const Facts& facts) {
  static const auto kSet =
      rule_set({allowing("a", "fetch", true, false), allowing("b", "head", true, true),
                allowing("c", "sort", false, true), allowing("d", "make", false, false)});
  return kSet->judge(facts, {});
}

Facts line(std::initializer_list<const char*> commands) {
  std::vector<SimpleCommand> made;
  for (const char* each : commands) made.push_back(command(each));
  return facts(std::move(made));
}

}  // namespace

TEST_CASE("a line leaves if all of it may, and something in it has to") {
  CHECK(judge(line({"fetch x"})).leaves);
  CHECK(judge(line({"fetch x", "head x"})).leaves);
  CHECK_FALSE(judge(line({"head x"})).leaves);
  CHECK_FALSE(judge(line({"fetch x", "sort x"})).leaves);
  CHECK_FALSE(judge(line({"fetch x", "make x"})).leaves);
  CHECK_FALSE(judge(line({"fetch x", "unknown"})).leaves);
}

TEST_CASE("a line reads if all of it does and none of it writes") {
  CHECK(judge(line({"head x", "sort y"})).reads);
  CHECK_FALSE(judge(line({"head x", "fetch y"})).reads);
  CHECK_FALSE(judge(line({"head x", "make"})).reads);
  Facts writes = line({"sort x"});
  writes.commands[0].accesses.push_back(access(AccessKind::kWrite, kInWorkspace));
  CHECK_FALSE(judge(writes).reads);
}

TEST_CASE("what is not written out does not leave") {
  const auto leaves = [](const std::function<void(Facts&)>& change) {
    Facts made = line({"fetch x"});
    change(made);
    return judge(made).leaves;
  };
  CHECK(leaves([](Facts&) {}));
  CHECK_FALSE(leaves([](Facts& f) { f.commands[0].argv.back().holes.push_back({}); }));
  CHECK_FALSE(leaves([](Facts& f) { f.commands[0].assignments.push_back({}); }));
  CHECK_FALSE(leaves([](Facts& f) { f.commands[0].wrappers = {"env"}; }));
  CHECK_FALSE(leaves([](Facts& f) { f.commands[0].argv[0].text = "./fetch"; }));
  CHECK_FALSE(leaves([](Facts& f) { f.assigns = true; }));
  CHECK_FALSE(leaves([](Facts& f) { f.doubts.push_back({Doubt::kUnparsed, 0, 0, "$x", false}); }));
}

TEST_CASE("what leaves may change the workspace by itself, and nothing else") {
  const auto leaves = [](const char* program, gibbous::command::PathClasses classes,
                         bool redirected) {
    Facts made = line({"fetch x", "head x"});
    auto& command = made.commands[program == std::string("fetch") ? 0 : 1];
    command.accesses.push_back(access(AccessKind::kWrite, classes));
    command.accesses.back().redirection = redirected;
    return judge(made).leaves;
  };
  CHECK(leaves("fetch", kInWorkspace, false));
  CHECK_FALSE(leaves("fetch", kOutside, false));
  CHECK_FALSE(leaves("fetch", kInWorkspace, true));
  CHECK_FALSE(leaves("head", kInWorkspace, false));
}

TEST_CASE("what opens a file by a redirection does not leave") {
  Facts made = line({"fetch x", "head x"});
  made.commands[1].accesses.push_back(access(AccessKind::kRead, kInWorkspace));
  made.commands[1].accesses.back().redirection = true;
  CHECK_FALSE(judge(made).leaves);
  made.commands[1].accesses.back().path = "/dev/null";
  CHECK(judge(made).leaves);
}

TEST_CASE("what speaks of a repository that runs have changed does not leave") {
  auto knowledge = std::make_shared<gibbous::command::Knowledge>();
  knowledge->classes.push_back({"changed_by_runs", {"/ws/x"}, true});
  const auto set = RuleSet::create({allowing("a", "fetch", true, false)}, knowledge);
  REQUIRE(set);
  Facts made = line({"fetch x"});
  CHECK((*set)->judge(made, {}).leaves);
  made.commands[0].accesses.push_back(
      access(AccessKind::kEnter, knowledge->class_bit("changed_by_runs")));
  CHECK_FALSE((*set)->judge(made, {}).leaves);
}
