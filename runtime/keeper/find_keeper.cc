// find_keeper(), and the names of the enums in client.h.
#include <limits.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>

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

std::string executable_directory() {
  std::array<char, PATH_MAX> path;
  const ssize_t length = ::readlink("/proc/self/exe", path.data(), path.size());
  if (length <= 0) return {};
  const std::string text(path.data(), static_cast<std::size_t>(length));
  return text.substr(0, text.rfind('/'));
}

}  // namespace

Result<std::string> find_keeper(const std::string& configured) {
  if (!configured.empty()) return checked(configured, "from the configuration");
  if (const char* path = std::getenv(kVariable); path != nullptr && *path != '\0') {
    return checked(path, std::string("from ") + kVariable);
  }
  const std::string directory = executable_directory();
  const std::array candidates{directory + "/" + kProgram,
                              directory + "/../libexec/gibbous/" + kProgram};
  for (const std::string& candidate : candidates) {
    if (::access(candidate.c_str(), X_OK) == 0) return candidate;
  }
  return Status::error("keeper_not_found", std::string("the keeper program is neither ") +
                                               candidates[0] + " nor " + candidates[1] + "; set " +
                                               kVariable + " to it");
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
