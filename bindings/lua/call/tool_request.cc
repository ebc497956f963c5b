#include "bindings/lua/call/tool_request.h"

#include <utility>

#include "bindings/json/member.h"

namespace gibbous::lua {
namespace {

constexpr char kRedacted[] = "(typed)";

}  // namespace

std::string permission_of(const ToolDefinition& tool, const Json& arguments) {
  const std::string* action = tool.actions.empty() ? nullptr : find_text(arguments, "action");
  if (action == nullptr) return tool.permission;
  const auto found = tool.actions.find(*action);
  return found == tool.actions.end() ? tool.permission : found->second;
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
      const auto words = arguments.find(tool.words);
      if (words != arguments.end() && words->is_array()) {
        for (const Json& word : *words) {
          if (word.is_string()) request->argv.push_back(word.get<std::string>());
        }
      }
    }
  }
  if (const std::string* cwd = find_text(arguments, "cwd")) request->cwd = *cwd;
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
