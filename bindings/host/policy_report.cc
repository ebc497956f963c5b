// See policy_report.h.
#include "bindings/host/policy_report.h"

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>

#include "bindings/lua/policy/command_policy.h"
#include "bindings/lua/policy/policy_program.h"
#include "runtime/rules/rules.h"

namespace gibbous::host {
namespace {

std::string place_of(const rules::Rule& rule) {
  return rule.file + ":" + std::to_string(rule.line) + ": " + rule.id;
}

// Which rules matched something, which decided it, and who did instead.
class Tally {
 public:
  void add(const rules::Outcome& outcome, const std::string& command) {
    if (outcome.rule != nullptr) decided_.insert(outcome.rule);
    for (const rules::Rule* rule : outcome.matched) {
      if (rule == outcome.rule) continue;
      Loss& loss = losses_[rule];
      if (loss.command.empty()) loss.command = command;
      const std::string winner = outcome.rule != nullptr ? place_of(*outcome.rule) : outcome.id;
      ++loss.winners[winner];
    }
  }

  bool has_decided(const rules::Rule& rule) const { return decided_.count(&rule) != 0; }

  // Sets what the report says of a rule that only ever lost.
  bool has_only_lost(const rules::Rule& rule, PolicyReport::Loser* loser) const {
    const auto found = losses_.find(&rule);
    if (has_decided(rule) || found == losses_.end()) return false;
    const auto& winners = found->second.winners;
    const auto most = std::max_element(
        winners.begin(), winners.end(),
        [](const auto& left, const auto& right) { return left.second < right.second; });
    loser->rule = place_of(rule);
    loser->winner = most->first;
    loser->command = found->second.command;
    for (const auto& [winner, count] : winners) loser->times += count;
    return true;
  }

 private:
  struct Loss {
    std::map<std::string, std::size_t> winners;
    std::string command;  // the first
  };
  std::set<const rules::Rule*> decided_;
  std::map<const rules::Rule*, Loss> losses_;
};

}  // namespace

PolicyReport test_policy(lua::PolicyProgram& policy, const lua::PolicyTables& tables) {
  PolicyReport report;
  Tally tally;
  std::set<const rules::Rule*> met;
  const std::string failures = policy.test(tables, [&](const lua::Verdict& verdict) {
    if (verdict.judgement == nullptr) return;
    const rules::Outcome& outcome = verdict.judgement->outcome;
    tally.add(outcome, verdict.judgement->facts.shown);
    met.insert(outcome.matched.begin(), outcome.matched.end());
  });
  std::size_t at = 0;
  while (at < failures.size()) {
    const std::size_t end = std::min(failures.find('\n', at), failures.size());
    if (end > at) report.failures.push_back(failures.substr(at, end - at));
    at = end + 1;
  }
  report.ok = report.failures.empty();
  lua::CommandPolicy* commands = tables.commands.get();
  if (commands == nullptr || commands->empty()) return report;
  const std::span<const rules::Rule> rules = commands->rules().rules();
  report.rules = rules.size();
  report.cases = commands->cases().size();
  const auto map = commands->example_map(policy.variables(), {});
  const rules::TestFunction test = policy.example_test(tables);
  std::size_t covered = 0;
  for (const rules::Rule& rule : rules) {
    report.examples += rule.match.size() + rule.not_match.size();
    if (rule.shipped) continue;
    ++report.own_rules;
    const bool is_met = met.count(&rule) != 0;
    if (!is_met) report.uncovered.push_back(place_of(rule));
    for (const rules::Example& example : rule.match) {
      if (tally.has_decided(rule)) break;
      const rules::Judged judged =
          rules::judge_example(commands->rules(), example, test, nullptr, map);
      tally.add(judged.outcome, judged.facts.shown);
    }
    PolicyReport::Loser loser;
    if (tally.has_only_lost(rule, &loser)) report.losers.push_back(std::move(loser));
    if (is_met) ++covered;
  }
  if (report.own_rules > 0)
    report.coverage = static_cast<double>(covered) / static_cast<double>(report.own_rules);
  return report;
}

}  // namespace gibbous::host
