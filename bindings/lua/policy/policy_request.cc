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
  if (!request.queued_sandbox.is_null())
    into["configured"]["queued_sandbox"] = request.queued_sandbox;
  if (!request.sandbox.is_null()) into["sandbox"] = request.sandbox;
  if (request.keep) into["keep"] = true;
  if (!request.executor.empty()) {
    into["executor"] = request.executor;
    into["executor_settings"] = request.executor_settings;
    if (request.executor_confines) into["executor_confines"] = true;
  }
}

std::optional<std::string> optional_text(const Json& json, const char* key) {
  const auto found = json.find(key);
  if (found == json.end() || !found->is_string()) return std::nullopt;
  return found->get<std::string>();
}

std::vector<std::string> texts_in(const Json& list) {
  std::vector<std::string> texts;
  if (!list.is_array()) return texts;
  for (const Json& each : list) {
    if (each.is_string()) texts.push_back(each.get<std::string>());
  }
  return texts;
}

std::vector<std::string> texts_of(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found == json.end() ? std::vector<std::string>() : texts_in(*found);
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
  if (!request.action.empty()) json["action"] = request.action;
  if (!request.judged_as.empty()) json["judged_as"] = request.judged_as;
  if (request.kind == RequestKind::kCall && !request.arguments.is_null())
    json["args"] = request.arguments;
  if (request.command) json["command"] = *request.command;
  if (!request.argv.empty()) json["argv"] = request.argv;
  if (request.cwd) json["cwd"] = *request.cwd;
  if (!request.env.empty()) json["env"] = request.env;
  if (!request.secrets.empty()) json["secrets"] = request.secrets;
  if (!request.logs.empty()) json["log"] = request.logs;
  if (request.kind == RequestKind::kStart) add_start(request, &json);
  if (!request.allow.empty()) json["allow"] = request.allow;
  if (!request.confinable) json["confinable"] = false;
  if (!request.own_network) json["own_network"] = false;
  if (!request.own_signals) json["own_signals"] = false;
  if (request.signs) json["signs"] = true;
  if (!request.run_sandbox.is_null()) json["run_sandbox"] = request.run_sandbox;
  if (request.pty) json["pty"] = true;
  if (!request.run.empty()) json["run"] = request.run;
  if (request.text) json["text"] = *request.text;
  if (request.typed_before) json["typed"] = *request.typed_before;
  if (request.edited) json["edited"] = true;
  if (request.interrupted) json["interrupted"] = true;
  if (!request.foreground.empty()) json["foreground"] = request.foreground;
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
  request.action = text_member(json, "action");
  request.judged_as = text_member(json, "judged_as");
  request.mode = text_member(json, "mode");
  request.session = text_member(json, "session");
  request.workspace = text_member(json, "workspace");
  if (const auto args = json.find("args"); args != json.end()) request.arguments = *args;
  request.command = optional_text(json, "command");
  request.argv = texts_of(json, "argv");
  request.shell = text_member(json, "shell");
  request.cwd = optional_text(json, "cwd");
  if (const auto env = json.find("env"); env != json.end() && env->is_object()) {
    for (const auto& [name, value] : env->items()) {
      if (value.is_string()) request.env[name] = value.get<std::string>();
    }
  }
  if (const auto secrets = json.find("secrets"); secrets != json.end() && secrets->is_object()) {
    for (const auto& [name, value] : secrets->items()) {
      if (value.is_string()) request.secrets[name] = value.get<std::string>();
    }
  }
  request.logs = texts_of(json, "log");
  if (const auto limits = json.find("limits"); limits != json.end() && limits->is_object())
    request.limits = *limits;
  request.sandbox = json.value("sandbox", Json());
  if (const auto configured = json.find("configured");
      configured != json.end() && configured->is_object()) {
    request.configured_sandbox = configured->value("sandbox", Json());
    request.queued_sandbox = configured->value("queued_sandbox", Json());
  }
  request.keep = flag_of(json, "keep");
  request.allow = texts_of(json, "allow");
  request.confinable = json.value("confinable", Json(true)) != Json(false);
  request.own_network = json.value("own_network", Json(true)) != Json(false);
  request.own_signals = json.value("own_signals", Json(true)) != Json(false);
  request.signs = json.value("signs", Json(false)) == Json(true);
  request.executor_confines = flag_of(json, "executor_confines");
  request.run_sandbox = json.value("run_sandbox", Json());
  request.pty = flag_of(json, "pty");
  request.executor = text_member(json, "executor");
  request.executor_settings = json.value("executor_settings", Json());
  request.run = text_member(json, "run");
  request.text = optional_text(json, "text");
  request.typed_before = optional_text(json, "typed");
  request.edited = flag_of(json, "edited");
  request.interrupted = flag_of(json, "interrupted");
  if (const auto owners = json.find("foreground"); owners != json.end() && owners->is_array()) {
    for (const Json& argv : *owners) request.foreground.push_back(texts_in(argv));
  }
  if (flag_of(json, "unseen")) request.echo = TypedEcho::kUnknown;
  if (flag_of(json, "secret")) request.echo = TypedEcho::kHidden;
  request.signal = text_member(json, "signal");
  return request;
}

std::string approval_key(const PolicyRequest& request) {
  const auto dump = [](const Json& value) { return to_text(value); };
  std::string command = request.argv.empty() ? request.command.value_or("") : dump(request.argv);
  if (!request.secrets.empty()) command += "\nsecrets " + dump(Json(request.secrets));
  if (!request.allow.empty()) command += "\nallow " + dump(Json(request.allow));
  if (request.executor_settings.empty()) return command;
  return command + "\n" + request.executor + " " + dump(request.executor_settings);
}

}  // namespace gibbous::lua
