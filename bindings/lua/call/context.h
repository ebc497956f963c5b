// Context: the world outside their state that the api_*.cc files use. One for each engine, borrowed
// by every Generation. Loop thread only.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "bindings/lua/check/sandbox_value.h"
#include "bindings/lua/check/withheld.h"
#include "bindings/lua/load/generation.h"
#include "bindings/lua/load/secret_source.h"
#include "runtime/audit/redact.h"
#include "runtime/base/clock.h"

struct lua_State;
struct uv_loop_s;

namespace gibbous {
class Runs;
class Waits;
class Recording;
class Worker;
class RunWatchers;
class Supervisor;
struct RunSpec;
namespace paths {
struct GitPlaces;
}
}  // namespace gibbous

namespace gibbous::lua {

class Engine;
class ScriptStore;
struct SpecWorld;

// The usage of a run, as its executor has reported it.
struct ExecutorUsage {
  Nanos measured_at{0};  // the last processor time
  double cpu_time_ms = 0;
  Json late;  // an answer that came after its question had been given up; null when there is none
  Nanos late_at{0};
};

struct Context {
  uv_loop_s* loop = nullptr;
  const Clock* clock = nullptr;
  // Measures the time that scripts may take; null: `clock` does, which specs stop.
  const Clock* budget_clock = nullptr;
  SpecWorld* specs = nullptr;  // in a runtime that loads specs
  Runs* runs = nullptr;
  Waits* waits = nullptr;
  ScriptStore* store = nullptr;
  Recording* recording = nullptr;  // null: nothing is recorded
  Worker* worker = nullptr;        // set when runs are recorded
  RunWatchers* watchers = nullptr;
  Supervisor* supervisor = nullptr;  // null: the runtime is shutting down
  Engine* engine = nullptr;
  const HostTools* host_tools = nullptr;
  std::uint64_t last_host_call = 0;  // ToolCall::id
  std::string workspace;
  std::string temp_directory;       // logs may lie here, too
  std::string home;                 // of the user; absolute
  bool keep_runs = false;           // for runs that do not say whether they outlive the host
  Json sandbox;                     // the least sandbox in the configuration: a request, or null
  std::string executor;             // for runs that name none; "": the host
  Json executors = Json::object();  // the configured settings of each executor
  std::map<std::string, SecretSource> secrets;  // by name
  std::vector<std::string> passed_env;          // variables that every run gets, secrets or not
  // What sandboxed runs do not inherit, as the patterns of this generation have it.
  std::weak_ptr<Generation> withheld_by;
  Withheld withheld;
  std::set<std::string> swept;  // executors that have removed what dead hosts left
  PathVariables path_variables;
  // Calls back with where git keeps things for a workspace, at once where that is known; null: its
  // file system does not answer.
  std::function<void(const std::string& workspace,
                     std::function<void(const std::shared_ptr<const paths::GitPlaces>&)> then)>
      git_places;
  std::map<std::string, ExecutorUsage> executor_usage;  // by run
  // The command lines that a person approved with the call that queued them, by run.
  std::map<std::string, std::string> approved_in_queue;
  bool can_confine = true;  // this machine has a sandbox that holds
  bool signs = false;       // the user's git signs what is committed
  // Lets git in a sandboxed run sign; null: nothing signs here.
  std::function<void(RunSpec*)> sign;
  // What was written to runs that execute their input as code, by run; bounded.
  std::map<std::string, std::string> typed;
  // Replaces secrets in text of runs that leaves a result, by the patterns of the policies.
  std::function<std::string(std::string_view)> redact = redact_secrets;
  // level is debug, info, warn or error; `fields` is a JSON object or null. Called from
  // Engine::run_ready, never from inside a script. When it is not set, the engine emits the event
  // `log` instead.
  std::function<void(const std::string& level, const std::string& message, const Json& fields,
                     const std::string& session)>
      log;
};

// Binds `context` to a state, for open_api and for later calls of scripts. The loader does this in
// every new state, in a protected call. The context must outlive the state.
void bind_context(lua_State* state, Context& context);
// For a state that loads on another thread: until a context is bound, whatever needs one raises,
// and sets *wanted, which must live until then.
void bind_no_context(lua_State* state, bool* wanted);
Context& context_of(lua_State* state);
// Returns what the newest scripts find errors with.
std::shared_ptr<const ErrorPatterns> error_patterns_of(const Context& context);

}  // namespace gibbous::lua
