// Runs the examples and the cases of a policy.
//
// A load of a user's own directory runs all of them, and is refused when one fails. Those that ship
// are run at build time instead: 3,800 lines would cost 300 ms of each start.
#include "bindings/lua/policy/case_value.h"
#include "bindings/lua/policy/command_policy.h"
#include "bindings/lua/policy/judgement.h"
#include "bindings/lua/policy/policy_guard.h"
#include "bindings/lua/policy/policy_program.h"
#include "runtime/rules/rules.h"

namespace gibbous::lua {
namespace {

constexpr std::size_t kMaxFailures = 20000;

Decisions decided(const Verdict& verdict) {
  if (verdict.decision != Verdict::Decision::kAllow || !verdict.sandbox.is_object())
    return bit_of(verdict.decision);
  const std::string profile = verdict.sandbox.value("profile", "");
  if (profile == kFetchProfile) return bit_of(rules::Decision::kAllow);
  return profile == kConfinedProfile ? kConfined : kInside;
}

std::string wrong_case(const PolicyCase& each, const Verdict& verdict) {
  const std::string said = verdict.decision == Verdict::Decision::kAsk    ? "asked about"
                           : verdict.decision == Verdict::Decision::kDeny ? "denied"
                           : verdict.sandbox.is_object()
                               ? "in the sandbox " + verdict.sandbox.value("profile", "")
                               : "free";
  std::string what = each.command;
  for (const std::string& word : each.argv) what += (what.empty() ? "" : " ") + word;
  std::string text = each.file.empty() ? "" : each.file + ":" + std::to_string(each.line) + ": ";
  text += "case " + each.name + " expects " + each.expectation + ", and in mode " + each.mode +
          " it is " + said + " by " + verdict.rule + ": " + what.substr(0, 200);
  return text;
}

}  // namespace

Verdict PolicyProgram::decide_case(const PolicyTables& tables, const PolicyCase& each) {
  PolicyRequest request;
  request.kind = RequestKind::kStart;
  request.tool = "policy";
  request.permission = "execute";
  request.mode = each.mode;
  request.workspace = each.workspace;
  request.cwd = each.cwd;
  request.shell = each.shell;
  request.argv = each.argv;
  if (each.argv.empty()) request.command = each.command;
  return decide_at(tables, request,
                   {each.workspace, each.home, place_.variables, /*exists=*/false});
}

const PolicyTables& PolicyProgram::last_guard_tables() const {
  return guards_.back().tables;
}

rules::TestFunction PolicyProgram::example_test(const PolicyTables& tables) {
  return tables.commands->test_function(state_, budget_, "auto");
}

std::string PolicyProgram::test(const PolicyTables& tables,
                                const std::function<void(const Verdict&)>& on_case) {
  std::string failures;
  CommandPolicy* commands = tables.commands.get();
  if (commands == nullptr || commands->empty()) return failures;
  const Status examples = rules::check_examples(commands->rules(), example_test(tables),
                                                commands->example_map(place_.variables));
  if (!examples) failures = examples.message();
  std::size_t count = 0;
  for (const PolicyCase& each : commands->cases()) {
    const Verdict verdict = decide_case(tables, each);
    if (on_case) on_case(verdict);
    if ((each.expected & decided(verdict)) != 0) continue;
    if (++count <= kMaxFailures)
      failures += (failures.empty() ? "" : "\n") + wrong_case(each, verdict);
  }
  if (count > kMaxFailures)
    failures += "\n" + std::to_string(count - kMaxFailures) + " more cases fail";
  return failures;
}

}  // namespace gibbous::lua
