#include "bindings/lua/policy/policy_request.h"
#include "bindings/json/member.h"
#include "bindings/json/text.h"

#include <array>
#include <utility>

namespace gibbous::lua {
namespace {

constexpr std::array<std::pair<RequestKind, const char*>, 4> kKinds = {{
    {RequestKind::kCall, "call"},
    {RequestKind::kStart, "start"},
    {RequestKind::kStdin, "stdin"},
    {RequestKind::kKill, "kill"},
}};

void add_start(const PolicyRequest& request, Json* json) {
  Json& into = *json;
  into["limits"] = request.limits;
  into["configured"] = Json::object();
  if (!request.configured_sandbox.is_null())
    into["configured"]["sandbox"] = request.configured_sandbox;
  if (!request.sandbox.is_null()) into["sandbox"] = request.sandbox;
  if (request.keep) into["keep"] = true;
  if (request.pty) into["pty"] = true;
  if (!request.executor.empty()) {
    into["executor"] = request.executor;
    into["executor_settings"] = request.executor_settings;
  }
}

std::optional<std::string> optional_text(const Json& json, const char* key) {
  const auto found = json.find(key);
  if (found == json.end() || !found->is_string()) return std::nullopt;
  return found->get<std::string>();
}

std::vector<std::string> texts_of(const Json& json, const char* key) {
  std::vector<std::string> texts;
  const auto found = json.find(key);
  if (found == json.end() || !found->is_array()) return texts;
  for (const Json& each : *found) {
    if (each.is_string()) texts.push_back(each.get<std::string>());
  }
  return texts;
}

bool flag_of(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_boolean() && found->get<bool>();
}

}  // namespace

const char* name_of(RequestKind kind) {
  for (const auto& [each, name] : kKinds) {
    if (each == kind) return name;
  }
  return "call";
}

std::optional<RequestKind> request_kind(std::string_view name) {
  for (const auto& [kind, each] : kKinds) {
    if (each == name) return kind;
  }
  return std::nullopt;
}

Json to_json(const PolicyRequest& request) {
  Json json = {{"kind", name_of(request.kind)},    {"tool", request.tool},
               {"permission", request.permission}, {"mode", request.mode},
               {"session", request.session},       {"workspace", request.workspace}};
  if (request.kind == RequestKind::kCall && !request.arguments.is_null())
    json["args"] = request.arguments;
  if (request.command) json["command"] = *request.command;
  if (!request.argv.empty()) json["argv"] = request.argv;
  if (request.cwd) json["cwd"] = *request.cwd;
  if (!request.env.empty()) json["env"] = request.env;
  if (!request.logs.empty()) json["log"] = request.logs;
  if (request.kind == RequestKind::kStart) add_start(request, &json);
  if (!request.run.empty()) json["run"] = request.run;
  if (request.text) json["text"] = *request.text;
  if (request.typed_before) json["typed"] = *request.typed_before;
  if (request.edited) json["edited"] = true;
  if (request.echo == TypedEcho::kHidden) json["secret"] = true;
  if (request.echo == TypedEcho::kUnknown) json["unseen"] = true;
  if (!request.signal.empty()) json["signal"] = request.signal;
  return json;
}

PolicyRequest read_policy_request(const Json& json) {
  PolicyRequest request;
  if (!json.is_object()) return request;
  request.kind = request_kind(text_member(json, "kind")).value_or(RequestKind::kCall);
  request.tool = text_member(json, "tool");
  request.permission = text_member(json, "permission");
  request.mode = text_member(json, "mode");
  request.session = text_member(json, "session");
  request.workspace = text_member(json, "workspace");
  if (const auto args = json.find("args"); args != json.end()) request.arguments = *args;
  request.command = optional_text(json, "command");
  request.argv = texts_of(json, "argv");
  request.cwd = optional_text(json, "cwd");
  if (const auto env = json.find("env"); env != json.end() && env->is_object()) {
    for (const auto& [name, value] : env->items()) {
      if (value.is_string()) request.env[name] = value.get<std::string>();
    }
  }
  request.logs = texts_of(json, "log");
  if (const auto limits = json.find("limits"); limits != json.end() && limits->is_object())
    request.limits = *limits;
  request.sandbox = json.value("sandbox", Json());
  if (const auto configured = json.find("configured");
      configured != json.end() && configured->is_object())
    request.configured_sandbox = configured->value("sandbox", Json());
  request.keep = flag_of(json, "keep");
  request.pty = flag_of(json, "pty");
  request.executor = text_member(json, "executor");
  request.executor_settings = json.value("executor_settings", Json());
  request.run = text_member(json, "run");
  request.text = optional_text(json, "text");
  request.typed_before = optional_text(json, "typed");
  request.edited = flag_of(json, "edited");
  if (flag_of(json, "unseen")) request.echo = TypedEcho::kUnknown;
  if (flag_of(json, "secret")) request.echo = TypedEcho::kHidden;
  request.signal = text_member(json, "signal");
  return request;
}

std::string approval_key(const PolicyRequest& request) {
  const auto dump = [](const Json& value) { return to_text(value); };
  const std::string command =
      request.argv.empty() ? request.command.value_or("") : dump(request.argv);
  if (request.executor_settings.empty()) return command;
  return command + "\n" + request.executor + " " + dump(request.executor_settings);
}

}  // namespace gibbous::lua
