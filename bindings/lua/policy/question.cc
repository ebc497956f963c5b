#include "bindings/lua/policy/question.h"

#include <algorithm>

#include "bindings/lua/policy/judgement.h"

namespace gibbous::lua {
namespace {

constexpr std::size_t kMaxShownCommands = 50;
constexpr std::size_t kMaxShownBytes = 500;

std::string text_of(const Json& effect, const char* key) {
  const auto found = effect.find(key);
  return found != effect.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::string dump(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

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

AskRequest make_question(const Json& effect, const Verdict& verdict) {
  AskRequest request;
  request.id = verdict.id;
  request.session = text_of(effect, "session");
  request.tool = text_of(effect, "tool");
  request.arguments = dump(effect.value("args", Json::object()));
  request.effect = text_of(effect, "kind");
  request.reason = verdict.reason;
  request.rule = verdict.rule;
  request.file = verdict.file;
  request.line = verdict.line;
  request.mode = text_of(effect, "mode");
  request.workspace = text_of(effect, "workspace");
  const bool secret = effect.value("secret", false);
  if (verdict.judgement != nullptr && !secret) {
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
  // The same command in another directory, with other variables, is another thing.
  Json subject = Json::object();
  for (const char* key : {"argv", "command", "cwd", "env", "log", "text", "signal", "executor",
                          "executor_settings"}) {
    if (const auto found = effect.find(key); found != effect.end() && !found->empty())
      subject[key] = *found;
  }
  const bool command = subject.contains("command") || subject.contains("argv");
  const bool start = request.effect == "start" || (request.effect == "call" && command);
  if (start && subject.size() == 1 && subject.contains("command")) {
    request.subject = subject["command"].get<std::string>();
  } else if (start) {
    request.subject = dump(subject);
  } else {
    if (subject.empty()) subject["args"] = effect.value("args", Json::object());
    request.subject = request.effect + " " + request.tool + " " + dump(subject);
  }
  return request;
}

std::string approved_key(const Json& effect) {
  const auto argv = effect.find("argv");
  const std::string command =
      argv != effect.end() && argv->is_array() ? dump(*argv) : effect.value("command", "");
  const Json settings = effect.value("executor_settings", Json());
  return settings.empty() ? command
                          : command + "\n" + effect.value("executor", "") + " " + dump(settings);
}

}  // namespace gibbous::lua
