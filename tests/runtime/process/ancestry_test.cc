// Whether a process belongs to a run: a child that calls itself as a keeper does stands for one.
#include "runtime/process/ancestry.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <functional>

#include "runtime/base/unique_fd.h"
#include "tests/support/catch.h"

namespace gibbous {
namespace {

// A process that does its work and then waits, alone or below a keeper.
class Process {
 public:
  Process(bool of_run, const std::function<void()>& work) {
    std::array<int, 2> ends{};
    REQUIRE(::pipe(ends.data()) == 0);
    keeper_ = ::fork();
    if (keeper_ == 0) {
      ::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
      if (of_run) ::prctl(PR_SET_NAME, "gibbous-keeper", 0, 0, 0);
      const pid_t child = ::fork();
      if (child == 0) {
        ::prctl(PR_SET_NAME, "child", 0, 0, 0);
        work();
        const pid_t self = ::getpid();
        if (::write(ends[1], &self, sizeof self) != sizeof self) ::_exit(1);
      }
      while (true) ::pause();
    }
    REQUIRE(::read(ends[0], &pid_, sizeof pid_) == sizeof pid_);
    ::close(ends[0]);
    ::close(ends[1]);
  }
  ~Process() {
    ::kill(pid_, SIGKILL);
    ::kill(keeper_, SIGKILL);
    ::waitpid(keeper_, nullptr, 0);
  }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;
  pid_t pid() const { return pid_; }
  pid_t keeper() const { return keeper_; }

 private:
  pid_t keeper_ = 0;
  pid_t pid_ = 0;
};

UniqueFd listener_at(sockaddr* address, socklen_t size) {
  UniqueFd listener(::socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
  REQUIRE(::bind(listener.get(), address, size) == 0);
  REQUIRE(::listen(listener.get(), 8) == 0);
  socklen_t room = sizeof(sockaddr_un);  // no name is longer than what was bound
  REQUIRE(::getsockname(listener.get(), address, &room) == 0);
  return listener;
}

void connect_to(const sockaddr* address, socklen_t size) {
  const int socket = ::socket(address->sa_family, SOCK_STREAM, 0);
  if (::connect(socket, address, size) != 0) ::_exit(1);
}

TEST_CASE("a process below a keeper is one of a run, whatever it does to its limits") {
  const Process of_run(true, [] {
    const rlimit low{1, 1};
    ::setrlimit(RLIMIT_LOCKS, &low);
    ::setrlimit(RLIMIT_RTTIME, &low);
    ::setsid();
  });
  const Process free(false, [] {});
  CHECK(is_of_run(of_run.pid()));
  CHECK_FALSE(is_of_run(free.pid()));
  CHECK_FALSE(is_of_run(::getpid()));
  CHECK_FALSE(is_of_run(::getppid()));
}

TEST_CASE("a process that loses its parent is one of a run still, and one that is gone counts") {
  const Process of_run(true, [] {
    const pid_t middle = ::fork();
    if (middle != 0) {
      ::waitpid(middle, nullptr, 0);
      ::_exit(0);
    }
    if (::fork() != 0) ::_exit(0);
    while (::getppid() != 1 && ::getppid() == ::getpgrp()) ::usleep(1000);
  });
  CHECK(is_of_run(of_run.pid()));
  const pid_t gone = ::fork();
  if (gone == 0) ::_exit(0);
  ::waitpid(gone, nullptr, 0);
  CHECK(is_of_run(gone));
}

TEST_CASE("the peer of a unix socket is known by its process") {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;  // the kernel chooses an abstract name
  const auto at = reinterpret_cast<sockaddr*>(&address);
  const UniqueFd listener = listener_at(at, sizeof(sa_family_t));
  const socklen_t size = sizeof(sa_family_t) + 6;
  for (const bool of_run : {true, false}) {
    const Process process(of_run, [&] { connect_to(at, size); });
    const UniqueFd peer(::accept(listener.get(), nullptr, nullptr));
    CHECK(is_peer_of_run(peer.get()) == of_run);
  }
}

TEST_CASE("the peer of a TCP connection is known by who holds its socket") {
  for (const bool hides : {false, true}) {
    CAPTURE(hides);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const auto at = reinterpret_cast<sockaddr*>(&address);
    const UniqueFd listener = listener_at(at, sizeof address);
    const auto work = [&] {
      connect_to(at, sizeof address);
      if (hides) ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    };
    const Process run(true, work);
    const UniqueFd of_run(::accept(listener.get(), nullptr, nullptr));
    CHECK(is_peer_of_run(of_run.get()));
    const Process user(false, [&] { connect_to(at, sizeof address); });
    const UniqueFd of_user(::accept(listener.get(), nullptr, nullptr));
    CHECK_FALSE(is_peer_of_run(of_user.get()));
    CHECK(is_peer_of_run(of_run.get()));
  }
}

TEST_CASE("a connection to an IPv6 address that stands for an IPv4 one has its peer") {
  sockaddr_in6 address{};
  address.sin6_family = AF_INET6;
  const auto at = reinterpret_cast<sockaddr*>(&address);
  const UniqueFd listener = listener_at(at, sizeof address);
  sockaddr_in v4{};
  v4.sin_family = AF_INET;
  v4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  v4.sin_port = address.sin6_port;
  const Process run(true, [&] { connect_to(reinterpret_cast<sockaddr*>(&v4), sizeof v4); });
  const UniqueFd peer(::accept(listener.get(), nullptr, nullptr));
  CHECK(is_peer_of_run(peer.get()));
}

}  // namespace
}  // namespace gibbous
