// Options of `run` functions, and what they return.
#include "bindings/lua/api/run_value.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <lua.hpp>
#include <type_traits>

#include "bindings/lua/api/screen_value.h"
#include "bindings/lua/api/watch_value.h"
#include "bindings/lua/check/fields.h"
#include "bindings/lua/check/limits_value.h"
#include "bindings/lua/check/sandbox_value.h"
#include "bindings/lua/vm/budget.h"
#include "runtime/output/file_sink.h"
#include "runtime/output/text.h"
#include "runtime/process/signals.h"
#include "runtime/recording/recorder.h"
#include "runtime/runs/describe.h"
#include "runtime/terminal/screen.h"

namespace gibbous::lua {
namespace {

constexpr std::int64_t kMaxLogBytes = std::int64_t{1} << 53;
constexpr std::int64_t kMaxLogFiles = 1'000'000;
constexpr std::int64_t kMaxPriority = 1'000;
constexpr std::int64_t kMaxAttempts = 1'000'000;
constexpr int kSummaryFields = 16;
constexpr int kSummarySlots = 4;
constexpr std::size_t kSummarySteps = 128;  // of a budget, to push one

Json stream_info(const Run& run, StreamId id) {
  const Stream& stream = run.stream(id);
  return {{"bytes", stream.end()},
          {"lines", stream.line_count()},
          {"kept_from", stream.begin()},
          {"origin", run.origin(id)},
          {"ended", stream.ended()}};
}

Json merged_info(const Run& run) {
  const Stream& out = run.stream(StreamId::kStdout);
  const Stream& err = run.stream(StreamId::kStderr);
  return {{"bytes", std::max(run.arrivals().end(), out.end() + err.end())},
          {"lines", out.line_count() + err.line_count()},
          {"kept_from", run.arrivals().begin(run.streams())},
          {"ended", out.ended() && err.ended()}};
}

// Adds where the run is executed, unless that is here.
void add_execution(const RunSpec& spec, Json* info) {
  if (!spec.execution) return;
  const Execution& execution = *spec.execution;
  (*info)["executor"] = execution.executor;
  for (const PortMapping& mapping : execution.ports) {
    (*info)["ports"].push_back({{"port", mapping.port}, {"host", mapping.host}});
  }
  if (!execution.address.empty()) (*info)["address"] = execution.address;
  const Json limits = limits_value(spec.limits);
  for (const std::string& name : execution.holds) {
    if (limits.contains(name)) (*info)["limits_by"][name] = execution.executor;
  }
}

// Sets fields of the table on top of the stack, without a JSON value between.
struct FieldSetter {
  lua_State* state;

  void operator()(const char* name, bool value) const {
    lua_pushboolean(state, value ? 1 : 0);
    lua_setfield(state, -2, name);
  }
  void operator()(const char* name, std::string_view value) const { set_text(state, name, value); }
  void operator()(const char* name, const char* value) const { set_text(state, name, value); }
  void operator()(const char* name, const std::string& value) const {
    set_text(state, name, value);
  }
  void operator()(const char* name, const Json& value) const {
    push_json(state, value);
    lua_setfield(state, -2, name);
  }
  template <typename Number>
  requires std::is_arithmetic_v<Number>
  void operator()(const char* name, Number value) const {
    lua_pushnumber(state, static_cast<lua_Number>(value));
    lua_setfield(state, -2, name);
  }
};

// Hands each field of a summary to `put(name, value)`.
template <typename Put>
void summarize(const Run& run, const Clock& clock, const Put& put) {
  const RunSpec& spec = run.spec();
  const auto& exit = run.exit_status();
  put("id", run.id());
  put("pid", run.pid());
  put("command", to_utf8(run.command_text()));
  put("session", spec.session);
  put("tool", spec.tool);
  put("background", spec.background);
  put("state", to_string(run.state()));
  put("runtime_ms", run.runtime(clock).count());
  put("left_behind", run.left_behind());
  if (!spec.label.empty()) put("label", spec.label);
  if (spec.sandbox && spec.sandbox->profile != "none") put("profile", spec.sandbox->profile);
  if (exit && exit->signal == 0) put("exit_code", exit->code);
  if (!run.reason().empty()) put("reason", to_utf8(run.reason()));
  if (run.readiness() != Readiness::kUnasked) {
    put("readiness", to_string(run.readiness()));
    if (!run.readiness_note().empty()) put("readiness_note", to_utf8(run.readiness_note()));
  }
  if (!run.next().empty()) put("next", run.next());
  if (spec.restarts != 0) {
    put("restart_of", spec.restart_of);
    put("restarts", spec.restarts);
  }
  if (run.limit_reached()) put("limit", limit_reached_value(*run.limit_reached()));
  if (run.started_at().count() > 0) put("started_ms", run.started_at().count());
  if (run.ended_at().count() > 0) put("ended_ms", run.ended_at().count());
  if (run.pid() != 0) {
    put("output_rate", std::llround(run.output_rate(clock)));
    put("idle_ms", std::chrono::duration_cast<Millis>(clock.now() - run.last_output()).count());
  }
}

void read_environment(Fields& fields, StartOptions* start) {
  const Json& value = fields.value("env");
  if (value.is_null() || (value.is_array() && value.empty())) return;
  if (!value.is_object()) fields.fail("env", "a table of NAME = 'value'", value);
  for (const auto& [name, text] : value.items()) {
    const bool secret = text.is_object() && text.size() == 1 && text.contains("secret") &&
                        text["secret"].is_string();
    if (!text.is_string() && !secret) {
      throw WrongUse(fields.below("env").below(name), "a string, or { secret = 'NAME' }", text);
    }
    if (secret) {
      start->secrets[name] = text["secret"].get<std::string>();
    } else {
      start->spec.env[name] = text.get<std::string>();
    }
  }
}

LogSpec log_of(const FieldPath& place, const Json& value) {
  Fields fields(place, value);
  LogSpec log;
  log.path = fields.text("path").value_or("");
  if (log.path.empty()) {
    fields.fail("path", "a path below the workspace or the temporary directory",
                fields.value("path"));
  }
  const auto stream = fields.choice("stream", {"both", "stdout", "stderr"});
  if (stream && stream != "both") {
    log.stream = stream == "stderr" ? StreamId::kStderr : StreamId::kStdout;
  }
  if (const auto bytes = fields.integer("max_bytes", 1, kMaxLogBytes)) {
    log.max_bytes = static_cast<std::uint64_t>(*bytes);
  }
  if (const auto files = fields.integer("files", 1, kMaxLogFiles)) {
    log.files = static_cast<std::uint32_t>(*files);
  }
  log.append = fields.flag("append").value_or(false);
  fields.done();
  return log;
}

// Reads one table, or a list of them.
std::vector<LogSpec> logs_of(Fields& fields) {
  const Json& value = fields.value("log");
  std::vector<LogSpec> logs;
  if (value.is_null()) return logs;
  if (value.is_array()) {
    for (const Json& each : value)
      logs.push_back(log_of(fields.below("log").item(logs.size()), each));
  } else {
    logs.push_back(log_of(fields.below("log"), value));
  }
  return logs;
}

Json logs_info(const Run& run) {
  Json list = Json::array();
  for (std::size_t i = 0; i < run.logs().size(); ++i) {
    const FileSinkStatus& status = run.logs()[i]->status();
    const LogSpec& log = run.spec().logs[i];
    Json entry = {{"path", log.path},
                  {"stream", log.stream ? to_string(*log.stream) : "both"},
                  {"bytes", status.written_bytes},
                  {"lost_bytes", status.lost_bytes},
                  {"files", status.files},
                  {"full", status.full}};
    if (!status.error.empty()) entry["error"] = to_utf8(status.error);
    list.push_back(std::move(entry));
  }
  return list;
}

}  // namespace

// Reads what a start asks for beyond its sandbox: "network", "sign", "port:NUMBER", "read:PATH" and
// "write:PATH".
static std::vector<std::string> read_wishes(Fields& fields) {
  constexpr std::size_t kMaxWishes = 32;
  constexpr int kMaxPort = 65535;
  std::vector<std::string> wishes = fields.texts("allow").value_or(std::vector<std::string>{});
  for (const std::string& wish : wishes) {
    const std::size_t colon = wish.find(':');
    const std::string kind = wish.substr(0, colon);
    const std::string path = colon == std::string::npos ? "" : wish.substr(colon + 1);
    const bool has_place = path.rfind('/', 0) == 0 || path.rfind("~/", 0) == 0;
    const int port = std::atoi(path.c_str());
    const bool is_port = port > 0 && port <= kMaxPort && std::to_string(port) == path;
    const bool good = wish == "network" || wish == "sign" || (kind == "port" && is_port) ||
                      ((kind == "read" || kind == "write") && has_place);
    if (!good || wishes.size() > kMaxWishes) {
      fields.fail("allow",
                  "at most 32 of 'network', 'sign', 'port:NUMBER', 'read:PATH' and 'write:PATH', "
                  "with paths that begin with '/' or '~/'",
                  wish);
    }
  }
  return wishes;
}

StartOptions parse_start(const Json& options, bool queued) {
  Fields fields(queued ? "run.queue" : "run.start", options);
  StartOptions start;
  RunSpec& spec = start.spec;
  spec.command = fields.text("command").value_or("");
  spec.argv = fields.texts("argv").value_or(std::vector<std::string>{});
  if (spec.command.empty() == spec.argv.empty()) {
    fields.fail("expected one of command (a line for the shell) and argv (a list of words)");
  }
  spec.label = fields.text("label").value_or("");
  spec.cwd = fields.text("cwd").value_or("");
  read_environment(fields, &start);
  spec.unset_env = fields.texts("unset_env").value_or(std::vector<std::string>{});
  spec.stdin_pipe = fields.choice("stdin", {"null", "pipe"}) == "pipe";
  if (const auto fate = fields.choice("on_host_death", {"kill", "keep"})) {
    start.keep = fate == "keep";
  }
  spec.merge_stderr = fields.flag("merge_stderr").value_or(false);
  start.detach = queued || fields.flag("detach").value_or(false);
  if (fields.value("timeout_ms") == "default") {
    spec.usual_timeout = true;
  } else if (const auto timeout = fields.number("timeout_ms", 0, kMaxMillis)) {
    // A limit of less than a millisecond is still a limit: only 0 means none.
    spec.timeout =
        Millis{*timeout > 0 ? std::max<std::int64_t>(1, static_cast<std::int64_t>(*timeout)) : 0};
  } else if (start.detach) {
    spec.usual_timeout = false;
  }
  if (const auto signal = fields.choice("timeout_signal", {"SIGTERM", "SIGINT", "SIGKILL"})) {
    spec.timeout_signal = signal_number_of(*signal);
  }
  spec.logs = logs_of(fields);
  spec.limits = parse_limits(fields.below("limits"), fields.value("limits"));
  start.executor = parse_executor(fields);
  start.sandbox = sandbox_request(fields.below("sandbox"), fields.value("sandbox"));
  start.allow = read_wishes(fields);
  spec.queue_when_full = fields.choice("when_full", {"reject", "queue"}) == "queue";
  spec.background = fields.flag("background").value_or(true);
  spec.terminal = parse_pty(fields.below("pty"), fields.value("pty"));
  if (spec.terminal && fields.has("stdin")) {
    fields.fail("expected one of stdin and pty, got both: a terminal is stdin, too");
  }
  if (const auto most = fields.integer("max_output_bytes", kMinRecordedBytes, kMaxRecordedBytes)) {
    spec.max_output_bytes = static_cast<std::uint64_t>(*most);
  }
  start.watch =
      parse_watch(fields.below("watch"), fields.value("watch"), spec.terminal.has_value());
  if (start.watch) spec.watch_json = fields.value("watch").dump();
  start.supervision = parse_supervision(fields, !queued);
  spec.says_when_ready = start.supervision.ready.has_value();
  if (queued) {
    start.safe_to_repeat = fields.flag("safe_to_repeat").value_or(false);
    start.session = fields.text("session").value_or("");
    start.priority = fields.integer("priority", -kMaxPriority, kMaxPriority).value_or(0);
    start.max_attempts = fields.integer("max_attempts", 1, kMaxAttempts).value_or(0);
    start.request_id = fields.text("request_id").value_or("");
    if (fields.has("request_id") &&
        (start.request_id.empty() || start.request_id.size() > kMaxJournalIdBytes)) {
      fields.fail("request_id: expected 1 to " + std::to_string(kMaxJournalIdBytes) + " bytes");
    }
  }
  fields.done();
  return start;
}

Json run_summary(const Run& run, const Clock& clock) {
  Json info = Json::object();
  summarize(run, clock, [&info](const char* name, Json value) { info[name] = std::move(value); });
  return info;
}

void push_run_summary(lua_State* state, const Run& run, const Clock& clock) {
  luaL_checkstack(state, kSummarySlots, "too many values");
  Budget::of(state).charge(state, kSummarySteps);
  lua_createtable(state, 0, kSummaryFields);
  summarize(run, clock, FieldSetter{state});
}

Json run_info(const Run& run, const Clock& clock) {
  const RunSpec& spec = run.spec();
  const auto& exit = run.exit_status();
  Json info = run_summary(run, clock);
  info["on_host_death"] = spec.keep ? "keep" : "kill";
  info["adopted"] = run.adopted();
  info["created_ms"] = run.created_at().count();
  info["drained"] = run.drained();
  info["output_incomplete"] = run.output_incomplete();
  info["stdin_open"] = run.stdin_open();
  info["stdout"] = stream_info(run, StreamId::kStdout);
  info["stderr"] = stream_info(run, StreamId::kStderr);
  info["merged"] = merged_info(run);
  if (run.screen() != nullptr) {
    const TerminalSize size = run.screen()->size();
    info["pty"] = {{"rows", size.rows}, {"cols", size.cols}, {"term", spec.terminal->term}};
  }
  if (!spec.argv.empty()) info["argv"] = spec.argv;
  if (exit && exit->signal != 0) info["signal"] = exit->signal;
  if (run.time_limit().count() > 0) info["time_limit_ms"] = run.time_limit().count();
  if (const Json limits = limits_value(spec.limits); !limits.empty()) info["limits"] = limits;
  if (const Json by = limits_by_value(run.limits_in_force()); !by.empty()) info["limits_by"] = by;
  add_execution(spec, &info);
  if (const Json sandbox = sandbox_value(run); !sandbox.is_null()) info["sandbox"] = sandbox;
  if (!run.logs().empty()) info["log"] = logs_info(run);
  return info;
}

Json usage_value(const Run& run, const RunUsage& usage) {
  Json ports = Json::array();
  for (const ListeningPort& port : usage.tree.ports) {
    ports.push_back({{"port", port.port}, {"pid", port.pid}, {"address", port.address}});
  }
  constexpr double kTenths = 10.0;
  Json value = {{"processes", usage.tree.processes},
                {"threads", usage.tree.threads},
                {"rss_bytes", usage.tree.rss_bytes},
                {"cpu_percent", std::round(usage.cpu_percent * kTenths) / kTenths},
                {"cpu_time_ms", std::chrono::duration_cast<Millis>(usage.tree.cpu).count()},
                {"ports", std::move(ports)}};
  if (usage.tree.stopped != 0) value["stopped"] = usage.tree.stopped;
  if (!usage.tree.names.empty()) value["left_behind"] = to_utf8(usage.tree.names);
  if (usage.tree.waiting_pid != 0) {
    value["waiting_for_input"] = {{"pid", usage.tree.waiting_pid}, {"prompt", prompt_of(run)}};
  }
  return value;
}

Json kill_report(const KillReport& report) {
  Json value = {
      {"how", to_string(report.how)}, {"dead", report.dead}, {"survivors", report.survivors}};
  // The keeper sees what has left the process group of the run's leader only there.
  if (::access("/proc/self/stat", R_OK) != 0) value["unseen"] = true;
  if (report.cleanup_failed) {
    value["cleanup_failed"] = true;
  }
  return value;
}

}  // namespace gibbous::lua
