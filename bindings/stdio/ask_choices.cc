// See ask_choices.h.
#include "bindings/stdio/ask_choices.h"

#include <utility>

#include "bindings/stdio/question_text.h"

namespace gibbous::stdio {
namespace {

constexpr std::size_t kMaxRuleBytes = 100;

AskChoice allowing(const char* value, std::string title, std::string covers,
                   AskAnswer::Remember remember,
                   AskAnswer::About about = AskAnswer::About::kCommand) {
  AskChoice choice{value, std::move(title), std::move(covers), {}};
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
  const bool is_call = request.command.empty();
  const std::string what = is_call ? "this very call" : "this command";
  const std::string same = is_call ? "the same call" : "exactly this command";
  std::vector<AskChoice> all = {allowing("once", "Allow once", "", Remember::kOnce)};
  // What cannot be known again (typed text, a directory of code) has the question's id in its key.
  if (request.id.empty() || request.subject.find(request.id) == std::string::npos) {
    all.push_back(allowing("session", "Allow for this session", same + " until the session ends",
                           Remember::kSession));
    all.push_back(allowing("always", "Always allow " + what,
                           same + " in this workspace until you revoke it", Remember::kAlways));
  }
  if (!request.prefix.empty()) {
    const std::string prefix = printable(request.prefix, kMaxRuleBytes);
    all.push_back(allowing("prefix", "Always allow " + prefix, "every " + prefix, Remember::kAlways,
                           AskAnswer::About::kPrefix));
  }
  if (request.may_approve_rules) {
    const bool several = request.rules.size() > 1;
    const std::string asked = "what " + std::string(several ? "rules " : "rule ") +
                              printable(rules_text(request), kMaxRuleBytes) +
                              (several ? " ask about" : " asks about");
    all.push_back(allowing("rule", "Always allow " + asked, asked, Remember::kAlways,
                           AskAnswer::About::kRule));
  }
  all.push_back({"deny", "Deny", "", denial("denied by the user")});
  return all;
}

std::string choices_text(const AskRequest& request) {
  std::string text;
  for (const AskChoice& choice : choices_of(request)) {
    text += (text.empty() ? "" : "; ") + choice.value;
    if (!choice.about.empty()) text += " (" + choice.about + ")";
  }
  return text;
}

}  // namespace gibbous::stdio
