// See policy_report.h.
#include "bindings/host/policy_report.h"

#include <set>
#include <span>
#include <sstream>
#include <string>

#include "bindings/lua/policy/command_policy.h"
#include "bindings/lua/policy/policy_program.h"
#include "runtime/rules/rules.h"

namespace gibbous::host {
namespace {

std::string place_of(const rules::Rule& rule) {
  return rule.file + ":" + std::to_string(rule.line) + ": " + rule.id;
}

}  // namespace

PolicyReport test_policy(lua::PolicyProgram& policy, const lua::PolicyTables& tables) {
  PolicyReport report;
  std::set<const rules::Rule*> met;
  const std::string failures = policy.test(tables, [&](const lua::Verdict& verdict) {
    if (verdict.judgement == nullptr) return;
    const auto& matched = verdict.judgement->outcome.matched;
    met.insert(matched.begin(), matched.end());
  });
  std::istringstream lines(failures);
  for (std::string line; std::getline(lines, line);) report.failures.push_back(std::move(line));
  report.ok = report.failures.empty();
  lua::CommandPolicy* commands = tables.commands.get();
  if (commands == nullptr || commands->empty()) return report;
  const std::span<const rules::Rule> rules = commands->rules().rules();
  report.rules = rules.size();
  report.cases = commands->cases().size();
  std::size_t covered = 0;
  for (const rules::Rule& rule : rules) {
    report.examples += rule.match.size() + rule.not_match.size();
    if (rule.shipped) continue;
    ++report.own_rules;
    if (met.contains(&rule)) {
      ++covered;
    } else {
      report.uncovered.push_back(place_of(rule));
    }
  }
  if (report.own_rules > 0)
    report.coverage = static_cast<double>(covered) / static_cast<double>(report.own_rules);
  return report;
}

}  // namespace gibbous::host
