#include "bindings/lua/load/config.h"

#include <algorithm>
#include <filesystem>
#include <lua.hpp>
#include <string_view>
#include <type_traits>
#include <utility>

#include "bindings/lua/check/limits_value.h"
#include "bindings/lua/check/number_field.h"
#include "bindings/lua/check/sandbox_value.h"
#include "bindings/lua/check/schema_check.h"
#include "bindings/lua/load/caches.h"
#include "bindings/lua/load/client_token.h"
#include "bindings/lua/source/snapshot.h"
#include "bindings/lua/vm/state.h"
#include "runtime/wait/http_url.h"

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

Json text(const char* description) {
  return {{"type", "string"}, {"minLength", 1}, {"description", description}};
}

Json object(Json properties, const char* description) {
  return {{"type", "object"},
          {"properties", std::move(properties)},
          {"additionalProperties", false},
          {"description", description}};
}

// The parts of a runtime that numbers of the file set.
struct Tuning {
  RunLimits runs;
  RecorderOptions recorder;
  JournalOptions journal;
  QueueLimits queue;
  AskSettings asks;
  EngineLimits engine;
  MemoryLimits memory;
};

// The numbers of the file. The default of each is that of its target.
template <auto kPart, auto kMember, typename Unit = Millis>
constexpr NumberField<Tuning> field(const char* section, const char* name, double low, double high,
                                    const char* description) {
  return number_field<Tuning, Unit, kPart, kMember>(section, name, low, high, description);
}

constexpr int kMaxCaches = 128;
constexpr std::int64_t kMaxDays = 36'500;
constexpr std::int64_t kHoursPerDay = 24;
constexpr std::int64_t kMostAttempts = 1'000'000;
constexpr std::int64_t kMaxAskSeconds = 7LL * 24 * 3600;
constexpr std::int64_t kMaxJournalBytes = std::int64_t{1} << 50;
constexpr NumberField<Tuning> kNumbers[] = {
    field<&Tuning::runs, &RunLimits::max_concurrent>(
        "limits", "max_concurrent", 1, kMaxConcurrent,
        "runs of one session that are starting or running at the same time"),
    field<&Tuning::queue, &QueueLimits::max_in_all>(
        "limits", "max_concurrent_total", 0, kMaxConcurrent,
        "runs of all sessions that share the state directory, before queued ones wait; 0 is no "
        "limit"),
    field<&Tuning::runs, &RunLimits::default_timeout>(
        "limits", "default_timeout_ms", 0, kMaxMillis,
        "time limit of a run that names none; 0 is no limit; without this "
        "field none holds for what a script detaches"),
    field<&Tuning::runs, &RunLimits::max_buffer_bytes>("limits", "max_buffer_bytes",
                                                       kMinBufferBytes, kMaxBufferBytes,
                                                       "newest output kept of each stream"),
    field<&Tuning::runs, &RunLimits::head_bytes>("limits", "head_bytes", 0, kMaxBufferBytes,
                                                 "oldest output kept of each stream, for good"),
    field<&Tuning::runs, &RunLimits::kill_grace>("limits", "kill_grace_ms", 0, kMaxMillis,
                                                 "from the stop signal to SIGKILL"),
    field<&Tuning::runs, &RunLimits::timeout_grace>("limits", "timeout_grace_ms", 0, kMaxMillis,
                                                    "the same after a time limit and at shutdown"),
    field<&Tuning::runs, &RunLimits::drain_limit>(
        "limits", "drain_limit_ms", 0, kMaxMillis,
        "how long to wait for the output of an ended run while another process holds its pipe "
        "open"),
    field<&Tuning::runs, &RunLimits::max_queued>("limits", "max_queued", 0, kMaxTableRows,
                                                 "runs that may wait for a place"),
    field<&Tuning::runs, &RunLimits::max_ended>(
        "limits", "max_ended", 1, kMaxTableRows,
        "runs that have ended and are remembered; the oldest are forgotten first"),
    field<&Tuning::recorder, &RecorderOptions::max_output_bytes>(
        "journal", "max_output_bytes", kMinRecordedBytes, kMaxRecordedBytes,
        "recorded output of one run that names no limit itself"),
    field<&Tuning::journal, &JournalOptions::max_total_bytes>(
        "journal", "max_total_bytes", 0, kMaxJournalBytes,
        "the whole file; the oldest ended runs go first; 0 is no limit"),
    field<&Tuning::journal, &JournalOptions::max_age, std::chrono::days>(
        "journal", "max_age_days", 0, kMaxDays,
        "ended runs and decisions that are older go; 0 is no limit"),
    field<&Tuning::journal, &JournalOptions::queue_ttl, std::chrono::hours>(
        "journal", "queue_ttl_hours", 0, kMaxDays* kHoursPerDay,
        "queued runs that no host of their session starts in that time end; 0 is no limit"),
    field<&Tuning::queue, &QueueLimits::max_attempts>(
        "journal", "max_attempts", 0, kMostAttempts,
        "times that a queued run is executed at most when its end is unknown each time; 0 is no "
        "limit"),
    field<&Tuning::journal, &JournalOptions::max_queue_bytes>(
        "journal", "max_queue_bytes", 1 << 16, kMaxBufferBytes,
        "what may wait for the disk before output is held back"),
    field<&Tuning::asks, &AskSettings::wait, std::chrono::seconds>(
        "asks", "wait_s", 0, kMaxAskSeconds,
        "how long a call waits for a person's answer; 0: as long as its client shows the question, "
        "and not at all where the client cannot"),
    field<&Tuning::asks, &AskSettings::keep, std::chrono::seconds>(
        "asks", "keep_s", 0, kMaxAskSeconds,
        "how long a question stays open for 'gibbous asks' after its call was told to come again, "
        "and how long the answer waits for that; 0: it ends with its call"),
    field<&Tuning::runs, &RunLimits::cache_bytes>(
        "caches", "max_bytes", 0, kMaxJournalBytes,
        "what the runs of a session may write to caches before its next runs only read them; 0 is "
        "no limit"),
    field<&Tuning::engine, &EngineLimits::call_lua>(
        "lua", "call_ms", 1, kMaxMillis, "Lua time of one call a minute, waiting not counted"),
    field<&Tuning::engine, &EngineLimits::hold>(
        "lua", "hold_ms", 1, kMaxMillis,
        "Lua time of one step that cannot pause, such as decoding a large text"),
    field<&Tuning::memory, &MemoryLimits::total_bytes>(
        "lua", "memory_bytes", kMinLuaBytes, kMaxLuaBytes, "memory of one generation of scripts"),
};

// Makes the schema of a section from its numbers and its other properties.
Json section_schema(std::string_view section, Json properties, const char* description) {
  Tuning usual;
  usual.runs.default_timeout = kUsualTimeout;  // where a call may say that it has none
  for (const NumberField<Tuning>& field : kNumbers) {
    if (field.section != section) continue;
    properties[field.name] = field.schema();
    properties[field.name]["default"] = field.value(field.get(usual));
  }
  return object(std::move(properties), description);
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
  for (const char* key : {"toolsets", "unset_env", "pass_env", "modes"}) {
    const auto found = value->find(key);
    if (found != value->end() && found->is_object() && found->empty()) *found = Json::array();
  }
  const auto caches = value->find("caches");
  if (caches == value->end() || !caches->is_object()) return;
  const auto listed = caches->find("directories");
  if (listed != caches->end() && listed->is_object() && listed->empty()) *listed = Json::array();
}

template <typename T>
void take(const Json& from, const char* key, std::optional<T>* into) {
  const auto found = from.find(key);
  if (found != from.end()) *into = found->template get<T>();
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
  limits.processor = true;
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
  take(value, "modes", &config.modes);
  take(value, "workspace", &config.workspace);
  take(value, "shell", &config.shell);
  take(value, "temp_directory", &config.temp_directory);
  config.settings = value.value("settings", Json());
  if (value.contains("env")) config.env = value["env"].get<std::map<std::string, std::string>>();
  if (value.contains("unset_env")) {
    config.unset_env = value["unset_env"].get<std::vector<std::string>>();
  }
  if (value.contains("pass_env")) {
    config.pass_env = value["pass_env"].get<std::vector<std::string>>();
  }
  const Json secrets = value.value("secrets", Json::object());
  for (const auto& [name, secret] : secrets.items()) {
    SecretSource& source = config.secrets[name];
    source.variable = secret.value("env", "");
    source.file = secret.value("file", "");
    source.command = secret.value("command", std::vector<std::string>{});
  }
  for (const char* section : {"limits", "caches", "journal", "asks", "lua"}) {
    config.numbers[section] = value.value(section, Json::object());
  }
  if (const Json& limits = config.numbers["limits"]; limits.contains("run")) {
    config.run_limits = parse_limits(FieldPath(path).below("limits").below("run"), limits["run"]);
  }
  take(value, "kill_on_session_end", &config.kill_on_session_end);
  if (value.contains("sandbox")) {
    config.sandbox = sandbox_request(path + ": sandbox", value["sandbox"]);
  }
  take(config.numbers["caches"], "directories", &config.caches);
  take(value, "executor", &config.executor);
  config.executors = value.value("executors", Json::object());
  config.ask_notify = config.numbers["asks"].value("notify", Json::object());
  take(config.numbers["journal"], "enabled", &config.journal_enabled);
  take(config.numbers["journal"], "recovery", &config.recovery);
  config.mcp_tokens = read_client_tokens(value);
  return config;
}

// Makes the paths of a table start at the directory of its file.
void place_paths(const std::string& path, Json* value) {
  const std::filesystem::path dir = std::filesystem::path(path).parent_path();
  for (const char* name : {"scripts", "policies", "workspace", "temp_directory"}) {
    const auto found = value->find(name);
    if (found != value->end()) *found = below(dir, found->get<std::string>());
  }
  const auto secrets = value->find("secrets");
  if (secrets == value->end()) return;
  for (Json& secret : *secrets) {
    const auto file = secret.find("file");
    if (file != secret.end()) *file = below(dir, file->get<std::string>());
  }
}

// Sets the numbers of a section.
void put_numbers(const Json& numbers, std::string_view section, Tuning* tuning) {
  for (const NumberField<Tuning>& field : kNumbers) {
    if (field.section != section) continue;
    const auto found = numbers.at(field.section).find(field.name);
    if (found == numbers.at(field.section).end()) continue;
    field.set(*tuning, found->get<double>());
  }
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
       {"modes",
        {{"type", "array"},
         {"minItems", 1},
         {"items", text("name of a mode")},
         {"description", "the only modes that may be used; by default all that the policy has"}}},
       {"workspace", text("directory that runs start in; the current directory by default")},
       {"shell",
        text("program that gets -c and the command line of a run (bash also --norc -p, so that "
             "the environment changes nothing); default: bash of the system, else /bin/sh")},
       {"temp_directory",
        text("where temporary files and logs of runs may lie; their TMPDIR; it is made when it is "
             "missing; by default $TMPDIR, or /tmp")},
       {"limits",
        section_schema("limits",
                       {{"run", limits_schema("what no run may exceed, whatever it asks for")},
                        {"max_concurrent_of_label",
                         {{"type", "object"},
                          {"additionalProperties",
                           {{"type", "integer"}, {"minimum", 1}, {"maximum", kMaxConcurrent}}},
                          {"description",
                           "runs with this label of all sessions that share the state directory, "
                           "before queued ones wait: { build = 1 }"}}}},
                       "limits of runs")},
       {"env", variables},
       {"unset_env",
        {{"type", "array"},
         {"items", text("name of a variable")},
         {"description", "variables that no run inherits"}}},
       {"pass_env",
        {{"type", "array"},
         {"items", text("name of a variable")},
         {"description", "variables that sandboxed runs inherit even if they hold secrets"}}},
       {"secrets",
        {{"type", "object"},
         {"additionalProperties",
          object(
              {{"env", text("variable of Gibbous, which runs then do not inherit")},
               {"file", text("file, relative to this one")},
               {"command",
                {{"type", "array"}, {"minItems", 1}, {"items", text("a program and its words")}}}},
              "one of env, file and command")},
         {"description", "secrets that starts name: docs/secrets.md"}}},
       {"sandbox", sandbox_schema("the least sandbox that every run gets")},
       {"caches",
        section_schema("caches",
                       {{"directories",
                         {{"type", "array"},
                          {"items",
                           {{"type", "string"},
                            {"pattern", "^(~/.|/.)"},
                            {"description", "an absolute path, or one that begins with ~/"}}},
                          {"maxItems", kMaxCaches},
                          {"default", kUsualCaches},
                          {"description",
                           "what confined runs write there is in a layer of their session; builds "
                           "write them"}}}},
                       "caches of tools: docs/sandbox.md")},
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
       {"journal",
        section_schema(
            "journal",
            {{"enabled",
              {{"type", "boolean"},
               {"default", true},
               {"description", "false: nothing is recorded of runs"}}},
             {"recovery",
              {{"type", "string"},
               {"enum", {"lost", "requeue"}},
               {"default", "lost"},
               {"description",
                "what becomes of a queued run that was running when Gibbous died, and that is not "
                "marked as safe to repeat: lost, or started again"}}}},
            "what is recorded of runs, in sessions.db of the state directory")},
       {"asks",
        section_schema(
            "asks",
            {{"notify",
              object(
                  {{"command",
                    {{"type", "array"},
                     {"minItems", 1},
                     {"items", text("a program and its words")},
                     {"description",
                      "program that gets the question as JSON on its stdin, without a shell and "
                      "with the environment of Gibbous; it may run 10 seconds"}}},
                   {"webhook",
                    {{"type", "string"},
                     {"minLength", 1},
                     {"description", "http:// or https:// address that gets the same in a POST"}}}},
                  "who is told that a question waits for a person")}},
            "questions of the policy, which 'gibbous asks' answers")},
       {"mcp", client_tokens_schema()},
       {"lua", section_schema("lua", Json::object(), "limits of scripts")}},
      "Gibbous configuration");
  schema["$schema"] = "https://json-schema.org/draft/2020-12/schema";
  return schema;
}

std::string config_reference() {
  std::string lines;
  describe(config_schema(), "", &lines);
  return lines;
}

Result<std::string> read_config_text(const std::string& path) {
  std::string text;
  FileStamp stamp;
  if (Status status = read_source(path, &text, &stamp); !status) {
    return config_invalid(path + ": " + status.message());
  }
  if (!stamp.exists) return config_invalid(path + ": no such configuration file");
  return text;
}

static Result<Json> read_and_run(const std::string& path, const Clock& clock) {
  const Result<std::string> text = read_config_text(path);
  if (!text) return text.status();
  return run_file(path, *text, clock);
}

Result<Json> load_table(const std::string& path, const Clock& clock) {
  const Result<std::string> text = read_config_text(path);
  if (!text) return text.status();
  return load_table(path, *text, clock);
}

Result<Json> load_table(const std::string& path, const std::string& text, const Clock& clock) {
  Result<Json> value = run_file(path, text, clock);
  if (value && value->is_null()) return config_invalid(path + ": must return a table");
  return value;
}

static Result<Json> checked_table(const std::string& path, Result<Json> value) {
  if (value && !value->is_object()) {
    // {} reads as an object.
    value = config_invalid(path + ": must return a table of settings: return { mode = 'auto' }");
  }
  if (!value) return value;
  restore_empty_lists(&*value);
  Json schema = config_schema();
  drop_defaults(&schema);
  const auto check = SchemaCheck::compile(schema, {"", 1});
  if (!check) return check.status();
  if (Status status = (*check)->apply(*value); !status) {
    return config_invalid(path + ": " + status.message());
  }
  const Json notify = value->value("asks", Json::object()).value("notify", Json::object());
  if (const std::string url = notify.value("webhook", ""); !url.empty()) {
    const auto parsed = HttpUrl::parse(url);
    if (!parsed) {
      return config_invalid(path + ": asks.notify.webhook: " + parsed.status().message());
    }
  }
  const Json secrets = value->value("secrets", Json::object());
  for (const auto& [name, secret] : secrets.items()) {
    if (secret.size() == 1) continue;
    return config_invalid(path + ": secrets." + name +
                          ": expected one of env (a variable), file (a path) and command (a list)");
  }
  if (Status status = place_client_tokens(path, &*value); !status) return status;
  place_paths(path, &*value);
  return value;
}

Result<Json> read_config_table(const std::string& path, const std::string& text,
                               const Clock& clock) {
  return checked_table(path, run_file(path, text, clock));
}

Config config_of_table(const std::string& path, const Json& table) {
  return read_values(path, table);
}

static Result<Config> config_of(const std::string& path, Result<Json> value) {
  value = checked_table(path, std::move(value));
  if (!value) return value.status();
  return read_values(path, *value);
}

Result<Config> load_config(const std::string& path, const Clock& clock) {
  return config_of(path, read_and_run(path, clock));
}

Result<Config> load_config(const std::string& path, const std::string& text, const Clock& clock) {
  return config_of(path, run_file(path, text, clock));
}

std::map<std::string, SecretSource> Config::take_secrets(const std::vector<std::string>& own,
                                                         std::vector<std::string>* env) const {
  std::map<std::string, SecretSource> all = secrets;
  for (auto& [name, source] : all) {
    if (source.variable.empty()) continue;
    // Gibbous's own comes last, and counts.
    for (const std::vector<std::string>* each :
         {static_cast<const std::vector<std::string>*>(env), &own}) {
      for (const std::string& variable : *each) {
        if (variable.rfind(source.variable + "=", 0) == 0) {
          source.value = variable.substr(source.variable.size() + 1);
        }
      }
    }
  }
  std::erase_if(*env, [this](const std::string& variable) {
    const std::string name = variable.substr(0, variable.find('='));
    return std::any_of(secrets.begin(), secrets.end(),
                       [&](const auto& each) { return each.second.variable == name; });
  });
  return all;
}

void Config::apply_runs(RunsOptions& options) const {
  Tuning tuning;
  tuning.runs = options.limits;
  put_numbers(numbers, "limits", &tuning);
  put_numbers(numbers, "caches", &tuning);
  options.limits = tuning.runs;
  if (run_limits) options.limits.run = *run_limits;
  if (shell) options.shell = *shell;
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

std::vector<std::string> Config::caches_in(const std::string& home) const {
  std::vector<std::string> all =
      caches.value_or(std::vector<std::string>(kUsualCaches.begin(), kUsualCaches.end()));
  std::erase_if(all, [&home](std::string& each) {
    if (each.front() == '~' && !home.empty()) each = home + each.substr(1);
    return each.front() != '/';
  });
  return all;
}

void Config::apply_recording(RecordingOptions& options, WorkerOptions& worker) const {
  Tuning tuning;
  tuning.journal = options.journal;
  tuning.recorder = options.recorder;
  put_numbers(numbers, "journal", &tuning);
  options.journal = tuning.journal;
  options.recorder = tuning.recorder;
  worker.requeue = recovery == "requeue";
  tuning.queue = worker.limits;
  put_numbers(numbers, "journal", &tuning);
  put_numbers(numbers, "limits", &tuning);
  worker.limits = tuning.queue;
  const Json& limits = numbers.at("limits");
  if (const auto labels = limits.find("max_concurrent_of_label"); labels != limits.end()) {
    labels->get_to(worker.limits.max_of_label);
  }
}

void Config::apply_asks(AskSettings& settings) const {
  Tuning tuning;
  tuning.asks = settings;
  put_numbers(numbers, "asks", &tuning);
  settings = tuning.asks;
  settings.command = ask_notify.value("command", std::vector<std::string>{});
  settings.webhook = ask_notify.value("webhook", "");
  // A path is relative to the file.
  if (settings.command.empty() || settings.command.front().find('/') == std::string::npos) return;
  settings.command.front() =
      std::filesystem::absolute(
          below(std::filesystem::path(file).parent_path(), settings.command.front()))
          .string();
}

void Config::apply_lua(EngineLimits& limits, MemoryLimits& memory) const {
  Tuning tuning;
  tuning.engine = limits;
  tuning.memory = memory;
  put_numbers(numbers, "lua", &tuning);
  limits = tuning.engine;
  memory = tuning.memory;
}

}  // namespace gibbous::lua
