// Starts a program in a vfork child: unless asked for (LaunchPlan::apart), it never copies the
// caller's memory, and reports each failing step with its errno. The keeper starts runs with it,
// the library starts the keeper. Blocks until the program has been executed (about 0.1 ms). Loop
// thread of the caller only.
#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gibbous/status.h"
#include "runtime/base/unique_fd.h"
#include "runtime/process/start_step.h"
#include "runtime/sandbox/sandbox.h"

namespace gibbous {

struct LaunchLimit {
  int resource = 0;  // RLIMIT_*
  rlimit value{};
};

// Pointers and views must stay valid during the launch; it keeps none of them.
struct LaunchPlan {
  std::span<const char* const> candidates;  // paths to execute, tried in order
  char* const* argv = nullptr;
  char* const* environment = nullptr;
  const char* directory = nullptr;       // null: the caller's
  std::array<int, 3> stdio{-1, -1, -1};  // -1: as in the caller
  bool terminal = false;                 // its stdin is a terminal, which becomes its session's
  std::span<const LaunchLimit> limits;
  const PreparedSandbox* sandbox = nullptr;  // null: none
  std::span<const int> groups;  // cgroup.procs of the groups to enter, open for writing
  int birthplace = -1;  // the group of version 2 in which the child begins; -1: the caller's
  bool needs_birthplace = false;  // else the child begins in the caller's where that is refused
  // In a copy of the caller's memory, without waiting for the program: it fails as an exit of the
  // child.
  bool apart = false;
};

struct Launched {
  pid_t pid = 0;
  UniqueFd pidfd;
  std::uint64_t start_time = 0;  // as ProcessStat::start_time
};

struct LaunchError {
  StartStep step = StartStep::kFork;
  int error = 0;
  SandboxFailure sandbox;  // for kSandbox
};

std::uint64_t boot_nanoseconds();  // CLOCK_BOOTTIME, now

// Starts children of the caller in sessions of their own, with default signal dispositions for the
// signals the caller has at default, an empty signal mask, descriptors 0, 1 and 2 only, and SIGKILL
// when the caller ends. Every signal must be blocked in the caller.
class Launcher {
 public:
  Launcher();
  ~Launcher();
  Launcher(const Launcher&) = delete;
  Launcher& operator=(const Launcher&) = delete;

  // On failure, `launched` is unchanged and there is no child.
  std::optional<LaunchError> launch(const LaunchPlan& plan, Launched& launched);

 private:
  bool is_born_well(int group);

  void* stack_;  // of all children, one after another
  // Whether a child that begins in another group lives: where the caller's group was killed once
  // (cgroup.kill), the kernel takes it for a child that ran away from that. Unknown at first.
  std::optional<bool> births_work_;
};

// Executes the caller's own program in another part, from "/", until the caller ends: a copy of a
// process with threads may hold locks that nothing of it releases. `arguments`: without the name.
// Returns the pid, or 0.
pid_t launch_own_program(const std::vector<std::string>& arguments, std::array<int, 3> stdio);

// The file to execute: by its path, or by a descriptor above kInheritedSocket, unless that is -1.
struct Executable {
  const char* path = nullptr;
  int descriptor = -1;
};

// Starts a program that is not a child of the caller, which gets no SIGCHLD and sees nothing in
// wait(2). `socket` becomes the program's descriptor 3; 0, 1 and 2 are /dev/null. Default signal
// dispositions, an empty mask, a session of its own.
std::optional<LaunchError> launch_detached(const Executable& file, char* const* argv, int socket,
                                           Launched& launched);

inline constexpr int kInheritedSocket = 3;

// Returns the paths that execvp would try for `name`: the name itself when it has a '/', else one
// path for each entry of PATH in `environment` ("NAME=value"). Empty entries mean the child's
// directory.
class ExecCandidates {
 public:
  ExecCandidates(const char* name, std::span<const char* const> environment);
  std::span<const char* const> paths() const { return pointers_; }

 private:
  std::string text_;
  std::vector<const char*> pointers_;
};

}  // namespace gibbous
