// Starter: does the keeper's part of a start: the strings, the pipes, the limits, the launch.
// Keeper only.
#pragma once

#include <sys/resource.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "gibbous/status.h"
#include "runtime/keeper/channel.h"
#include "runtime/keeper/wire.h"
#include "runtime/process/launch.h"
#include "runtime/process/mark.h"
#include "runtime/sandbox/sandbox.h"

namespace gibbous::keeper {

struct StartOutcome {
  std::optional<StartFailure> failure;
  // Without a failure: the library's answer, and the descriptors that go with it.
  wire::StartedMessage started;
  FdList fds;
  std::uint64_t stdin_device = 0;  // of the child's end of a pipe, else 0
  std::uint64_t stdin_inode = 0;
  // What a run that outlives its host is read through. Of another run, second descriptors of what
  // the library reads; unset for its terminal, because the end of its host must hang it up.
  UniqueFd kept_out;
  UniqueFd kept_err;
  // Set for a run that outlives its host.
  std::string keep_directory;
  std::string notes;
  std::optional<EndPlace> end_place;
  std::string env_tag;  // the value of GIBBOUS_RUN in the child's environment, or ""
};

// The variable that identifies a process that has lost its mark and its parents.
inline constexpr const char* kRunVariable = "GIBBOUS_RUN";

class Starter {
 public:
  // `files`: the limit on open files for children, from before the keeper raised its own.
  // `open_control_socket` lets hosts find the keeper in a directory; called before a run is kept.
  Starter(MarkMode mode, rlimit files,
          std::function<Status(const std::string&)> open_control_socket)
      : mode_(mode), files_(files), open_control_(std::move(open_control_socket)) {}

  // `strings_fd`: the memfd of a start whose strings are not in the message. `groups`: what the
  // child enters before execve, as LaunchPlan::groups.
  StartOutcome start(const wire::Start& start, const UniqueFd& strings_fd, Mark mark,
                     std::span<const int> groups);

 private:
  StartOutcome launch(const wire::Start& start, const wire::StartStrings& strings, Mark mark,
                      std::span<const int> groups);

  MarkMode mode_;
  rlimit files_;
  std::function<Status(const std::string&)> open_control_;
  std::optional<SandboxSupport> support_;  // the first start with a sandbox finds it out
  Launcher launcher_;
};

}  // namespace gibbous::keeper
