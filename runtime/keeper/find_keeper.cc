// find_keeper(), and the names of the enums in client.h.
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>

#include "runtime/base/own_place.h"
#include "runtime/keeper/client.h"

namespace gibbous {
namespace {

constexpr const char* kVariable = "GIBBOUS_KEEPER";
constexpr const char* kProgram = "gibbous-keeper";

Result<std::string> checked(const std::string& path, const std::string& source) {
  if (::access(path.c_str(), X_OK) == 0) return path;
  return Status::error("keeper_not_found", "the keeper program " + path + " (" + source +
                                               "): " + std::strerror(errno) + "; set " + kVariable +
                                               " to the gibbous-keeper program");
}

}  // namespace

Result<std::string> find_keeper(const std::string& configured) {
  if (!configured.empty()) return checked(configured, "from the configuration");
  if (const char* path = std::getenv(kVariable); path != nullptr && *path != '\0') {
    return checked(path, std::string("from ") + kVariable);
  }
  std::string tried;
  const std::string name = kProgram;
  for (const std::string& candidate : installed_places(name, "libexec/gibbous/" + name)) {
    if (::access(candidate.c_str(), X_OK) == 0) return candidate;
    tried += (tried.empty() ? "" : ", ") + candidate;
  }
  return Status::error("keeper_not_found", "the keeper program is none of " + tried +
                                               "; name it with keeper_path or " + kVariable);
}

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
