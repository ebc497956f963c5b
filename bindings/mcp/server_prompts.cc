// The part of the server that presents the prompts of the scripts, and completes what a person
// types. See server.h.
#include <algorithm>
#include <utility>

#include "bindings/json/member.h"
#include "bindings/mcp/pending_call.h"
#include "bindings/mcp/run_resource.h"
#include "bindings/mcp/server.h"
#include "bindings/mcp/tool_result.h"

namespace gibbous::mcp {
namespace {

constexpr std::size_t kPagePrompts = 100;

Fault failure(const CallResult& result) {
  const bool is_wrong = result.code == "unknown_prompt" || result.code == "resource_not_found" ||
                        result.code == "invalid_arguments";
  return {is_wrong ? kInvalidParams : kInternalError, error_text(result),
          Json{{"code", result.code}}};
}

}  // namespace

// The cursor is the last name of the previous page.
void Server::list_prompts(const Request& request, const Envelope& envelope) {
  const std::vector<PromptInfo> prompts = backend_.prompts();
  auto next = prompts.begin();
  if (const Json* cursor = find_member(request.params, "cursor")) {
    const auto last = std::find_if(prompts.begin(), prompts.end(),
                                   [&](const PromptInfo& each) { return *cursor == each.name; });
    if (last == prompts.end()) {
      refuse(request.id, kInvalidParams, "Invalid cursor: list again from the start");
      return;
    }
    next = std::next(last);
  }
  Json page = Json::array();
  for (; next != prompts.end() && page.size() < kPagePrompts; ++next) {
    page.push_back(parse_json(prompt_json(*next)).value);
  }
  const std::string last = next == prompts.end() ? std::string() : std::prev(next)->name;
  answer(request, dialect(envelope.era).list("prompts", std::move(page), last));
}

void Server::get_prompt(const Request& request, const Envelope& envelope) {
  const std::string* name = find_text(request.params, "name");
  if (name == nullptr) {
    refuse(request.id, kInvalidParams, "name must be a string: the prompt to get");
    return;
  }
  const Json* arguments = find_member(request.params, "arguments");
  if (arguments != nullptr && !arguments->is_object()) {
    refuse(request.id, kInvalidParams, "arguments must be an object");
    return;
  }
  CallRequest call;
  call.kind = CallKind::kPrompt;
  call.tool = *name;
  if (arguments != nullptr) call.arguments = to_text(*arguments);
  start_call(request, envelope, std::move(call));
}

std::string Server::prompt_answer(const PendingCall& pending, const CallResult& result) const {
  if (!result.ok) {
    return error_response(pending.id, failure(result));
  }
  Parsed messages = parse_json(result.data);
  std::string line = response(pending.id, dialect(pending.era).result(std::move(messages.value)));
  if (line.size() < options_.max_line_bytes) return line;
  return error_response(pending.id,
                        Fault{kInternalError, "The prompt is longer than clients accept", {}});
}

void Server::complete(const Request& request, const Envelope& envelope) {
  const Json empty = Json::object();
  const auto member = [&](const Json& of, const char* name) -> const Json& {
    const Json* found = find_member(of, name);
    return found != nullptr ? *found : empty;
  };
  const Json& ref = member(request.params, "ref");
  const Json& argument = member(request.params, "argument");
  const std::string type = text_member(ref, "type");
  const bool is_prompt = type == "ref/prompt";
  const std::string* of = find_text(ref, is_prompt ? "name" : "uri");
  const std::string* name = find_text(argument, "name");
  const std::string* value = find_text(argument, "value");
  if (of == nullptr || (!is_prompt && type != "ref/resource")) {
    refuse(request.id, kInvalidParams,
           "ref must be { type: ref/prompt, name } or { type: ref/resource, uri }");
    return;
  }
  if (name == nullptr || value == nullptr) {
    refuse(request.id, kInvalidParams, "argument must be { name, value }");
    return;
  }
  if (!is_prompt && is_run_template(*of)) return complete_run(request, envelope, *name, *value);
  CallRequest call;
  call.kind = is_prompt ? CallKind::kPromptCompletion : CallKind::kResourceCompletion;
  call.tool = *of;
  Json arguments{{"argument", *name}, {"value", *value}};
  const Json* others = find_member(member(request.params, "context"), "arguments");
  if (others != nullptr) arguments["arguments"] = *others;
  call.arguments = to_text(arguments);
  start_call(request, envelope, std::move(call));
}

std::string Server::completion_answer(const PendingCall& pending, const CallResult& result) const {
  if (!result.ok) return error_response(pending.id, failure(result));
  Parsed completion = parse_json(result.data);
  return response(pending.id,
                  dialect(pending.era).result(Json{{"completion", std::move(completion.value)}}));
}

}  // namespace gibbous::mcp
