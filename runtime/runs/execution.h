// Execution: what an executor made of a run: the command that is started instead of the run's own,
// what ends what it started elsewhere, where its ports are. Plain data; an executor's script makes
// it, Runs obeys it. Loop thread only.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "runtime/keeper/client.h"
#include "runtime/runs/limit_set.h"

namespace gibbous {

class Run;

// A TCP port of the run, and the one of this machine that leads to it.
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
  bool ports_later = false;        // its executor knows them only when the run runs
  std::string address;             // where the ports are; "": this machine
  std::vector<std::string> holds;  // the names of limits that it holds itself
  LimitSet limits;                 // those that are left for the keeper and for Runs
  bool asks_at_end = false;        // its executor says what an end by itself means
  std::string state;               // the executor's own, JSON
};

// An executor's answer about a run that ended by itself.
struct ExecutionEnd {
  std::string reason;              // "": what the exit says
  std::optional<LimitKind> limit;  // it ended by this one
  bool clean = false;              // nothing is left: the cleanup command is not needed
};
using AskExecutor =
    std::function<void(Run&, const ExitStatus&, std::function<void(const ExecutionEnd&)>)>;

}  // namespace gibbous
