// See request.h.
#include "bindings/cli/request.h"

#include <charconv>
#include <cstdint>
#include <utility>
#include <vector>

#include "bindings/cli/json_members.h"
#include "runtime/base/nearest.h"

namespace gibbous::cli {
namespace {

constexpr std::int64_t kMaxLastingSeconds = 100LL * 365 * 24 * 60 * 60;

using Members = std::vector<JsonMember>;

// The members of each kind of request; the first one names the kind.
struct Shape {
  Request::Kind kind;
  std::vector<std::string> members;
  CallKind called = CallKind::kTool;
};

Shape call_shape(const char* target, CallKind called) {
  return {Request::Kind::kCall, {target, "id", "args", "session", "progress", "backlog"}, called};
}

const std::vector<Shape>& shapes() {
  static const std::vector<Shape> kShapes = {
      call_shape("tool", CallKind::kTool),
      call_shape("resource", CallKind::kResource),
      call_shape("prompt", CallKind::kPrompt),
      call_shape("prompt_completion", CallKind::kPromptCompletion),
      call_shape("resource_completion", CallKind::kResourceCompletion),
      {Request::Kind::kCancel, {"cancel", "id"}},
      {Request::Kind::kReload, {"reload", "id"}},
      {Request::Kind::kDrain, {"drain", "id"}},
      {Request::Kind::kList, {"list", "id"}},
      {Request::Kind::kInput, {"input", "id", "result", "message"}},
      {Request::Kind::kAnswer, {"answer", "id", "allow", "remember", "about", "lasts_s", "reason"}},
  };
  return kShapes;
}

const JsonMember* find(const Members& members, std::string_view key) {
  for (const JsonMember& member : members) {
    if (member.key == key) return &member;
  }
  return nullptr;
}

std::string expected(const JsonMember& member, const char* what) {
  return "\"" + member.key + "\" must be " + what + ", not " + json_kind(member.value);
}

Status read_id(const JsonMember& member, std::string* id) {
  const std::string_view kind = json_kind(member.value);
  if (kind != "a string" && kind != "a number") {
    return invalid_request(expected(member, "a string or a number"));
  }
  if (member.value.size() > kMaxIdBytes) {
    return invalid_request("\"" + member.key + "\" is longer than " + std::to_string(kMaxIdBytes) +
                           " bytes");
  }
  // Normalised, so that "a" and "\u0061" are the same id.
  *id = kind == "a string" ? json_quote(json_unquote(member.value)) : std::string(member.value);
  return {};
}

Status read_string(const JsonMember& member, std::string* text) {
  if (json_kind(member.value) != std::string_view("a string")) {
    return invalid_request(expected(member, "a string"));
  }
  *text = json_unquote(member.value);
  return {};
}

Status read_true(const JsonMember& member) {
  return member.value == "true" ? Status() : invalid_request("\"" + member.key + "\" must be true");
}

const Shape* shape_of(const Members& members) {
  for (const Shape& shape : shapes()) {
    if (find(members, shape.members.front()) != nullptr) return &shape;
  }
  return nullptr;
}

Status check_members(const Members& members, const Shape& shape) {
  for (const JsonMember& member : members) {
    bool known = false;
    for (const std::string& name : shape.members) known = known || name == member.key;
    if (known) continue;
    const std::string nearest = nearest_name(member.key, shape.members);
    return invalid_request("unknown field \"" + member.key + "\"" + did_you_mean(nearest, '"'));
  }
  return {};
}

Status read_call(const Members& members, const Shape& shape, Request* request) {
  if (request->id.empty()) return invalid_request("a call needs an \"id\": a string or a number");
  request->called = shape.called;
  const JsonMember& target = *find(members, shape.members.front());
  if (Status status = read_string(target, &request->tool); !status) return status;
  if (const JsonMember* args = find(members, "args")) {
    if (json_kind(args->value) != std::string_view("an object")) {
      return invalid_request(expected(*args, "an object"));
    }
    request->arguments = std::string(args->value);
  }
  if (const JsonMember* session = find(members, "session")) {
    if (Status status = read_string(*session, &request->session); !status) return status;
  }
  if (const JsonMember* progress = find(members, "progress")) {
    if (json_kind(progress->value) != std::string_view("a boolean")) {
      return invalid_request(expected(*progress, "true or false"));
    }
    request->wants_progress = progress->value == "true";
  }
  if (const JsonMember* backlog = find(members, "backlog")) {
    if (json_kind(backlog->value) != std::string_view("a boolean")) {
      return invalid_request(expected(*backlog, "true or false"));
    }
    request->wants_backlog = backlog->value == "true";
  }
  return {};
}

// Gives the index of the member's value in `words`.
Status read_word(const JsonMember& member, const std::vector<std::string>& words,
                 std::size_t* place) {
  std::string word;
  if (Status status = read_string(member, &word); !status) return status;
  std::string all;
  for (std::size_t at = 0; at < words.size(); ++at) {
    if (words[at] == word) {
      *place = at;
      return {};
    }
    all += (at == 0 ? "\"" : "\", \"") + words[at];
  }
  return invalid_request("\"" + member.key + "\" must be one of " + all + "\"");
}

Status read_lasting(const JsonMember& member, std::chrono::seconds* lasts) {
  std::int64_t seconds = 0;
  const char* end = member.value.data() + member.value.size();
  const auto [last, error] = std::from_chars(member.value.data(), end, seconds);
  if (error != std::errc() || last != end || seconds < 0 || seconds > kMaxLastingSeconds) {
    return invalid_request("\"" + member.key + "\" must be a whole number of seconds, 0 to " +
                           std::to_string(kMaxLastingSeconds));
  }
  *lasts = std::chrono::seconds(seconds);
  return {};
}

Status read_answer(const Members& members, Request* request) {
  if (Status status = read_string(*find(members, "answer"), &request->ask); !status) return status;
  AskAnswer& answer = request->answer;
  const JsonMember* allow = find(members, "allow");
  if (allow == nullptr) return invalid_request("an answer needs \"allow\": true or false");
  if (json_kind(allow->value) != std::string_view("a boolean")) {
    return invalid_request(expected(*allow, "true or false"));
  }
  answer.allow = allow->value == "true";
  if (const JsonMember* remember = find(members, "remember")) {
    std::size_t place = 0;
    Status status = read_word(*remember, {"once", "session", "always"}, &place);
    if (!status) return status;
    answer.remember = static_cast<AskAnswer::Remember>(place);
  }
  if (const JsonMember* about = find(members, "about")) {
    std::size_t place = 0;
    Status status = read_word(*about, {"command", "rule", "prefix"}, &place);
    if (!status) return status;
    answer.about = static_cast<AskAnswer::About>(place);
  }
  if (const JsonMember* lasts = find(members, "lasts_s")) {
    if (Status status = read_lasting(*lasts, &answer.lasts); !status) return status;
    if (answer.remember != AskAnswer::Remember::kAlways) {
      return invalid_request("\"lasts_s\" goes with \"remember\":\"always\"");
    }
  }
  if (const JsonMember* reason = find(members, "reason"))
    return read_string(*reason, &answer.reason);
  return {};
}

Status read_list(const JsonMember& member, std::string* list) {
  const std::vector<std::string> lists = {"tools", "resources", "prompts"};
  std::size_t place = 0;
  if (Status status = read_word(member, lists, &place); !status) return status;
  *list = lists[place];
  return {};
}

Status read_input(const Members& members, Request* request) {
  if (Status status = read_string(*find(members, "input"), &request->input); !status) return status;
  const JsonMember* result = find(members, "result");
  const JsonMember* message = find(members, "message");
  if ((result == nullptr) == (message == nullptr)) {
    return invalid_request(
        "an input needs either its \"result\" or a \"message\": why there is none");
  }
  if (message != nullptr) return read_string(*message, &request->input_answer.message);
  if (json_kind(result->value) != std::string_view("an object")) {
    return invalid_request(expected(*result, "an object"));
  }
  request->input_answer.result = std::string(result->value);
  return {};
}

}  // namespace

Status parse_request(std::string_view line, Request* request) {
  Result<Members> members = json_members(line, kMaxJsonDepth);
  if (!members) return members.status();
  if (const JsonMember* id = find(*members, "id")) {
    if (Status status = read_id(*id, &request->id); !status) return status;
  }
  const Shape* shape = shape_of(*members);
  if (shape == nullptr) {
    return invalid_request(
        "expected one of \"tool\", \"resource\", \"prompt\", \"prompt_completion\", "
        "\"resource_completion\", \"list\", \"cancel\", \"reload\", \"drain\", \"answer\" or "
        "\"input\"");
  }
  if (Status status = check_members(*members, *shape); !status) return status;
  request->kind = shape->kind;
  switch (shape->kind) {
    case Request::Kind::kCall:
      return read_call(*members, *shape, request);
    case Request::Kind::kCancel:
      return read_id(*find(*members, "cancel"), &request->cancelled_id);
    case Request::Kind::kReload:
      return read_true(*find(*members, "reload"));
    case Request::Kind::kDrain:
      return read_string(*find(*members, "drain"), &request->session);
    case Request::Kind::kList:
      return read_list(*find(*members, "list"), &request->list);
    case Request::Kind::kAnswer:
      return read_answer(*members, request);
    case Request::Kind::kInput:
      return read_input(*members, request);
  }
  return {};
}

}  // namespace gibbous::cli
