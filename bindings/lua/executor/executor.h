// The questions of run.start and of the end of a run to an executor, which is a script
// (docs/executors.md): its functions run as calls of their own, whose commands the policy does not
// judge. Loop thread only.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bindings/lua/vm/value.h"
#include "gibbous/status.h"
#include "runtime/runs/runs.h"

namespace gibbous::lua {

inline constexpr char kHostExecutor[] = "host";  // none: runs are started here

class Call;
class Fields;
struct ExecutorDefinition;
struct Context;

// A TCP port on which the run will listen, and the port of this machine that leads to it.
struct WantedPort {
  int port = 0;
  int host = 0;
  bool named = false;  // whether the host's port was requested
};

struct ExecutorRequest {
  std::string name;                // "": the configured one
  Json settings = Json::object();  // added to the configured ones
  std::vector<WantedPort> ports;
};

// Reads the fields `executor` and `ports`; throws WrongUse.
ExecutorRequest parse_executor(Fields& fields);
// Returns the name of the executor that a request means, or kHostExecutor.
std::string executor_name(const ExecutorRequest& request, const Context& context);
// Checks that it exists and accepts these settings. Fails with unknown_executor, or as a schema
// does.
Status check_executor(const ExecutorRequest& request, const Context& context);
// The executor of that name, until the next reload; null: there is none.
const ExecutorDefinition* find_executor(const std::string& name, const Context& context);
// ExecutorDefinition::confines and ::remote; false for an unknown one.
bool does_confine(const std::string& executor, const Context& context);
bool is_remote(const std::string& executor, const Context& context);

// Makes spec->execution, and removes the sandbox if the executor enforces it itself. Apart from
// that, `spec` is ready to start and has an id. on_done comes once, later or at once.
void prepare_execution(Context& context, const Call& call, const ExecutorRequest& request,
                       RunSpec spec, std::function<void(Result<RunSpec>)> on_done);
// Asks its executor what the end of a run means; see Runs::set_ask_executor.
void ask_executor(Context& context, Run& run, const ExitStatus& exit,
                  const std::function<void(const ExecutionEnd&)>& on_answer);

// Asks the executor of a running run when its plan says that ports are known only then, and stores
// them in the run. on_known comes once, at once when there is nothing to ask, but not after the
// runtime shuts down.
void learn_ports(Context& context, Run& run, std::function<void()> on_known);
// The usage of a run that is executed elsewhere. on_answer comes once, later or at once: an object
// with by, processes, rss_bytes, cpu_percent and, as far as the executor knows them, threads and
// cpu_time_ms; or null, when it has no answer within 3 seconds. Returns a function that cancels the
// question: no answer comes then.
std::function<void()> ask_executor_usage(Context& context, const Run& run,
                                         std::function<void(const Json&)> on_answer);

}  // namespace gibbous::lua
