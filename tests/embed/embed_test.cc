// Guarantees for a host: no threads, no signal games, budgets, two runtimes, a borrowed loop.
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#include <uv.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <thread>

#include "tests/runtime/journal/desk.h"
#include "tests/support/catch.h"
#include "tests/support/host.h"
#include "tests/support/loop.h"

namespace gibbous {
namespace {

using testing::auto_mode;
using testing::Host;
using testing::processes_with;
using testing::unique_word;

// Returns the signal masks of all other threads of this process.
std::set<std::string> masks_of_other_threads() {
  std::set<std::string> masks;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task")) {
    if (entry.path().filename() == std::to_string(::getpid())) continue;
    std::ifstream status(entry.path() / "status");
    for (std::string line; std::getline(status, line);) {
      if (line.rfind("SigBlk:", 0) == 0) masks.insert(line.substr(line.find_last_of('\t') + 1));
    }
  }
  return masks;
}

// Threads that wait for the disk are there; a host's signals never come to them, and no callback
// comes from them.
TEST_CASE("no thread, signal handler or child of ours is visible to the host") {
  const auto handlers = [] {
    std::vector<void (*)(int)> found;
    for (int number = 1; number < NSIG; ++number) {
      struct sigaction action {};
      sigaction(number, nullptr, &action);
      found.push_back(action.sa_handler);
    }
    return found;
  };
  const auto handlers_before = handlers();
  sigset_t mask_before;
  pthread_sigmask(SIG_BLOCK, nullptr, &mask_before);
  Host host(testing::with_shell());
  const std::thread::id here = std::this_thread::get_id();
  bool elsewhere = false;
  host.runtime->on_event([&](const Event&) { elsewhere |= std::this_thread::get_id() != here; });
  host.data("wait_for", {{"id", host.start("echo hello")}, {"exit", true}});
  host.data("shell", {{"action", "spawn"}, {"command", "true"}});
  CHECK_FALSE(elsewhere);
  for (const std::string& mask : masks_of_other_threads()) {
    CHECK(mask == "fffffffe7ffbfeff");  // all but those that cannot be blocked
  }
  REQUIRE(handlers() == handlers_before);
  sigset_t mask;
  pthread_sigmask(SIG_BLOCK, nullptr, &mask);
  for (int number = 1; number < NSIG; ++number) {
    REQUIRE(sigismember(&mask, number) == sigismember(&mask_before, number));
  }
  REQUIRE(::waitpid(-1, nullptr, WNOHANG) == -1);
  REQUIRE(errno == ECHILD);
}

TEST_CASE("a host that ignores SIGCHLD still gets every exit, with its code") {
  struct sigaction ignore {};
  struct sigaction before {};
  ignore.sa_handler = SIG_IGN;
  sigaction(SIGCHLD, &ignore, &before);
  {
    Host host(auto_mode());
    const std::string id = host.start("exit 7");
    host.data("wait_for", {{"id", id}, {"exit", true}});
    REQUIRE(host.call("bg_status", {{"id", id}}).data.find("7") != std::string::npos);
  }
  sigaction(SIGCHLD, &before, nullptr);
}

TEST_CASE("two runtimes in one process do not affect each other") {
  Host first(auto_mode());
  Host second(auto_mode());
  const std::string id = first.start("exec sleep 600");
  REQUIRE(second.call("bg_status", {{"id", id}}).code == "run_not_found");
  const std::string other = second.start("echo other");
  second.data("wait_for", {{"id", other}, {"exit", true}});
  REQUIRE(first.call("bg_status", {{"id", id}}).text.find("running") != std::string::npos);
}

TEST_CASE("destroying a runtime ends its runs") {
  const std::string word = unique_word();
  {
    Host host(auto_mode());
    host.start("setsid sh -c 'sleep 600; : " + word + "' & exec sleep 600");
    REQUIRE(host.until([&] { return !processes_with(word).empty(); }));
  }
  testing::Loop loop;
  REQUIRE(loop.until([&] { return processes_with(word).empty(); }));
}

TEST_CASE("destroying a runtime with calls in flight answers each of them once") {
  int answers = 0;
  std::string code;
  {
    Host host(auto_mode());
    const std::string id = host.start("exec sleep 600");
    host.runtime->call({"wait_for", Json{{"id", id}, {"exit", true}}.dump()},
                       [&](const CallResult& result) {
                         ++answers;
                         code = result.code;
                       });
    host.runtime->poll();
  }
  REQUIRE(answers == 1);
  INFO(code);
  REQUIRE((code == "cancelled" || code == "shutdown"));
}

TEST_CASE("poll takes in no more than its budget of bytes") {
  Host host(auto_mode());
  const std::string id = host.start("exec yes");
  constexpr std::size_t kBudget = std::size_t{64} << 10;
  constexpr int kFrames = 50;
  std::uint64_t taken = 0;
  const auto take = [&] {
    std::string bytes;
    do {
      const auto part = host.runtime->read_output(id, OutputStream::kStdout, taken, kBudget);
      REQUIRE(part.ok());
      taken = part->next;
      bytes = part->bytes;
    } while (!bytes.empty());
  };
  take();
  for (int frame = 0; frame < kFrames; ++frame) {
    const std::uint64_t before = taken;
    host.runtime->poll({kBudget, std::chrono::microseconds{1000}, {}});
    take();
    CHECK(taken - before <= kBudget);
  }
  CHECK(host.until([&] {
    take();
    return taken > kFrames * kBudget;
  }));
}

TEST_CASE("a borrowed loop ends when no call is active") {
  testing::Loop loop;
  RuntimeOptions options = auto_mode();
  options.loop = loop.get();
  auto runtime = Runtime::create(options);
  REQUIRE(runtime.ok());
  std::string text;
  (*runtime)->call({"bg_start", R"({"command":"echo borrowed; exec sleep 600"})"},
                   [&](const CallResult& result) { text = result.text; });
  uv_run(loop.get(), UV_RUN_DEFAULT);  // returns although the run still runs
  REQUIRE(text.find("Process started") == 0);
  bool closed = false;
  (*runtime)->close([&] { closed = true; });
  REQUIRE(loop.until([&] { return closed; }));
  runtime->reset();
}

TEST_CASE("a runtime that cannot be created leaves nothing in a borrowed loop") {
  testing::Loop loop;
  const testing::TempDir dir;
  RuntimeOptions options = auto_mode();
  options.loop = loop.get();
  options.state_dir = dir.path() + "/state";
  options.scripts_dir = dir.path();
  dir.write("init.lua", "return syntax error");
  const auto runtime = Runtime::create(options);
  REQUIRE_FALSE(runtime.ok());
  // The loop's end aborts when a handle was forgotten.
  REQUIRE(uv_run(loop.get(), UV_RUN_DEFAULT) == 0);
}

TEST_CASE("a call can be cancelled, and is answered once with cancelled") {
  Host host(auto_mode());
  const std::string id = host.start("exec sleep 600");
  int answers = 0;
  std::string code;
  const CallId call = host.runtime->call({"wait_for", Json{{"id", id}, {"exit", true}}.dump()},
                                         [&](const CallResult& result) {
                                           ++answers;
                                           code = result.code;
                                         });
  host.runtime->poll();
  REQUIRE(host.runtime->cancel(call));
  REQUIRE(host.until([&] { return answers > 0; }));
  REQUIRE(code == "cancelled");
  REQUIRE(!host.runtime->cancel(call));
}

TEST_CASE("events reach the host and the session's backlog") {
  const testing::TempDir dir;
  RuntimeOptions options = auto_mode();
  options.state_dir = dir.path() + "/state";  // the ends of runs that others left are told, too
  Host host(options);
  host.data("bg_start", {{"command", "echo x"}}, "alice");
  REQUIRE(host.until([&] { return host.saw_event("run_ended"); }));
  const auto backlog = host.runtime->drain_backlog("alice");
  REQUIRE(backlog.size() == 2);
  REQUIRE(backlog[0].find("run_started") != std::string::npos);
  REQUIRE(backlog[1].find("run_ended") != std::string::npos);
  REQUIRE(host.runtime->drain_backlog("alice").empty());
  REQUIRE(host.runtime->drain_backlog("bob").empty());
}

TEST_CASE("events that a host was given and has not passed on stay for the next process") {
  const testing::TempDir dir;
  RuntimeOptions options = auto_mode();
  options.state_dir = dir.path() + "/state";
  Host host(options);
  host.data("bg_start", {{"command", "echo x"}}, "alice");
  REQUIRE(host.until([&] { return host.saw_event("run_ended"); }));
  REQUIRE(host.until([&] { return std::filesystem::exists(options.state_dir + "/sessions.db"); }));
  const auto kept = [&] {
    testing::Plain plain(options.state_dir + "/sessions.db");
    return plain.rows("SELECT event FROM backlog_messages WHERE session_id = 'alice'");
  };
  REQUIRE(host.until([&] { return kept().size() == 2; }));
  CHECK(host.runtime->drain_backlog("alice").size() == 2);
  PollBudget budget;
  budget.passed_on = false;
  bool answered = false;
  host.runtime->call({"bg_status"}, [&](const CallResult&) { answered = true; });
  while (!answered) host.runtime->poll(budget);
  CHECK(kept().size() == 2);
  CHECK_FALSE(host.runtime->poll(budget));
  CHECK(host.until([&] { return kept().empty(); }));
}

// Polls when the descriptor or the timeout says so, until `done` or there is nothing to wait for.
void poll_as_told(Runtime& runtime, const std::function<bool()>& done) {
  while (!done()) {
    pollfd watched{runtime.backend_fd(), POLLIN, 0};
    const auto timeout = runtime.next_timeout();
    if (!timeout && ::poll(&watched, 1, 0) == 0) return;
    (void)::poll(&watched, 1, timeout ? static_cast<int>(timeout->count()) : -1);
    runtime.poll();
  }
}

TEST_CASE("a host that polls only when it is told to is told of everything") {
  const testing::TempDir dir;
  RuntimeOptions options = auto_mode();
  options.state_dir = dir.path() + "/state";  // others' queues would be looked after
  Host host(options);
  Runtime& runtime = *host.runtime;
  const auto never = [] { return false; };
  poll_as_told(runtime, never);
  CHECK_FALSE(runtime.next_timeout().has_value());
  std::optional<CallResult> result;
  runtime.call(
      {.tool = "wait_for",
       .arguments = R"({"output_regex":"never","id":")" + host.start("sleep 600") + R"("})",
       .timeout = std::chrono::milliseconds(300)},
      [&](const CallResult& ended) { result = ended; });
  const auto begin = std::chrono::steady_clock::now();
  poll_as_told(runtime, [&] { return result.has_value(); });
  REQUIRE(result);
  CHECK(result->code == "timeout");
  CHECK(std::chrono::steady_clock::now() - begin >= std::chrono::milliseconds(290));
}

}  // namespace
}  // namespace gibbous
