// Options of `run` functions, and what they return.
#include "bindings/lua/api/run_value.h"

#include <algorithm>
#include <cmath>

#include "bindings/lua/api/screen_value.h"
#include "bindings/lua/api/watch_value.h"
#include "bindings/lua/check/fields.h"
#include "bindings/lua/check/limits_value.h"
#include "bindings/lua/check/sandbox_value.h"
#include "runtime/output/error_excerpt.h"
#include "runtime/output/excerpt.h"
#include "runtime/output/text.h"
#include "runtime/process/signals.h"
#include "runtime/recording/recorder.h"
#include "runtime/terminal/screen.h"

namespace gibbous::lua {
namespace {

constexpr std::int64_t kMaxLines = 1'000'000;
constexpr std::int64_t kMaxOffset = std::int64_t{1} << 53;
constexpr std::int64_t kDefaultTailLines = 50;
constexpr std::int64_t kMinExcerptTokens = 20;
constexpr std::int64_t kMaxExcerptTokens = 200'000;

StreamId stream_of(Fields& fields) {
  const auto name = fields.choice("stream", {"stdout", "stderr"});
  return name == "stderr" ? StreamId::kStderr : StreamId::kStdout;
}

std::size_t max_bytes_of(Fields& fields) {
  const auto bytes = fields.integer("max_bytes", 1, static_cast<std::int64_t>(kMaxReadBytes));
  return bytes ? static_cast<std::size_t>(*bytes) : kDefaultReadBytes;
}

Json gap_value(const Gap& gap) {
  return {{"from", gap.from}, {"to", gap.to}};
}

Json stream_info(const Run& run, StreamId id) {
  const Stream& stream = run.stream(id);
  return {{"bytes", stream.end()},
          {"lines", stream.line_count()},
          {"kept_from", stream.begin()},
          {"ended", stream.ended()}};
}

// Adds where it is executed, when that is not here.
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

void add_supervision(const Run& run, Json* info) {
  if (run.readiness() != Readiness::kUnasked) {
    (*info)["readiness"] = to_string(run.readiness());
    if (!run.readiness_note().empty()) (*info)["readiness_note"] = to_utf8(run.readiness_note());
  }
  if (!run.next().empty()) (*info)["next"] = run.next();
  if (run.spec().restarts == 0) return;
  (*info)["restart_of"] = run.spec().restart_of;
  (*info)["restarts"] = run.spec().restarts;
}

std::map<std::string, std::string> environment_of(Fields& fields) {
  std::map<std::string, std::string> variables;
  const Json& value = fields.value("env");
  if (value.is_null() || (value.is_array() && value.empty())) return variables;
  if (!value.is_object()) fields.fail("env", "a table of NAME = 'value'", value);
  for (const auto& [name, text] : value.items()) {
    if (!text.is_string()) throw WrongUse(fields.below("env").below(name), "a string", text);
    variables[name] = text.get<std::string>();
  }
  return variables;
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
  if (const auto bytes = fields.integer("max_bytes", 1, kMaxOffset)) {
    log.max_bytes = static_cast<std::uint64_t>(*bytes);
  }
  if (const auto files = fields.integer("files", 1, kMaxLines)) {
    log.files = static_cast<std::uint32_t>(*files);
  }
  log.append = fields.flag("append").value_or(false);
  fields.done();
  return log;
}

// One table, or a list of them.
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

// What stands on the last line, where a program asks and waits: stdout first, then stderr; of a
// terminal the row of its cursor.
std::string prompt_of(const Run& run) {
  constexpr std::size_t kMaxPromptBytes = 400;
  if (Screen* screen = run.screen(); screen != nullptr) {
    return screen->rows()[static_cast<std::size_t>(screen->cursor().row)].text;
  }
  for (const StreamId id : {StreamId::kStdout, StreamId::kStderr}) {
    const Lines last = run.stream(id).tail(1, kMaxPromptBytes);
    if (!last.bytes.empty() && last.bytes.back() != '\n') return clean(last.bytes);
  }
  return "";
}

}  // namespace

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
  spec.env = environment_of(fields);
  spec.unset_env = fields.texts("unset_env").value_or(std::vector<std::string>{});
  spec.stdin_pipe = fields.choice("stdin", {"null", "pipe"}) == "pipe";
  if (const auto fate = fields.choice("on_host_death", {"kill", "keep"})) {
    start.keep = fate == "keep";
  }
  spec.merge_stderr = fields.flag("merge_stderr").value_or(false);
  if (const auto timeout = fields.number("timeout_ms", 0, kMaxMillis)) {
    // A limit of less than a millisecond is still a limit: only 0 means none.
    spec.timeout =
        Millis{*timeout > 0 ? std::max<std::int64_t>(1, static_cast<std::int64_t>(*timeout)) : 0};
  }
  if (const auto signal = fields.choice("timeout_signal", {"SIGTERM", "SIGINT", "SIGKILL"})) {
    spec.timeout_signal = signal_number_of(*signal);
  }
  spec.logs = logs_of(fields);
  spec.limits = parse_limits(fields.below("limits"), fields.value("limits"));
  start.executor = parse_executor(fields);
  start.sandbox = sandbox_request(fields.below("sandbox"), fields.value("sandbox"));
  spec.queue_when_full = fields.choice("when_full", {"reject", "queue"}) == "queue";
  start.detach = queued || fields.flag("detach").value_or(false);
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
  }
  fields.done();
  return start;
}

Json run_info(const Run& run, const Clock& clock) {
  const RunSpec& spec = run.spec();
  const auto& exit = run.exit_status();
  Json info = {
      {"id", run.id()},
      {"pid", run.pid()},
      {"command", to_utf8(run.command_text())},
      {"session", spec.session},
      {"tool", spec.tool},
      {"background", spec.background},
      {"on_host_death", spec.keep ? "keep" : "kill"},
      {"adopted", run.adopted()},
      {"state", to_string(run.state())},
      {"created_ms", run.created_at().count()},
      {"runtime_ms", run.runtime(clock).count()},
      {"left_behind", run.left_behind()},
      {"drained", run.drained()},
      {"output_incomplete", run.output_incomplete()},
      {"stdin_open", run.stdin_open()},
      {"stdout", stream_info(run, StreamId::kStdout)},
      {"stderr", stream_info(run, StreamId::kStderr)},
  };
  if (run.screen() != nullptr) {
    const TerminalSize size = run.screen()->size();
    info["pty"] = {{"rows", size.rows}, {"cols", size.cols}, {"term", spec.terminal->term}};
  }
  if (!spec.argv.empty()) info["argv"] = spec.argv;
  if (!spec.label.empty()) info["label"] = spec.label;
  if (exit && exit->signal == 0) info["exit_code"] = exit->code;
  if (exit && exit->signal != 0) info["signal"] = exit->signal;
  if (!run.reason().empty()) info["reason"] = to_utf8(run.reason());
  if (const Json limits = limits_value(spec.limits); !limits.empty()) info["limits"] = limits;
  if (const Json by = limits_by_value(run.limits_in_force()); !by.empty()) info["limits_by"] = by;
  add_execution(spec, &info);
  if (const Json sandbox = sandbox_value(run); !sandbox.is_null()) info["sandbox"] = sandbox;
  add_supervision(run, &info);
  if (!run.logs().empty()) info["log"] = logs_info(run);
  if (run.limit_reached()) info["limit"] = limit_reached_value(*run.limit_reached());
  if (run.started_at().count() > 0) info["started_ms"] = run.started_at().count();
  if (run.ended_at().count() > 0) info["ended_ms"] = run.ended_at().count();
  if (run.pid() != 0) {
    info["output_rate"] = std::llround(run.output_rate(clock));
    info["idle_ms"] = std::chrono::duration_cast<Millis>(clock.now() - run.last_output()).count();
  }
  return info;
}

Json read_stream(Run& run, const Json& options) {
  Fields fields("run:read", options);
  const StreamId id = stream_of(fields);
  const auto since = fields.integer("since", 0, kMaxOffset);
  const auto reader = fields.text("reader");
  const std::size_t max_bytes = max_bytes_of(fields);
  const bool raw = fields.flag("raw").value_or(false);
  fields.done();
  if (since && reader) fields.fail("expected one of since and reader, got both");

  Offset from = since ? static_cast<Offset>(*since) : 0;
  if (reader) from = run.reader(*reader, id);
  const Slice slice = run.stream(id).read(from, max_bytes);
  if (reader) run.reader(*reader, id) = slice.to;
  Json result = {{"text", raw ? to_utf8(slice.bytes) : clean(slice.bytes)},
                 {"from", slice.from},
                 {"to", slice.to},
                 {"ended", run.stream(id).ended() && slice.to == run.stream(id).end()},
                 {"more", slice.to < run.stream(id).end()}};
  if (slice.gap) result["gap"] = gap_value(*slice.gap);
  return result;
}

Json tail_stream(Run& run, const Json& options) {
  Fields fields("run:tail", options);
  const StreamId id = stream_of(fields);
  const auto count = fields.integer("lines", 0, kMaxLines).value_or(kDefaultTailLines);
  const std::size_t max_bytes = max_bytes_of(fields);
  const auto reader = fields.text("reader");
  fields.done();
  const Lines lines = run.stream(id).tail(static_cast<std::uint64_t>(count), max_bytes);
  if (reader) run.reader(*reader, id) = lines.to;  // who saw the tail has read up to here
  Json result = {{"text", clean(lines.bytes)},
                 {"from", lines.from},
                 {"to", lines.to},
                 {"first_line", lines.first_line},
                 {"count", lines.count}};
  if (lines.gap) result["gap"] = gap_value(*lines.gap);
  return result;
}

Json excerpt_stream(Run& run, const Json& options) {
  Fields fields("run:excerpt", options);
  const StreamId id = stream_of(fields);
  ExcerptOptions excerpt_options;
  if (const auto budget = fields.integer("budget_tokens", kMinExcerptTokens, kMaxExcerptTokens)) {
    excerpt_options.budget_tokens = static_cast<std::size_t>(*budget);
  }
  fields.done();
  const Excerpt excerpt = gibbous::excerpt(run.stream(id), excerpt_options);
  Json cut = Json::array();
  for (const Gap& gap : excerpt.cut) cut.push_back(gap_value(gap));
  return {{"text", excerpt.text}, {"complete", excerpt.complete}, {"cut", std::move(cut)}};
}

Json error_excerpt_of(Run& run, const Json& options) {
  constexpr int kMinBytes = 40;
  constexpr int kMaxBytes = 8'000;
  Fields fields("run:error_excerpt", options);
  const auto max_bytes = fields.integer("max_bytes", kMinBytes, kMaxBytes);
  fields.done();
  return error_excerpt(run.stream(StreamId::kStdout), run.stream(StreamId::kStderr),
                       max_bytes ? static_cast<std::size_t>(*max_bytes) : kErrorExcerptBytes);
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
  if (usage.tree.waiting_pid != 0) {
    value["waiting_for_input"] = {{"pid", usage.tree.waiting_pid}, {"prompt", prompt_of(run)}};
  }
  return value;
}

Json kill_report(const KillReport& report) {
  Json value = {
      {"how", to_string(report.how)}, {"dead", report.dead}, {"survivors", report.survivors}};
  if (report.cleanup_failed) {
    value["cleanup_failed"] = true;
    value["last_wish_failed"] = true;  // the name before 0.2
  }
  return value;
}

}  // namespace gibbous::lua
