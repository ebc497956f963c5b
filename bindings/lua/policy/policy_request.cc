#include "bindings/lua/policy/policy_request.h"
#include "bindings/json/read_member.h"
#include "bindings/json/text.h"

#include <array>
#include <type_traits>
#include <utility>

namespace gibbous::lua {
namespace {

constexpr std::array<std::pair<RequestKind, const char*>, 4> kKinds = {{
    {RequestKind::kCall, "call"},
    {RequestKind::kStart, "start"},
    {RequestKind::kStdin, "stdin"},
    {RequestKind::kKill, "kill"},
}};

// Calls `field` with the name and the member of each field that a request of its kind may have, and
// with what a flag is where it is left out.
template <typename Request, typename Field>
void each_field(Request& request, const Field& field) {
  field("action", request.action);
  field("judged_as", request.judged_as);
  if (request.kind == RequestKind::kCall) field("args", request.arguments);
  field("command", request.command);
  field("argv", request.argv);
  field("cwd", request.cwd);
  field("env", request.env);
  field("secrets", request.secrets);
  field("log", request.logs);
  if (request.kind == RequestKind::kStart) {
    field("sandbox", request.sandbox);
    field("keep", request.keep);
    field("executor", request.executor);
    field("executor_settings", request.executor_settings);
    field("executor_confines", request.executor_confines);
  }
  field("allow", request.allow);
  field("confinable", request.confinable, true);
  field("own_network", request.own_network, true);
  field("own_signals", request.own_signals, true);
  field("signs", request.signs);
  field("run_sandbox", request.run_sandbox);
  field("pty", request.pty);
  field("run", request.run);
  field("text", request.text);
  field("typed", request.typed_before);
  field("edited", request.edited);
  field("interrupted", request.interrupted);
  field("foreground", request.foreground);
  field("signal", request.signal);
}

// Writes what is set.
struct Writer {
  Json& into;

  void operator()(const char* name, bool flag, bool usual = false) const {
    if (flag != usual) into[name] = flag;
  }
  void operator()(const char* name, const std::optional<std::string>& text) const {
    if (text) into[name] = *text;
  }
  template <typename T>
  void operator()(const char* name, const T& value) const {
    if constexpr (std::is_same_v<T, Json>) {
      if (!value.is_null()) into[name] = value;
    } else {
      if (!value.empty()) into[name] = value;
    }
  }
};

// Reads what has the right type.
struct Reader {
  const Json& from;

  template <typename T>
  void operator()(const char* name, T& value, bool = false) const {
    read_member(from, name, value);
  }
};

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
  if (request.kind == RequestKind::kStart) {
    json["limits"] = request.limits;
    const Writer configured{json["configured"] = Json::object()};
    configured("sandbox", request.configured_sandbox);
    configured("queued_sandbox", request.queued_sandbox);
  }
  each_field(request, Writer{json});
  if (request.echo == TypedEcho::kHidden) json["secret"] = true;
  if (request.echo == TypedEcho::kUnknown) json["unseen"] = true;
  return json;
}

PolicyRequest read_policy_request(const Json& json) {
  PolicyRequest request;
  if (!json.is_object()) return request;
  request.kind = request_kind(text_member(json, "kind")).value_or(RequestKind::kCall);
  const Reader field{json};
  field("tool", request.tool);
  field("permission", request.permission);
  field("mode", request.mode);
  field("session", request.session);
  field("workspace", request.workspace);
  field("shell", request.shell);
  field("limits", request.limits);
  if (const Json* configured = find_member(json, "configured")) {
    read_member(*configured, "sandbox", request.configured_sandbox);
    read_member(*configured, "queued_sandbox", request.queued_sandbox);
  }
  each_field(request, field);
  bool hidden = false;
  bool unseen = false;
  field("secret", hidden);
  field("unseen", unseen);
  if (unseen) request.echo = TypedEcho::kUnknown;
  if (hidden) request.echo = TypedEcho::kHidden;
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
