// Places in the queue, with several hosts on one state directory: who may start what, and when.
#include <signal.h>

#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "runtime/journal/holder.h"
#include "runtime/process/proc.h"
#include "tests/support/catch.h"
#include "tests/support/conversation.h"
#include "tests/support/loop.h"

namespace gibbous::testing {
namespace {

bool is_stopped(pid_t pid) {
  const auto stat = read_stat(pid);
  return stat && stat->state == 'T';
}

// `gibbous session`s over one state directory, each with its own configuration.
class Hosts {
 public:
  // Returns the options of another one.
  std::vector<std::string> options(const std::string& config) {
    const std::string file = dir_.write("config" + std::to_string(++hosts_) + ".lua", config);
    return {"--toolset",   "shell",    "--mode",  "dangerous",
            "--config",    file,       "--state", dir_.path() + "/state",
            "--workspace", dir_.path()};
  }
  // Runs with this command wait until it is called.
  static std::string waits_for(const std::string& file) {
    return "until [ -e " + file + " ]; do sleep 0.02; done";
  }
  // Stops a host, but never while it writes to the journal: the others could not write then either.
  void stop(Conversation& host) {
    const pid_t pid = host.program().pid();
    Loop loop;
    REQUIRE(loop.until([&] {
      host.program().send_signal(SIGSTOP);
      if (!is_stopped(pid)) return false;
      const std::string writer = "process " + std::to_string(pid) + " ";
      if (holder_of_journal(dir_.path() + "/state").find(writer) == std::string::npos) return true;
      host.program().send_signal(SIGCONT);
      return false;
    }));
  }
  void release(const std::string& file) { std::ofstream(dir_.path() + "/" + file) << "go"; }

 private:
  TempDir dir_;
  int hosts_ = 0;
};

Json data_of(Conversation& host, const Json& args, const std::string& session) {
  const Json answer = host.call("shell", args, session);
  INFO(answer.dump());
  REQUIRE(answer.contains("result"));
  return answer["result"]["data"];
}

std::string spawn(Conversation& host, const std::string& command, const std::string& session,
                  const std::string& queue) {
  const Json args = {{"action", "spawn"}, {"command", command}, {"session_id", queue}};
  return data_of(host, args, session)["run_id"];
}

std::string status(Conversation& host, const std::string& run, const std::string& session) {
  return data_of(host, {{"action", "poll"}, {"run_id", run}}, session)["status"];
}

bool becomes(Conversation& host, const std::string& run, const std::string& session,
             const std::string& wanted) {
  Loop loop;
  return loop.until([&] { return status(host, run, session) == wanted; });
}

TEST_CASE("an idle host of a session starts what another one has queued and cannot start") {
  Hosts hosts;
  Conversation full(hosts.options("return { limits = { max_concurrent = 1 } }"));
  Conversation idle(hosts.options("return { limits = { max_concurrent = 5 } }"));
  const std::string first = spawn(full, Hosts::waits_for("go"), "a", "one");
  REQUIRE(becomes(full, first, "a", "running"));
  const std::string second = spawn(full, "true", "a", "two");
  CHECK(status(full, second, "a") == "queued");
  SECTION("because its session is full there") {}
  SECTION("because it is stopped") {
    hosts.stop(full);
  }
  CHECK(becomes(idle, second, "a", "completed"));
  full.program().send_signal(SIGCONT);
  CHECK(becomes(full, second, "a", "completed"));
  hosts.release("go");
  CHECK(becomes(full, first, "a", "completed"));
}

TEST_CASE("a place that becomes free goes to the session with the fewest runs") {
  constexpr int kQueues = 4;
  const std::string config =
      "return { limits = { max_concurrent = 10, max_concurrent_total = 2 } }";
  Hosts hosts;
  Conversation many(hosts.options(config));
  Conversation few(hosts.options(config));
  std::vector<std::string> runs;
  for (int i = 0; i < kQueues; ++i) {
    const std::string file = "go" + std::to_string(i);
    runs.push_back(spawn(many, Hosts::waits_for(file), "many", "q" + std::to_string(i)));
  }
  REQUIRE(becomes(many, runs[1], "many", "running"));
  const std::string one = spawn(few, Hosts::waits_for("one"), "few", "q");
  const Json answer = few.call("shell", {{"action", "poll"}, {"run_id", one}}, "few");
  CHECK(answer.dump().find("limits.max_concurrent_total") != std::string::npos);
  hosts.release("go0");
  CHECK(becomes(few, one, "few", "running"));
  CHECK(status(many, runs[2], "many") == "queued");
  hosts.release("one");
  CHECK(becomes(many, runs[2], "many", "running"));
  SECTION("and when its host is stopped, to another one") {
    const std::string again = spawn(few, "true", "few", "q");
    hosts.stop(few);
    hosts.release("go1");
    CHECK(becomes(many, runs[3], "many", "running"));
    few.program().send_signal(SIGCONT);
    hosts.release("go2");
    CHECK(becomes(few, again, "few", "completed"));
  }
}

TEST_CASE("a run during which its host dies each time is repeated so often, and no more") {
  const std::string config = "return { journal = { recovery = 'requeue', max_attempts = 2 } }";
  Hosts hosts;
  std::optional<Conversation> host;
  host.emplace(hosts.options(config));
  const std::string run = spawn(*host, Hosts::waits_for("never"), "a", "q");
  for (int attempt = 1; attempt <= 2; ++attempt) {
    REQUIRE(becomes(*host, run, "a", "running"));
    host->program().send_signal(SIGKILL);
    (void)host->program().wait();
    host.emplace(hosts.options(config));
  }
  CHECK(becomes(*host, run, "a", "lost"));
  const Json answer = host->call("shell", {{"action", "poll"}, {"run_id", run}}, "a");
  CHECK(answer.dump().find("attempt 2, the last one") != std::string::npos);
}

}  // namespace
}  // namespace gibbous::testing
