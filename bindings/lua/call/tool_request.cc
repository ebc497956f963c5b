#include "bindings/lua/call/tool_request.h"

#include <utility>

#include "bindings/json/read_member.h"

namespace gibbous::lua {
namespace {

constexpr char kRedacted[] = "(typed)";

// What a person approves of a call includes the secrets that its command gets.
void take_secrets(const Json& arguments, PolicyRequest* request) {
  const auto env = arguments.find("env");
  if (env == arguments.end() || !env->is_object()) return;
  for (const auto& [name, value] : env->items()) {
    if (!value.is_object()) continue;
    if (const std::string* secret = find_text(value, "secret")) request->secrets[name] = *secret;
  }
}

}  // namespace

void take_tool(const ToolDefinition& tool, const std::string& action, PolicyRequest* request) {
  request->tool = tool.name;
  request->permission = tool.permission;
  if (!tool.actions.empty() || !tool.judged_as.empty()) request->action = action;
  const auto permission = tool.actions.find(action);
  if (request->kind == RequestKind::kCall && permission != tool.actions.end())
    request->permission = permission->second;
  auto as = tool.judged_as.find(action);
  if (as == tool.judged_as.end()) as = tool.judged_as.find("");
  if (as != tool.judged_as.end()) request->judged_as = as->second;
}

void take_command(const ToolDefinition& tool, PolicyRequest* request) {
  if (tool.command.empty()) return;
  const Json& arguments = request->arguments;
  const std::string* command = find_text(arguments, tool.command);
  // A command with a NUL byte cannot be started; the tool reports that.
  if (command != nullptr && command->find('\0') == std::string::npos) {
    if (tool.words.empty()) {
      request->command = *command;
    } else {
      request->argv = {*command};
      read_member(arguments, tool.words.c_str(), request->argv);
    }
  }
  if (const std::string* cwd = find_text(arguments, "cwd")) request->cwd = *cwd;
  take_secrets(arguments, request);
  read_member(arguments, "allow", request->allow);
}

bool redact_typed(const ToolDefinition& tool, PolicyRequest* request) {
  Json& arguments = request->arguments;
  if (!tool.typed.empty() && arguments.is_object() && arguments.contains(tool.typed)) {
    arguments[tool.typed] = kRedacted;
    return true;
  }
  if (request->echo != TypedEcho::kHidden) return false;
  request->text = kRedacted;
  request->typed_before.reset();
  return true;
}

}  // namespace gibbous::lua
