// Starting runs through the client: what the child gets, and the errors of failed starts.
#include <sys/stat.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>

#include "tests/runtime/keeper/harness.h"

namespace gibbous::testing {
namespace {

TEST_CASE("a start gives the child its arguments, environment and directory") {
  Harness harness;
  StartRequest request = Harness::tree({"print", "hello world", "print", "", "print-env",
                                        "GREETING", "print-env", "HOME", "print-cwd"});
  request.env.push_back("GREETING=good day");
  request.cwd = "/proc";
  const RunKey run = harness.start_running(request);
  REQUIRE(harness.wait_exit(run));
  CHECK(harness.read_all(run) == "hello world\n\ngood day\n(unset)\n/proc\n");
  CHECK(harness.run(run).exits.front().code == 0);
  CHECK(harness.run(run).exits.front().signal == 0);
}

TEST_CASE("started comes with the pid, its start time and a pidfd, and exited comes after it") {
  Harness harness;
  const RunKey run = harness.start_running(Harness::tree({"print", "%p", "echo-stdin"}));
  const RunRecord& record = harness.run(run);
  CHECK(harness.read_lines(run, 1) == std::to_string(record.pid) + "\n");
  // Without a requested stdin, the child sees its end at once.
  CHECK_FALSE(record.in);
  CHECK(record.pidfd);
  REQUIRE(harness.wait_exit(run));
  CHECK(harness.log() == std::vector<std::string>{"started 1", "exited 1"});
}

TEST_CASE("the start time is the one that /proc shows") {
  Harness harness;
  constexpr int kStarts = 30;  // some of them fall on a change of the clock tick
  for (int i = 0; i < kStarts; ++i) {
    const RunKey run = harness.start_running(Harness::tree({"pause"}));
    const auto stat = read_stat(harness.run(run).pid);
    REQUIRE(stat);
    CHECK(stat->start_time == harness.run(run).start_time);
  }
}

TEST_CASE("stdin is a pipe on request, and closing it ends the input") {
  Harness harness;
  StartRequest request = Harness::tree({"echo-stdin"});
  request.in = StdioKind::kPipe;
  const RunKey run = harness.start_running(request);
  UniqueFd& in = harness.run(run).in;
  REQUIRE(in);
  CHECK((::fcntl(in.get(), F_GETFL) & O_NONBLOCK) != 0);
  CHECK((::fcntl(in.get(), F_GETFD) & FD_CLOEXEC) != 0);
  REQUIRE(::write(in.get(), "ping\n", 5) == 5);
  CHECK(harness.read_lines(run, 1) == "ping\n");
  in.reset();
  REQUIRE(harness.wait_exit(run));
}

TEST_CASE("stderr has its own pipe, or goes where stdout goes") {
  Harness harness;
  StartRequest request;
  request.argv = {"/bin/sh", "-c", "echo out; echo err >&2"};
  request.cwd = "/";
  SECTION("apart") {
    const RunKey run = harness.start_running(request);
    REQUIRE(harness.wait_exit(run));
    CHECK(harness.read_all(run) == "out\n");
    std::array<char, 16> text{};
    CHECK(::read(harness.run(run).err.get(), text.data(), text.size()) == 4);
    CHECK(std::string(text.data()) == "err\n");
  }
  SECTION("merged") {
    request.err = StdioKind::kStdout;
    const RunKey run = harness.start_running(request);
    CHECK_FALSE(harness.run(run).err);
    REQUIRE(harness.wait_exit(run));
    CHECK(harness.read_all(run) == "out\nerr\n");
  }
}

TEST_CASE("a child can open /dev/stdout, because it is not a socket") {
  Harness harness;
  StartRequest request;
  request.argv = {"/bin/sh", "-c", "echo again > /dev/stdout"};
  request.cwd = "/";
  const RunKey run = harness.start_running(request);
  REQUIRE(harness.wait_exit(run));
  CHECK(harness.read_all(run) == "again\n");
}

TEST_CASE("a child has descriptors 0, 1 and 2 and no other") {
  // Descriptors that the host holds without close-on-exec stay in the host.
  const UniqueFd leaky(::open("/dev/null", O_RDONLY));
  Harness harness;
  const RunKey other = harness.start_running(Harness::tree({"pause"}));
  CHECK(harness.run(other).started);
  const RunKey run = harness.start_running(Harness::tree({"print-fds"}));
  REQUIRE(harness.wait_exit(run));
  CHECK(harness.read_all(run) == "fds 0 1 2\n");
}

TEST_CASE("a child leads its own session and group") {
  Harness harness;
  const RunKey run = harness.start_running(Harness::tree({"print-ids"}));
  REQUIRE(harness.wait_exit(run));
  const std::string pid = std::to_string(harness.run(run).pid);
  const std::string keeper = std::to_string(harness.client().keeper_pid());
  CHECK(harness.read_all(run) == pid + " " + keeper + " " + pid + " " + pid + "\n");
}

TEST_CASE("a child has default signal dispositions and an empty mask, unlike the host") {
  struct sigaction ignore {};
  struct sigaction before {};
  ignore.sa_handler = SIG_IGN;
  ::sigaction(SIGPIPE, &ignore, &before);
  sigset_t some;
  sigset_t mask;
  ::sigemptyset(&some);
  ::sigaddset(&some, SIGUSR1);
  ::sigprocmask(SIG_BLOCK, &some, &mask);
  {
    Harness harness;
    const RunKey run = harness.start_running(Harness::tree({"print-signals"}));
    REQUIRE(harness.wait_exit(run));
    CHECK(harness.read_all(run) == "SigBlk 0000000000000000 SigIgn 0000000000000000 \n");
    sigset_t now;
    ::sigprocmask(SIG_BLOCK, nullptr, &now);
    CHECK(::sigismember(&now, SIGUSR1) == 1);
    CHECK(::sigismember(&now, SIGUSR2) == 0);
  }
  ::sigaction(SIGPIPE, &before, nullptr);
  ::sigprocmask(SIG_SETMASK, &mask, nullptr);
}

TEST_CASE("limits are set, and the keeper's own limit on files is not passed on") {
  rlimit files{};
  REQUIRE(::getrlimit(RLIMIT_NOFILE, &files) == 0);
  Harness harness;
  StartRequest request;
  request.argv = {"/bin/sh", "-c", "ulimit -Sn; ulimit -c; ulimit -t"};
  request.cwd = "/";
  constexpr rlim_t kCpuSeconds = 77;
  request.limits = {{RLIMIT_CPU, kCpuSeconds, kCpuSeconds}, {RLIMIT_CORE, 0, 0}};
  const RunKey run = harness.start_running(request);
  REQUIRE(harness.wait_exit(run));
  CHECK(harness.read_all(run) == std::to_string(files.rlim_cur) + "\n0\n77\n");
}

TEST_CASE("a host that has raised its limit on files says which one its runs get") {
  constexpr std::uint64_t kFew = 200;
  constexpr std::uint64_t kMoreThanThereMayBe = std::uint64_t{1} << 40;
  rlimit files{};
  REQUIRE(::getrlimit(RLIMIT_NOFILE, &files) == 0);
  for (const std::uint64_t wanted : {kFew, kMoreThanThereMayBe}) {
    Harness harness({}, wanted);
    StartRequest request;
    request.argv = {"/bin/sh", "-c", "ulimit -Sn; ulimit -Hn"};
    request.cwd = "/";
    const RunKey run = harness.start_running(request);
    REQUIRE(harness.wait_exit(run));
    const std::vector<std::string> lines = lines_of(harness.read_all(run));
    REQUIRE(lines.size() == 2);
    CHECK(lines[0] == std::to_string(std::min<std::uint64_t>(wanted, files.rlim_cur)));
    CHECK((lines[1] == "unlimited" || lines[1] == std::to_string(files.rlim_max)));
  }
}

TEST_CASE("a program without a slash is searched in the child's own PATH") {
  const TempDir directory;
  const std::string denied = directory.path() + "/a";
  const std::string good = directory.path() + "/b";
  std::filesystem::create_directories(denied);
  std::filesystem::create_directories(good);
  std::ofstream(denied + "/prog") << "not executable";
  std::filesystem::create_symlink(fixture("tree"), good + "/prog");
  {
    Harness harness;
    StartRequest request = Harness::tree({"print", "found"});
    request.argv[0] = "prog";
    SECTION("past a directory that is not there and a file that is not executable") {
      request.env = {"A=b", "PATH=/nonexistent:" + denied + ":" + good};
      const RunKey run = harness.start_running(request);
      REQUIRE(harness.wait_exit(run));
      CHECK(harness.read_all(run) == "found\n");
    }
    SECTION("an entry that is empty is the child's directory") {
      request.env = {"PATH=/nonexistent:"};
      request.cwd = good;
      const RunKey run = harness.start_running(request);
      REQUIRE(harness.wait_exit(run));
      CHECK(harness.read_all(run) == "found\n");
    }
    SECTION("not executable is said rather than not found") {
      request.env = {"PATH=" + denied + ":/nonexistent"};
      const RunKey run = harness.start(request);
      REQUIRE(harness.wait_for([&] { return !harness.run(run).failures.empty(); }));
      CHECK(harness.run(run).failures.front().step == StartStep::kExec);
      CHECK(harness.run(run).failures.front().error == EACCES);
    }
    SECTION("without a PATH there is a default one") {
      request.argv = {"true"};
      request.env = {};
      REQUIRE(harness.wait_exit(harness.start_running(request)));
    }
  }
}

TEST_CASE("a failed start names the step and the error, and nothing else follows") {
  Harness harness;
  StartRequest request = Harness::tree({"exit", "0"});
  StartFailure expected;
  SECTION("a directory that is not there") {
    request.cwd = "/nonexistent/directory";
    expected = {StartStep::kChdir, ENOENT};
  }
  SECTION("a program that is not there") {
    request.argv[0] = "/nonexistent/program";
    expected = {StartStep::kExec, ENOENT};
  }
  SECTION("a program that is in no directory of PATH") {
    request.argv[0] = "no-such-program-anywhere";
    expected = {StartStep::kExec, ENOENT};
  }
  SECTION("a program that may not be executed") {
    request.argv[0] = "/etc/passwd";
    expected = {StartStep::kExec, EACCES};
  }
  SECTION("an empty name") {
    request.argv[0] = "";
    expected = {StartStep::kExec, ENOENT};
  }
  SECTION("a directory for a program") {
    request.argv[0] = "/tmp";
    expected = {StartStep::kExec, EACCES};
  }
  SECTION("one argument larger than the kernel takes") {
    constexpr std::size_t kTooLong = 3UL * 128 * 1024;
    request.argv.push_back(std::string(kTooLong, 'x'));
    expected = {StartStep::kExec, E2BIG};
  }
  SECTION("more than a start may carry") {
    constexpr std::size_t kMany = 200;
    constexpr std::size_t kLong = 100UL * 1024;
    for (std::size_t i = 0; i < kMany; ++i) request.argv.emplace_back(kLong, 'x');
    expected = {StartStep::kRequest, E2BIG};
  }
  SECTION("no arguments at all") {
    request.argv.clear();
    expected = {StartStep::kRequest, EINVAL};
  }
  SECTION("a NUL in an argument") {
    request.argv.push_back(std::string("a\0b", 3));
    expected = {StartStep::kRequest, EINVAL};
  }
  SECTION("a limit that is not one") {
    request.limits = {{RLIMIT_NOFILE, 100, 10}};
    expected = {StartStep::kLimits, EINVAL};
  }
  SECTION("the limit that is the mark") {
    request.limits = {{RLIMIT_RTTIME, 100, 100}};
    expected = {StartStep::kLimits, EINVAL};
  }
  const RunKey run = harness.start(request);
  REQUIRE(harness.wait_for([&] { return !harness.run(run).failures.empty(); }));
  CHECK(std::string(to_string(harness.run(run).failures.front().step)) == to_string(expected.step));
  CHECK(harness.run(run).failures.front().error == expected.error);
  // The keeper goes on, without remains of the failed start.
  const RunKey next = harness.start_running(Harness::tree({"exit", "7"}));
  REQUIRE(harness.wait_exit(next));
  CHECK(harness.run(next).exits.front().code == 7);
  CHECK(harness.log() == std::vector<std::string>{"failed 1", "started 2", "exited 2"});
}

TEST_CASE("a file without an interpreter line is not run by a shell") {
  const TempDir directory;
  const std::string path = directory.write("script", "echo hi\n");
  REQUIRE(::chmod(path.c_str(), 0700) == 0);
  Harness harness;
  StartRequest request;
  request.argv = {path};
  request.cwd = "/";
  const RunKey run = harness.start(request);
  REQUIRE(harness.wait_for([&] { return !harness.run(run).failures.empty(); }));
  CHECK(harness.run(run).failures.front().step == StartStep::kExec);
  CHECK(harness.run(run).failures.front().error == ENOEXEC);
}

TEST_CASE("200 KiB of arguments and environment arrive whole") {
  Harness harness;
  StartRequest request = Harness::tree({});
  constexpr std::size_t kPart = 100UL * 1024;
  const std::string part(kPart, 'y');
  for (const char* step : {"print", part.c_str(), "print-env", "LARGE", "print", "end"}) {
    request.argv.emplace_back(step);
  }
  request.env.push_back("LARGE=" + part);
  const RunKey run = harness.start_running(request);
  CHECK(harness.read_all(run) == part + "\n" + part + "\nend\n");
  REQUIRE(harness.wait_exit(run));
}

TEST_CASE("an exit has the code or the signal, and the resources used") {
  Harness harness;
  SECTION("a code") {
    const RunKey run = harness.start_running(Harness::tree({"exit", "42"}));
    REQUIRE(harness.wait_exit(run));
    CHECK(harness.run(run).exits.front().code == 42);
    CHECK(harness.run(run).exits.front().max_rss_kib > 0);
  }
  SECTION("a signal") {
    const RunKey run = harness.start_running(Harness::tree({"raise-term"}));
    REQUIRE(harness.wait_exit(run));
    CHECK(harness.run(run).exits.front().signal == SIGTERM);
    CHECK(harness.run(run).exits.front().code == 0);
  }
  SECTION("a crash") {
    StartRequest request = Harness::tree({"raise-segv"});
    request.limits = {{RLIMIT_CORE, 0, 0}};
    const RunKey run = harness.start_running(request);
    REQUIRE(harness.wait_exit(run));
    CHECK(harness.run(run).exits.front().signal == SIGSEGV);
    CHECK_FALSE(harness.run(run).exits.front().core);
  }
}

TEST_CASE("64 starts in flight all come up and all end") {
  Harness harness;
  constexpr int kRuns = 64;
  std::vector<RunKey> runs;
  for (int i = 0; i < kRuns; ++i) {
    runs.push_back(harness.start(Harness::tree({"print", "%p", "exit", std::to_string(i)})));
  }
  for (int i = 0; i < kRuns; ++i) {
    const RunKey run = runs[static_cast<std::size_t>(i)];
    REQUIRE(harness.wait_exit(run));
    CHECK(harness.run(run).exits.front().code == i);
    CHECK(harness.read_all(run) == std::to_string(harness.run(run).pid) + "\n");
    CHECK(harness.run(run).left.empty());
  }
}

TEST_CASE("more starts than the socket holds are queued, and none is dropped") {
  Harness harness;
  constexpr int kRuns = 150;
  constexpr std::size_t kPadding = 20UL * 1024;
  StartRequest request = Harness::tree({"exit", "3"});
  request.env.push_back("PADDING=" + std::string(kPadding, 'p'));
  request.out = StdioKind::kNull;
  std::vector<RunKey> runs;
  for (int i = 0; i < kRuns; ++i) runs.push_back(harness.start(request));
  for (const RunKey run : runs) {
    REQUIRE(harness.wait_exit(run));
    CHECK(harness.run(run).exits.front().code == 3);
  }
}

TEST_CASE("two clients in one process have a keeper each") {
  Harness one;
  Harness two;
  const RunKey first = one.start_running(Harness::tree({"print-ids", "pause"}));
  const RunKey second = two.start_running(Harness::tree({"print-fds", "pause"}));
  CHECK(one.client().keeper_pid() != two.client().keeper_pid());
  CHECK(two.read_lines(second, 1) == "fds 0 1 2\n");
  one.close_client();
  CHECK(is_alive(two.run(second).pid));
  CHECK(two.wait_for([&] { return !is_alive(one.run(first).pid); }));
}

}  // namespace
}  // namespace gibbous::testing
