// What a tree costs, where it listens and whether it waits for input, with real children. A child
// acts a moment after it says so, so every test looks until the kernel shows it.
#include "runtime/process/usage.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <pty.h>
#include <sched.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <ctime>
#include <functional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "runtime/base/unique_fd.h"
#include "runtime/process/listeners.h"
#include "runtime/process/proc.h"
#include "runtime/process/tree.h"
#include "runtime/process/waiting.h"
#include "tests/support/catch.h"
#include "tests/support/loop.h"
#include "tests/support/patient_fork.h"

namespace gibbous::testing {
namespace {

struct Pipe {
  Pipe() {
    std::array<int, 2> ends{};
    REQUIRE(::pipe2(ends.data(), O_CLOEXEC) == 0);
    in.reset(ends[0]);
    out.reset(ends[1]);
  }
  UniqueFd in;
  UniqueFd out;
};

// A child with a pipe as its stdin; it and all below it are killed at the end.
class Child {
 public:
  // `body` gets a descriptor for reports; when it returns, the child waits to be killed.
  explicit Child(const std::function<void(int report)>& body, int stdin_fd = -1) {
    Pipe reports;
    pid_ = gibbous::testing::patient_fork();
    if (pid_ == 0) {
      ::dup2(stdin_fd >= 0 ? stdin_fd : input_.in.get(), STDIN_FILENO);
      input_.in.reset();
      input_.out.reset();
      body(reports.out.get());
      for (;;) ::pause();
    }
    report_ = std::move(reports.in);
    input_.in.reset();
  }
  ~Child() {
    for (const pid_t pid : tree()) ::kill(pid, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  pid_t pid() const { return pid_; }
  int input() const { return input_.out.get(); }
  std::vector<pid_t> tree() const {
    ProcessTree tree;
    static_cast<void>(tree.own_children());
    return tree.with_descendants({pid_});
  }
  // Returns a number that the child reports; 0 if it ended instead.
  int reported() const {
    int number = 0;
    static_cast<void>(!::read(report_.get(), &number, sizeof number));
    return number;
  }
  TreeUsage usage(bool ports = false) const {
    const std::vector<pid_t> pids = tree();
    struct stat pipe {};
    ::fstat(input_.out.get(), &pipe);
    return read_usage({.pids = pids,
                       .stdin_inode = pipe.st_ino,
                       .stdin_device = pipe.st_dev,
                       .ports = ports,
                       .waiting = true});
  }

 private:
  Pipe input_;
  pid_t pid_ = 0;
  UniqueFd report_;
};

void report(int to, int number) {
  static_cast<void>(!::write(to, &number, sizeof number));
}

bool eventually(const std::function<bool()>& true_at_last) {
  Loop loop;
  return loop.until(true_at_last);
}

// Returns once the child has said that it is about to block and is blocked.
bool is_blocked(const Child& child) {
  return child.reported() != 0 && eventually([&] {
           const auto stat = read_stat(child.pid());
           return stat && stat->state == 'S';
         });
}

std::chrono::microseconds own_cpu() {
  timespec time{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return std::chrono::duration_cast<std::chrono::microseconds>(
      std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec));
}

void burn(std::chrono::microseconds cpu) {
  const auto end = own_cpu() + cpu;
  while (own_cpu() < end) {
  }
}

constexpr std::chrono::milliseconds kSomeCpu{60};
constexpr std::chrono::milliseconds kTick{10};  // the unit of /proc

TEST_CASE("the processes and threads of a tree are counted, and zombies are not") {
  const Child child([](int to) {
    if (gibbous::testing::patient_fork() == 0) ::pause();
    if (gibbous::testing::patient_fork() == 0) ::_exit(0);
    std::thread([] { ::pause(); }).detach();
    report(to, 1);
  });
  REQUIRE(child.reported() == 1);
  CHECK(eventually([&] {
    const TreeUsage usage = child.usage();
    return child.tree().size() == 3 && usage.processes == 2 && usage.threads == 3;
  }));
}

TEST_CASE("a process that has ended costs nothing") {
  const pid_t pid = gibbous::testing::patient_fork();
  if (pid == 0) ::_exit(0);
  ::waitpid(pid, nullptr, 0);
  const TreeUsage usage = read_usage({.pids = {&pid, 1}, .ports = true, .waiting = true});
  CHECK(usage.processes == 0);
  CHECK(usage.rss_bytes == 0);
  CHECK(usage.cpu.count() == 0);
  CHECK(usage.waiting_pid == 0);
}

TEST_CASE("the times of living processes, zombies and reaped children add up") {
  const Child child([](int to) {
    burn(kSomeCpu);
    if (const pid_t waited_for = gibbous::testing::patient_fork(); waited_for == 0) {
      burn(kSomeCpu);
      ::_exit(0);
    } else {
      ::waitpid(waited_for, nullptr, 0);
    }
    if (gibbous::testing::patient_fork() == 0) {
      burn(kSomeCpu);
      ::_exit(0);
    }
    report(to, 1);
  });
  REQUIRE(child.reported() == 1);
  CHECK(eventually([&] { return child.usage().cpu >= kSomeCpu * 3 - kTick * 3; }));
  const auto before = child.usage().cpu;
  CHECK(child.usage().cpu >= before);
}

TEST_CASE("the time of a busy process grows") {
  const Child child([](int) {
    for (;;) {
    }
  });
  const auto before = child.usage().cpu;
  CHECK(eventually([&] { return child.usage().cpu >= before + kTick * 2; }));
}

TEST_CASE("the memory that is in use is counted") {
  constexpr std::size_t kBytes = std::size_t{32} << 20;
  const Child child([](int to) {
    void* memory =
        ::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    report(to, 1);
    char go = 0;
    static_cast<void>(!::read(STDIN_FILENO, &go, 1));
    for (std::size_t at = 0; at < kBytes; at += 4096) static_cast<char*>(memory)[at] = 'm';
    report(to, 2);
  });
  REQUIRE(child.reported() == 1);
  const std::uint64_t before = child.usage().rss_bytes;
  CHECK(before > 0);
  static_cast<void>(!::write(child.input(), "g", 1));
  REQUIRE(child.reported() == 2);
  constexpr std::uint64_t kUnaccounted = std::uint64_t{2} << 20;  // the kernel counts in batches
  CHECK(child.usage().rss_bytes >= before + kBytes - kUnaccounted);
}

// Listens as long as the process lives, and returns the port, or 0 without such an address.
int listen_on(const char* address, UniqueFd* keep = nullptr) {
  sockaddr_storage name{};
  socklen_t size = sizeof(sockaddr_in);
  auto* v4 = reinterpret_cast<sockaddr_in*>(&name);
  auto* v6 = reinterpret_cast<sockaddr_in6*>(&name);
  if (::inet_pton(AF_INET, address, &v4->sin_addr) == 1) {
    name.ss_family = AF_INET;
  } else {
    ::inet_pton(AF_INET6, address, &v6->sin6_addr);
    name.ss_family = AF_INET6;
    size = sizeof(sockaddr_in6);
  }
  const int fd = ::socket(name.ss_family, SOCK_STREAM, 0);
  auto* generic = reinterpret_cast<sockaddr*>(&name);
  if (fd < 0 || ::bind(fd, generic, size) != 0 || ::listen(fd, 1) != 0) return 0;
  ::getsockname(fd, generic, &size);
  if (keep != nullptr) keep->reset(fd);
  return ntohs(name.ss_family == AF_INET ? v4->sin_port : v6->sin6_port);
}

TEST_CASE("the port that a grandchild listens on is found with its pid and address") {
  const std::string address = GENERATE("127.0.0.1", "0.0.0.0", "::1", "::", "::ffff:127.0.0.1");
  const Child child([&](int to) {
    if (gibbous::testing::patient_fork() != 0) return;
    const int port = listen_on(address.c_str());
    report(to, port == 0 ? -1 : port);
    report(to, ::getpid());
    ::pause();
  });
  const int port = child.reported();
  const int pid = child.reported();
  if (port == -1) {
    WARN("NOT TESTED: this machine has no address " + address);
    return;
  }
  const TreeUsage usage = child.usage(/*ports=*/true);
  REQUIRE(usage.ports.size() == 1);
  CHECK(usage.ports[0].port == port);
  CHECK(usage.ports[0].pid == pid);
  CHECK(usage.ports[0].address == address);
  CHECK(usage.ports[0].loopback_only == (address != "0.0.0.0" && address != "::"));
  CHECK(child.usage(/*ports=*/false).ports.empty());
}

TEST_CASE("the kernel's two lists of listeners agree") {
  std::array<UniqueFd, 3> sockets;
  listen_on("127.0.0.1", &sockets[0]);
  listen_on("0.0.0.0", &sockets[1]);
  listen_on("::1", &sockets[2]);
  ListeningSockets asked;
  ListeningSockets read;
  append_listeners_of(::getpid(), read);
  if (!append_own_listeners(asked)) {
    WARN("NOT TESTED: this kernel does not answer NETLINK_SOCK_DIAG");
    return;
  }
  for (const UniqueFd& socket : sockets) {
    struct stat file {};
    if (!socket || ::fstat(socket.get(), &file) != 0) continue;
    REQUIRE(asked.contains(file.st_ino));
    REQUIRE(read.contains(file.st_ino));
    CHECK(asked[file.st_ino] == read[file.st_ino]);
  }
}

TEST_CASE("a socket that workers share is reported once, with the process that created it") {
  const Child child([](int to) {
    const int port = listen_on("127.0.0.1");
    for (int i = 0; i < 2; ++i) {
      if (gibbous::testing::patient_fork() == 0) ::pause();
    }
    report(to, port);
  });
  const int port = child.reported();
  const TreeUsage usage = child.usage(/*ports=*/true);
  REQUIRE(usage.ports.size() == 1);
  CHECK(usage.ports[0].port == port);
  CHECK(usage.ports[0].pid == child.pid());
}

TEST_CASE("ports are sorted and bounded, and another process's ports are none") {
  constexpr int kTooMany = kMaxUsagePorts + 10;
  const Child child([](int to) {
    for (int i = 0; i < kTooMany; ++i) listen_on("127.0.0.1");
    report(to, 1);
  });
  REQUIRE(child.reported() == 1);
  UniqueFd my_socket;  // made after the fork: the child has none of it
  const int mine = listen_on("127.0.0.1", &my_socket);
  const std::vector<ListeningPort> ports = child.usage(/*ports=*/true).ports;
  CHECK(ports.size() == kMaxUsagePorts);
  CHECK(std::is_sorted(ports.begin(), ports.end(),
                       [](const auto& a, const auto& b) { return a.port < b.port; }));
  for (const ListeningPort& port : ports) CHECK((port.pid == child.pid() && port.port != mine));
}

TEST_CASE("a port in another network namespace is found") {
  const Child child([](int to) {
    const int spaces = CLONE_NEWNET | (::geteuid() == 0 ? 0 : CLONE_NEWUSER);
    report(to, ::unshare(spaces) == 0 ? listen_on("0.0.0.0") : -1);
  });
  const int port = child.reported();
  if (port == -1) {
    WARN("NOT TESTED: no network namespace can be made here");
    return;
  }
  const TreeUsage usage = child.usage(/*ports=*/true);
  REQUIRE(usage.ports.size() == 1);
  CHECK(usage.ports[0].port == port);
  CHECK(usage.ports[0].pid == child.pid());
}

void wait_by_poll(std::vector<pollfd> polled) {
  static_cast<void>(::poll(polled.data(), polled.size(), -1));
}

void wait_by_epoll(const std::vector<int>& fds) {
  const int epoll = ::epoll_create1(0);
  for (const int fd : fds) {
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.fd = fd;
    ::epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event);
  }
  epoll_event got{};
  static_cast<void>(::epoll_wait(epoll, &got, 1, -1));
}

void wait_by_select(const std::vector<int>& fds, bool with_mask) {
  fd_set set;
  FD_ZERO(&set);
  for (const int fd : fds) FD_SET(fd, &set);
  const int count = *std::max_element(fds.begin(), fds.end()) + 1;
  sigset_t mask;
  sigemptyset(&mask);
  if (with_mask) {
    static_cast<void>(::pselect(count, &set, nullptr, nullptr, nullptr, &mask));
  } else {
    static_cast<void>(::select(count, &set, nullptr, nullptr, nullptr));
  }
}

char g_byte = 0;

TEST_CASE("a process that waits only for its stdin is found, with any system call") {
  constexpr int kOther = 20;
  std::function<void()> wait;
  int fd = STDIN_FILENO;
  SECTION("read") {
    wait = [] { static_cast<void>(!::read(0, &g_byte, 1)); };
  }
  SECTION("read of a duplicate") {
    fd = kOther;
    wait = [] { static_cast<void>(!::read(::dup2(0, kOther), &g_byte, 1)); };
  }
  SECTION("readv") {
    wait = [] {
      const iovec to{&g_byte, 1};
      static_cast<void>(!::readv(0, &to, 1));
    };
  }
  SECTION("poll") {
    wait = [] { wait_by_poll({{0, POLLIN, 0}}); };
  }
  SECTION("poll, with others for writing or left out") {
    wait = [] { wait_by_poll({{-1, POLLIN, 0}, {0, POLLIN, 0}, {0, POLLIN | POLLPRI, 0}}); };
  }
  SECTION("ppoll") {
    wait = [] {
      pollfd polled{0, POLLIN, 0};
      static_cast<void>(::ppoll(&polled, 1, nullptr, nullptr));
    };
  }
  SECTION("select") {
    wait = [] { wait_by_select({0}, false); };
  }
  SECTION("pselect") {
    wait = [] { wait_by_select({0}, true); };
  }
  SECTION("select of a high descriptor") {
    fd = kOther * 10;
    wait = [fd] { wait_by_select({::dup2(0, fd)}, false); };
  }
  SECTION("epoll") {
    wait = [] { wait_by_epoll({0}); };
  }
  SECTION("splice") {
    wait = [] {
      std::array<int, 2> ends{};
      static_cast<void>(::pipe(ends.data()));
      static_cast<void>(::splice(0, nullptr, ends[1], nullptr, 1, 0));
    };
  }
  SECTION("in a second thread") {
    wait = [] { std::thread([] { static_cast<void>(!::read(0, &g_byte, 1)); }).join(); };
  }
  const Child child([&](int) { wait(); });
  REQUIRE(eventually([&] { return child.usage().waiting_pid != 0; }));
  CHECK(child.usage().waiting_pid == child.pid());
  CHECK(child.usage().waiting_fd == fd);
  CHECK_FALSE(child.usage().waiting_stopped);
  static_cast<void>(!::write(child.input(), "x", 1));
  CHECK(eventually([&] { return child.usage().waiting_pid == 0; }));
}

TEST_CASE("a process that waits for something else, with or without its stdin, is not found") {
  std::function<void()> wait;
  SECTION("for a child") {
    wait = [] { static_cast<void>(::pause()); };
  }
  SECTION("for another pipe") {
    wait = [] {
      std::array<int, 2> ends{};
      static_cast<void>(::pipe(ends.data()));
      static_cast<void>(!::read(ends[0], &g_byte, 1));
    };
  }
  SECTION("a server that polls its stdin among others") {
    wait = [] {
      std::array<int, 2> ends{};
      static_cast<void>(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()));
      wait_by_poll({{0, POLLIN, 0}, {ends[0], POLLIN, 0}});
    };
  }
  SECTION("more descriptors than are looked at") {
    wait = [] { wait_by_poll(std::vector<pollfd>(100, {0, POLLIN, 0})); };
  }
  SECTION("select of two") {
    wait = [] {
      std::array<int, 2> ends{};
      static_cast<void>(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()));
      wait_by_select({0, ends[0]}, false);
    };
  }
  SECTION("an event loop") {
    wait = [] {
      std::array<int, 2> ends{};
      static_cast<void>(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()));
      wait_by_epoll({0, ends[0]});
    };
  }
  SECTION("only for its end to hang up") {
    wait = [] { wait_by_poll({{0, 0, 0}}); };
  }
  const Child child([&](int to) {
    report(to, 1);
    wait();
  });
  REQUIRE(is_blocked(child));
  CHECK(child.usage().waiting_pid == 0);
}

TEST_CASE("a descriptor with which a process wakes itself does not count as another wait") {
  std::function<void()> wait;
  SECTION("poll with a pipe of its own") {
    wait = [] {
      std::array<int, 2> ends{};
      static_cast<void>(::pipe(ends.data()));
      wait_by_poll({{0, POLLIN, 0}, {ends[0], POLLIN, 0}});
    };
  }
  SECTION("select with a pipe of its own") {
    wait = [] {
      std::array<int, 2> ends{};
      static_cast<void>(::pipe(ends.data()));
      wait_by_select({0, ends[0]}, false);
    };
  }
  SECTION("an event loop with an eventfd and a pipe") {
    wait = [] {
      std::array<int, 2> ends{};
      static_cast<void>(::pipe(ends.data()));
      wait_by_epoll({::eventfd(0, 0), 0, ends[0]});
    };
  }
  const Child child([&](int) { wait(); });
  REQUIRE(eventually([&] { return child.usage().waiting_pid != 0; }));
  CHECK(child.usage().waiting_fd == STDIN_FILENO);
}

TEST_CASE("a stopped reader, and one with bytes to read, does not wait for input") {
  const Child child([](int) { static_cast<void>(!::read(0, &g_byte, 1)); });
  REQUIRE(eventually([&] { return child.usage().waiting_pid != 0; }));
  ::kill(child.pid(), SIGSTOP);
  CHECK(eventually([&] { return read_stat(child.pid())->state == 'T'; }));
  CHECK(child.usage().waiting_pid == 0);
  static_cast<void>(!::write(child.input(), "x", 1));
  // Even with this reported state, there is something for it to read.
  const LivingProcess still_asleep{child.pid(), 'S', 1};
  struct stat pipe {};
  ::fstat(child.input(), &pipe);
  CHECK(find_input_wait({&still_asleep, 1}, {pipe.st_dev, pipe.st_ino}, WaitSource::kBest).pid ==
        0);
}

TEST_CASE("without the system call the kernel's wait channel reveals a reader of descriptor 0") {
  const bool of_stdin = GENERATE(true, false);
  const Child child([&](int to) {
    std::array<int, 2> ends{0, 0};
    if (!of_stdin) static_cast<void>(::pipe(ends.data()));
    if (!of_stdin) ::dup2(ends[0], STDIN_FILENO);
    report(to, 1);
    static_cast<void>(!::read(0, &g_byte, 1));
  });
  REQUIRE(is_blocked(child));
  const LivingProcess process{child.pid(), 'S', 1};
  struct stat pipe {};
  ::fstat(child.input(), &pipe);
  const auto look = [&] {
    return find_input_wait({&process, 1}, {pipe.st_dev, pipe.st_ino}, WaitSource::kPlace);
  };
  if (of_stdin) {
    CHECK(eventually([&] { return look().pid == child.pid(); }));
  } else {
    CHECK(look().pid == 0);
  }
}

// Runs a program that waits for its stdin; does nothing without such a program.
void check_program(const std::vector<const char*>& argv) {
  INFO(argv.back());
  const Child child([&](int) {
    std::vector<char*> words;
    for (const char* word : argv) words.push_back(const_cast<char*>(word));
    words.push_back(nullptr);
    ::dup2(::open("/dev/null", O_WRONLY), STDOUT_FILENO);
    ::execvp(words[0], words.data());
    ::_exit(127);
  });
  siginfo_t end{};
  REQUIRE(eventually([&] {
    ::waitid(P_PID, static_cast<id_t>(child.pid()), &end, WEXITED | WNOWAIT | WNOHANG);
    return end.si_pid != 0 || child.usage().waiting_pid != 0;
  }));
  if (end.si_pid != 0) {
    WARN("NOT TESTED: there is no " << argv[0]);
    return;
  }
  const TreeUsage usage = child.usage();
  CHECK(usage.waiting_fd == 0);
  CHECK(child.tree().back() == usage.waiting_pid);
}

TEST_CASE("programs that ask for input are found") {
  check_program({"cat"});
  check_program({"sh", "-c", "read x"});
  check_program({"sh", "-c", "cat; true"});
  check_program({"python3", "-c", "input()"});
  check_program({"python3", "-c", "import sys; sys.stdin.readlines()"});
}

TEST_CASE("a process that reads a terminal waits for input") {
  int terminal = -1;
  int keyboard = -1;
  REQUIRE(::openpty(&keyboard, &terminal, nullptr, nullptr, nullptr) == 0);
  const UniqueFd keyboard_end(keyboard);
  const UniqueFd terminal_end(terminal);
  const WaitSource source = GENERATE(WaitSource::kBest, WaitSource::kPlace);
  const Child child([&](int) { static_cast<void>(!::read(0, &g_byte, 1)); }, terminal);
  const LivingProcess process{child.pid(), 'S', 1};
  CHECK(eventually([&] { return find_input_wait({&process, 1}, {}, source).fd == 0; }));
  static_cast<void>(!::write(keyboard, "x\n", 2));
  CHECK(eventually([&] { return find_input_wait({&process, 1}, {}, source).pid == 0; }));
}

TEST_CASE("a process that was stopped for reading the terminal in the background is recognised") {
  int terminal = -1;
  int keyboard = -1;
  REQUIRE(::openpty(&keyboard, &terminal, nullptr, nullptr, nullptr) == 0);
  const UniqueFd keyboard_end(keyboard);
  const UniqueFd terminal_end(terminal);
  const Child child(
      [&](int to) {
        ::setsid();
        ::ioctl(STDIN_FILENO, TIOCSCTTY, 0);
        const pid_t reader = gibbous::testing::patient_fork();
        if (reader == 0) {
          ::setpgid(0, 0);
          static_cast<void>(!::read(0, &g_byte, 1));
        }
        report(to, reader);
      },
      terminal);
  const pid_t reader = child.reported();
  REQUIRE(eventually([&] { return child.usage().waiting_pid != 0; }));
  // For a moment it may not be stopped yet.
  CHECK(eventually([&] { return child.usage().waiting_stopped; }));
  CHECK(child.usage().waiting_pid == reader);
}

}  // namespace
}  // namespace gibbous::testing
