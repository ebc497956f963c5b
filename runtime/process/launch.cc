// Between clone and execve the child shares all memory with its caller, which is suspended. So it
// only makes system calls, by number: no library function that a sanitizer or the host may have
// replaced, and no instrumentation. It runs on a stack of its own.
#include "runtime/process/launch.h"

#include <fcntl.h>
#include <linux/sched.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <string_view>

#include "runtime/process/proc.h"

#define GIBBOUS_IN_CHILD __attribute__((no_sanitize("address", "undefined", "thread")))

namespace gibbous {
namespace {

constexpr std::size_t kStackBytes = 64UL * 1024;
constexpr int kFirstOtherFd = 3;
constexpr int kExitUnexecuted = 127;
constexpr unsigned kAllFds = ~0U;
// The kernel's layout; glibc's own types are larger.
constexpr std::size_t kKernelSignalSetBytes = 8;
struct KernelSignalAction {
  void* handler;
  unsigned long flags;
  void* restorer;
  std::uint64_t mask;
};

// Shared by caller and child.
struct Shared {
  const LaunchPlan* plan;
  bool detached;
  int socket;
  int executable;      // a descriptor; -1: the plan has paths
  bool moves;          // into its birthplace, because it was not born there
  std::uint64_t born;  // CLOCK_BOOTTIME in ns, read by the child at once
  // The result; error == 0 is success.
  StartStep step;
  int error;
  SandboxFailure sandbox;
  // For launch_detached: the grandchild.
  void* inner_stack_top;
  pid_t inner_pid;
  int inner_pidfd;
};

void* new_stack() {
  return ::mmap(nullptr, kStackBytes, PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
}

void free_stack(void* stack) {
  if (stack != MAP_FAILED) ::munmap(stack, kStackBytes);
}

void* top_of(void* stack) {
  return static_cast<char*>(stack) + kStackBytes;
}

class ChildStack {
 public:
  ChildStack() : memory_(new_stack()) {}
  ~ChildStack() { free_stack(memory_); }
  ChildStack(const ChildStack&) = delete;
  ChildStack& operator=(const ChildStack&) = delete;

  bool ok() const { return memory_ != MAP_FAILED; }
  void* top() const { return top_of(memory_); }

 private:
  void* memory_;
};

GIBBOUS_IN_CHILD bool fail(Shared& shared, StartStep step) {
  shared.error = errno;
  shared.step = step;
  return false;
}

GIBBOUS_IN_CHILD void reset_dispositions() {
  KernelSignalAction action{};
  action.handler = nullptr;  // SIG_DFL
  for (long number = 1; number < NSIG; ++number) {
    ::syscall(SYS_rt_sigaction, number, &action, nullptr, kKernelSignalSetBytes);
  }
}

GIBBOUS_IN_CHILD bool set_limits(Shared& shared) {
  const LaunchLimit* limit = shared.plan->limits.data();
  for (std::size_t i = 0; i < shared.plan->limits.size(); ++i, ++limit) {
    if (::syscall(SYS_prlimit64, 0, limit->resource, &limit->value, nullptr) != 0) {
      return fail(shared, StartStep::kLimits);
    }
  }
  return true;
}

GIBBOUS_IN_CHILD bool enter_birthplace(Shared& shared) {
  const long fd =
      ::syscall(SYS_openat, shared.plan->birthplace, "cgroup.procs", O_WRONLY | O_CLOEXEC, 0);
  if (fd < 0) return false;
  const bool done = ::syscall(SYS_write, fd, "0", 1) == 1;
  const int error = errno;
  ::syscall(SYS_close, fd);
  errno = error;
  return done;
}

GIBBOUS_IN_CHILD bool enter_groups(Shared& shared) {
  if (shared.moves && !enter_birthplace(shared) && shared.plan->needs_birthplace) {
    return fail(shared, StartStep::kGroup);
  }
  const int* group = shared.plan->groups.data();
  for (std::size_t i = 0; i < shared.plan->groups.size(); ++i, ++group) {
    if (::syscall(SYS_write, *group, "0", 1) != 1) return fail(shared, StartStep::kGroup);
  }
  return true;
}

GIBBOUS_IN_CHILD bool set_stdio(Shared& shared) {
  const int* source = shared.plan->stdio.data();
  for (long target = 0; target < kFirstOtherFd; ++target) {
    // dup3 refuses equal descriptors. The caller's are never 0, 1 or 2: those are its /dev/null.
    if (source[target] >= 0 && ::syscall(SYS_dup3, source[target], target, 0) < 0) {
      return fail(shared, StartStep::kStdio);
    }
  }
  ::syscall(SYS_close_range, kFirstOtherFd, kAllFds, 0);
  return true;
}

// For the keeper: its socket is descriptor 3, the standard ones are /dev/null, no other is open but
// that of the program, which closes when it is executed.
GIBBOUS_IN_CHILD bool set_detached_stdio(Shared& shared) {
  if (shared.socket == kInheritedSocket) {
    if (::syscall(SYS_fcntl, shared.socket, F_SETFD, 0) != 0)
      return fail(shared, StartStep::kStdio);
  } else if (::syscall(SYS_dup3, shared.socket, kInheritedSocket, 0) < 0) {
    return fail(shared, StartStep::kStdio);
  }
  long first = kInheritedSocket + 1;
  if (shared.executable >= first) {
    if (shared.executable > first) {
      ::syscall(SYS_close_range, first, static_cast<long>(shared.executable) - 1, 0);
    }
    first = static_cast<long>(shared.executable) + 1;
  }
  ::syscall(SYS_close_range, first, kAllFds, 0);
  const long null = ::syscall(SYS_openat, AT_FDCWD, "/dev/null", O_RDWR, 0);
  if (null < 0) return fail(shared, StartStep::kStdio);
  for (long target = 0; target < kFirstOtherFd; ++target) {
    if (null != target && ::syscall(SYS_dup3, null, target, 0) < 0) {
      return fail(shared, StartStep::kStdio);
    }
  }
  if (null > kInheritedSocket) ::syscall(SYS_close, null);
  return true;
}

GIBBOUS_IN_CHILD bool worth_trying_next(int error) {
  return error == ENOENT || error == ENOTDIR || error == EACCES || error == ESTALE ||
         error == ENODEV || error == ETIMEDOUT;
}

// Returns only on failure, with the error that execvp reports: EACCES if any file existed, else the
// last error.
GIBBOUS_IN_CHILD bool execute(Shared& shared) {
  const LaunchPlan& plan = *shared.plan;
  if (shared.executable >= 0) {
    ::syscall(SYS_execveat, shared.executable, "", plan.argv, plan.environment, AT_EMPTY_PATH);
    return fail(shared, StartStep::kExec);
  }
  bool denied = false;
  errno = ENOENT;
  const char* const* candidate = plan.candidates.data();
  for (std::size_t i = 0; i < plan.candidates.size(); ++i, ++candidate) {
    ::syscall(SYS_execve, *candidate, plan.argv, plan.environment);
    if (errno == EACCES) denied = true;
    if (!worth_trying_next(errno)) return fail(shared, StartStep::kExec);
  }
  if (denied) errno = EACCES;
  return fail(shared, StartStep::kExec);
}

GIBBOUS_IN_CHILD bool in_sandbox(Shared& shared, bool entered) {
  if (entered) return true;
  shared.step = StartStep::kSandbox;
  shared.error = shared.sandbox.error == 0 ? EPERM : shared.sandbox.error;
  return false;
}

GIBBOUS_IN_CHILD bool become(Shared& shared) {
  const LaunchPlan& plan = *shared.plan;
  // The mark is one of the limits and comes first: from here on the child can be found.
  if (!set_limits(shared) || !enter_groups(shared)) return false;
  if (::syscall(SYS_setsid) < 0) return fail(shared, StartStep::kSession);
  if (plan.sandbox != nullptr &&
      !in_sandbox(shared, plan.sandbox->enter_namespaces(&shared.sandbox))) {
    return false;
  }
  if (plan.directory != nullptr && ::syscall(SYS_chdir, plan.directory) != 0) {
    return fail(shared, StartStep::kChdir);
  }
  // Before the child closes this descriptor with all others.
  if (plan.sandbox != nullptr &&
      !in_sandbox(shared, plan.sandbox->restrict_self(&shared.sandbox))) {
    return false;
  }
  if (shared.detached) {
    reset_dispositions();
    if (!set_detached_stdio(shared)) return false;
  } else {
    ::syscall(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    if (!set_stdio(shared)) return false;
  }
  // This puts the session's leader into the terminal's foreground.
  if (plan.terminal && ::syscall(SYS_ioctl, STDIN_FILENO, TIOCSCTTY, 0) < 0) {
    return fail(shared, StartStep::kTerminal);
  }
  const std::uint64_t empty = 0;
  ::syscall(SYS_rt_sigprocmask, SIG_SETMASK, &empty, nullptr, kKernelSignalSetBytes);
  return execute(shared);
}

GIBBOUS_IN_CHILD int child_main(void* argument) {
  Shared& shared = *static_cast<Shared*>(argument);
  timespec now{};
  ::syscall(SYS_clock_gettime, CLOCK_BOOTTIME, &now);
  constexpr std::uint64_t kNanosPerSecond = 1'000'000'000;
  shared.born = static_cast<std::uint64_t>(now.tv_sec) * kNanosPerSecond +
                static_cast<std::uint64_t>(now.tv_nsec);
  become(shared);
  ::syscall(SYS_exit_group, kExitUnexecuted);
  __builtin_unreachable();
}

// Shares the caller's descriptors, so that the pidfd it gets for the grandchild is one of the
// caller's.
GIBBOUS_IN_CHILD int intermediate_main(void* argument) {
  Shared& shared = *static_cast<Shared*>(argument);
  shared.inner_pid =
      ::clone(child_main, shared.inner_stack_top, CLONE_VM | CLONE_VFORK | CLONE_PIDFD | SIGCHLD,
              &shared, &shared.inner_pidfd);
  if (shared.inner_pid < 0) {
    fail(shared, StartStep::kFork);
  } else if (shared.error != 0) {
    ::syscall(SYS_wait4, shared.inner_pid, nullptr, 0, nullptr);
  }
  ::syscall(SYS_exit_group, 0);
  __builtin_unreachable();
}

// The start time is the kernel's clock at some moment between `before` and the child's first
// reading: when both are in the same tick, it is known without reading /proc.
std::uint64_t start_time_between(std::uint64_t before, std::uint64_t born, pid_t pid) {
  const std::uint64_t ticks = boot_ticks(before);
  if (ticks == boot_ticks(born)) return ticks;
  const auto stat = read_stat(pid);
  return stat ? stat->start_time : ticks;
}

class AllSignalsBlocked {
 public:
  AllSignalsBlocked() {
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~AllSignalsBlocked() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  AllSignalsBlocked(const AllSignalsBlocked&) = delete;
  AllSignalsBlocked& operator=(const AllSignalsBlocked&) = delete;

 private:
  sigset_t before_;
};

}  // namespace

std::uint64_t boot_nanoseconds() {
  constexpr std::uint64_t kNanosPerSecond = 1'000'000'000;
  timespec now{};
  ::clock_gettime(CLOCK_BOOTTIME, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * kNanosPerSecond +
         static_cast<std::uint64_t>(now.tv_nsec);
}

#if defined(__x86_64__)
// clone(2) into a control group, which costs less than to move there. The C library has no function
// for it that gives the child a stack of its own.
static pid_t clone_into(int group, std::uint64_t flags, void* stack, Shared* shared, int* pidfd) {
  clone_args arguments{};
  arguments.flags = flags | CLONE_INTO_CGROUP;
  arguments.pidfd = reinterpret_cast<std::uint64_t>(pidfd);
  arguments.exit_signal = SIGCHLD;
  arguments.stack = reinterpret_cast<std::uint64_t>(stack);
  arguments.stack_size = kStackBytes;
  arguments.cgroup = static_cast<std::uint64_t>(group);
  register auto run __asm__("r8") = child_main;
  register void* argument __asm__("r9") = shared;
  long result = 0;
  __asm__ volatile(
      "syscall\n\t"
      "test %%rax, %%rax\n\t"
      "jnz 1f\n\t"
      "xor %%ebp, %%ebp\n\t"
      "mov %%r9, %%rdi\n\t"
      "call *%%r8\n\t"
      "ud2\n"
      "1:"
      : "=a"(result)
      : "a"(SYS_clone3), "D"(&arguments), "S"(sizeof arguments), "r"(run), "r"(argument)
      : "rcx", "r11", "memory", "cc");
  if (result >= 0) return static_cast<pid_t>(result);
  errno = static_cast<int>(-result);
  return -1;
}
#else
static pid_t clone_into(int, std::uint64_t, void*, Shared*, int*) {
  errno = ENOSYS;
  return -1;
}
#endif

// Tries it once, with a child that does nothing.
bool Launcher::is_born_well(int group) {
  if (births_work_) return *births_work_;
  births_work_ = false;
#if defined(__x86_64__)
  clone_args arguments{};
  arguments.flags = CLONE_INTO_CGROUP;
  arguments.cgroup = static_cast<std::uint64_t>(group);
  const long pid = ::syscall(SYS_clone3, &arguments, sizeof arguments);
  if (pid == 0) {
    ::syscall(SYS_exit_group, 0);
    __builtin_unreachable();
  }
  int status = -1;
  while (pid > 0 && ::waitpid(static_cast<pid_t>(pid), &status, __WCLONE) < 0 && errno == EINTR) {
  }
  births_work_ = pid > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
#else
  (void)group;
#endif
  return *births_work_;
}

Launcher::Launcher() : stack_(new_stack()) {}

Launcher::~Launcher() {
  free_stack(stack_);
}

std::optional<LaunchError> Launcher::launch(const LaunchPlan& plan, Launched& launched) {
  if (stack_ == MAP_FAILED) return LaunchError{StartStep::kFork, ENOMEM, {}};
  Shared shared{};
  shared.plan = &plan;
  shared.executable = -1;
  int pidfd = -1;
  const std::uint64_t before = boot_nanoseconds();
  const int shares = plan.apart ? 0 : CLONE_VM | CLONE_VFORK;
  const int flags = shares | CLONE_PIDFD;
  pid_t pid = -1;
  bool scarce = false;
  if (plan.birthplace >= 0 && is_born_well(plan.birthplace)) {
    pid = clone_into(plan.birthplace, static_cast<std::uint64_t>(flags), stack_, &shared, &pidfd);
    scarce = pid < 0 && (errno == EAGAIN || errno == ENOMEM);
  }
  shared.moves = plan.birthplace >= 0 && pid < 0;
  if (pid < 0 && !scarce) {
    pid = ::clone(child_main, top_of(stack_), flags | SIGCHLD, &shared, &pidfd);
  }
  if (pid < 0) return LaunchError{StartStep::kFork, errno, {}};
  UniqueFd held(pidfd);
  if (shared.error != 0) {
    while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
    }
    return LaunchError{shared.step, shared.error, shared.sandbox};
  }
  launched.pid = pid;
  launched.pidfd = std::move(held);
  // A child of its own cannot report when it was born.
  const std::uint64_t born = plan.apart ? 0 : shared.born;
  launched.start_time = start_time_between(before, born, pid);
  return std::nullopt;
}

pid_t launch_own_program(const std::vector<std::string>& arguments, std::array<int, 3> stdio) {
  const char* const program = "/proc/self/exe";
  std::vector<char*> argv{::program_invocation_name};
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  LaunchPlan plan;
  plan.candidates = std::span(&program, 1);
  plan.argv = argv.data();
  plan.environment = environ;
  plan.directory = "/";
  plan.stdio = stdio;
  Launched launched;
  return Launcher().launch(plan, launched) ? 0 : launched.pid;
}

std::optional<LaunchError> launch_detached(const Executable& file, char* const* argv, int socket,
                                           Launched& launched) {
  const ChildStack outer;
  const ChildStack inner;
  if (!outer.ok() || !inner.ok()) return LaunchError{StartStep::kFork, ENOMEM, {}};
  LaunchPlan plan;
  plan.candidates = std::span(&file.path, 1);
  plan.argv = argv;
  plan.environment = environ;
  plan.directory = "/";
  Shared shared{};
  shared.plan = &plan;
  shared.detached = true;
  shared.socket = socket;
  shared.executable = file.descriptor;
  shared.inner_stack_top = inner.top();
  shared.inner_pidfd = -1;
  const AllSignalsBlocked blocked;
  const std::uint64_t before = boot_nanoseconds();
  // No exit signal: the host's handlers and its wait(2) never see the intermediate process.
  const pid_t pid =
      ::clone(intermediate_main, outer.top(), CLONE_VM | CLONE_VFORK | CLONE_FILES, &shared);
  if (pid < 0) return LaunchError{StartStep::kFork, errno, {}};
  while (::waitpid(pid, nullptr, __WCLONE) < 0 && errno == EINTR) {
  }
  UniqueFd held(shared.inner_pidfd);
  if (shared.error != 0) return LaunchError{shared.step, shared.error, {}};
  launched.pid = shared.inner_pid;
  launched.pidfd = std::move(held);
  launched.start_time = start_time_between(before, shared.born, shared.inner_pid);
  return std::nullopt;
}

ExecCandidates::ExecCandidates(const char* name, std::span<const char* const> environment) {
  constexpr std::string_view kVariable = "PATH=";
  constexpr std::string_view kDefaultPath = "/bin:/usr/bin";
  if (std::strchr(name, '/') != nullptr || *name == '\0') {
    text_ = name;
    pointers_.push_back(text_.c_str());
    return;
  }
  std::string_view path = kDefaultPath;
  for (const char* const variable : environment) {
    const std::string_view entry(variable);
    if (entry.starts_with(kVariable)) {
      path = entry.substr(kVariable.size());
      break;
    }
  }
  std::vector<std::size_t> starts;
  for (bool more = true; more;) {
    const std::size_t colon = path.find(':');
    starts.push_back(text_.size());
    const std::string_view directory = path.substr(0, colon);
    if (!directory.empty()) text_.append(directory) += '/';
    text_.append(name) += '\0';
    more = colon != std::string_view::npos;
    if (more) path.remove_prefix(colon + 1);
  }
  for (const std::size_t start : starts) pointers_.push_back(text_.data() + start);
}

}  // namespace gibbous
