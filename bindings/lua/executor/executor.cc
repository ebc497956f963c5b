#include "bindings/lua/executor/executor.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "bindings/lua/call/call.h"
#include "bindings/lua/call/context.h"
#include "bindings/lua/call/engine.h"
#include "bindings/lua/check/fields.h"
#include "bindings/lua/check/limits_value.h"
#include "bindings/lua/check/schema_check.h"
#include "bindings/lua/executor/executor_hook.h"
#include "runtime/base/free_port.h"
#include "runtime/base/nearest.h"
#include "runtime/keeper/holdable.h"
#include "runtime/paths/mount_types.h"
#include "runtime/process/pid_space.h"
#include "runtime/sandbox/hidden.h"

namespace gibbous::lua {
namespace {

constexpr int kMaxExecutorPort = 65'535;
constexpr std::size_t kMaxPorts = 32;

std::optional<int> port_of(const std::string& text) {
  int port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  return whole && port >= 1 && port <= kMaxExecutorPort ? std::optional(port) : std::nullopt;
}

// "3000", or "8080:3000": the host's port, then the run's.
std::optional<WantedPort> wanted_port(const std::string& text) {
  const std::size_t colon = text.find(':');
  const auto host = port_of(text.substr(0, colon));
  const auto port = colon == std::string::npos ? host : port_of(text.substr(colon + 1));
  if (!host || !port) return std::nullopt;
  return WantedPort{*port, *host, colon != std::string::npos};
}

// Another run may have been assigned a port on which it does not listen yet.
std::set<int> ports_in_use(const Context& context) {
  std::set<int> ports;
  for (const Run* run : context.runs->list()) {
    if (run->ended() || !run->spec().execution) continue;
    for (const PortMapping& mapping : run->spec().execution->ports) ports.insert(mapping.host);
  }
  return ports;
}

Result<Json> choose_ports(const ExecutorRequest& request, const Context& context) {
  std::set<int> taken = ports_in_use(context);
  Json ports = Json::array();
  for (const WantedPort& wanted : request.ports) {
    const int host = free_port(wanted.host, taken);
    if (host == 0) return Status::error("no_free_port", "ports: this machine has no free port");
    taken.insert(host);
    ports.push_back({{"port", wanted.port}, {"host", host}});
    if (wanted.named) ports.back()["wanted"] = wanted.host;
  }
  return ports;
}

Status unknown_executor(const std::string& name, const Context& context) {
  std::vector<std::string> known = {kHostExecutor};
  for (const auto& [each, definition] : context.engine->current()->executors()) {
    known.push_back(each);
  }
  std::string list;
  for (const std::string& each : known) list += (list.empty() ? "" : ", ") + each;
  const std::string near = nearest_name(name, known);
  return Status::error("unknown_executor", "executor: there is no '" + name + "'; known are " +
                                               list + did_you_mean(near));
}

Result<Json> settings_for(const ExecutorDefinition& executor, const ExecutorRequest& request,
                          const Context& context) {
  Json settings = context.executors.value(executor.name, Json::object());
  settings.update(request.settings);
  if (Status fits = executor.settings->apply(settings); !fits) return fits;
  return settings;
}

std::string directory_of(const RunSpec& spec, const std::string& workspace) {
  if (spec.cwd.empty()) return workspace;
  return spec.cwd.front() == '/' ? spec.cwd : workspace + "/" + spec.cwd;
}

const char* stdin_of(const RunSpec& spec) {
  return spec.terminal ? "terminal" : spec.stdin_pipe ? "pipe" : "null";
}

// An executor hides whole directories, and names as they are now.
std::vector<std::string> hidden_by(SandboxSpec sandbox) {
  const auto mounts = paths::MountTypes::of_process()->now();
  Lookups lookups;
  lookups.begin(mounts.get());
  sandbox.visible.clear();
  std::vector<std::string> gaps;
  return hidden_names(sandbox, lookups, gaps);
}

Json sandbox_of(const RunSpec& spec) {
  if (!spec.sandbox) return nullptr;
  // An executor has no copies, and its connects are not checked.
  const bool checked = spec.sandbox->network == SandboxNetwork::kChecked;
  const auto& write = spec.sandbox->copied ? std::vector<std::string>() : spec.sandbox->write;
  return {{"profile", spec.sandbox->profile},
          {"network", to_string(checked ? SandboxNetwork::kOn : spec.sandbox->network)},
          {"write", write},
          {"unwritable", spec.sandbox->unwritable},
          {"pinned", spec.sandbox->pinned},
          {"unreadable", hidden_by(*spec.sandbox)},
          {"occupied", spec.sandbox->occupied}};
}

// Leaves the names that a command could make, and that the keeper can hold.
void keep_holdable_names(SandboxSpec& sandbox) {
  const auto is_writable = [&sandbox](const std::string& name) {
    return std::any_of(sandbox.write.begin(), sandbox.write.end(), [&](const std::string& tree) {
      return tree == "/" || name.rfind(tree + "/", 0) == 0;
    });
  };
  std::erase_if(sandbox.occupied, [&](const std::string& name) { return !is_writable(name); });
  if (!sandbox.occupied.empty())
    sandbox = holdable(sandbox, *paths::MountTypes::of_process()->now());
}

// Makes the argument of an executor's prepare.
Json describe(const RunSpec& spec, const Context& context) {
  Json value = {{"run", spec.id},
                {"host", process_tag()},
                {"session", spec.session},
                {"cwd", directory_of(spec, context.workspace)},
                {"workspace", context.workspace},
                {"shell", spec.shell.empty() ? context.runs->options().shell : spec.shell},
                {"stdin", stdin_of(spec)},
                {"env", gibbous::variables_of(spec)},
                {"limits", limits_value(spec.limits)}};
  if (spec.argv.empty()) {
    value["command"] = spec.command;
  } else {
    value["argv"] = spec.argv;
  }
  if (!spec.label.empty()) value["label"] = spec.label;
  if (const Json sandbox = sandbox_of(spec); !sandbox.is_null()) value["sandbox"] = sandbox;
  return value;
}

std::map<std::string, std::string> variables_of(Fields& fields) {
  const Json& value = fields.value("env");
  if (value.is_null() || value.empty()) return {};
  const bool texts = value.is_object() && std::all_of(value.begin(), value.end(),
                                                      [](const Json& v) { return v.is_string(); });
  if (!texts) fields.fail("env", "a table of NAME = 'value'", value);
  return value.get<std::map<std::string, std::string>>();
}

// Returns the limits that the executor does not enforce itself.
LimitSet limits_without(const LimitSet& limits, const std::vector<std::string>& names) {
  Json value = limits_value(limits);
  for (const std::string& name : names) value.erase(name);
  return parse_limits("executor", value);
}

// Throws WrongUse.
void read_plan(const std::string& owner, const Json& plan, const Json& ports, RunSpec* spec) {
  Fields fields(owner, plan);
  Execution& execution = spec->execution.emplace();
  execution.argv = fields.texts("argv").value_or(std::vector<std::string>{});
  if (execution.argv.empty()) fields.fail("argv", "a program and its words", fields.value("argv"));
  execution.cwd = fields.text("cwd").value_or("");
  execution.env = variables_of(fields);
  execution.cleanup = fields.texts("cleanup").value_or(std::vector<std::string>{});
  execution.address = fields.text("address").value_or("");
  execution.holds = fields.texts("holds").value_or(std::vector<std::string>{});
  execution.limits = limits_without(spec->limits, execution.holds);
  execution.state = fields.value("state").dump();
  execution.ports_later = fields.flag("ports_later").value_or(false);
  const bool maps = fields.flag("maps_ports").value_or(false) && !execution.ports_later;
  if (fields.choice("sandbox", {"own", "keeper"}) == "own" && spec->sandbox) {
    execution.names = spec->sandbox->occupied;
    spec->sandbox.reset();
  }
  fields.done();
  for (const Json& each : maps ? ports : Json::array()) {
    execution.ports.push_back({each["port"].get<int>(), each["host"].get<int>()});
  }
}

// Once for each process and executor: removes what dead hosts left behind.
void sweep_once(Context& context, const ExecutorDefinition& executor, const Json& settings) {
  if (!executor.sweep || !context.swept.insert(executor.name + settings.dump()).second) return;
  CallSpec hook = executor_hook(executor.name, executor.sweep, "", {{"settings", settings}});
  hook.on_done = [engine = context.engine, name = executor.name](const CallResult& result) {
    if (!result.ok && result.code != "shutdown") {
      engine->log("warn", "executor " + name + ": sweep: " + result.message, Json(), "");
    }
  };
  (void)context.engine->run_hook(std::move(hook));
}

std::optional<LimitKind> limit_kind(const Json& name) {
  for (const LimitKind kind :
       {LimitKind::kMemory, LimitKind::kCpuTime, LimitKind::kPids, LimitKind::kFileSize}) {
    if (name == to_string(kind)) return kind;
  }
  return std::nullopt;
}

// Throws WrongUse.
ExecutionEnd read_end(const CallResult& result) {
  ExecutionEnd end;
  const Json answer = Json::parse(result.data, nullptr, false);
  if (!result.ok || !answer.is_object()) return end;
  Fields fields("ended", answer);
  const std::string reason = fields.text("reason").value_or("");
  const auto limit = limit_kind(fields.value("limit"));
  const bool clean = fields.flag("clean").value_or(false);
  return {reason, limit, clean};
}

}  // namespace

ExecutorRequest parse_executor(Fields& fields) {
  ExecutorRequest request;
  const Json& executor = fields.value("executor");
  if (executor.is_string()) {
    request.name = executor.get<std::string>();
  } else if (executor.is_object() && executor.contains("name") && executor["name"].is_string()) {
    request.name = executor["name"].get<std::string>();
    request.settings = executor;
    request.settings.erase("name");
  } else if (!executor.is_null()) {
    fields.fail("executor", "a name, or a table with its name and settings", executor);
  }
  const std::vector<std::string> ports = fields.texts("ports").value_or(std::vector<std::string>{});
  if (ports.size() > kMaxPorts) fields.fail("ports: expected at most 32 of them");
  for (const std::string& text : ports) {
    const auto wanted = wanted_port(text);
    if (!wanted) fields.fail("ports", "'PORT' or 'HOST_PORT:PORT', each 1 to 65535", text);
    request.ports.push_back(*wanted);
  }
  return request;
}

std::string executor_name(const ExecutorRequest& request, const Context& context) {
  if (!request.name.empty()) return request.name;
  return context.executor.empty() ? kHostExecutor : context.executor;
}

Status check_executor(const ExecutorRequest& request, const Context& context) {
  const std::string name = executor_name(request, context);
  if (name == kHostExecutor) return {};
  const ExecutorDefinition* found = find_executor(name, context);
  if (found == nullptr) return unknown_executor(name, context);
  return settings_for(*found, request, context).status();
}

const ExecutorDefinition* find_executor(const std::string& name, const Context& context) {
  const auto& known = context.engine->current()->executors();
  const auto found = known.find(name);
  return found == known.end() ? nullptr : &found->second;
}

bool does_confine(const std::string& executor, const Context& context) {
  const ExecutorDefinition* found = find_executor(executor, context);
  return found != nullptr && found->confines;
}

bool is_remote(const std::string& executor, const Context& context) {
  const ExecutorDefinition* found = find_executor(executor, context);
  return found != nullptr && found->remote;
}

void prepare_execution(Context& context, const Call& call, const ExecutorRequest& request,
                       RunSpec spec, std::function<void(Result<RunSpec>)> on_done) {
  const std::string name = executor_name(request, context);
  const ExecutorDefinition* found = find_executor(name, context);
  if (found == nullptr) return on_done(unknown_executor(name, context));
  const ExecutorDefinition& executor = *found;
  auto settings = settings_for(executor, request, context);
  if (!settings) return on_done(settings.status());
  auto ports = choose_ports(request, context);
  if (!ports) return on_done(ports.status());
  sweep_once(context, executor, *settings);
  spec.limits = strictest(spec.limits, context.runs->options().limits.run);
  if (spec.sandbox) keep_holdable_names(*spec.sandbox);
  Json arguments = describe(spec, context);
  arguments["settings"] = *settings;
  arguments["ports"] = *ports;
  CallSpec hook = executor_hook(name, executor.prepare, call.session(), std::move(arguments));
  hook.on_done = [name, spec = std::move(spec), ports = *ports, on_done = std::move(on_done),
                  asks = static_cast<bool>(executor.ended)](const CallResult& result) mutable {
    if (!result.ok) return on_done(Status::error(result.code, result.message));
    try {
      read_plan("executor " + name + ": prepare", Json::parse(result.data, nullptr, false), ports,
                &spec);
    } catch (const std::exception& wrong) {
      return on_done(Status::error("executor_failed", wrong.what()));
    }
    spec.execution->executor = name;
    spec.execution->asks_at_end = asks;
    on_done(std::move(spec));
  };
  (void)context.engine->run_hook(std::move(hook));
}

void ask_executor(Context& context, Run& run, const ExitStatus& exit,
                  const std::function<void(const ExecutionEnd&)>& on_answer) {
  const Execution& execution = *run.spec().execution;
  const ExecutorDefinition* found = find_executor(execution.executor, context);
  // The executor is gone by now: only the cleanup command remains.
  if (found == nullptr || !found->ended) return on_answer(ExecutionEnd{});
  Json arguments = {{"run", run.id()},
                    {"limits", limits_value(run.spec().limits)},
                    {"state", Json::parse(execution.state, nullptr, false)}};
  if (exit.signal == 0) {
    arguments["exit_code"] = exit.code;
  } else {
    arguments["signal"] = exit.signal;
  }
  CallSpec hook =
      executor_hook(execution.executor, found->ended, run.spec().session, std::move(arguments));
  hook.on_done = [engine = context.engine, name = execution.executor,
                  on_answer](const CallResult& result) {
    if (result.code == "shutdown") return;
    ExecutionEnd end;  // an invalid answer does not count as clean
    std::string wrong = result.ok ? "" : result.message;
    try {
      end = read_end(result);
    } catch (const WrongUse& use) {
      wrong = use.what();
    }
    if (!wrong.empty()) engine->log("warn", "executor " + name + ": ended: " + wrong, Json(), "");
    on_answer(end);
  };
  (void)context.engine->run_hook(std::move(hook));
}

}  // namespace gibbous::lua
