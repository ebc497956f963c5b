// Config: the Lua configuration file, read once when a runtime is made. The file is a sandboxed
// script that returns a table; config_fields.cc lists what may be in it. Any thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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

// A client of the MCP server over HTTP, as `mcp.tokens` names it.
struct ClientToken {
  // One of these: a file whose first line is the token, or the token's SHA-256 in hexadecimal
  // digits.
  std::string file;
  std::string sha256;
  // What a client with the token works with; "": what the server itself does.
  std::string mode;
  std::string workspace;
  std::string session;   // "": the name of the token
  std::string approver;  // who answers the policy's questions: client or person
};

// The values in force. Paths are absolute, or relative to the current directory when the path of
// the file was: relative paths in the file start at the file's own directory.
struct Config {
  Json table = Json::object();

  // Returns null where no layer sets the field ("journal.enabled").
  const Json* find(std::string_view field) const;
  template <typename T>
  T get(std::string_view field, T usual = {}) const {
    const Json* value = find(field);
    return value == nullptr ? std::move(usual) : value->get<T>();
  }
  std::string text(std::string_view field, const std::string& usual = "") const {
    return get(field, usual);
  }

  std::map<std::string, ClientToken> client_tokens() const;  // by name
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

// Returns the text of a file. Fails with config_invalid.
Result<std::string> read_config_text(const std::string& path);
// Returns the table that a Lua text returns, run in a state of its own, without the API; `path` is
// its name in messages. Fails with config_invalid and the file and line.
Result<Json> load_table(const std::string& path, const std::string& text, const Clock& clock);
// The same, checked, with paths that start at the file's directory. Fails with config_invalid: the
// file, the field, the expected and the actual value, the nearest known field.
Result<Json> read_config_table(const std::string& path, const std::string& text,
                               const Clock& clock);
// Returns the schema of the file, with the defaults.
Json config_schema();

}  // namespace gibbous::lua
