// Checks every rule against every command, because the outcome lists all matches, and then against
// the doubts of the line; finally it counts the doubts that no rule names. Only a failing test
// function ends this early, with a denial.
//
// Work is counted in units, not timed, so that a line has the same verdict on every machine. What
// is left when the budget is used up is not judged, and the line is denied. A doubt is answered
// only by a rule that names it.
#include <algorithm>
#include <map>
#include <utility>

#include "runtime/rules/floor.h"
#include "runtime/rules/match.h"
#include "runtime/rules/quote.h"
#include "runtime/rules/rules.h"

namespace gibbous::rules {
namespace {

using command::Doubt;
using command::DoubtFact;
using command::Facts;
using command::SimpleCommand;

constexpr int kOfLine = -1;

// What judging costs, by what is done, because time passes otherwise on other machines: a rule that
// is compared is one. All of it takes some 25 ms on a slow machine. A line that is denied anyway is
// judged for the sake of a better reason.
constexpr std::size_t kMostWork = 900'000;
constexpr std::size_t kMostWorkForReason = 90'000;
constexpr std::size_t kCommandWork = 24;
constexpr std::size_t kWordsOfWork = 8;  // so many words to compare with are one more
constexpr std::size_t kWordOfTest = 3;
constexpr std::size_t kTestWork = 96;  // to make a table of a command, and call a script

class Judgement {
 public:
  Judgement(const RulesByProgram& by_program, const std::vector<GeneralRule>& general,
            const command::Knowledge& knowledge, const Facts& facts, const TestFunction& test,
            std::vector<Step>* steps)
      : by_program_(by_program),
        general_(general),
        knowledge_(knowledge),
        facts_(facts),
        test_(test),
        steps_(steps),
        doubts_(facts.subjects() + 1),
        named_(facts.doubts.size(), false) {
    for (std::size_t i = 0; i < facts.doubts.size(); ++i) {
      const int owner = owner_of(static_cast<int>(i));
      doubts_[owner == kOfLine ? facts.subjects() : static_cast<std::size_t>(owner)].push_back(
          static_cast<int>(i));
    }
  }

  Outcome run() {
    const auto& doubts = facts_.doubts;
    is_unjudged_ = std::any_of(doubts.begin(), doubts.end(), [](const DoubtFact& doubt) {
      return doubt.doubt == Doubt::kUnjudged;
    });
    judge_line_doubts();
    for (std::size_t i = 0; i < facts_.subjects(); ++i) {
      if (is_exhausted()) {
        is_cut_ = true;
        break;
      }
      if (!judge_command(static_cast<int>(i))) return std::move(outcome_);
    }
    add_floors();
    decide();
    return std::move(outcome_);
  }

 private:
  // A doubt with an invalid command index is one of the line.
  int owner_of(int doubt) const {
    const int command = facts_.doubts[static_cast<std::size_t>(doubt)].command;
    const bool known = command >= 0 && static_cast<std::size_t>(command) < facts_.commands.size();
    return known ? command : kOfLine;
  }
  void judge_line_doubts();
  // Returns false if a test function failed and so decided.
  bool judge_command(int index);
  // What rules said of a command.
  struct Said {
    bool any = false;
    bool leaves = false;
    bool beside = false;      // it may stand beside what leaves
    bool privileged = false;  // a rule about other rights says that it leaves
    bool reads = false;
  };
  bool ask_rule(const Rule& rule, const Subject& subject, Said& said);
  bool touches_changed(const SimpleCommand& command) const;
  void note_standing(const Subject& subject, const Said& said);
  bool test_holds(const Rule& rule, int command, bool& holds, std::string* why);

  // Whether the budget is used up: what is left is not judged then, so the line is denied.
  bool is_exhausted() const { return work_ > (is_unjudged_ ? kMostWorkForReason : kMostWork); }
  void add_floors();
  bool may_confine() const;
  void decide();
  void record(const Rule& rule, int command, int doubt);
  void add_step(int command, const Rule& rule, bool matched, std::string why);
  void decide_by_rule();
  std::string advice(const Rule& rule) const;
  std::string note(const Rule& rule) const;
  void decide_by_floor(int index, Decision decision);

  const RulesByProgram& by_program_;
  const std::vector<GeneralRule>& general_;
  const command::Knowledge& knowledge_;
  const Facts& facts_;
  const TestFunction& test_;
  std::vector<Step>* steps_;
  std::vector<std::vector<int>> doubts_;        // their indexes by command; the last: of the line
  std::vector<bool> named_;                     // doubts that an ask or deny rule named
  std::map<const Rule*, std::string> guessed_;  // they match for the sake of this unknown word
  std::size_t missed_steps_ = 0;
  std::size_t work_ = 0;
  std::size_t words_ = 0;     // of the command that is judged
  bool is_unjudged_ = false;  // the facts are not whole
  bool is_cut_ = false;       // some commands were not judged
  bool judged_ = false;       // some command is of the line
  bool all_read_ = true;      // so far
  bool all_may_leave_ = true;
  bool some_leaves_ = false;
  // The decision of outcome_.matched.front().
  int command_ = kOfLine;
  int doubt_ = -1;
  Outcome outcome_;
};

void Judgement::judge_line_doubts() {
  for (const int index : doubts_.back()) {
    const DoubtFact& doubt = facts_.doubts[static_cast<std::size_t>(index)];
    for (const auto& [rule, programs] : general_) {
      if (rule->doubts.empty() || has_command_conditions(*rule)) continue;
      const bool matched = names_doubt(*rule, doubt);
      if (steps_ != nullptr) add_step(kOfLine, *rule, matched, name_of(doubt.doubt));
      if (!matched) continue;
      record(*rule, kOfLine, index);
      if (rule->decision != Decision::kAllow) named_[static_cast<std::size_t>(index)] = true;
    }
  }
}

bool Judgement::judge_command(int index) {
  const Subject subject{&facts_, &knowledge_, index, doubts_[static_cast<std::size_t>(index)]};
  const SimpleCommand& command = subject.command();
  work_ += kCommandWork;
  words_ = command.argv.size() + command.accesses.size();

  const bool carrier = static_cast<std::size_t>(index) >= facts_.commands.size();
  judged_ = judged_ || (!carrier && !command.of_start);

  const std::size_t first_step = steps_ == nullptr ? 0 : steps_->size();
  Said said;
  const std::vector<const Rule*> none;
  const auto found = by_program_.find(command.program);
  const std::vector<const Rule*>& own = found == by_program_.end() ? none : found->second;
  for (const Rule* rule : own)
    if (!ask_rule(*rule, subject, said)) return false;
  for (const auto& [rule, programs] : general_) {
    const auto fits = [&](const Pattern& each) { return each.matches(command.program); };
    if (!programs.empty() && std::none_of(programs.begin(), programs.end(), fits)) continue;
    if (std::find(own.begin(), own.end(), rule) != own.end()) continue;
    if (!ask_rule(*rule, subject, said)) return false;
  }
  if (steps_ != nullptr) {
    std::stable_sort(
        steps_->begin() + static_cast<std::ptrdiff_t>(first_step), steps_->end(),
        [](const Step& left, const Step& right) { return stricter(left.rule, right.rule); });
  }
  if (!carrier) {
    if (!said.any && outcome_.unmatched < 0) outcome_.unmatched = index;
    note_standing(subject, said);
  }
  return true;
}

// Whether it speaks of a repository where runs have made or changed what git obeys.
bool Judgement::touches_changed(const SimpleCommand& command) const {
  const command::PathClasses changed = knowledge_.class_bit("changed_by_runs");
  return std::any_of(
      command.accesses.begin(), command.accesses.end(),
      [&](const command::Access& access) { return (access.classes & changed) != 0; });
}

void Judgement::note_standing(const Subject& subject, const Said& said) {
  const SimpleCommand& command = subject.command();
  // A program that is named by its path may be any file of that name.
  const bool by_name =
      !command.argv.empty() && command.argv.front().text.find('/') == std::string::npos;
  const bool written_out = by_name && !facts_.assigns && command.assignments.empty() &&
                           (command.wrappers.empty() || said.privileged || command.remote) &&
                           subject.doubts.empty() &&
                           std::all_of(command.argv.begin(), command.argv.end(),
                                       [](const command::Value& word) { return word.literal(); });
  // What leaves may change the workspace by itself, as a clone does.
  const auto changes = [&](bool leaves) {
    return std::any_of(
        command.accesses.begin(), command.accesses.end(), [&](const command::Access& access) {
          const bool own =
              leaves && !access.redirection && (access.classes & command::kInWorkspace) != 0;
          return changes_something(access.kind) && access.path != "/dev/null" && !own;
        });
  };
  // What opens a file outside of the sandbox might follow a link to a secret.
  const bool redirects = std::any_of(command.accesses.begin(), command.accesses.end(),
                                     [](const command::Access& access) {
                                       return access.redirection && access.path != "/dev/null";
                                     });
  all_read_ = all_read_ && said.reads && !changes(false);
  all_may_leave_ = all_may_leave_ && (said.leaves || said.beside) && written_out && !redirects &&
                   !changes(said.leaves) && !touches_changed(command);
  some_leaves_ = some_leaves_ || said.leaves;
}

bool Judgement::ask_rule(const Rule& rule, const Subject& subject, Said& said) {
  const bool traced = steps_ != nullptr;
  const bool carrier = static_cast<std::size_t>(subject.index) >= facts_.commands.size();
  if (carrier && rule.decision == Decision::kAllow) return true;
  work_ += 1 + words_ / kWordsOfWork;
  std::string why;
  bool holds = matches(rule, subject, traced ? &why : nullptr);
  if (holds && rule.test >= 0 && !test_holds(rule, subject.index, holds, traced ? &why : nullptr)) {
    if (traced) add_step(subject.index, rule, false, std::move(why));
    return false;
  }
  if (traced) add_step(subject.index, rule, holds, std::move(why));
  if (!holds) return true;
  said.any = true;
  // What a start sets beside the line changes nothing about which rule allows the line.
  if (rule.decision == Decision::kAllow && subject.command().of_start) return true;
  said.leaves = said.leaves || (rule.leaves && !rule.reads);
  said.beside = said.beside || (rule.leaves && rule.reads);
  said.privileged = said.privileged || (rule.leaves && rule.privileged.value_or(false));
  said.reads = said.reads || rule.reads;
  int doubt = -1;
  for (const int each : subject.doubts) {
    const auto at = static_cast<std::size_t>(each);
    if (!names_doubt(rule, facts_.doubts[at])) continue;
    if (doubt < 0) doubt = each;
    named_[at] = named_[at] || rule.decision != Decision::kAllow;
  }
  record(rule, subject.index, doubt);
  return true;
}

bool Judgement::test_holds(const Rule& rule, int command, bool& holds, std::string* why) {
  work_ += kTestWork + words_ * kWordOfTest;
  Result<TestAnswer> result =
      test_ ? test_(rule, facts_, command)
            : Status::error("no_test", "there is no function to run its test");
  if (result) {
    holds = result->holds;
    if (why != nullptr)
      *why += std::string(why->empty() ? "" : ", ") + "its test says " + (holds ? "yes" : "no");
    if (result->unknown.empty()) return true;
    holds = rule.decision != Decision::kAllow;
    if (holds) guessed_.emplace(&rule, result->unknown);
    if (why != nullptr) *why += " but looked at " + quote(result->unknown) + ", which is not known";
    return true;
  }
  outcome_.decision = Decision::kDeny;
  outcome_.rule = nullptr;
  outcome_.id = kPolicyError;
  outcome_.reason = "The test function of rule " + rule.id +
                    " failed: " + result.status().message() +
                    ". Nothing that it judges runs until it is fixed.";
  outcome_.file = rule.file;
  outcome_.line = rule.line;
  outcome_.command = command;
  if (why != nullptr) *why = "its test failed: " + result.status().message();
  return false;
}

void Judgement::record(const Rule& rule, int command, int doubt) {
  std::vector<const Rule*>& matched = outcome_.matched;
  const auto at = std::lower_bound(matched.begin(), matched.end(), &rule, stricter);
  if (at != matched.end() && *at == &rule) return;
  if (at == matched.begin()) {
    command_ = command;
    doubt_ = doubt;
  }
  matched.insert(at, &rule);
}

void Judgement::add_step(int command, const Rule& rule, bool matched, std::string why) {
  if (!matched && ++missed_steps_ > kMaxMissedSteps) return;
  steps_->push_back({command, &rule, matched, std::move(why)});
}

void Judgement::add_floors() {
  for (std::size_t i = 0; i < named_.size(); ++i) {
    if (!named_[i]) outcome_.floors.push_back(static_cast<int>(i));
  }
}

void Judgement::decide() {
  const bool nothing = outcome_.matched.empty();
  const Decision strictest = nothing ? Decision::kAllow : outcome_.matched.front()->decision;
  const auto unjudged =
      std::find_if(facts_.doubts.begin(), facts_.doubts.end(),
                   [](const DoubtFact& doubt) { return doubt.doubt == Doubt::kUnjudged; });
  if (strictest == Decision::kDeny) {
    decide_by_rule();
  } else if (unjudged != facts_.doubts.end()) {  // even if a rule names it
    decide_by_floor(static_cast<int>(unjudged - facts_.doubts.begin()), Decision::kDeny);
  } else if (is_cut_) {
    outcome_.decision = Decision::kDeny;
    outcome_.id = std::string(kFloorPrefix) + name_of(Doubt::kUnjudged);
    outcome_.reason = floor_reason({Doubt::kUnjudged, -1, 0, "too many commands and words"});
  } else if (strictest == Decision::kAsk) {
    decide_by_rule();
  } else if (!outcome_.floors.empty()) {
    decide_by_floor(outcome_.floors.front(), Decision::kAsk);
  } else if (judged_ && outcome_.unmatched < 0) {
    decide_by_rule();  // an allow rule for each command
  }
  outcome_.may_confine = outcome_.decision == Decision::kAsk && may_confine();
  const bool allowed = outcome_.decision == Decision::kAllow;
  outcome_.reads = allowed && all_read_;
  outcome_.leaves = allowed && all_may_leave_ && some_leaves_;
}

// Whether all that asks is what a sandbox holds, as far as it is known.
bool Judgement::may_confine() const {
  const auto held = [](const DoubtFact& doubt) {
    return !doubt.unheld && is_held_by_sandbox(doubt.doubt);
  };
  for (const Rule* rule : outcome_.matched)
    if (rule->decision == Decision::kAsk) return false;
  return std::all_of(facts_.doubts.begin(), facts_.doubts.end(), held);
}

void Judgement::decide_by_rule() {
  const Rule& rule = *outcome_.matched.front();
  outcome_.decision = rule.decision;
  outcome_.rule = &rule;
  outcome_.id = rule.id;
  outcome_.reason = rule.reason + note(rule) + advice(rule);
  outcome_.file = rule.file;
  outcome_.line = rule.line;
  outcome_.command = command_;
  outcome_.doubt = doubt_;
}

// Returns what is known of the path for which the rule matches.
std::string Judgement::note(const Rule& rule) const {
  if (rule.paths == 0 || command_ < 0) return "";
  for (const command::Access& access :
       facts_.subject(static_cast<std::size_t>(command_)).accesses) {
    if (!access.note.empty() && access_holds(rule, access)) return " " + access.note;
  }
  return "";
}

// Returns what to do about a rule that matches because a word may become what it is about.
std::string Judgement::advice(const Rule& rule) const {
  std::string unknown;
  if (const auto found = guessed_.find(&rule); found != guessed_.end()) {
    unknown = found->second;
  } else if (command_ >= 0 && !rule.options.empty()) {
    unknown = uncertain_option(rule, {&facts_, &knowledge_, command_, doubts_.back()});
  }
  if (unknown.empty()) return "";
  return " What " + quote(unknown) + " becomes is not known before it runs: write it out.";
}

void Judgement::decide_by_floor(int index, Decision decision) {
  const DoubtFact& doubt = facts_.doubts[static_cast<std::size_t>(index)];
  outcome_.decision = decision;
  outcome_.id = std::string(kFloorPrefix) + name_of(doubt.doubt);
  outcome_.reason = floor_reason(doubt);
  outcome_.command = owner_of(index);
  outcome_.doubt = index;
}

}  // namespace

Outcome RuleSet::judge(const Facts& facts, const TestFunction& test,
                       std::vector<Step>* steps) const {
  return Judgement(by_program_, general_, *knowledge_, facts, test, steps).run();
}

}  // namespace gibbous::rules
