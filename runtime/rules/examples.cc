// Examples are judged like any command, but in a workspace that need not exist and without the file
// system, so a policy's examples give the same results on every machine.
#include <algorithm>

#include "runtime/command/analyse.h"
#include "runtime/command/path_map.h"
#include "runtime/rules/check.h"
#include "runtime/rules/match.h"
#include "runtime/rules/quote.h"
#include "runtime/rules/rules.h"

namespace gibbous::rules {
namespace {

constexpr char kExampleWorkspace[] = "/workspace";
constexpr char kExampleHome[] = "/home/user";

std::string shown(const Example& example) {
  if (example.argv.empty()) return quote(example.command);
  std::string words;
  for (const std::string& word : example.argv) words += (words.empty() ? "" : " ") + quote(word);
  return words;
}

// Returns "it is decided ask by git.push (rules/git.lua:12)".
std::string describe(const Outcome& outcome) {
  if (!outcome.decision) {
    return outcome.matched.empty() ? "no rule says anything about it"
                                   : "no rule says anything about a part of it";
  }
  std::string text =
      std::string("it is decided ") + name_of(*outcome.decision) + " by " + outcome.id;
  if (!outcome.file.empty()) text += " (" + outcome.file + ":" + std::to_string(outcome.line) + ")";
  if (outcome.rule == nullptr) text += ": " + outcome.reason;
  return text;
}

bool has_matched(const Outcome& outcome, const Rule& rule) {
  return std::find(outcome.matched.begin(), outcome.matched.end(), &rule) != outcome.matched.end();
}

class ExampleCheck {
 public:
  ExampleCheck(const RuleSet& rules, const Rule& rule, const TestFunction& test, Faults& faults,
               const std::shared_ptr<const command::PathMap>& map)
      : rules_(rules), rule_(rule), test_(test), faults_(faults), map_(map) {}

  void check() {
    bool decided = false;
    for (const Example& example : rule_.match) decided = check_match(example) || decided;
    if (all_match_ && !decided && !rule_.match.empty() && !is_overruled_) {
      faults_.add(rule_, "is shadowed: no example under match is decided " +
                             std::string(name_of(rule_.decision)) + "; " + shadow_);
    }
    for (const Example& example : rule_.not_match) check_not_match(example);
  }

 private:
  // Returns why the rule matched or did not, for each command of the line.
  std::string reasons(const Example& example, bool matched) {
    std::vector<Step> steps;
    const Judged judged = judge_example(rules_, example, test_, &steps, map_);
    std::string text;
    for (const Step& step : steps) {
      if (step.rule != &rule_ || step.matched != matched || step.why.empty()) continue;
      text += (text.empty() ? "" : "; ") + step.why;
    }
    if (text.empty() && !matched) text = "no command in it has such a program";
    return text.empty() ? text : " (" + text + ")";
  }

  // Returns whether the rule's own decision applies.
  bool check_match(const Example& example) {
    const Outcome outcome = judge_example(rules_, example, test_, nullptr, map_).outcome;
    if (!has_matched(outcome, rule_)) {
      all_match_ = false;
      std::string message = "match " + shown(example) + ": is not matched";
      if (outcome.id != kPolicyError) message += reasons(example, false);
      message += "; " + describe(outcome);
      faults_.add(rule_, message);
      return false;
    }
    if (outcome.decision == rule_.decision) return true;
    // A policy of one's own may be stricter than what ships.
    is_overruled_ =
        is_overruled_ || (rule_.shipped && outcome.rule != nullptr && !outcome.rule->shipped);
    if (shadow_.empty()) shadow_ = shown(example) + ": " + describe(outcome);
    return false;
  }

  void check_not_match(const Example& example) {
    const Outcome outcome = judge_example(rules_, example, test_, nullptr, map_).outcome;
    if (outcome.id == kPolicyError) {
      faults_.add(rule_, "not_match " + shown(example) + ": " + describe(outcome));
    } else if (has_matched(outcome, rule_)) {
      faults_.add(rule_, "not_match " + shown(example) + ": is matched" + reasons(example, true) +
                             "; " + describe(outcome));
    }
  }

  const RuleSet& rules_;
  const Rule& rule_;
  const TestFunction& test_;
  Faults& faults_;
  const std::shared_ptr<const command::PathMap>& map_;
  bool all_match_ = true;
  bool is_overruled_ = false;  // by a rule of one's own
  std::string shadow_;         // the decision about the first example
};

}  // namespace

Judged judge_example(const RuleSet& rules, const Example& example, const TestFunction& test,
                     std::vector<Step>* steps, std::shared_ptr<const command::PathMap> map) {
  command::Place place;
  place.map = std::move(map);
  place.workspace = kExampleWorkspace;
  place.cwd = example.cwd.empty() ? kExampleWorkspace : example.cwd;
  place.home = kExampleHome;
  Judged judged;
  judged.facts = example.argv.empty()
                     ? command::analyse(std::string_view(example.command), place, rules.knowledge())
                     : command::analyse(example.argv, place, rules.knowledge());
  judged.outcome = rules.judge(judged.facts, test, steps);
  return judged;
}

Status check_examples(const RuleSet& rules, const TestFunction& test,
                      std::shared_ptr<const command::PathMap> map) {
  Faults faults;
  if (map == nullptr) {
    command::Place place;
    place.workspace = kExampleWorkspace;
    place.home = kExampleHome;
    map = command::PathMap::create(rules.knowledge(), place);
  }
  for (const Rule& rule : rules.rules()) ExampleCheck(rules, rule, test, faults, map).check();
  return faults.status("examples_failed");
}

}  // namespace gibbous::rules
