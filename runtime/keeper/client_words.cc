// The names of the enums in client.h.
#include "runtime/keeper/client.h"

namespace gibbous {

const char* to_string(StartStep step) {
  switch (step) {
    case StartStep::kRequest:
      return "request";
    case StartStep::kPipe:
      return "pipe";
    case StartStep::kFork:
      return "fork";
    case StartStep::kSession:
      return "session";
    case StartStep::kLimits:
      return "limits";
    case StartStep::kGroup:
      return "cgroup";
    case StartStep::kSandbox:
      return "sandbox";
    case StartStep::kChdir:
      return "chdir";
    case StartStep::kTerminal:
      return "terminal";
    case StartStep::kStdio:
      return "stdio";
    case StartStep::kExec:
      return "exec";
  }
  return "unknown";
}

const char* to_string(KillReport::How how) {
  switch (how) {
    case KillReport::How::kGone:
      return "gone";
    case KillReport::How::kSignal:
      return "signal";
    case KillReport::How::kEscalated:
      return "escalated";
    case KillReport::How::kSurvivors:
      return "survivors";
  }
  return "unknown";
}

}  // namespace gibbous
