// Tries in children what a start would do: the sandbox's own code enters sandboxes that are cut
// down to one kind of namespace. Capabilities, security modules and container runtimes all have a
// say, so only a real try shows the result.
#include <sched.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/seccomp.h>

#include <cerrno>

#include "runtime/sandbox/entry.h"
#include "runtime/sandbox/landlock.h"
#include "runtime/sandbox/sandbox.h"

namespace gibbous {
namespace {

// Asks without installing anything.
bool seccomp_filters_work() {
  const std::uint32_t action = SECCOMP_RET_ERRNO;
  return ::syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
}

// Copies this process without an exit signal and fork handlers; the copy makes only system calls.
bool try_in_child(const PreparedSandbox& sandbox, bool restricts) {
  SandboxFailure failure;
  const long pid = ::syscall(SYS_clone, 0, nullptr, nullptr, nullptr, 0);
  if (pid < 0) return false;
  if (pid == 0) {
    const bool entered =
        sandbox.enter_namespaces(&failure) && (!restricts || sandbox.restrict_self(&failure));
    ::syscall(SYS_exit_group, entered ? 0 : 1);
    __builtin_unreachable();
  }
  int status = 0;
  while (::waitpid(static_cast<pid_t>(pid), &status, __WCLONE) < 0) {
    if (errno != EINTR) return false;
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
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

// A /dev/ptmx that is itself mounted from an instance makes its terminals there.
bool makes_terminals_at_pts() {
  struct stat link {};
  if (::lstat("/dev/ptmx", &link) != 0) return false;
  if (S_ISLNK(link.st_mode)) return true;  // to pts/ptmx, wherever it leads
  struct stat instance {};
  return ::stat("/dev/pts", &instance) == 0 && instance.st_dev != link.st_dev;
}

}  // namespace

bool can_enter_namespaces(const PreparedSandbox& sandbox) {
  return try_in_child(sandbox, false);
}

bool can_confine() {
  return landlock_abi() > 0 && seccomp_filters_work();
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
