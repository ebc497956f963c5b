// See elicitation.h.
#include "bindings/mcp/elicitation.h"

#include <string_view>
#include <utility>
#include <vector>

#include "bindings/json/member.h"
#include "bindings/stdio/question_text.h"

namespace gibbous::mcp {
namespace {

constexpr const char* kAnswer = "answer";
constexpr const char* kReason = "reason";
constexpr std::size_t kMaxReasonBytes = 1'000;
constexpr std::size_t kMaxRuleBytes = 100;

struct Choice {
  std::string value;
  std::string title;
  AskAnswer means;
};

Choice allowing(const char* value, std::string title, AskAnswer::Remember remember,
                AskAnswer::About about = AskAnswer::About::kCommand) {
  Choice choice{value, std::move(title), {}};
  choice.means.allow = true;
  choice.means.remember = remember;
  choice.means.about = about;
  return choice;
}

std::vector<Choice> choices(const AskRequest& request) {
  using Remember = AskAnswer::Remember;
  const std::string what = request.command.empty() ? "this very call" : "this command";
  std::vector<Choice> all = {allowing("once", "Allow once", Remember::kOnce),
                             allowing("session", "Allow for this session", Remember::kSession),
                             allowing("always", "Always allow " + what, Remember::kAlways)};
  if (!request.prefix.empty()) {
    all.push_back(allowing("prefix",
                           "Always allow " + stdio::printable(request.prefix, kMaxRuleBytes),
                           Remember::kAlways, AskAnswer::About::kPrefix));
  }
  if (request.may_approve_rules) {
    const bool several = request.rules.size() > 1;
    all.push_back(allowing("rule",
                           std::string("Always allow what ") + (several ? "rules " : "rule ") +
                               stdio::printable(stdio::rules_text(request), kMaxRuleBytes) +
                               (several ? " ask about" : " asks about"),
                           Remember::kAlways, AskAnswer::About::kRule));
  }
  all.push_back({"deny", "Deny", denial("denied by the user")});
  return all;
}

AskAnswer read_form(const Json& content, const AskRequest& request) {
  const std::string* given = find_text(content, kAnswer);
  if (given == nullptr) return denial("the client's answer lacks the field \"answer\"");
  for (Choice& choice : choices(request)) {
    if (choice.value != *given) continue;
    const std::string* reason = find_text(content, kReason);
    if (reason != nullptr && !reason->empty()) {
      const std::string said = stdio::printable(*reason, kMaxReasonBytes);
      choice.means.reason = choice.means.allow ? said : choice.means.reason + ": " + said;
    }
    return choice.means;
  }
  return denial("the client's answer is not one of the choices");
}

}  // namespace

AskAnswer denial(std::string reason) {
  AskAnswer answer;
  answer.reason = std::move(reason);
  return answer;
}

Json elicitation_params(const AskRequest& request, TitledEnum titled) {
  Json answer{{"type", "string"}, {"title", "Answer"}};
  for (const Choice& choice : choices(request)) {
    switch (titled) {
      case TitledEnum::kNames:
        answer["enum"].push_back(choice.value);
        answer["enumNames"].push_back(choice.title);
        break;
      case TitledEnum::kOneOf:
        answer["oneOf"].push_back(Json{{"const", choice.value}, {"title", choice.title}});
        break;
    }
  }
  const Json reason{{"type", "string"},
                    {"title", "Reason"},
                    {"description", "What the agent should do instead, if you refuse"},
                    {"maxLength", kMaxReasonBytes}};
  return Json{{"message", "Approval needed:\n" + stdio::question_text(request)},
              {"requestedSchema",
               {{"type", "object"},
                {"properties", {{kAnswer, std::move(answer)}, {kReason, reason}}},
                {"required", Json::array({kAnswer})}}}};
}

AskAnswer read_elicitation(const Json& result, const AskRequest& request) {
  const std::string* action = find_text(result, "action");
  AskAnswer answer;
  if (action == nullptr) {
    answer = denial("the client's answer lacks an action");
  } else if (*action == "accept") {
    const auto content = result.find("content");
    answer = read_form(content == result.end() ? Json() : *content, request);
  } else if (*action == "decline") {
    answer = denial("declined by the user");
  } else if (*action == "cancel") {
    // A client without a user answers at once.
    answer = denial(
        "cancelled by the user, or the client cannot ask one. To have it approved: use a mode "
        "that allows it (--mode), approve it in a client or terminal that can ask, or "
        "allow it in a policy of your own (docs/policy.md)");
  } else {
    answer = denial("the client's answer has an unknown action");
  }
  answer.who = "MCP client";
  return answer;
}

}  // namespace gibbous::mcp
