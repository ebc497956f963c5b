// What run.start and the end of a run ask of an executor, a script (docs/executors.md): its
// functions run as calls of their own, whose commands no policy is asked about. Loop thread only.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bindings/lua/vm/value.h"
#include "gibbous/status.h"
#include "runtime/runs/runs.h"

namespace gibbous::lua {

class Call;
class Fields;
struct Context;

// A TCP port that the run will listen on, and the one of this machine that should lead to it.
struct WantedPort {
  int port = 0;
  int host = 0;
  bool named = false;  // the host's was asked for
};

struct ExecutorRequest {
  std::string name;                // "": the configured one
  Json settings = Json::object();  // over the configured ones
  std::vector<WantedPort> ports;
};

// The fields `executor` and `ports`; throws WrongUse.
ExecutorRequest parse_executor(Fields& fields);
// The name of the executor that a request means; "host": none.
std::string executor_name(const ExecutorRequest& request, const Context& context);
// Whether there is one, with such settings. Fails with unknown_executor, or as a schema does.
Status check_executor(const ExecutorRequest& request, const Context& context);
// ExecutorDefinition::remote; false of one that is not known.
bool is_remote(const std::string& executor, const Context& context);

// Makes spec->execution, and takes the sandbox out that the executor holds itself. `spec` is ready
// to be started but for that, and has an id. on_done comes once, later or at once.
void prepare_execution(Context& context, const Call& call, const ExecutorRequest& request,
                       RunSpec spec, std::function<void(Result<RunSpec>)> on_done);
// Asks its executor what the end of a run means; see Runs::set_ask_executor.
void ask_executor(Context& context, Run& run, const ExitStatus& exit,
                  const std::function<void(const ExecutionEnd&)>& on_answer);

}  // namespace gibbous::lua
