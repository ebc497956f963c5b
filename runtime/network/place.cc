#include "runtime/network/place.h"

#include <fcntl.h>
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string>

namespace gibbous::network {
namespace {

bool write_text(const char* path, const std::string& text) {
  const UniqueFd file(::open(path, O_WRONLY | O_CLOEXEC));
  return file && ::write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

bool keep_identity(uid_t user, gid_t group) {
  const auto map = [](unsigned id) { return std::to_string(id) + " " + std::to_string(id) + " 1"; };
  return write_text("/proc/self/setgroups", "deny") &&
         write_text("/proc/self/uid_map", map(user)) &&
         write_text("/proc/self/gid_map", map(group));
}

bool bring_loopback_up() {
  const UniqueFd any(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  ifreq request{};
  std::strcpy(request.ifr_name, "lo");
  request.ifr_flags = IFF_UP;
  return any && ::ioctl(any.get(), SIOCSIFFLAGS, &request) == 0;
}

// In the child: makes the namespaces, says so, and waits until they have been opened.
[[noreturn]] void make(bool own_user, int said, int go_on) {
  const uid_t user = ::geteuid();
  const gid_t group = ::getegid();
  int error = 0;
  if (::unshare((own_user ? CLONE_NEWUSER : 0) | CLONE_NEWNET) != 0 ||
      (own_user && !keep_identity(user, group)) || !bring_loopback_up()) {
    error = errno == 0 ? EPERM : errno;
  }
  (void)!::write(said, &error, sizeof error);
  char byte = 0;
  (void)!::read(go_on, &byte, 1);
  ::_exit(0);
}

Status failed(const char* what, int error) {
  return Status::error("sandbox_unavailable",
                       std::string("a network of its own: ") + what + ": " + std::strerror(error));
}

}  // namespace

Result<Place> make_place(bool own_user) {
  std::array<int, 2> said{};
  std::array<int, 2> go_on{};
  if (::pipe2(said.data(), O_CLOEXEC) != 0) return failed("pipe", errno);
  const UniqueFd said_in(said[0]);
  UniqueFd said_out(said[1]);
  if (::pipe2(go_on.data(), O_CLOEXEC) != 0) return failed("pipe", errno);
  const UniqueFd go_on_in(go_on[0]);
  UniqueFd go_on_out(go_on[1]);
  // Without an exit signal: the caller's handlers and its wait(2) do not see it.
  const pid_t parent = ::getpid();
  const pid_t child = static_cast<pid_t>(::syscall(SYS_clone, 0UL, nullptr, nullptr, nullptr, 0UL));
  if (child < 0) return failed("fork", errno);
  if (child == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    go_on_out.reset();
    if (::getppid() != parent) ::_exit(0);
    make(own_user, said_out.get(), go_on_in.get());
  }
  said_out.reset();
  int error = EPIPE;
  (void)!::read(said_in.get(), &error, sizeof error);
  Place place;
  if (error == 0) {
    const std::string spaces = "/proc/" + std::to_string(child) + "/ns/";
    place.network.reset(::open((spaces + "net").c_str(), O_RDONLY | O_CLOEXEC));
    if (own_user) place.user.reset(::open((spaces + "user").c_str(), O_RDONLY | O_CLOEXEC));
    if (!place.network || (own_user && !place.user)) error = errno;
  }
  go_on_out.reset();
  while (::waitpid(child, nullptr, __WCLONE) < 0 && errno == EINTR) {
  }
  if (error != 0) return failed("namespace", error);
  return place;
}

bool enter(const Place& place) {
  return (!place.user || ::setns(place.user.get(), CLONE_NEWUSER) == 0) &&
         ::setns(place.network.get(), CLONE_NEWNET) == 0;
}

}  // namespace gibbous::network
