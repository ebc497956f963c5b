// Execution: what an executor made of a run: the command that replaces the run's own, the command
// that ends what it starts elsewhere, and its ports. Plain data; an executor's script makes it, and
// Runs obeys it. Loop thread only.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "runtime/keeper/outcome.h"
#include "runtime/runs/limit_set.h"

namespace gibbous {

class Run;

// A TCP port of the run, and the port of this machine that leads to it.
struct PortMapping {
  int port = 0;
  int host = 0;
};

struct Execution {
  std::string executor;
  std::vector<std::string> argv;
  std::string cwd;                         // absolute; "": the run's
  std::map<std::string, std::string> env;  // on top of the runtime's environment
  std::vector<std::string> cleanup;        // "": none; runs with cwd and env
  std::vector<PortMapping> ports;
  bool ports_later = false;        // its executor knows the ports only once it runs
  std::string address;             // where the ports are; "": this machine
  std::vector<std::string> holds;  // names of limits that the executor enforces
  LimitSet limits;                 // the other limits, for the keeper and for Runs
  bool asks_at_end = false;        // ask the executor what an end by itself means
  std::vector<std::string> names;  // that the keeper holds for it: SandboxSpec::occupied
  std::string state;               // the executor's own, JSON
};

// An executor's answer about a run that ended by itself.
struct ExecutionEnd {
  std::string reason;              // "": the exit's own reason
  std::optional<LimitKind> limit;  // the limit that ended it
  bool clean = false;              // nothing is left, so no cleanup command is needed
};
using AskExecutor =
    std::function<void(Run&, const ExitStatus&, std::function<void(const ExecutionEnd&)>)>;

}  // namespace gibbous
