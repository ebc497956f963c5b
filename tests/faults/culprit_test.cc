// A run that stops its keeper and all that guards it, while its host lives, ends alone: what ran
// beside it goes on as if nothing had been, and host and agent are told why it ended.
#include <csignal>
#include <map>

#include "tests/faults/containment.h"

namespace gibbous::testing {
namespace {

const Steps kStops = block("double-fork", {"setsid", "print", "up", "stop-ancestors"}) + kStay;
const std::map<std::string, std::string> kWithoutGroups = {{"GIBBOUS_CGROUPS", "off"}};

// `gibbous session` with runs of both kinds.
class BesetHost {
 public:
  explicit BesetHost(std::map<std::string, std::string> env = {})
      : session_({"--mode", "dangerous", "--state", state_.path(), "--scripts",
                  std::string(std::getenv("GIBBOUS_SOURCE_DIR")) + "/tests/faults/scripts"},
                 std::move(env)) {}
  ~BesetHost() {
    session_.program().close_stdin();
    (void)session_.program().wait();
    Loop loop;
    CHECK(loop.until([this] { return processes_with(word_).empty(); }));
  }

  Json result(const std::string& tool, const Json& args) {
    const Json answer = session_.call(tool, args);
    INFO(answer.dump());
    REQUIRE(answer.contains("result"));
    return answer["result"]["data"];
  }
  // A tree with the word of this host; with `gate`, not before there is such a file.
  Json plant(const Steps& steps, const std::string& gate = "") {
    const std::string wait =
        gate.empty() ? "" : "until [ -e '" + gate + "' ]; do sleep 0.01; done; ";
    return result("start", {{"command", wait + "exec " +
                                            quoted(Steps{fixture("tree"), "tag", word_} + steps)}});
  }
  // A run that lives as long as its host, and must not notice anything.
  void plant_bystander(const std::string& command) {
    const Json started = result("start", {{"command", command}});
    const auto stat = read_stat(started["pid"].get<pid_t>());
    REQUIRE(stat);
    bystanders_.push_back({started["id"].get<std::string>(), {stat->pid, stat->start_time}});
  }
  pid_t last_bystander() const { return bystanders_.back().process.pid; }
  // They live, they run, and have said nothing.
  void check_bystanders() {
    for (const Bystander& each : bystanders_) {
      const auto stat = read_stat(each.process.pid);
      REQUIRE(stat);
      CHECK(stat->start_time == each.process.start_time);
      CHECK(stat->alive());
      const Json status = result("bg_status", {{"id", each.id}});
      INFO(status.dump());
      CHECK(status["processes"][0]["state"] == "running");
      CHECK(result("bg_output", {{"id", each.id}}).value("stdout", "").empty());
    }
  }
  // What the event of its end says.
  Json end_of(const Json& started) {
    const Json ended = result("ended", {{"id", started["id"]}});
    INFO(ended.dump());
    CHECK(ended["state"] == "killed");
    CHECK(ended["limit"] == "guards");
    Json event;
    do {
      event = session_.event("run_ended");
    } while (event["run"] != started["id"]);
    return event;
  }
  bool until(const std::function<bool()>& condition) { return loop_.until(condition); }
  std::size_t planted() const { return processes_with(word_).size(); }
  bool is_stopped(pid_t pid) {
    return loop_.until([pid] {
      const auto stat = read_stat(pid);
      return stat && stat->state == 'T';
    });
  }

 private:
  struct Bystander {
    std::string id;
    ProcessIdentity process;
  };
  TempDir state_;
  const std::string word_ = unique_word();
  Loop loop_;
  Conversation session_;
  std::vector<Bystander> bystanders_;
};

void against_stopper(const std::map<std::string, std::string>& env) {
  BesetHost host(env);
  host.plant_bystander("exec sleep 600");
  host.plant_bystander("setsid sleep 600 & wait");
  // A shell with job control says when one of its jobs was stopped.
  host.plant_bystander("exec bash -mc 'sleep 600; echo status $?'");
  host.plant_bystander("while :; do sleep 0.01; done");
  const Json culprit = host.plant(kStops);
  const pid_t keeper = keeper_of(host.last_bystander());
  REQUIRE(keeper > 0);
  REQUIRE(host.is_stopped(keeper));
  const Json event = host.end_of(culprit);
  INFO(event.dump());
  CHECK(event["limit"] == "guards");
  CHECK(event["reason"].get<std::string>().find("stopped its keeper") != std::string::npos);
  host.check_bystanders();
  // The same keeper serves on.
  CHECK(keeper_of(host.last_bystander()) == keeper);
  const Json next = host.result("start", {{"command", "exec sleep 600"}});
  CHECK(keeper_of(next["pid"].get<pid_t>()) == keeper);
  CHECK(host.result("bg_kill", {{"id", next["id"]}})["survivors"].empty());
}

TEST_CASE("a run that stops all that guards it ends alone, and its agent is told why") {
  against_stopper({});
}

TEST_CASE("a run that stops all that guards it ends alone, also without control groups") {
  against_stopper(kWithoutGroups);
}

TEST_CASE("two runs that stop all that guards them both end, and nothing else does") {
  BesetHost host;
  host.plant_bystander("exec sleep 600");
  const TempDir dir;
  const Json one = host.plant(kStops, dir.path() + "/gate");
  const Json other = host.plant(kStops, dir.path() + "/gate");
  dir.write("gate", "");
  (void)host.end_of(one);
  (void)host.end_of(other);
  host.check_bystanders();
}

TEST_CASE("a run that stops all that guards it ends with what it forks all the time") {
  BesetHost host(kWithoutGroups);
  host.plant_bystander("exec sleep 600");
  const pid_t keeper = keeper_of(host.last_bystander());
  const Json culprit =
      host.plant(block("double-fork", {"setsid", "print", "up", "storm"}) + kStops);
  REQUIRE(host.is_stopped(keeper));
  (void)host.end_of(culprit);
  host.check_bystanders();
}

TEST_CASE(
    "what stops all that guards it and hides whose it is ends without the run it hides from") {
  BesetHost host(kWithoutGroups);
  host.plant_bystander("exec sleep 600");
  const pid_t keeper = keeper_of(host.last_bystander());
  const Json run = host.plant(block("double-fork", {"setsid", "lower-limits", "print", "up",
                                                    "clear-env", "stop-ancestors"}) +
                              kStay);
  REQUIRE(host.is_stopped(keeper));
  CHECK(host.until([&] { return host.planted() == 1; }));
  const Json status = host.result("bg_status", {{"id", run["id"]}});
  CHECK(status["processes"][0]["state"] == "running");
  host.check_bystanders();
}

TEST_CASE("a run that continues itself all the time is held by its control group, and found") {
  if (!find_cgroup_places().kill.ok()) return;
  BesetHost host;
  host.plant_bystander("exec sleep 600");
  const pid_t keeper = keeper_of(host.last_bystander());
  const Json culprit = host.plant(
      block("double-fork", {"setsid", "continue-itself", "print", "up", "stop-ancestors"}) + kStay);
  REQUIRE(host.is_stopped(keeper));
  (void)host.end_of(culprit);
  host.check_bystanders();
}

TEST_CASE("what was stopped before stays so when a run is ended that stops its keeper") {
  BesetHost host(kWithoutGroups);
  host.plant_bystander("exec sleep 600");
  const pid_t keeper = keeper_of(host.last_bystander());
  const Json stopped = host.plant({"print", "up", "stop", "pause"});
  REQUIRE(host.is_stopped(stopped["pid"].get<pid_t>()));
  const Json culprit = host.plant(kStops);
  REQUIRE(host.is_stopped(keeper));
  (void)host.end_of(culprit);
  const auto stat = read_stat(stopped["pid"].get<pid_t>());
  REQUIRE(stat);
  CHECK(stat->state == 'T');
  host.check_bystanders();
}

TEST_CASE("a kill of a run that stops all that guards it is answered, and costs no other run") {
  BesetHost host;
  host.plant_bystander("exec sleep 600");
  const pid_t keeper = keeper_of(host.last_bystander());
  const Json culprit = host.plant(kStops);
  REQUIRE(host.is_stopped(keeper));
  CHECK(host.result("bg_kill", {{"id", culprit["id"]}})["survivors"].empty());
  CHECK(host.result("ended", {{"id", culprit["id"]}})["state"] == "killed");
  host.check_bystanders();
}

}  // namespace
}  // namespace gibbous::testing
