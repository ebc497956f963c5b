// See client_question.h.
#include "bindings/mcp/client_question.h"

#include <utility>

#include "bindings/json/member.h"
#include "bindings/stdio/question_text.h"

namespace gibbous::mcp {
namespace {

constexpr const char* kElicit = "elicitation/create";
constexpr const char* kSample = "sampling/createMessage";
constexpr const char* kListRoots = "roots/list";
constexpr int kMostWrongAnswers = 2;
constexpr std::size_t kMaxProblemBytes = 500;

// Revision 2025-06-18 has enum and enumNames where later ones have oneOf.
void name_choices(Json& params) {
  for (auto& [name, field] : params["requestedSchema"]["properties"].items()) {
    const auto choices = field.find("oneOf");
    if (choices == field.end() || !choices->is_array()) continue;
    Json values = Json::array();
    Json titles = Json::array();
    for (const Json& choice : *choices) {
      const Json value = choice.is_object() ? choice.value("const", Json()) : Json();
      values.push_back(value);
      titles.push_back(choice.is_object() ? choice.value("title", value) : value);
    }
    field.erase(choices);
    field["enum"] = std::move(values);
    field["enumNames"] = std::move(titles);
  }
}

}  // namespace

const std::string& ClientQuestion::id() const {
  const auto* input = std::get_if<InputRequest>(&asked_);
  return input != nullptr ? input->id : std::get<AskRequest>(asked_).id;
}

std::string ClientQuestion::key() const {
  const auto* input = std::get_if<InputRequest>(&asked_);
  return input != nullptr ? input->key : std::string();
}

ClientQuestion::Kind ClientQuestion::kind() const {
  const auto* input = std::get_if<InputRequest>(&asked_);
  if (input != nullptr && input->kind == "sampling") return Kind::kModel;
  if (input != nullptr && input->kind == "roots") return Kind::kRoots;
  return Kind::kForm;
}

const char* ClientQuestion::method() const {
  switch (kind()) {
    case Kind::kForm:
      return kElicit;
    case Kind::kModel:
      return kSample;
    case Kind::kRoots:
      return kListRoots;
  }
  return kElicit;
}

bool ClientQuestion::suits(const ClientAbilities& can) const {
  switch (kind()) {
    case Kind::kForm:
      return can.ask;
    case Kind::kModel:
      return can.sample;
    case Kind::kRoots:
      return can.roots;
  }
  return false;
}

const char* ClientQuestion::inability() const {
  switch (kind()) {
    case Kind::kForm:
      return "the client does not support elicitation (forms)";
    case Kind::kModel:
      return "the client does not support sampling";
    case Kind::kRoots:
      return "the client does not support roots";
  }
  return "";
}

Json ClientQuestion::params(TitledEnum titled) const {
  const auto* input = std::get_if<InputRequest>(&asked_);
  if (input == nullptr) return elicitation_params(std::get<AskRequest>(asked_), titled);
  Parsed parsed = parse_json(input->params);
  if (titled == TitledEnum::kNames && kind() == Kind::kForm) name_choices(parsed.value);
  if (!problem_.empty()) {
    parsed.value["message"] =
        text_member(parsed.value, "message") + "\n(The last answer did not fit: " + problem_ + ")";
  }
  return std::move(parsed.value);
}

Status ClientQuestion::check(const Json& result) const {
  if (!result.is_object()) return Status::error("invalid_answer", "expected an object");
  const auto* input = std::get_if<InputRequest>(&asked_);
  if (input == nullptr) return check_elicitation(result, std::get<AskRequest>(asked_));
  return input->check ? input->check(to_text(result)) : Status();
}

bool ClientQuestion::asks_again(const Json& result) {
  const bool is_form = std::holds_alternative<InputRequest>(asked_) && kind() == Kind::kForm;
  if (!is_form || wrong_answers_ >= kMostWrongAnswers) return false;
  const Status fits = check(result);
  if (fits) return false;
  ++wrong_answers_;
  problem_ = stdio::printable(fits.message(), kMaxProblemBytes);
  return true;
}

void ClientQuestion::take(const Json& result) {
  if (auto* input = std::get_if<InputRequest>(&asked_)) {
    const auto reply = std::exchange(input->reply, nullptr);
    InputAnswer answer;
    if (result.is_object()) answer.result = to_text(result);
    if (!result.is_object()) answer.message = "the client's answer is no object";
    if (reply) reply(answer);
    return;
  }
  auto& ask = std::get<AskRequest>(asked_);
  const AskAnswer answer = read_elicitation(result, ask);
  const auto reply = std::exchange(ask.reply, nullptr);
  if (reply) reply(answer);
}

void ClientQuestion::give_up(const AskAnswer& answer) {
  if (auto* input = std::get_if<InputRequest>(&asked_)) {
    const auto reply = std::exchange(input->reply, nullptr);
    InputAnswer none;
    none.message = answer.reason;
    if (reply) reply(none);
    return;
  }
  const auto reply = std::exchange(std::get<AskRequest>(asked_).reply, nullptr);
  if (reply) reply(answer);
}

}  // namespace gibbous::mcp
