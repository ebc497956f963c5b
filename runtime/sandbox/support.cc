// Tries in children what a start would do: the sandbox's own code enters sandboxes that are cut
// down to one kind of namespace. Capabilities, security modules and container runtimes all have a
// say, so only a real try shows the result.
#include <sched.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/filter.h>
#include <linux/seccomp.h>

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "runtime/base/mounts.h"
#include "runtime/sandbox/entry.h"
#include "runtime/sandbox/landlock.h"
#include "runtime/sandbox/own_network.h"
#include "runtime/sandbox/sandbox.h"

namespace gibbous {
namespace {

// Asks without installing anything.
bool seccomp_filters_work() {
  const std::uint32_t action = SECCOMP_RET_ERRNO;
  return ::syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
}

// Waits for a child without an exit signal.
bool ended_well(pid_t pid) {
  int status = 0;
  while (::waitpid(pid, &status, __WCLONE) < 0) {
    if (errno != EINTR) return false;
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// Copies this process without an exit signal and fork handlers; the copy makes only system calls.
bool try_in_child(const PreparedSandbox& sandbox, bool restricts) {
  SandboxFailure failure;
  const long pid = ::syscall(SYS_clone, 0, nullptr, nullptr, nullptr, 0);
  if (pid < 0) return false;
  if (pid == 0) {
    ::prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);  // to say who it is in a user namespace
    const bool entered =
        sandbox.enter_namespaces(&failure) && (!restricts || sandbox.restrict_self(&failure));
    ::syscall(SYS_exit_group, entered ? 0 : 1);
    __builtin_unreachable();
  }
  return ended_well(static_cast<pid_t>(pid));
}

bool works(const SandboxSupport& base, bool mount, bool network, bool terminals = false) {
  SandboxSupport support = base;
  support.mount_namespaces = mount;
  support.network_namespaces = network;
  support.private_terminals = terminals;
  SandboxSpec spec;
  spec.profile = "probe";
  spec.network = network ? SandboxNetwork::kLoopback : SandboxNetwork::kOn;
  const auto prepared = PreparedSandbox::prepare(spec, support);
  return prepared.ok() && try_in_child(**prepared, true);
}

// In a child, because another listener above, a container or the kernel may forbid it. Yama may
// keep even root from the descriptors of others.
bool can_listen() {
  const std::string yama = read_small_file("/proc/sys/kernel/yama/ptrace_scope");
  if (yama.starts_with("2") || yama.starts_with("3")) return false;
  const long pid = ::syscall(SYS_clone, 0, nullptr, nullptr, nullptr, 0);
  if (pid == 0) {
    sock_filter allow = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    const sock_fprog filter{1, &allow};
    ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    const long listener =
        ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &filter);
    const long self = ::syscall(SYS_pidfd_open, ::syscall(SYS_getpid), 0);
    const bool works = listener >= 0 && ::syscall(SYS_pidfd_getfd, self, listener, 0) >= 0;
    ::syscall(SYS_exit_group, works ? 0 : 1);
    __builtin_unreachable();
  }
  return pid > 0 && ended_well(static_cast<pid_t>(pid));
}

// One entry for each capability that this kernel knows.
std::vector<bool> bounding_set() {
  std::vector<bool> bounding;
  while (true) {
    const int is_in = ::prctl(PR_CAPBSET_READ, static_cast<int>(bounding.size()), 0, 0, 0);
    if (is_in < 0) return bounding;
    bounding.push_back(is_in == 1);
  }
}

// A /dev/ptmx that is itself mounted from an instance makes its terminals there.
bool makes_terminals_at_pts() {
  struct stat link {};
  if (::lstat("/dev/ptmx", &link) != 0) return false;
  if (S_ISLNK(link.st_mode)) return true;  // to pts/ptmx, wherever it leads
  struct stat instance {};
  return ::stat("/dev/pts", &instance) == 0 && instance.st_dev != link.st_dev;
}

}  // namespace

// Elsewhere only a privileged process can drop them; the child of any other can gain none, because
// no_new_privs comes before the program.
std::vector<int> capabilities_to_drop(bool in_user_namespace) {
  std::vector<int> dropped;
  if (!in_user_namespace && ::geteuid() != 0) return dropped;
  // Nothing here changes the bounding set of this process.
  static const std::vector<bool> bounding = bounding_set();
  for (std::size_t capability = 0; capability < bounding.size(); ++capability) {
    const bool kept = (kept_capabilities() >> capability & 1) != 0;
    if ((in_user_namespace || bounding[capability]) && !kept) {
      dropped.push_back(static_cast<int>(capability));
    }
  }
  return dropped;
}

bool can_enter_namespaces(const PreparedSandbox& sandbox) {
  return try_in_child(sandbox, false);
}

bool can_confine() {
  return landlock_abi() > 0 && seccomp_filters_work();
}

bool can_own_network() {
  static const bool can = [] {
    constexpr std::size_t kStackBytes = std::size_t{64} << 10;
    const auto stack = std::make_unique<std::byte[]>(kStackBytes);
    sigset_t all, before;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before);  // the child has the handlers of this process
    const pid_t pid =
        ::clone(try_own_network, stack.get() + kStackBytes, CLONE_VM | CLONE_VFORK, nullptr);
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return pid >= 0 && ended_well(pid);
  }();
  return can;
}

SandboxSupport probe_sandbox_support() {
  SandboxSupport support;
  support.landlock_abi = landlock_abi();
  support.seccomp = seccomp_filters_work();
  // Without user namespaces the program keeps its user. One way must work for all kinds, or for
  // none.
  if (support.landlock_abi == 0 || !support.seccomp || !works(support, false, false)) {
    if (support.landlock_abi != 0 && support.seccomp) support.seccomp = false;
    return support;
  }
  support.listeners = can_listen();
  SandboxSupport user = support;
  user.through_user_namespace = true;
  const bool plain_mount = works(support, true, false);
  const bool plain_network = works(support, false, true);
  const bool user_mount = works(user, true, false);
  const bool user_network = works(user, false, true);
  support.user_namespaces = user_mount || user_network;
  support.through_user_namespace = !(plain_mount && plain_network) &&
                                   (user_mount || user_network) &&
                                   user_mount + user_network >= plain_mount + plain_network;
  support.mount_namespaces = support.through_user_namespace ? user_mount : plain_mount;
  support.network_namespaces = support.through_user_namespace ? user_network : plain_network;
  support.private_terminals =
      support.mount_namespaces && makes_terminals_at_pts() && works(support, true, false, true);
  return support;
}

}  // namespace gibbous
