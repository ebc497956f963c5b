#include "bindings/lua/load/config.h"

#include <algorithm>
#include <filesystem>
#include <lua.hpp>
#include <utility>

#include "bindings/lua/check/limits_value.h"
#include "bindings/lua/check/sandbox_value.h"
#include "bindings/lua/check/schema_check.h"
#include "bindings/lua/source/snapshot.h"
#include "bindings/lua/vm/state.h"

namespace gibbous::lua {
namespace {

constexpr Nanos kConfigBudget{250'000'000};
constexpr std::int64_t kMaxConcurrent = 10'000;
constexpr std::int64_t kMinBufferBytes = 1024;
constexpr std::int64_t kMaxBufferBytes = std::int64_t{1} << 30;
constexpr std::int64_t kMaxMillis = 7LL * 24 * 3600 * 1000;
constexpr std::int64_t kMaxTableRows = 100'000;
constexpr std::int64_t kMinLuaBytes = std::int64_t{4} << 20;
constexpr std::int64_t kMaxLuaBytes = std::int64_t{4} << 30;
constexpr std::int64_t kDefaultLuaCallMillis = 1000;

Json text(const char* description) {
  return {{"type", "string"}, {"minLength", 1}, {"description", description}};
}

Json integer(const char* description, std::int64_t low, std::int64_t high, std::int64_t usual) {
  return {{"type", "integer"},
          {"minimum", low},
          {"maximum", high},
          {"default", usual},
          {"description", description}};
}

Json millis(const char* description, Millis usual) {
  return integer(description, 0, kMaxMillis, usual.count());
}

Json object(Json properties, const char* description) {
  return {{"type", "object"},
          {"properties", std::move(properties)},
          {"additionalProperties", false},
          {"description", description}};
}

Json table_limits_schema() {
  const RunLimits usual;
  const auto count = [](std::size_t value) { return static_cast<std::int64_t>(value); };
  return object(
      {{"max_concurrent", integer("runs that are starting or running at the same time", 1,
                                  kMaxConcurrent, count(usual.max_concurrent))},
       {"default_timeout_ms",
        millis("time limit of a run that names none; 0 is no limit", usual.default_timeout)},
       {"max_buffer_bytes", integer("newest output kept of each stream", kMinBufferBytes,
                                    kMaxBufferBytes, count(usual.max_buffer_bytes))},
       {"head_bytes", integer("oldest output kept of each stream, for good", 0, kMaxBufferBytes,
                              count(usual.head_bytes))},
       {"kill_grace_ms", millis("from the stop signal to SIGKILL", usual.kill_grace)},
       {"timeout_grace_ms",
        millis("the same after a time limit and at shutdown", usual.timeout_grace)},
       {"drain_limit_ms", millis("how long the output of a run that has ended is waited for while "
                                 "another process holds its pipe open",
                                 usual.drain_limit)},
       {"max_queued",
        integer("runs that may wait for a place", 0, kMaxTableRows, count(usual.max_queued))},
       {"max_ended", integer("runs that have ended and are remembered; the oldest are forgotten "
                             "first",
                             1, kMaxTableRows, count(usual.max_ended))},
       {"run", limits_schema("what no run may exceed, whatever it asks for")}},
      "limits of runs");
}

Json journal_schema() {
  const RecorderOptions recorder;
  const JournalOptions journal;
  constexpr std::int64_t kMaxDays = 36'500;
  return object(
      {{"enabled",
        {{"type", "boolean"},
         {"default", true},
         {"description", "false: nothing is recorded of runs"}}},
       {"max_output_bytes",
        integer("recorded output of one run that names no limit itself", kMinRecordedBytes,
                kMaxRecordedBytes, static_cast<std::int64_t>(recorder.max_output_bytes))},
       {"max_total_bytes", integer("the whole file; the oldest ended runs go first; 0 is no limit",
                                   0, std::int64_t{1} << 50, journal.max_total_bytes)},
       {"max_age_days",
        integer("ended runs and decisions that are older go; 0 is no limit", 0, kMaxDays,
                std::chrono::duration_cast<std::chrono::days>(journal.max_age).count())},
       {"recovery",
        {{"type", "string"},
         {"enum", {"lost", "requeue"}},
         {"default", "lost"},
         {"description",
          "what becomes of a queued run that was running when Gibbous died, and that is not marked "
          "as safe to repeat: lost, or started again"}}},
       {"max_queue_bytes",
        integer("what may wait for the disk before output is held back", 1 << 16, kMaxBufferBytes,
                static_cast<std::int64_t>(journal.max_queue_bytes))}},
      "what is recorded of runs, in sessions.db of the state directory");
}

Json lua_schema() {
  return object(
      {{"call_ms", integer("Lua time of one call a minute, waiting not counted", 1, kMaxMillis,
                           kDefaultLuaCallMillis)},
       {"memory_bytes", integer("memory of one generation of scripts", kMinLuaBytes, kMaxLuaBytes,
                                static_cast<std::int64_t>(MemoryLimits{}.total_bytes))}},
      "limits of scripts");
}

// The schema documents defaults; checking must not fill them in, or "not said" would be lost.
void drop_defaults(Json* schema) {
  if (!schema->is_object()) return;
  schema->erase("default");
  if (!schema->contains("properties")) return;
  for (auto& [name, property] : (*schema)["properties"].items()) drop_defaults(&property);
}

// An empty Lua table reads as {}; these fields are lists.
void restore_empty_lists(Json* value) {
  if (!value->is_object()) return;
  for (const char* key : {"toolsets", "unset_env"}) {
    const auto found = value->find(key);
    if (found != value->end() && found->is_object() && found->empty()) *found = Json::array();
  }
}

template <typename T>
void take(const Json& from, const char* key, std::optional<T>* into) {
  const auto found = from.find(key);
  if (found != from.end()) *into = found->template get<T>();
}

void take(const Json& from, const char* key, std::optional<std::size_t>* into) {
  const auto found = from.find(key);
  if (found != from.end()) *into = static_cast<std::size_t>(found->get<double>());
}

void take(const Json& from, const char* key, std::optional<Millis>* into) {
  const auto found = from.find(key);
  if (found != from.end()) *into = Millis(static_cast<std::int64_t>(found->get<double>()));
}

Status config_invalid(const std::string& message) {
  return Status::error("config_invalid", message);
}

// Runs the file in a state of its own and returns its table; null when it returns none.
Result<Json> run_file(const std::string& path, const std::string& text, const Clock& clock) {
  auto state = State::create({MemoryLimits{}, &clock});
  if (!state) return state.status();
  Json value;
  ScriptError error;
  bool compiled = false;
  BudgetLimits limits;
  limits.total = kConfigBudget;
  const bool ran = (*state)->protect(
      limits,
      [&](lua_State* lua) {
        compiled = load_chunk(lua, text, path);
        if (!compiled) {
          const char* message = lua_tostring(lua, -1);
          (*state)->locate(message == nullptr ? "" : message, &error);
          return;
        }
        lua_call(lua, 0, 1);
        if (lua_istable(lua, -1)) value = to_json(lua, -1);
      },
      &error);
  if (!ran || !compiled) {
    if (error.file.empty()) error.file = path;
    return config_invalid(error.text());
  }
  return value;
}

std::string below(const std::filesystem::path& dir, const std::string& path) {
  return (dir / path).lexically_normal().string();
}

Config read_values(const std::string& path, const Json& value) {
  Config config;
  config.file = path;
  take(value, "scripts", &config.scripts);
  take(value, "policies", &config.policies);
  take(value, "toolsets", &config.toolsets);
  take(value, "mode", &config.mode);
  take(value, "workspace", &config.workspace);
  take(value, "shell", &config.shell);
  take(value, "temp_directory", &config.temp_directory);
  config.settings = value.value("settings", Json());
  if (value.contains("env")) config.env = value["env"].get<std::map<std::string, std::string>>();
  if (value.contains("unset_env")) {
    config.unset_env = value["unset_env"].get<std::vector<std::string>>();
  }
  const Json limits = value.value("limits", Json::object());
  take(limits, "max_concurrent", &config.max_concurrent);
  take(limits, "default_timeout_ms", &config.default_timeout);
  take(limits, "max_buffer_bytes", &config.max_buffer_bytes);
  take(limits, "head_bytes", &config.head_bytes);
  take(limits, "kill_grace_ms", &config.kill_grace);
  take(limits, "timeout_grace_ms", &config.timeout_grace);
  take(limits, "drain_limit_ms", &config.drain_limit);
  take(limits, "max_queued", &config.max_queued);
  take(limits, "max_ended", &config.max_ended);
  if (limits.contains("run")) {
    config.run_limits = parse_limits(path + ": limits.run", limits["run"]);
  }
  take(value, "kill_on_session_end", &config.kill_on_session_end);
  if (value.contains("sandbox")) {
    config.sandbox = sandbox_request(path + ": sandbox", value["sandbox"]);
  }
  take(value, "executor", &config.executor);
  config.executors = value.value("executors", Json::object());
  const Json journal = value.value("journal", Json::object());
  take(journal, "enabled", &config.journal_enabled);
  take(journal, "max_output_bytes", &config.journal_run_bytes);
  take(journal, "max_total_bytes", &config.journal_total_bytes);
  take(journal, "max_age_days", &config.journal_days);
  take(journal, "recovery", &config.recovery);
  take(journal, "max_queue_bytes", &config.journal_queue_bytes);
  const Json lua = value.value("lua", Json::object());
  take(lua, "call_ms", &config.lua_call);
  take(lua, "memory_bytes", &config.lua_memory_bytes);

  const std::filesystem::path dir = std::filesystem::path(path).parent_path();
  for (std::optional<std::string>* each :
       {&config.scripts, &config.policies, &config.workspace, &config.temp_directory}) {
    if (each->has_value()) *each = below(dir, **each);
  }
  return config;
}

template <typename T>
void put(const std::optional<T>& said, T* into) {
  if (said) *into = *said;
}

void describe(const Json& schema, const std::string& prefix, std::string* out) {
  for (const auto& [name, property] : schema.at("properties").items()) {
    if (property.contains("properties")) {
      describe(property, prefix + name + ".", out);
      continue;
    }
    std::string shape = property.at("type").get<std::string>();
    if (property.contains("minimum")) {
      shape += " " + property["minimum"].dump() + ".." + property["maximum"].dump();
    }
    *out += prefix + name + "  " + shape + "  (" +
            (property.contains("default") ? property["default"].dump() : "none") + ")  " +
            property.at("description").get<std::string>() + "\n";
  }
}

}  // namespace

Json config_schema() {
  const Json variables = {{"type", "object"},
                          {"additionalProperties", {{"type", "string"}}},
                          {"description", "variables set for every run: { NAME = 'value' }"}};
  Json schema = object(
      {{"scripts", text("directory with the init.lua of your tools; the shipped ones by default")},
       {"policies", text("directory with the init.lua of your policies")},
       {"toolsets",
        {{"type", "array"},
         {"items", text("name of a toolset")},
         {"description", "only these toolsets; all by default"}}},
       {"settings",
        {{"type", "object"},
         {"additionalProperties", {{"type", "object"}}},
         {"description", "of toolsets, by their name: { background = { max_concurrent = 5 } }"}}},
       {"mode", text("permission mode: default, auto, plan, dangerous, ci, or one of your own")},
       {"workspace", text("directory that runs start in; the current directory by default")},
       {"shell", text("program that gets -c and the command line of a run; /bin/sh by default")},
       {"temp_directory",
        text("where temporary files and logs of runs may lie; their TMPDIR; it is made when it is "
             "missing; by default $TMPDIR, or /tmp")},
       {"limits", table_limits_schema()},
       {"env", variables},
       {"unset_env",
        {{"type", "array"},
         {"items", text("name of a variable")},
         {"description", "variables that no run inherits"}}},
       {"sandbox", sandbox_schema()},
       {"kill_on_session_end",
        {{"type", "boolean"},
         {"default", true},
         {"description",
          "false: background runs live on when Gibbous ends, unless they say "
          "otherwise, and the next one takes them over"}}},
       {"executor", text("executor of runs that name none; host by default")},
       {"executors",
        {{"type", "object"},
         {"additionalProperties", {{"type", "object"}}},
         {"description", "settings of executors, by name: docs/executors.md"}}},
       {"journal", journal_schema()},
       {"lua", lua_schema()}},
      "Gibbous configuration");
  schema["$schema"] = "https://json-schema.org/draft/2020-12/schema";
  return schema;
}

std::string config_reference() {
  std::string lines;
  describe(config_schema(), "", &lines);
  return lines;
}

static Result<Json> read_and_run(const std::string& path, const Clock& clock) {
  std::string text;
  FileStamp stamp;
  if (Status status = read_source(path, &text, &stamp); !status) {
    return config_invalid(path + ": " + status.message());
  }
  if (!stamp.exists) return config_invalid(path + ": no such configuration file");
  return run_file(path, text, clock);
}

Result<Json> load_table(const std::string& path, const Clock& clock) {
  Result<Json> value = read_and_run(path, clock);
  if (value && value->is_null()) return config_invalid(path + ": must return a table");
  return value;
}

Result<Config> load_config(const std::string& path, const Clock& clock) {
  Result<Json> value = read_and_run(path, clock);
  if (value && !value->is_object()) {
    // {} reads as an object.
    value = config_invalid(path + ": must return a table of settings: return { mode = 'auto' }");
  }
  if (!value) return value.status();
  restore_empty_lists(&*value);

  Json schema = config_schema();
  drop_defaults(&schema);
  const auto check = SchemaCheck::compile(schema, "");
  if (!check) return check.status();
  if (Status status = (*check)->apply(*value); !status) {
    return config_invalid(path + ": " + status.message());
  }
  return read_values(path, *value);
}

void Config::apply_runs(RunsOptions& options) const {
  RunLimits& limits = options.limits;
  put(max_concurrent, &limits.max_concurrent);
  put(default_timeout, &limits.default_timeout);
  put(max_buffer_bytes, &limits.max_buffer_bytes);
  put(head_bytes, &limits.head_bytes);
  put(kill_grace, &limits.kill_grace);
  put(timeout_grace, &limits.timeout_grace);
  put(drain_limit, &limits.drain_limit);
  put(max_queued, &limits.max_queued);
  put(max_ended, &limits.max_ended);
  put(run_limits, &limits.run);
  put(shell, &options.shell);
  std::erase_if(options.env, [this](const std::string& variable) {
    const std::string name = variable.substr(0, variable.find('='));
    return env.count(name) != 0 ||
           std::find(unset_env.begin(), unset_env.end(), name) != unset_env.end();
  });
  for (const auto& [name, value] : env) options.env.push_back(name + "=" + value);
  if (!temp_directory) return;
  std::erase_if(options.env, [](const std::string& each) { return each.rfind("TMPDIR=", 0) == 0; });
  options.env.push_back("TMPDIR=" + std::filesystem::absolute(*temp_directory).string());
}

void Config::apply_recording(RecordingOptions& options, WorkerOptions& worker) const {
  JournalOptions& journal = options.journal;
  worker.requeue = recovery == "requeue";
  if (journal_run_bytes) options.recorder.max_output_bytes = *journal_run_bytes;
  if (journal_total_bytes)
    journal.max_total_bytes = static_cast<std::int64_t>(*journal_total_bytes);
  if (journal_days) {
    journal.max_age = std::chrono::days(static_cast<std::int64_t>(*journal_days));
  }
  put(journal_queue_bytes, &journal.max_queue_bytes);
}

void Config::apply_lua(EngineLimits& limits, MemoryLimits& memory) const {
  if (lua_call) limits.call_lua = *lua_call;
  put(lua_memory_bytes, &memory.total_bytes);
}

}  // namespace gibbous::lua
