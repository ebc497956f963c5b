// Reads conditions from tables, and turns the answer into one.
#include "bindings/lua/api/wait_value.h"

#include "bindings/lua/api/output_value.h"
#include "bindings/lua/api/run_value.h"
#include "bindings/lua/check/fields.h"
#include "runtime/supervise/supervisor.h"
#include "runtime/wait/http_url.h"
#include "runtime/wait/line_pattern.h"

namespace gibbous::lua {
namespace {

constexpr std::int64_t kMaxWaitPort = 65'535;
constexpr std::int64_t kMinStatus = 100;
constexpr std::int64_t kMaxStatus = 599;
constexpr std::int64_t kMaxCursor = std::int64_t{1} << 53;

// A run is given by its id or its handle.
std::string run_of(Fields& fields, const std::string& default_run) {
  const Json& run = fields.value("run");
  if (run.is_null()) return default_run;
  if (run.is_string()) return run.get<std::string>();
  if (run.is_object() && run.contains("id") && run["id"].is_string()) {
    return run["id"].get<std::string>();
  }
  fields.fail("run", "a run or its id", run);
}

void need_run(Fields& fields, const Condition& condition) {
  if (condition.run.empty()) fields.fail("run", "a run or its id", nullptr);
}

std::string need_text(Fields& fields, const char* name) {
  auto text = fields.text(name);
  if (!text || text->empty()) fields.fail(name, "a non-empty string", fields.value(name));
  return *text;
}

FieldPath place_of(const FieldPath& wait, bool all, std::size_t index) {
  return wait.below(all ? "all" : "any", index, "condition " + std::to_string(index + 1));
}

Condition parse_condition(const Json& table, const std::string& default_run,
                          const FieldPath& place) {
  Fields fields(place, table);
  const auto kind = fields.choice("kind", {"exit", "start", "ready", "port", "regex", "screen",
                                           "http", "quiet", "input", "file", "log", "timer"});
  if (!kind) fields.fail("kind", "a condition such as wait.port(8080)", nullptr);
  Condition condition;
  condition.run = run_of(fields, default_run);
  if (*kind == "exit") {
    condition.kind = ConditionKind::kExit;
    need_run(fields, condition);
  } else if (*kind == "start") {
    condition.kind = ConditionKind::kStart;
    need_run(fields, condition);
  } else if (*kind == "ready") {
    condition.kind = ConditionKind::kReady;
    need_run(fields, condition);
  } else if (*kind == "port") {
    condition.kind = ConditionKind::kPort;
    const auto port = fields.integer("port", 1, kMaxWaitPort);
    if (!port) fields.fail("port", "a number from 1 to 65535", nullptr);
    condition.port = static_cast<int>(*port);
    condition.host = fields.text("host").value_or("");
  } else if (*kind == "regex") {
    condition.kind = ConditionKind::kRegex;
    need_run(fields, condition);
    condition.pattern = need_text(fields, "pattern");
    if (const auto stream = fields.choice("stream", {"stdout", "stderr"})) {
      condition.stream = *stream == "stderr" ? StreamId::kStderr : StreamId::kStdout;
    }
    if (fields.value("since").is_object()) {
      condition.behind = parse_places(place.below("since"), fields.value("since"));
    } else if (const auto since = fields.integer("since", 0, kMaxCursor)) {
      condition.since = static_cast<Offset>(*since);
    }
  } else if (*kind == "screen") {
    condition.kind = ConditionKind::kScreen;
    need_run(fields, condition);
    condition.pattern = need_text(fields, "pattern");
    condition.absent = fields.flag("absent").value_or(false);
  } else if (*kind == "http") {
    condition.kind = ConditionKind::kHttp;
    condition.url = need_text(fields, "url");
    condition.status =
        static_cast<int>(fields.integer("status", kMinStatus, kMaxStatus).value_or(0));
  } else if (*kind == "quiet") {
    condition.kind = ConditionKind::kQuiet;
    need_run(fields, condition);
    const auto duration = fields.number("ms", 1, kMaxMillis);
    if (!duration) fields.fail("ms", "a number of milliseconds", nullptr);
    condition.duration = Millis{static_cast<std::int64_t>(*duration)};
  } else if (*kind == "input") {
    condition.kind = ConditionKind::kInput;
    need_run(fields, condition);
  } else if (*kind == "log") {
    condition.kind = ConditionKind::kLog;
    need_run(fields, condition);
    condition.written = fields.flag("written").value_or(false);
  } else if (*kind == "file") {
    condition.kind = ConditionKind::kFile;
    condition.path = need_text(fields, "path");
    condition.absent = fields.flag("absent").value_or(false);
  } else {
    condition.kind = ConditionKind::kTimer;
    const auto duration = fields.number("ms", 0, kMaxMillis);
    if (!duration) fields.fail("ms", "a number of milliseconds", nullptr);
    condition.duration = Millis{static_cast<std::int64_t>(*duration)};
    condition.run.clear();
  }
  fields.done();
  return condition;
}

}  // namespace

WaitSpec parse_wait(const Json& options, const std::string& default_run, const FieldPath& place) {
  // wait{ cond, … } is wait{ any = { cond, … } }; wait(cond) is wait{ cond }.
  Json table = options;
  if (table.is_object() && table.contains("kind")) table = {{"any", Json::array({table})}};
  if (table.is_array()) table = {{"any", table}};
  Fields fields(place, table);
  const bool has_any = fields.has("any");
  const bool has_all = fields.has("all");
  if (has_any == has_all) {
    fields.fail("expected one of any = { … } and all = { … }" +
                std::string(has_any ? ", got both" : ", or a list of conditions"));
  }
  WaitSpec spec;
  spec.all = has_all;
  if (const auto timeout = fields.number("timeout_ms", 0, kMaxMillis)) {
    spec.timeout = Millis{static_cast<std::int64_t>(*timeout)};
  }
  const char* list_name = has_all ? "all" : "any";
  const Json& list = fields.value(list_name);
  fields.done();
  if (!list.is_array() || list.empty()) fields.fail(list_name, "a list of conditions", list);
  if (list.size() > kMaxConditions) {
    fields.fail(list_name, "at most " + std::to_string(kMaxConditions) + " conditions",
                list.size());
  }
  for (std::size_t i = 0; i < list.size(); ++i) {
    spec.conditions.push_back(parse_condition(list[i], default_run, place_of(place, has_all, i)));
  }
  return spec;
}

void check_conditions(const WaitSpec& spec, const FieldPath& place) {
  for (std::size_t i = 0; i < spec.conditions.size(); ++i) {
    const Condition& condition = spec.conditions[i];
    const FieldPath here = place_of(place, spec.all, i);
    if (condition.kind == ConditionKind::kRegex || condition.kind == ConditionKind::kScreen) {
      const auto pattern = LinePattern::compile(condition.pattern);
      if (!pattern) throw WrongUse(here.below("pattern"), pattern.status().message());
    } else if (condition.kind == ConditionKind::kHttp) {
      const auto url = HttpUrl::parse(condition.url);
      if (!url) throw WrongUse(here.below("url"), url.status().message());
    } else if (condition.kind == ConditionKind::kReady && condition.run == kThisRun) {
      throw WrongUse(here.below("run"), "a run cannot wait for its own readiness");
    }
  }
}

Json wait_result(const WaitSpec& spec, const WaitResult& result) {
  Json table = {{"ok", result.end == WaitEnd::kFired}, {"elapsed_ms", result.elapsed.count()}};
  Json fired_list = Json::array();
  for (const Fired& fired : result.fired) {
    const Condition& condition = spec.conditions[fired.condition];
    Json entry = {{"kind", to_string(condition.kind)}, {"index", fired.condition + 1}};
    if (!fired.run.empty()) entry["run"] = fired.run;
    if (condition.kind == ConditionKind::kRegex) {
      entry["line"] = fired.line;
      entry["captures"] = fired.captures;
      entry["cursor"] = fired.cursor;
      if (fired.age) entry["age_ms"] = fired.age->count();
      entry["column"] = fired.column;
      if (fired.stream) entry["stream"] = to_string(*fired.stream);
    }
    if (condition.kind == ConditionKind::kScreen && !condition.absent) {
      entry["line"] = fired.line;
      entry["captures"] = fired.captures;
      entry["row"] = fired.row;
    }
    if (condition.kind == ConditionKind::kInput) {
      entry["line"] = fired.line;
      entry["pid"] = fired.pid;
    }
    if (condition.kind == ConditionKind::kPort) {
      entry["port"] = condition.port;
      if (condition.mapped_from != 0) entry["mapped_from"] = condition.mapped_from;
      entry["address"] = fired.address;
      if (fired.pid != 0) entry["pid"] = fired.pid;
    }
    if (condition.kind == ConditionKind::kHttp) {
      entry["url"] = condition.url;
      if (!condition.mapped_url.empty()) entry["mapped_url"] = condition.mapped_url;
      entry["status"] = fired.status;
    }
    if (condition.kind == ConditionKind::kFile) entry["path"] = condition.path;
    fired_list.push_back(std::move(entry));
  }
  table["fired"] = std::move(fired_list);
  if (result.end == WaitEnd::kFired) return table;
  table["reason"] = result.end == WaitEnd::kTimeout ? "timeout" : "impossible";
  table["message"] = result.message;
  if (!result.seen.empty()) table["seen"] = result.seen;
  if (result.older) table["older"] = true;
  if (!result.obstacle.empty()) table["obstacle"] = result.obstacle;
  if (!result.run.empty()) table["run"] = result.run;
  if (!result.tail.empty()) table["tail"] = result.tail;
  return table;
}

}  // namespace gibbous::lua
