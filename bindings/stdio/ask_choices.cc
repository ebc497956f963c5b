// See ask_choices.h.
#include "bindings/stdio/ask_choices.h"

#include <utility>

#include "bindings/stdio/question_text.h"

namespace gibbous::stdio {
namespace {

constexpr std::size_t kMaxRuleBytes = 100;

AskChoice allowing(const char* value, std::string title, AskAnswer::Remember remember,
                   AskAnswer::About about = AskAnswer::About::kCommand) {
  AskChoice choice{value, std::move(title), {}};
  choice.means.allow = true;
  choice.means.remember = remember;
  choice.means.about = about;
  return choice;
}

}  // namespace

AskAnswer denial(std::string reason) {
  AskAnswer answer;
  answer.reason = std::move(reason);
  return answer;
}

std::vector<AskChoice> choices_of(const AskRequest& request) {
  using Remember = AskAnswer::Remember;
  const std::string what = request.command.empty() ? "this very call" : "this command";
  std::vector<AskChoice> all = {allowing("once", "Allow once", Remember::kOnce),
                                allowing("session", "Allow for this session", Remember::kSession),
                                allowing("always", "Always allow " + what, Remember::kAlways)};
  if (!request.prefix.empty()) {
    all.push_back(allowing("prefix", "Always allow " + printable(request.prefix, kMaxRuleBytes),
                           Remember::kAlways, AskAnswer::About::kPrefix));
  }
  if (request.may_approve_rules) {
    const bool several = request.rules.size() > 1;
    all.push_back(allowing("rule",
                           std::string("Always allow what ") + (several ? "rules " : "rule ") +
                               printable(rules_text(request), kMaxRuleBytes) +
                               (several ? " ask about" : " asks about"),
                           Remember::kAlways, AskAnswer::About::kRule));
  }
  all.push_back({"deny", "Deny", denial("denied by the user")});
  return all;
}

}  // namespace gibbous::stdio
