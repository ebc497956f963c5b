// What happens when one side is gone: the host dies or disconnects, the keeper is killed, cannot be
// started, or is not a keeper at all. The host itself must be unaffected.
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <chrono>
#include <cstdlib>

#include "runtime/keeper/wire.h"
#include "tests/runtime/keeper/harness.h"
#include "tests/support/patient_fork.h"

namespace gibbous::testing {
namespace {

// An agent's worst case: in the group, in a session of its own, and deaf to SIGTERM.
Steps hard_tree(const std::string& tag) {
  return {"tag",       tag,     "double-fork", "{",     "setsid", "ignore",    "SIGTERM", "print",
          "up",        "pause", "}",           "fork",  "{",      "clear-env", "print",   "up",
          "close-all", "pause", "}",           "print", "up",     "pause"};
}
constexpr std::size_t kHardTreeSize = 3;

// Runs `host` in a process of its own, which the caller kills; `host` writes its message to the
// pipe.
class HostProcess {
 public:
  explicit HostProcess(const std::function<void(int ready)>& host) {
    std::array<int, 2> ends{-1, -1};
    REQUIRE(::pipe2(ends.data(), O_CLOEXEC) == 0);
    pid_ = gibbous::testing::patient_fork();
    if (pid_ == 0) {
      host(ends[1]);
      std::_Exit(0);
    }
    ready_.reset(ends[0]);
    ::close(ends[1]);
  }
  ~HostProcess() { kill(); }
  // Returns the message of the host when it is ready; blocks.
  pid_t ready() const {
    pid_t keeper = 0;
    CHECK(::read(ready_.get(), &keeper, sizeof keeper) == sizeof keeper);
    return keeper;
  }
  void kill() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    pid_ = 0;
  }
  pid_t pid() const { return pid_; }

 private:
  pid_t pid_ = 0;
  UniqueFd ready_;
};

void run_hard_tree_and_stay(const std::string& tag, int ready) {
  Harness harness;
  const RunKey run = harness.start_running(Harness::tree(hard_tree(tag)));
  harness.read_lines(run, kHardTreeSize);
  const pid_t keeper = harness.client().keeper_pid();
  if (::write(ready, &keeper, sizeof keeper) != sizeof keeper) std::_Exit(1);
  harness.wait_for([] { return false; });
}

TEST_CASE("nothing that a killed host ran is left") {
  const std::string tag = unique_tag();
  HostProcess host([&tag](int ready) { run_hard_tree_and_stay(tag, ready); });
  const pid_t keeper = host.ready();
  REQUIRE(alive_with(tag).size() == kHardTreeSize);
  host.kill();
  Loop loop;
  CHECK(loop.until([&] { return alive_with(tag).empty() && !is_alive(keeper); }));
}

TEST_CASE("a keeper that was stopped still hears that the host has died") {
  const std::string tag = unique_tag();
  HostProcess host([&tag](int ready) { run_hard_tree_and_stay(tag, ready); });
  const pid_t keeper = host.ready();
  Loop loop;
  // Its warden would continue it at once, and the host does so now and then.
  const auto stat = read_stat(keeper);
  REQUIRE(stat);
  ::kill(stat->parent, SIGKILL);
  REQUIRE(loop.until([&] { return !is_alive(stat->parent); }));
  ::kill(host.pid(), SIGSTOP);
  ::kill(keeper, SIGSTOP);
  REQUIRE(loop.until([&] { return is_stopped(keeper); }));
  host.kill();
  CHECK(loop.until([&] { return alive_with(tag).empty() && !is_alive(keeper); }));
}

TEST_CASE("a warden continues a keeper that is stopped, and ends what a killed one leaves") {
  const std::string tag = unique_tag();
  HostProcess host([&tag](int ready) { run_hard_tree_and_stay(tag, ready); });
  const pid_t keeper = host.ready();
  const auto stat = read_stat(keeper);
  REQUIRE(stat);
  const pid_t warden = stat->parent;
  std::string name;
  std::ifstream("/proc/" + std::to_string(warden) + "/comm") >> name;
  CHECK(name == "run-warden");
  std::string arguments;
  std::getline(std::ifstream("/proc/" + std::to_string(warden) + "/cmdline"), arguments);
  CHECK(arguments.find("gibbous") == std::string::npos);
  Loop loop;
  ::kill(host.pid(), SIGSTOP);
  ::kill(keeper, SIGSTOP);
  CHECK(loop.until([&] { return !is_stopped(keeper); }));
  ::kill(keeper, SIGKILL);
  CHECK(loop.until([&] { return alive_with(tag).empty() && !is_alive(warden); }));
  host.kill();
}

TEST_CASE("a keeper whose warden is killed goes on, and its host ends what it leaves") {
  const std::string tag = unique_tag();
  HostProcess host([&tag](int ready) { run_hard_tree_and_stay(tag, ready); });
  const pid_t keeper = host.ready();
  const auto stat = read_stat(keeper);
  REQUIRE(stat);
  Loop loop;
  ::kill(stat->parent, SIGKILL);
  REQUIRE(loop.until([&] {
    const auto now = read_stat(keeper);
    return now && now->parent != stat->parent;
  }));
  CHECK_FALSE(alive_with(tag).empty());
  ::kill(keeper, SIGKILL);
  CHECK(loop.until([&] { return alive_with(tag).empty(); }));
  host.kill();
}

TEST_CASE("a stopped keeper continues with the next message, and by itself soon after") {
  Harness harness;
  const std::string tag = unique_tag();
  const RunKey run = harness.start_running(Harness::tree({"tag", tag, "print", "up", "pause"}));
  StartRequest reader = Harness::tree({"print", "up", "echo-stdin", "exit", "3"});
  reader.in = StdioKind::kPipe;
  const RunKey exiting = harness.start_running(reader);
  harness.read_lines(run, 1);
  harness.read_lines(exiting, 1);
  const pid_t keeper = harness.client().keeper_pid();
  ::kill(keeper, SIGSTOP);
  harness.client().kill(run, SIGKILL, Millis{0});
  REQUIRE(harness.wait_report(run));
  CHECK(alive_with(tag).empty());
  ::kill(keeper, SIGSTOP);
  harness.run(exiting).in.reset();  // it ends, and no message is sent
  REQUIRE(harness.wait_exit(exiting));
  CHECK(harness.run(exiting).exits.front().code == 3);
}

TEST_CASE("the host's death is seen even though a child of it still holds the socket") {
  const std::string tag = unique_tag();
  HostProcess host([&tag](int ready) {
    Harness harness;
    const RunKey run = harness.start_running(Harness::tree(hard_tree(tag)));
    harness.read_lines(run, kHardTreeSize);
    // Forks without executing anything, as some hosts do: close-on-exec does not help.
    const pid_t holder = gibbous::testing::patient_fork();
    if (holder == 0) {
      for (;;) ::pause();
    }
    if (::write(ready, &holder, sizeof holder) != sizeof holder) std::_Exit(1);
    harness.wait_for([] { return false; });
  });
  const pid_t holder = host.ready();
  host.kill();
  Loop loop;
  CHECK(loop.until([&] { return alive_with(tag).empty(); }));
  CHECK(is_alive(holder));
  ::kill(holder, SIGKILL);
}

TEST_CASE("closing the client ends what runs, and the keeper") {
  const std::string tag = unique_tag();
  Harness harness;
  const RunKey run = harness.start_running(Harness::tree(hard_tree(tag)));
  harness.read_lines(run, kHardTreeSize);
  const pid_t keeper = harness.client().keeper_pid();
  SECTION("at once") {
    harness.close_client();
  }
  SECTION("with the grace of a shutdown") {
    harness.client().shutdown(Millis(50));
    harness.close_client();
  }
  SECTION("after a shutdown that was waited for") {
    harness.client().shutdown(Millis(50));
    CHECK(harness.wait_for([&] { return harness.client().keeper_pid() == 0; }));
    CHECK(harness.lost_reasons().empty());
    CHECK_FALSE(harness.client().start(99, Harness::tree({})).ok());
  }
  CHECK(harness.wait_for([&] { return alive_with(tag).empty() && !is_alive(keeper); }));
}

TEST_CASE("what ends after its host may still write as much as it likes") {
  constexpr Millis kAmple{60'000};
  const TempDir directory;
  const std::string ended = directory.path() + "/ended";
  StartRequest request = Harness::tree({});
  request.argv = {"/bin/sh", "-c",
                  "trap 'head -c 300000 /dev/zero && : > " + ended +
                      "; exit' TERM; echo up; while :; do sleep 0.01; done"};
  Harness harness;
  const RunKey run = harness.start_running(request);
  harness.read_lines(run, 1);
  harness.run(run).out.reset();  // the host's end
  harness.client().shutdown(kAmple);
  harness.close_client();
  CHECK(harness.wait_for([&] { return ::access(ended.c_str(), F_OK) == 0; }));
}

TEST_CASE("SIGTERM to the keeper ends all that it runs, and SIGINT and SIGHUP do not") {
  const std::string tag = unique_tag();
  Harness harness;
  const RunKey run = harness.start_running(Harness::tree(hard_tree(tag)));
  harness.read_lines(run, kHardTreeSize);
  const pid_t keeper = harness.client().keeper_pid();
  ::kill(keeper, SIGINT);
  ::kill(keeper, SIGHUP);
  const RunKey other = harness.start_running(Harness::tree({"exit", "0"}));
  REQUIRE(harness.wait_exit(other));
  ::kill(keeper, SIGTERM);
  REQUIRE(harness.wait_for([&] { return harness.run(run).lost; }));
  CHECK(alive_with(tag).empty());
  CHECK_FALSE(is_alive(keeper));
}

TEST_CASE("when the keeper is killed, its runs are ended and reported as lost") {
  const std::string tag = unique_tag();
  Harness harness;
  const RunKey ended = harness.start_running(Harness::tree({"exit", "0"}));
  REQUIRE(harness.wait_exit(ended));
  const RunKey run = harness.start_running(Harness::tree(hard_tree(tag)));
  harness.read_lines(run, kHardTreeSize);
  const RunKey left = harness.start_running(Harness::tree(
      {"tag", tag, "double-fork", "{", "setsid", "print", "up", "pause", "}", "exit", "0"}));
  harness.read_lines(left, 1);
  REQUIRE(harness.wait_for([&] { return !harness.run(left).left.empty(); }));
  const pid_t keeper = harness.client().keeper_pid();
  ::kill(keeper, SIGKILL);
  REQUIRE(harness.wait_for([&] { return !harness.lost_reasons().empty(); }));
  CHECK(alive_with(tag).empty());
  CHECK(harness.run(run).lost);
  CHECK(harness.run(left).lost);
  CHECK_FALSE(harness.run(ended).lost);
  CHECK(harness.run(run).exits.empty());
  CHECK(harness.client().keeper_pid() == 0);
  CHECK(harness.lost_reasons().front().find("keeper") != std::string::npos);

  // And the next run has a new keeper.
  const RunKey next = harness.start_running(Harness::tree({"print", "again"}));
  CHECK(harness.client().keeper_pid() != keeper);
  CHECK(harness.read_all(next) == "again\n");
  REQUIRE(harness.wait_exit(next));
}

TEST_CASE("a keeper that is killed while starts are in flight loses none of them silently") {
  Harness harness;
  const std::string tag = unique_tag();
  constexpr int kRuns = 50;
  std::vector<RunKey> runs;
  for (int i = 0; i < kRuns; ++i)
    runs.push_back(harness.start(Harness::tree({"tag", tag, "pause"})));
  REQUIRE(harness.wait_for([&] { return harness.run(runs[5]).started; }));
  ::kill(harness.client().keeper_pid(), SIGKILL);
  REQUIRE(harness.wait_for([&] { return !harness.lost_reasons().empty(); }));
  for (const RunKey run : runs) CHECK(harness.run(run).lost);
  CHECK(alive_with(tag).empty());
}

TEST_CASE("a keeper that cannot be executed is an error that names it and the variable") {
  const TempDir directory;
  const std::string path = directory.write("gibbous-keeper", "no program\n");
  ::chmod(path.c_str(), 0700);
  Harness harness(path);
  const Status status = harness.client().start(1, Harness::tree({"exit", "0"}));
  CHECK_FALSE(status.ok());
  CHECK(status.message().find(path) != std::string::npos);
  CHECK(status.message().find("GIBBOUS_KEEPER") != std::string::npos);
  CHECK(harness.client().keeper_pid() == 0);
}

TEST_CASE("a script that stands for a keeper and is none is recognised when it runs") {
  const TempDir directory;
  const std::string path = directory.write("gibbous-keeper", "#!/bin/sh\nexit 0\n");
  ::chmod(path.c_str(), 0700);
  Harness harness(path);
  const RunKey run = harness.start(Harness::tree({"exit", "0"}));
  REQUIRE(harness.wait_for([&] { return harness.run(run).lost; }));
  CHECK(harness.lost_reasons().front().find(path) != std::string::npos);
  CHECK(harness.lost_reasons().front().find("GIBBOUS_KEEPER") != std::string::npos);
}

int chld_count = 0;

TEST_CASE("the host's SIGCHLD and wait are its own") {
  struct sigaction action {};
  struct sigaction before {};
  SECTION("a handler is not called, and wait finds no child") {
    chld_count = 0;
    action.sa_handler = [](int) { ++chld_count; };
  }
  SECTION("ignoring it does no harm") {
    action.sa_handler = SIG_IGN;
  }
  ::sigaction(SIGCHLD, &action, &before);
  {
    Harness harness;
    const RunKey run = harness.start_running(Harness::tree({"exit", "3"}));
    REQUIRE(harness.wait_for([&] {
      // A host that reaps any child.
      CHECK(::waitpid(-1, nullptr, WNOHANG | __WALL) == -1);
      return !harness.run(run).exits.empty();
    }));
    CHECK(harness.run(run).exits.front().code == 3);
    ::kill(harness.client().keeper_pid(), SIGKILL);
    REQUIRE(harness.wait_for([&] { return !harness.lost_reasons().empty(); }));
    CHECK(::waitpid(-1, nullptr, WNOHANG | __WALL) == -1);
    CHECK(chld_count == 0);
  }
  ::sigaction(SIGCHLD, &before, nullptr);
}

TEST_CASE("a host that is a reaper itself keeps no zombie of its keeper") {
  HostProcess host([](int ready) {
    ::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    pid_t zombies = 1;
    {
      Harness harness;
      const RunKey run = harness.start_running(Harness::tree({"pause"}));
      const pid_t keeper = harness.client().keeper_pid();
      ::kill(keeper, SIGKILL);
      harness.wait_for([&] { return harness.run(run).lost; });
      zombies = read_stat(keeper) ? 1 : 2;
    }
    (void)!::write(ready, &zombies, sizeof zombies);
  });
  CHECK(host.ready() == 2);
}

TEST_CASE("when the host has no descriptors left, the start fails and the child does not stay") {
  HostProcess host([](int ready) {
    const std::string tag = unique_tag();
    Harness harness;
    const RunKey first = harness.start_running(Harness::tree({"pause"}));
    harness.wait_for([&] { return harness.run(first).started; });
    std::vector<UniqueFd> hoard;
    rlimit few{64, 64};
    ::setrlimit(RLIMIT_NOFILE, &few);
    for (;;) {
      UniqueFd fd(::open("/dev/null", O_RDONLY));
      if (!fd) break;
      hoard.push_back(std::move(fd));
    }
    hoard.pop_back();  // room for one of the two needed descriptors
    const RunKey run = harness.start(Harness::tree({"tag", tag, "pause"}));
    harness.wait_for([&] { return !harness.run(run).failures.empty(); });
    hoard.clear();
    const bool good =
        !harness.run(run).started && harness.run(run).failures.front().error == EMFILE &&
        harness.wait_for([&] { return alive_with(tag).empty(); }) && harness.run(run).exits.empty();
    const RunKey next = harness.start_running(Harness::tree({"exit", "0"}));
    const pid_t answer = good && harness.wait_exit(next) ? 2 : 1;
    (void)!::write(ready, &answer, sizeof answer);
  });
  CHECK(host.ready() == 2);
}

// This test acts as a keeper of another version and checks the client's error.
TEST_CASE("a keeper of another version reports its own and exits") {
  std::array<int, 2> ends{-1, -1};
  REQUIRE(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) == 0);
  const UniqueFd ours(ends[0]);
  const pid_t keeper = gibbous::testing::patient_fork();
  if (keeper == 0) {
    ::dup2(ends[1], 3);
    const std::string path = program_directory() + "/gibbous-keeper";
    ::execl(path.c_str(), "gibbous-keeper", static_cast<char*>(nullptr));
    std::_Exit(1);
  }
  ::close(ends[1]);
  wire::Buffer message;
  wire::encode(message, 0, wire::Hello{7});
  message[0] = 99;  // the version
  REQUIRE(::send(ours.get(), message.data(), message.size(), 0) > 0);
  std::array<std::uint8_t, wire::kMaxReplyBytes> reply{};
  const ssize_t got = ::recv(ours.get(), reply.data(), reply.size(), 0);
  REQUIRE(got > 0);
  const auto header = wire::decode_header(std::span(reply).first(static_cast<std::size_t>(got)));
  REQUIRE(header.ok());
  CHECK(header->version == wire::kVersion);
  CHECK(header->type == wire::Type::kHello);
  CHECK(::recv(ours.get(), reply.data(), reply.size(), 0) == 0);
  int status = 0;
  CHECK(::waitpid(keeper, &status, 0) == keeper);
}

TEST_CASE("a keeper is called gibbous-keeper, is alone in its session, and keeps little open") {
  const UniqueFd leaky(::open("/dev/null", O_RDONLY));  // without close-on-exec
  Harness harness;
  const RunKey run = harness.start_running(Harness::tree({"pause"}));
  CHECK(harness.run(run).started);
  const pid_t keeper = harness.client().keeper_pid();
  std::string name;
  std::ifstream("/proc/" + std::to_string(keeper) + "/comm") >> name;
  CHECK(name == "gibbous-keeper");
  const auto stat = read_stat(keeper);
  REQUIRE(stat);
  CHECK(stat->session == keeper);
  CHECK(stat->parent != ::getpid());
  // Two of null (0 is no positive number), socket, signals, epoll, host, its children, the mounts
  // and their changes, what tells the warden of its end, and the run's output.
  constexpr std::size_t kOpen = 11;
  CHECK(harness.wait_for([&] {
    std::vector<pid_t> fds;
    return list_numbers(("/proc/" + std::to_string(keeper) + "/fd").c_str(), fds) &&
           fds.size() == kOpen;
  }));
}

TEST_CASE("a client that never starts anything has no keeper") {
  Harness harness;
  CHECK(harness.client().keeper_pid() == 0);
  harness.client().signal(1, SIGTERM);
  harness.client().forget(1);
  harness.close_client();
}

}  // namespace
}  // namespace gibbous::testing
