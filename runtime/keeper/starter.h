// Starter: does the keeper's part of a start: the strings, the pipes, the limits, the launch.
// Keeper only.
#pragma once

#include <sys/resource.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "gibbous/status.h"
#include "runtime/keeper/channel.h"
#include "runtime/keeper/session_networks.h"
#include "runtime/keeper/session_runs.h"
#include "runtime/keeper/wire.h"
#include "runtime/network/connects.h"
#include "runtime/paths/mount_types.h"
#include "runtime/process/launch.h"
#include "runtime/process/mark.h"
#include "runtime/process/run_group.h"
#include "runtime/sandbox/lookups.h"
#include "runtime/sandbox/ruleset.h"
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
  std::vector<Placeholder> placeholders;    // of its sandbox, until nothing of the run is left
  TemporaryHold temporary;                  // of its sandbox, as long
  std::shared_ptr<TemporaryGroup> sockets;  // of tmux and screen, or null
  std::string outside_group;                // of its session, when it has no sandbox; "": not known
  std::string network_group;                // to be let go of then; "": none
  std::shared_ptr<network::Connects> connects;  // null: they are not checked
  std::string env_tag;  // the value of GIBBOUS_RUN in the child's environment, or ""
};

// The program's argument that makes it touch what a start touches on the disk, for as long as it
// takes, and what it then does. Returns the exit status.
inline constexpr const char* kTryStartArgument = "--try-start";
int try_start();

class Starter {
 public:
  // `files`: the limit on open files for children, from before the keeper raised its own.
  // `open_control_socket` lets hosts find the keeper in a directory; called before a run is kept.
  // `on_process` is told of children that belong to no run.
  Starter(rlimit files, std::shared_ptr<paths::MountTypes> mounts,
          std::function<Status(const std::string&)> open_control_socket,
          std::function<void(pid_t)> on_process)
      : files_(files),
        mounts_(std::move(mounts)),
        open_control_(std::move(open_control_socket)),
        networks_(std::move(on_process), runs_) {}

  // `strings_fd`: the memfd of a start whose strings are not in the message. `group`: of the run;
  // null: none.
  // `apart`: in a process of its own from the beginning, so that the keeper does not wait for the
  // program's file; what fails is seen only as its exit.
  StartOutcome start(const wire::Start& start, const UniqueFd& strings_fd, Mark mark,
                     const RunGroup* group, bool apart = false);
  // Whether it touches a file system that may not answer, so that it is tried out first.
  bool is_doubtful(const wire::Start& start, const UniqueFd& strings_fd);
  // Launches the process that does that. `body`: of the start's message. Returns its pid, or 0.
  pid_t launch_trial(wire::Bytes body, const UniqueFd& strings_fd);

  SessionNetworks& networks() { return networks_; }
  SessionRuns& session_runs() { return *runs_; }
  // A run has ended that had layers of this group: a thread looks how much these hold now.
  void measure_layers(const std::string& group);
  // A run is still writing to its copies: a thread looks how much they hold.
  void measure_copies(const std::string& directory);
  // Asked for the processes of a session, by its temporary group: those outside of a sandbox, or
  // those of runs that one holds (SessionRuns::holds).
  std::function<std::vector<pid_t>(const std::string& group, bool held)> processes_of;

 private:
  bool is_doubtful(const wire::StartStrings& strings);
  StartOutcome launch(const wire::Start& start, const wire::StartStrings& strings, Mark mark,
                      const RunGroup* group, bool apart);

  rlimit files_;
  std::shared_ptr<paths::MountTypes> mounts_;
  std::function<Status(const std::string&)> open_control_;
  void remove_old_temporary_beside();

  bool has_removed_ = false;
  std::optional<SandboxSupport> support_;  // the first start with a sandbox finds it out
  // That all sandboxes have, where they need one: a child that shares the memory of the keeper,
  // which is not dumpable, cannot say who it is in one of its own.
  UniqueFd user_namespace_;
  Lookups lookups_;
  Rulesets rulesets_;
  TemporaryGroups temporary_groups_;
  std::shared_ptr<SessionRuns> runs_ = std::make_shared<SessionRuns>();
  SessionNetworks networks_;
  Launcher launcher_;
};

}  // namespace gibbous::keeper
