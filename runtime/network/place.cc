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

Status failed(const char* what, int error) {
  return Status::error("sandbox_unavailable", std::string(what) + ": " + std::strerror(error));
}

// Where a child has these, and nothing else of the caller's.
enum Kept : int { kSaid, kGoOn, kUser, kFirstOther };

// Has `work` done in a child, and returns the namespace `name` in which that then is. The child is
// dumpable, which the keeper is not: only so can it say who it is in a user namespace, and the
// caller open what it has made.
template <typename Work>
Result<UniqueFd> made_in_child(const char* name, int user, Work work) {
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
    if (::getppid() != parent) ::_exit(0);
    // Above all of them first: one may be where another is to be.
    const std::array<int, 3> all{said_out.get(), go_on_in.get(), user};
    std::array<int, 3> moved{-1, -1, -1};
    for (std::size_t i = 0; i < all.size(); ++i) moved[i] = ::fcntl(all[i], F_DUPFD, kFirstOther);
    for (std::size_t i = 0; i < all.size(); ++i) ::dup2(moved[i], static_cast<int>(i));
    ::syscall(SYS_close_range, kFirstOther, ~0U, 0);
    ::prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
    int error = work() ? 0 : errno;
    (void)!::write(kSaid, &error, sizeof error);
    (void)!::read(kGoOn, &error, 1);
    ::_exit(0);
  }
  said_out.reset();
  int error = EPIPE;
  (void)!::read(said_in.get(), &error, sizeof error);
  UniqueFd made;
  if (error == 0) {
    const std::string path = "/proc/" + std::to_string(child) + "/ns/" + name;
    made.reset(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!made) error = errno;
  }
  go_on_out.reset();
  while (::waitpid(child, nullptr, __WCLONE) < 0 && errno == EINTR) {
  }
  if (error != 0) return failed("namespace", error);
  return made;
}

}  // namespace

Result<UniqueFd> make_user_namespace() {
  return made_in_child("user", -1, [user = ::geteuid(), group = ::getegid()] {
    return ::unshare(CLONE_NEWUSER) == 0 && keep_identity(user, group);
  });
}

Result<Place> make_place(int user) {
  auto network = made_in_child("net", user, [user] {
    return (user < 0 || ::setns(kUser, CLONE_NEWUSER) == 0) && ::unshare(CLONE_NEWNET) == 0 &&
           bring_loopback_up();
  });
  if (!network) {
    return Status::error("sandbox_unavailable",
                         "a network of its own: " + network.status().message());
  }
  Place place;
  place.network = std::move(*network);
  if (user >= 0) place.user.reset(::fcntl(user, F_DUPFD_CLOEXEC, 0));
  return place;
}

bool enter(const Place& place) {
  return (!place.user || ::setns(place.user.get(), CLONE_NEWUSER) == 0) &&
         ::setns(place.network.get(), CLONE_NEWNET) == 0;
}

}  // namespace gibbous::network
