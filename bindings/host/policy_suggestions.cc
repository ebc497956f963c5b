// See policy_suggestions.h.
#include "bindings/host/policy_suggestions.h"

#include <algorithm>
#include <string>
#include <utility>

#include "bindings/host/open_asks.h"
#include "bindings/json/member.h"
#include "bindings/lua/policy/command_policy.h"
#include "bindings/lua/policy/judgement.h"
#include "bindings/lua/policy/question.h"

namespace gibbous::host {
namespace {

constexpr std::size_t kMostCommands = 20;  // of one suggestion, that are shown
constexpr std::size_t kMostIds = 20;
constexpr std::string_view kRemembered = "approval ";  // begins the reason of an answer of its own

// No habit of approving makes these a rule.
bool is_about_secrets(std::string_view id) {
  return id.starts_with("credentials.") || id.starts_with("named.") || id.starts_with("own.");
}

bool is_rule_that_asks(const rules::RuleSet& rules, const std::string& id) {
  return std::any_of(rules.rules().begin(), rules.rules().end(), [&](const rules::Rule& rule) {
    return rule.id == id && rule.decision == rules::Decision::kAsk;
  });
}

void add_new(std::vector<std::string>& list, const std::string& text, std::size_t most) {
  if (text.empty() || list.size() == most) return;
  if (std::find(list.begin(), list.end(), text) == list.end()) list.push_back(text);
}

}  // namespace

void Suggestions::add(const Json& record, const lua::PolicyRequest& request,
                      lua::PolicyProgram& policy) {
  const Json* answer = find_member(record, "answer");
  if (answer == nullptr || !answer->is_object()) return;
  const Json* allow = find_member(*answer, "allow");
  if (allow == nullptr || !allow->is_boolean() || !allow->get<bool>()) return;
  // What an earlier answer approved is no answer of its own.
  const std::string reason = text_member(*answer, "reason");
  if (reason.starts_with(kRemembered) || reason.starts_with(kAnswered)) return;
  const lua::CommandPolicy* commands = policy.commands();
  if (commands == nullptr || commands->empty()) return;
  const lua::Verdict verdict = policy.decide(request);
  if (verdict.decision != lua::Verdict::Decision::kAsk || verdict.judgement == nullptr) return;
  AskRequest question = lua::make_question(request, verdict);
  // The same limits as for an answer about a prefix.
  if (question.prefix.empty()) return;
  std::sort(question.rules.begin(), question.rules.end());
  for (const std::string& id : question.rules) {
    if (is_about_secrets(id) || !is_rule_that_asks(commands->rules(), id)) return;
  }
  std::vector<std::string> words;
  for (const command::Value& word : verdict.judgement->facts.commands.front().argv)
    words.push_back(word.text);
  const std::string text = verdict.judgement->facts.shown;
  // A secret that was redacted is not what was approved.
  if (text.find("***") != std::string::npos) return;
  // A remembered answer is in the journal, too, if that goes back so far.
  const bool is_remembered = record.value("remembered", Json(false)) == Json(true);
  const auto same = [&](const PolicySuggestion& each) {
    return each.prefix == question.prefix && each.rules == question.rules;
  };
  auto at = std::find_if(found_.begin(), found_.end(), same);
  if (at == found_.end()) {
    PolicySuggestion made;
    made.prefix = question.prefix;
    made.rules = question.rules;
    made.words = words;
    made.shortest = words.size();
    at = found_.insert(found_.end(), std::move(made));
  }
  const auto& known = at->commands;
  if (is_remembered && std::find(known.begin(), known.end(), text) != known.end()) return;
  // What all of the approved commands begin with.
  std::size_t common = 0;
  while (common < std::min(words.size(), at->words.size()) && words[common] == at->words[common])
    ++common;
  at->varies = at->varies || common < at->words.size() || common < words.size();
  at->words.resize(common);
  at->shortest = std::min(at->shortest, words.size());
  ++at->approvals;
  const Json* time = find_member(record, "time");
  if (time != nullptr && time->is_number_integer()) {
    const auto when = time->get<std::int64_t>();
    at->first = at->first == 0 ? when : std::min(at->first, when);
    at->last = std::max(at->last, when);
  }
  add_new(at->ids, text_member(record, "id"), kMostIds);
  add_new(at->who, text_member(*answer, "who"), kMostIds);
  add_new(at->commands, text, kMostCommands);
}

std::vector<PolicySuggestion> Suggestions::list(std::size_t least) && {
  std::erase_if(found_, [least](const PolicySuggestion& each) { return each.approvals < least; });
  std::stable_sort(found_.begin(), found_.end(), [](const auto& left, const auto& right) {
    return left.approvals > right.approvals;
  });
  return std::move(found_);
}

}  // namespace gibbous::host
