// Context: what the api_*.cc files reach of the world outside their state. One per engine;
// borrowed by every Generation. Loop thread only.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>

#include "bindings/lua/check/sandbox_value.h"
#include "bindings/lua/load/generation.h"
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
}  // namespace gibbous

namespace gibbous::lua {

class Engine;
class ScriptStore;

// What an executor said last of the processor time of a run.
struct CpuSample {
  Nanos at{0};
  double cpu_time_ms = 0;
};

struct Context {
  uv_loop_s* loop = nullptr;
  const Clock* clock = nullptr;
  Runs* runs = nullptr;
  Waits* waits = nullptr;
  ScriptStore* store = nullptr;
  Recording* recording = nullptr;  // null: nothing is recorded
  Worker* worker = nullptr;        // set where recording is
  RunWatchers* watchers = nullptr;
  Supervisor* supervisor = nullptr;  // null: the runtime is shutting down
  Engine* engine = nullptr;
  std::string workspace;
  std::string temp_directory;  // where logs may lie besides
  std::string home;            // of the user; absolute
  bool keep_runs = false;      // those that do not say what becomes of them when the host is gone
  Json sandbox;                // what the configuration demands at least: a request, or null
  std::string executor;        // of runs that name none; "": the host
  Json executors = Json::object();  // the configured settings of each
  std::set<std::string> swept;      // executors that have looked for what dead hosts left
  PathVariables path_variables;
  std::map<std::string, CpuSample> executor_cpu;  // by run
  // The command lines that a person approved with the call that queued them, by run.
  std::map<std::string, std::string> approved_in_queue;
  // What was written to runs that take their input for code, by run; bounded.
  std::map<std::string, std::string> typed;
  // level is debug, info, warn or error; `fields` is a JSON object or null. Called from
  // Engine::run_ready, never from inside a script. When it is not set, the engine emits the event
  // `log` instead.
  std::function<void(const std::string& level, const std::string& message, const Json& fields,
                     const std::string& session)>
      log;
};

// Binds `context` to a state, for open_api and what scripts call later. The loader does it in
// every new state, in a protected call. The context outlives the state.
void bind_context(lua_State* state, Context& context);
Context& context_of(lua_State* state);

}  // namespace gibbous::lua
