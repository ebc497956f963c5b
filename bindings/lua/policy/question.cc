#include "bindings/lua/policy/question.h"

#include <algorithm>

#include "bindings/json/text.h"
#include "bindings/lua/policy/judgement.h"

namespace gibbous::lua {
namespace {

constexpr std::size_t kMaxShownCommands = 50;
constexpr std::size_t kMaxShownBytes = 500;

// "sudo rm -rf /etc (in sh -c)"
std::string show(const command::SimpleCommand& command) {
  std::string text;
  for (const std::string& wrapper : command.wrappers) text += wrapper + " ";
  for (const command::Value& word : command.argv) text += word.text + " ";
  if (!text.empty()) text.pop_back();
  text = command::escaped(text, kMaxShownBytes);
  std::string by;
  for (const command::Nesting& each : command.nesting) {
    if (!each.by.empty()) by = each.by;
  }
  return by.empty() ? text : text + "  (in " + by + ")";
}

}  // namespace

AskRequest make_question(const PolicyRequest& asked, const Verdict& verdict) {
  AskRequest request;
  request.id = verdict.id;
  request.session = asked.session;
  request.tool = asked.tool;
  const Json arguments = asked.arguments.is_null() ? Json::object() : asked.arguments;
  request.arguments = to_text(arguments);
  request.effect = name_of(asked.kind);
  request.reason = verdict.reason;
  request.rule = verdict.rule;
  request.file = verdict.file;
  request.line = verdict.line;
  request.mode = asked.mode;
  request.workspace = asked.workspace;
  if (verdict.judgement != nullptr && asked.echo != TypedEcho::kHidden) {
    const command::Facts& facts = verdict.judgement->facts;
    request.command = facts.shown;
    for (const command::SimpleCommand& command : facts.commands) {
      if (request.commands.size() == kMaxShownCommands) {
        request.commands.push_back(
            "and " + std::to_string(facts.commands.size() - kMaxShownCommands) + " more");
        break;
      }
      request.commands.push_back(show(command));
    }
  }
  // The same command in another directory or with other variables is another subject.
  const Json fields = to_json(asked);
  Json subject = Json::object();
  for (const char* key : {"argv", "command", "cwd", "env", "secrets", "log", "text", "signal",
                          "executor", "executor_settings"}) {
    if (const auto found = fields.find(key); found != fields.end() && !found->empty())
      subject[key] = *found;
  }
  const bool command = asked.command || !asked.argv.empty();
  const bool start =
      asked.kind == RequestKind::kStart || (asked.kind == RequestKind::kCall && command);
  if (start && subject.size() == 1 && asked.command) {
    request.subject = *asked.command;
  } else if (start) {
    request.subject = to_text(subject);
  } else {
    if (subject.empty()) subject["args"] = arguments;
    request.subject = request.effect + " " + request.tool + " " + to_text(subject);
  }
  return request;
}

}  // namespace gibbous::lua
