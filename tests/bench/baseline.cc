// posix_spawn, pidfd_open, epoll, read.
#include "tests/bench/baseline.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>

#include "tests/bench/harness.h"
#include "tests/support/patient_fork.h"

extern char** environ;

namespace gibbous::bench {
namespace {

constexpr std::size_t kReadBytes = std::size_t{64} << 10;

std::vector<char*> pointers(const std::vector<std::string>& argv) {
  std::vector<char*> words;
  for (const std::string& word : argv) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  return words;
}

struct Child {
  pid_t pid = 0;
  int pidfd = -1;
  int out = -1;
  int err = -1;
  int open = 0;
};

[[noreturn]] void die(const char* what) {
  std::perror(what);
  std::exit(1);
}

Child spawn(const std::vector<char*>& words, bool with_err, int in = -1) {
  int out[2];
  int err[2] = {-1, -1};
  if (::pipe2(out, O_CLOEXEC) != 0) die("pipe2");
  if (with_err && ::pipe2(err, O_CLOEXEC) != 0) die("pipe2");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, out[1], 1);
  if (with_err) posix_spawn_file_actions_adddup2(&actions, err[1], 2);
  if (in >= 0) posix_spawn_file_actions_adddup2(&actions, in, 0);
  Child child;
  const int error = testing::patiently([&] {
    return ::posix_spawnp(&child.pid, words[0], &actions, nullptr, words.data(), environ);
  });
  if (error != 0) die("posix_spawn");
  posix_spawn_file_actions_destroy(&actions);
  ::close(out[1]);
  if (with_err) ::close(err[1]);
  child.out = out[0];
  child.err = err[0];
  return child;
}

}  // namespace

double c_starts(const std::vector<std::string>& argv, int count, int in_flight) {
  std::vector<char*> words = pointers(argv);
  std::vector<Child> children(static_cast<std::size_t>(in_flight));
  const int epoll = ::epoll_create1(EPOLL_CLOEXEC);
  int started = 0;
  int ended = 0;
  const auto watch = [&](int fd, std::size_t slot, int kind) {
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.u64 = slot * 4 + static_cast<std::uint64_t>(kind);
    ::epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event);
  };
  const auto start = [&](std::size_t slot) {
    Child& child = children[slot] = spawn(words, true);
    child.pidfd = static_cast<int>(::syscall(SYS_pidfd_open, child.pid, 0));
    child.open = 3;
    ::fcntl(child.out, F_SETFL, O_NONBLOCK);
    ::fcntl(child.err, F_SETFL, O_NONBLOCK);
    watch(child.out, slot, 0);
    watch(child.err, slot, 1);
    watch(child.pidfd, slot, 2);
    ++started;
  };
  const auto begin = std::chrono::steady_clock::now();
  for (std::size_t slot = 0; slot < children.size() && started < count; ++slot) start(slot);
  std::vector<char> buffer(kReadBytes);
  while (ended < count) {
    epoll_event events[64];
    const int ready = ::epoll_wait(epoll, events, 64, -1);
    for (int i = 0; i < ready; ++i) {
      const std::size_t slot = events[i].data.u64 / 4;
      const auto kind = events[i].data.u64 % 4;
      Child& child = children[slot];
      const int fd = kind == 0 ? child.out : kind == 1 ? child.err : child.pidfd;
      if (kind < 2) {
        if (::read(fd, buffer.data(), buffer.size()) != 0) continue;
      } else {
        ::waitpid(child.pid, nullptr, 0);
      }
      ::close(fd);
      if (--child.open > 0) continue;
      ++ended;
      if (started < count) start(slot);
    }
  }
  ::close(epoll);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

int c_start_piped(const std::vector<std::string>& argv, pid_t* pid) {
  std::vector<char*> words = pointers(argv);
  const Child child = spawn(words, false);
  *pid = child.pid;
  return child.out;
}

namespace {

void start_and_collect(const std::vector<char*>& words) {
  const Child child = spawn(words, true);
  char byte = 0;
  while (::read(child.out, &byte, 1) > 0) continue;
  while (::read(child.err, &byte, 1) > 0) continue;
  ::waitpid(child.pid, nullptr, 0);
  ::close(child.out);
  ::close(child.err);
}

// Starts and collects one child for each message, and answers when that is done.
[[noreturn]] void serve_starts(int socket, const std::vector<char*>& words) {
  char message[256];
  while (::recv(socket, message, sizeof message, 0) > 0) {
    start_and_collect(words);
    if (::send(socket, message, 1, MSG_NOSIGNAL) < 0) break;
  }
  ::_exit(0);
}

double micros_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin)
      .count();
}

}  // namespace

std::vector<double> c_start_cost(const std::vector<std::string>& argv, int count, StartedBy by) {
  const std::vector<char*> words = pointers(argv);
  std::vector<double> micros;
  if (by == StartedBy::kItself) {
    for (int i = 0; i < count; ++i) {
      const auto begin = std::chrono::steady_clock::now();
      const Child child = spawn(words, true);
      micros.push_back(micros_since(begin));
      char byte = 0;
      while (::read(child.out, &byte, 1) > 0) continue;
      ::waitpid(child.pid, nullptr, 0);
      ::close(child.out);
      ::close(child.err);
    }
    return micros;
  }
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) die("socketpair");
  const pid_t server = testing::patient_fork();
  if (server < 0) die("fork");
  if (server == 0) {
    ::close(ends[0]);
    serve_starts(ends[1], words);
  }
  ::close(ends[1]);
  const char message[200] = {};
  char answer = 0;
  for (int i = 0; i < count; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    if (::send(ends[0], message, sizeof message, MSG_NOSIGNAL) < 0) die("send");
    micros.push_back(micros_since(begin));
    if (::recv(ends[0], &answer, 1, 0) < 0) die("recv");
  }
  ::close(ends[0]);
  ::waitpid(server, nullptr, 0);
  return micros;
}

Many c_many(const std::vector<std::string>& argv, int count) {
  const std::vector<char*> words = pointers(argv);
  Many many;
  std::vector<Child> children;
  children.reserve(static_cast<std::size_t>(count));
  const int epoll = ::epoll_create1(EPOLL_CLOEXEC);
  many.start_ms = timed([&] {
    for (int i = 0; i < count; ++i) {
      children.push_back(spawn(words, true));
      Child& child = children.back();
      child.pidfd = static_cast<int>(::syscall(SYS_pidfd_open, child.pid, 0));
      for (const int fd : {child.out, child.err, child.pidfd}) {
        epoll_event event{};
        event.events = EPOLLIN;
        event.data.fd = fd;
        ::epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event);
      }
    }
  });
  many.kill_ms = timed([&] {
    for (const Child& child : children) ::kill(child.pid, SIGKILL);
    for (const Child& child : children) ::waitpid(child.pid, nullptr, 0);
  });
  for (const Child& child : children) {
    for (const int fd : {child.out, child.err, child.pidfd}) ::close(fd);
  }
  ::close(epoll);
  return many;
}

std::size_t c_read_all(int fd) {
  std::vector<char> buffer(kReadBytes);
  std::size_t total = 0;
  for (;;) {
    const ssize_t count = ::read(fd, buffer.data(), buffer.size());
    if (count <= 0) return total;
    total += static_cast<std::size_t>(count);
  }
}

std::vector<double> c_line_latency(const std::vector<std::string>& argv, int count) {
  std::vector<char*> words = pointers(argv);
  int poke[2];
  if (::pipe2(poke, O_CLOEXEC) != 0) die("pipe2");
  const Child child = spawn(words, false, poke[0]);
  ::fcntl(child.out, F_SETFL, O_NONBLOCK);
  const int epoll = ::epoll_create1(EPOLL_CLOEXEC);
  epoll_event event{};
  event.events = EPOLLIN;
  ::epoll_ctl(epoll, EPOLL_CTL_ADD, child.out, &event);
  std::vector<double> micros;
  char line[64];
  for (int i = 0; i < count; ++i) {
    const timespec pause{0, 1'000'000};  // so that the child sleeps in read again
    ::nanosleep(&pause, nullptr);
    if (::write(poke[1], "x", 1) != 1) die("write");
    ::epoll_wait(epoll, &event, 1, -1);
    const ssize_t length = ::read(child.out, line, sizeof line - 1);
    timespec now{};
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    if (length <= 0) break;
    line[length] = '\0';
    const double written = std::strtod(line, nullptr);
    micros.push_back(static_cast<double>(now.tv_sec) * 1e6 +
                     static_cast<double>(now.tv_nsec) / 1e3 - written);
  }
  ::close(poke[1]);
  ::close(poke[0]);
  ::close(child.out);
  ::close(epoll);
  ::waitpid(child.pid, nullptr, 0);
  return micros;
}

}  // namespace gibbous::bench
