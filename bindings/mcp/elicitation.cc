// See elicitation.h.
#include "bindings/mcp/elicitation.h"

#include <string_view>
#include <utility>
#include <vector>

#include "bindings/json/member.h"
#include "bindings/stdio/ask_choices.h"
#include "bindings/stdio/question_text.h"

namespace gibbous::mcp {
namespace {

constexpr const char* kAnswer = "answer";
constexpr const char* kReason = "reason";
constexpr std::size_t kMaxReasonBytes = 1'000;

// What is wrong with a form, for a client that can send it again.
Status check_form(const Json& content, const AskRequest& request) {
  const auto wrong = [](const char* why) { return Status::error("invalid_answer", why); };
  const std::string* given = find_text(content, kAnswer);
  if (given == nullptr) return wrong("content.answer: expected one of the choices, as a string");
  for (const stdio::AskChoice& choice : stdio::choices_of(request)) {
    if (choice.value == *given) return {};
  }
  return wrong("content.answer: expected one of the choices");
}

AskAnswer read_form(const Json& content, const AskRequest& request) {
  const std::string* given = find_text(content, kAnswer);
  if (given == nullptr) return denial("the client's answer lacks the field \"answer\"");
  for (stdio::AskChoice& choice : stdio::choices_of(request)) {
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

Json elicitation_params(const AskRequest& request, TitledEnum titled) {
  Json answer{{"type", "string"}, {"title", "Answer"}};
  for (const stdio::AskChoice& choice : stdio::choices_of(request)) {
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
  Json properties{{kAnswer, std::move(answer)}};
  // Codex, whose revision the other one is, does not submit a form while its last field is empty.
  if (titled == TitledEnum::kOneOf) {
    properties[kReason] = {{"type", "string"},
                           {"title", "Reason"},
                           {"description", "What the agent should do instead, if you refuse"},
                           {"maxLength", kMaxReasonBytes}};
  }
  // Dialogs fold what comes after a few lines: what a person must see comes first.
  const std::string message = stdio::question_head(request) +
                              "\nAnswers: " + stdio::choices_text(request) + "\n" +
                              stdio::question_details(request);
  return Json{{"message", message},
              {"requestedSchema",
               {{"type", "object"},
                {"properties", std::move(properties)},
                {"required", Json::array({kAnswer})}}}};
}

Status check_elicitation(const Json& result, const AskRequest& request) {
  const std::string* action = find_text(result, "action");
  if (action != nullptr && (*action == "decline" || *action == "cancel")) return {};
  if (action == nullptr || *action != "accept") {
    return Status::error("invalid_answer", "action: expected accept, decline or cancel");
  }
  const Json* content = find_member(result, "content");
  return check_form(content == nullptr ? Json() : *content, request);
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
    answer = denial("declined by the user, or by a client that was started without one");
  } else if (*action == "cancel") {
    // Nothing was chosen: a client without a user answers so at once. Others can still be asked.
    answer.no_approver = true;
    answer.reason = "cancelled by the user, or the client cannot ask one";
  } else {
    answer = denial("the client's answer has an unknown action");
  }
  answer.who = "MCP client";
  return answer;
}

}  // namespace gibbous::mcp
