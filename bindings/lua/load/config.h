// Config: the Lua configuration file, read once when a runtime is made. The file is a sandboxed
// script that returns a table; a JSON Schema defines its fields and is the source of its
// documentation. Any thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bindings/lua/load/client_token.h"
#include "bindings/lua/load/engine_limits.h"
#include "bindings/lua/load/secret_source.h"
#include "bindings/lua/vm/alloc.h"
#include "bindings/lua/vm/value.h"
#include "gibbous/status.h"
#include "runtime/base/clock.h"
#include "runtime/queue/worker.h"
#include "runtime/recording/recording.h"
#include "runtime/runs/runs.h"

namespace gibbous::lua {

// How questions of the policy wait for a person, and who is told.
struct AskSettings {
  // How long a call waits for an answer. 0: as long as its client shows the question, and not at
  // all where the client cannot.
  std::chrono::seconds wait{0};
  // How long a question stays open after its call was told to come again, and how long an answer
  // waits for that. 0: the question ends with its call.
  std::chrono::seconds keep{3600};
  std::vector<std::string> command;  // gets the question as JSON on its stdin
  std::string webhook;               // gets it in an HTTP POST
};

// The values in the file; unset where the file is silent. Paths are absolute, or relative to the
// current directory when the path of the file was: relative paths in the file start at the file's
// own directory.
struct Config {
  std::string file;
  std::optional<std::string> scripts;
  std::optional<std::string> policies;
  std::optional<std::vector<std::string>> toolsets;
  std::optional<std::string> mode;
  std::optional<std::vector<std::string>> modes;  // the only ones that may be used
  std::optional<std::string> workspace;
  std::optional<std::string> shell;
  std::optional<std::string> temp_directory;
  Json settings;  // of toolsets, by name; null when there are none
  std::map<std::string, std::string> env;
  std::vector<std::string> unset_env;
  std::vector<std::string> pass_env;
  std::map<std::string, SecretSource> secrets;

  Json numbers = {{"limits", Json::object()},
                  {"caches", Json::object()},
                  {"journal", Json::object()},
                  {"asks", Json::object()},
                  {"lua", Json::object()}};  // by section
  std::optional<LimitSet> run_limits;
  Json sandbox;  // a request, or null
  std::optional<std::vector<std::string>> caches;
  std::optional<std::string> executor;
  Json executors = Json::object();  // the settings of each executor
  std::optional<bool> kill_on_session_end;

  Json ask_notify = Json::object();

  std::optional<bool> journal_enabled;
  std::optional<std::string> recovery;

  std::map<std::string, ClientToken> mcp_tokens;  // by name

  // Returns the secrets, with the values of those that are variables. Removes these from `env`, the
  // inherited environment, so that runs have them only by name.
  std::map<std::string, SecretSource> take_secrets(const std::vector<std::string>& own,
                                                   std::vector<std::string>* env) const;
  // Applies the file's values; `options.env` is the inherited environment.
  void apply_runs(RunsOptions& options) const;
  // The directories of `caches`, or those that are usual, in this home.
  std::vector<std::string> caches_in(const std::string& home) const;
  void apply_recording(RecordingOptions& options, WorkerOptions& worker) const;
  void apply_asks(AskSettings& settings) const;
  void apply_lua(EngineLimits& limits, MemoryLimits& memory) const;
};

// Returns the table that a Lua file returns, run in a state of its own, without the API. Fails with
// config_invalid and the file and line.
Result<Json> load_table(const std::string& path, const Clock& clock);
Result<Json> load_table(const std::string& path, const std::string& text, const Clock& clock);
// Fails with config_invalid: the file, the field, the expected and the actual value, the nearest
// known field; or the file and line of a syntax or run-time error.
Result<Config> load_config(const std::string& path, const Clock& clock);
// The same for a text that is in memory; `path` is its name in messages.
Result<Config> load_config(const std::string& path, const std::string& text, const Clock& clock);
// The two steps of load_config(): the checked table of a text, whose relative paths have been made
// to start at the file's directory, and its values.
Result<Json> read_config_table(const std::string& path, const std::string& text,
                               const Clock& clock);
Config config_of_table(const std::string& path, const Json& table);
// Returns the text of a file. Fails with config_invalid.
Result<std::string> read_config_text(const std::string& path);
// Returns the schema of the file, with descriptions and the defaults of RunLimits.
Json config_schema();
// The same for people, one line for each field: "limits.kill_grace_ms  integer of at least 0
// (5000)  what it does".
std::string config_reference();

}  // namespace gibbous::lua
