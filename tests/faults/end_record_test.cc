// A host is killed, and the next one learns from the keeper's record how each run ended.
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "runtime/keeper/end_record.h"
#include "runtime/process/proc.h"
#include "tests/support/catch.h"
#include "tests/support/conversation.h"
#include "tests/support/host.h"
#include "tests/support/loop.h"

namespace gibbous::testing {
namespace {

using Catch::Matchers::Contains;
using Texts = std::vector<std::string>;

constexpr std::size_t kMany = 1'000;

const char* const kLost = "return { toolsets = { 'shell', 'wait' } }\n";
const char* const kWithLabels = "return { toolsets = { 'shell', 'wait', 'bg' } }\n";
const char* const kRequeue =
    "return { toolsets = { 'shell', 'wait' }, journal = { recovery = 'requeue' } }\n";
const char* const kKept =
    "return { toolsets = { 'shell', 'wait' }, kill_on_session_end = false }\n";

// A run that goes on until the file `go` exists.
Json until_go(const std::string& end) {
  return {{"action", "spawn"},
          {"command",
           "echo once >> log; echo $$ > leader; echo $PPID > keeper; "
           "until [ -e go ]; do sleep 0.02; done; echo last; " +
               end}};
}

// A host, killed in the middle, and those that come after it, with one state directory.
class Killed {
 public:
  explicit Killed(const std::string& config) : config_(dir_.write("config.lua", config)) {
    host_.emplace(arguments());
  }

  // Starts a run and waits until its script has written the files `leader` and `keeper`.
  std::string spawn(const Json& args) {
    const std::string run = shell(args)["run_id"];
    CHECK(until([&] { return number_in("leader") > 0 && number_in("keeper") > 0; }));
    CHECK(until([&] { return poll(run)["status"] == "running"; }));
    return run;
  }
  std::string start_labelled(const std::string& label) {
    const Json answer = host_->call("bg_start", {{"command", "sleep 600"}, {"label", label}}, "a");
    const std::string run = answer["result"]["data"]["id"];
    CHECK(until([&] { return poll(run)["status"] == "running"; }));
    return run;
  }
  void signal(int number) { host_->program().send_signal(number); }
  void kill() {
    signal(SIGKILL);
    (void)host_->program().wait();
  }
  void signal_keeper(int number) { REQUIRE(::kill(number_in("keeper"), number) == 0); }
  // None of them has the time to end a run.
  void kill_all_at_once() {
    const pid_t keeper = number_in("keeper");
    const auto stat = read_stat(keeper);
    REQUIRE(stat);
    const pid_t host = host_->program().pid();
    // From above: the one that guards another continues it.
    const std::vector<pid_t> all{stat->parent, keeper, host};
    for (const pid_t pid : all) ::kill(pid, SIGSTOP);
    for (const pid_t pid : all) ::kill(pid, SIGKILL);
    (void)host_->program().wait();
    wait_for_keeper();
  }
  void write(const std::string& name) { dir_.write(name, ""); }
  // Lets the run go on, and waits until it was reaped.
  void finish_run() {
    write("go");
    CHECK(until([&] { return !read_stat(number_in("leader")); }));
  }
  void wait_for_keeper() {
    CHECK(until([&] {
      const auto stat = read_stat(number_in("keeper"));
      return !stat || !stat->alive();
    }));
  }
  void begin() { host_.emplace(arguments()); }
  void end() {
    host_->program().close_stdin();
    (void)host_->program().wait();
  }

  Json shell(const Json& args) { return shell(*host_, args); }
  static Json shell(Conversation& host, const Json& args) {
    Json answer;
    do {
      answer = host.call("shell", args, "a");
      // Where a disk takes a second to write, the answer says so, and a client tries again.
    } while (answer.value("/error/code"_json_pointer, "") == "journal_busy");
    INFO(answer.dump());
    REQUIRE(answer.contains("result"));
    return answer["result"]["data"];
  }
  Json poll(const std::string& run) { return shell({{"action", "poll"}, {"run_id", run}}); }
  // Returns the run with all its items, once it has ended.
  Json end_of(const std::string& run) {
    Json answer;
    CHECK(until([&] {
      answer = poll(run);
      return answer["done"].get<bool>();
    }));
    INFO(answer.dump());
    return answer;
  }
  // Returns the event about the run's end, or about its return to the queue.
  Json event(const std::string& name, const std::string& run) {
    Json found;
    CHECK(until([&] {
      host_->send({{"id", "drain"}, {"drain", "a"}});
      const Json answer = host_->answer("drain");
      for (const Json& event : answer["drain"]["events"]) {
        if (event["event"] == name && event["run"] == run) found = event;
      }
      return found.is_object();
    }));
    return found;
  }

  Texts recorded() const { return list_end_records(keepers(), kMany); }
  bool until(const std::function<bool()>& condition) { return loop_.until(condition); }
  std::string keepers() const { return dir_.path() + "/state/keepers"; }
  std::string log() const {
    std::ifstream file(dir_.path() + "/log");
    return {std::istreambuf_iterator<char>(file), {}};
  }
  Texts arguments() const {
    return {"--mode",      "auto",     "--config", config_, "--state", dir_.path() + "/state",
            "--workspace", dir_.path()};
  }

 private:
  pid_t number_in(const std::string& name) const {
    std::ifstream file(dir_.path() + "/" + name);
    pid_t number = 0;
    file >> number;
    return number;
  }

  TempDir dir_;
  std::string config_;
  Loop loop_;
  std::optional<Conversation> host_;
};

Texts payloads(const Json& answer, const std::string& type) {
  Texts found;
  for (const Json& item : answer["items"]) {
    if (item["item_type"] == type) found.push_back(item["payload"].get<std::string>());
  }
  return found;
}

// Ends a run while its host is stopped, and then kills that host: it never learned of the end.
std::string end_unseen(Killed& killed, const std::string& end) {
  const std::string run = killed.spawn(until_go(end));
  killed.signal(SIGSTOP);
  killed.finish_run();
  killed.kill();
  return run;
}

TEST_CASE("a run that ended by itself before its host could record it has its end") {
  struct Case {
    const char* end;
    const char* status;
    int code;
  };
  for (const Case& each : {Case{"exit 0", "completed", 0}, Case{"exit 7", "failed", 7}}) {
    DYNAMIC_SECTION(each.end) {
      Killed killed(kLost);
      const std::string run = end_unseen(killed, each.end);
      killed.begin();
      const Json end = killed.end_of(run);
      CHECK(end["status"] == each.status);
      CHECK(end["exit_code"] == each.code);
      CHECK(payloads(end, "state").back() == each.status);
      REQUIRE(payloads(end, "note").size() == 1);
      CHECK_THAT(payloads(end, "note").front(), Contains("the last output may be missing"));
      const Json event = killed.event("run_ended", run);
      CHECK(event["state"] == each.status);
      CHECK(event["exit_code"] == each.code);
      CHECK(killed.until([&] { return killed.recorded().empty(); }));
      killed.end();
    }
  }
}

TEST_CASE("the event about a run whose host was killed has its label") {
  Killed killed(kWithLabels);
  const std::string run = killed.start_labelled("web");
  killed.kill();
  killed.begin();
  CHECK(killed.event("run_ended", run)["label"] == "web");
  killed.end();
}

TEST_CASE("a run that completed is not repeated, although its host did not record its end") {
  Killed killed(kRequeue);
  const std::string run = end_unseen(killed, "exit 0");
  killed.begin();
  CHECK(killed.end_of(run)["status"] == "completed");
  CHECK(killed.log() == "once\n");
  killed.end();
}

TEST_CASE("a detached run that ended after its host has its end when its keeper is gone too") {
  Killed killed(kKept);
  const std::string run = killed.spawn(until_go("exit 7"));
  killed.kill();
  killed.finish_run();
  CHECK(killed.until([&] { return killed.recorded() == Texts{run}; }));
  killed.signal_keeper(SIGTERM);
  killed.wait_for_keeper();
  killed.begin();
  const Json end = killed.end_of(run);
  CHECK(end["status"] == "failed");
  CHECK(end["exit_code"] == 7);
  REQUIRE(payloads(end, "note").size() == 1);
  CHECK(payloads(end, "note").front() ==
        "Output after the end of its host is not recorded (5 bytes).");
  CHECK(killed.event("run_ended", run)["reason"] == "exit code 7");
  CHECK(killed.until([&] { return killed.recorded().empty(); }));
  killed.end();
}

TEST_CASE("nothing is said to be missing of a detached run that wrote nothing after its host") {
  Killed killed(kKept);
  const std::string run = killed.spawn({{"action", "spawn"},
                                        {"command",
                                         "echo once; echo $$ > leader; echo $PPID > keeper; "
                                         "until [ -e go ]; do sleep 0.02; done; exit 7"}});
  CHECK(killed.until([&] { return payloads(killed.poll(run), "stdout") == Texts{"once\n"}; }));
  killed.kill();
  killed.finish_run();
  CHECK(killed.until([&] { return killed.recorded() == Texts{run}; }));
  killed.signal_keeper(SIGTERM);
  killed.wait_for_keeper();
  killed.begin();
  const Json end = killed.end_of(run);
  CHECK(end["exit_code"] == 7);
  CHECK(payloads(end, "note").empty());
  CHECK(payloads(end, "stdout") == Texts{"once\n"});
  killed.end();
}

TEST_CASE("a run that its keeper ended after its host is lost, and says how it ended") {
  Killed killed(kLost);
  SECTION("with an exit code of its own") {
    const std::string run =
        killed.spawn({{"action", "spawn"},
                      {"command",
                       "trap 'exit 7' TERM; echo $$ > leader; echo $PPID > keeper; "
                       "while :; do sleep 0.01; done"}});
    killed.kill();
    killed.begin();
    const Json end = killed.end_of(run);
    CHECK(end["status"] == "lost");
    CHECK_FALSE(end.contains("exit_code"));
    CHECK(killed.event("run_ended", run)["reason"] ==
          "its host ended before it did, and its processes were ended then: exit code 7");
  }
  SECTION("by the signal") {
    const std::string run = killed.spawn(until_go("exit 0"));
    killed.kill();
    killed.begin();
    CHECK(killed.end_of(run)["status"] == "lost");
    CHECK_THAT(killed.event("run_ended", run)["reason"].get<std::string>(),
               Contains("killed by SIGTERM"));
  }
  CHECK(killed.until([&] { return killed.recorded().empty(); }));
  killed.end();
}

TEST_CASE("a run that is repeated after its host's end says how its last attempt ended") {
  Killed killed(kRequeue);
  const std::string run = killed.spawn(until_go("exit 0"));
  killed.kill();
  killed.begin();
  CHECK_THAT(killed.event("run_requeued", run)["reason"].get<std::string>(),
             Contains("killed by SIGTERM"));
  killed.write("go");
  CHECK(killed.end_of(run)["status"] == "completed");
  CHECK(killed.log() == "once\nonce\n");
  CHECK(killed.until([&] { return killed.recorded().empty(); }));
  killed.end();
}

TEST_CASE("a run whose keeper was killed as well is lost, and nothing says how it ended") {
  Killed killed(kLost);
  const std::string run = killed.spawn(until_go("exit 0"));
  killed.signal(SIGSTOP);
  killed.signal_keeper(SIGKILL);
  killed.wait_for_keeper();
  killed.kill();
  killed.begin();
  const Json end = killed.end_of(run);
  CHECK(end["status"] == "lost");
  CHECK(payloads(end, "note").empty());
  CHECK(killed.event("run_ended", run)["reason"] ==
        "its host ended before it did, and its processes were ended then");
  killed.write("go");  // its processes live on without a keeper that could end them
  killed.end();
}

TEST_CASE("what is left when host, keeper and warden are killed, the next host ends, and says so") {
  Killed killed(kLost);
  const std::string word = unique_word();
  const std::string daemon = "setsid -f env -i sh -c 'while :; do sleep 0.1; done; : " + word + "'";
  const std::string run = killed.spawn(
      {{"action", "spawn"},
       {"command", daemon + "; echo $$ > leader; echo $PPID > keeper; sleep 600; : " + word}});
  REQUIRE(killed.until([&] { return processes_with(word).size() >= 2; }));
  killed.kill_all_at_once();
  const std::size_t left = processes_with(word).size();
  CHECK(left >= 1);  // the leader itself dies with the keeper
  killed.begin();
  const Json end = killed.end_of(run);
  CHECK(end["status"] == "lost");
  CHECK(killed.until([&] { return processes_with(word).empty(); }));
  const std::string reason = killed.event("run_ended", run)["reason"];
  INFO(reason);
  CHECK_THAT(reason, Contains("its host and its keeper were killed"));
  killed.end();
}

TEST_CASE("a run whose record cannot be used is lost, and says why") {
  Killed killed(kLost);
  const std::string run = end_unseen(killed, "exit 0");
  killed.wait_for_keeper();
  REQUIRE(killed.recorded() == Texts{run});
  const std::filesystem::path file = killed.keepers() + "/ended-" + run;
  std::string why;
  SECTION("another version") {
    std::ofstream(file) << "gibbous-end 99\n";
    why = "it has another format or version";
  }
  SECTION("a link") {
    std::filesystem::rename(file, killed.keepers() + "/elsewhere");
    std::filesystem::create_symlink("elsewhere", file);
    why = "it is a symbolic link";
  }
  killed.begin();
  CHECK(killed.end_of(run)["status"] == "lost");
  const std::string reason = killed.event("run_ended", run)["reason"];
  CHECK_THAT(reason, Contains("the record of its end cannot be used"));
  CHECK_THAT(reason, Contains(why));
  CHECK(killed.until([&] { return killed.recorded().empty(); }));
  killed.end();
}

TEST_CASE("a record of another start of a run says nothing about this one") {
  Killed killed(kLost);
  const std::string run = end_unseen(killed, "exit 0");
  killed.wait_for_keeper();
  auto record = read_end_record(killed.keepers(), run);
  REQUIRE(record.ok());
  ++record->host.start_time;
  ++record->keeper.start_time;
  REQUIRE(write_end_record(killed.keepers(), *record).ok());
  killed.begin();
  CHECK(killed.end_of(run)["status"] == "lost");
  killed.end();
}

TEST_CASE("records whose runs the journal does not have are removed") {
  Killed killed(kLost);
  const std::string run = end_unseen(killed, "exit 0");
  killed.wait_for_keeper();
  auto record = read_end_record(killed.keepers(), run);
  REQUIRE(record.ok());
  record->run_id = "unknown1";
  REQUIRE(write_end_record(killed.keepers(), *record).ok());
  killed.begin();
  CHECK(killed.end_of(run)["status"] == "completed");
  CHECK(killed.until([&] { return killed.recorded().empty(); }));
  killed.end();
}

TEST_CASE("a host that takes no runs over still removes records of unknown runs") {
  const TempDir dir;
  RuntimeOptions options = auto_mode();
  options.state_dir = dir.path() + "/state";
  options.adopt_runs = false;
  const std::string keepers = options.state_dir + "/keepers";
  REQUIRE(std::filesystem::create_directories(keepers));
  EndRecord record;
  record.run_id = "unknown1";
  REQUIRE(write_end_record(keepers, record).ok());
  Host host(options);
  (void)host.start("true");  // opens the journal
  CHECK(host.until([&] { return list_end_records(keepers, kMany).empty(); }));
}

TEST_CASE("one of two hosts that come after a killed one settles its run, and both see the end") {
  Killed killed(kLost);
  const std::string run = end_unseen(killed, "exit 7");
  killed.begin();
  Conversation other(killed.arguments());
  const Json end = killed.end_of(run);
  CHECK(end["status"] == "failed");
  CHECK(payloads(end, "state") == Texts{"queued", "running", "failed"});
  CHECK(payloads(end, "note").size() == 1);
  CHECK(Killed::shell(other, {{"action", "poll"}, {"run_id", run}})["items"] == end["items"]);
  other.program().close_stdin();
  (void)other.program().wait();
  killed.end();
}

}  // namespace
}  // namespace gibbous::testing
