// `gibbous kill` through the journal: a run of another process, a queued run, and a detached run of
// a dead host.
#include <signal.h>

#include <string>

#include "tests/support/catch.h"
#include "tests/support/conversation.h"
#include "tests/support/host.h"
#include "tests/support/loop.h"

namespace gibbous::testing {
namespace {

class Killing {
 public:
  explicit Killing(const std::string& config = "return { toolsets = { 'bg', 'shell' } }\n")
      : config_(dir_.write("config.lua", config)),
        session_({"--mode", "auto", "--config", config_, "--state", state(), "--workspace",
                  dir_.path()}) {}
  std::string state() const { return dir_.path() + "/state"; }
  std::string spawn(const std::string& command) {
    return session_.call("shell", {{"action", "spawn"}, {"command", command}},
                         "a")["result"]["data"]["run_id"];
  }
  // Starts a service, and returns the id of its first run.
  std::string serve(const Json& service) {
    return session_.call("start_services", {{"services", {service}}, {"wait", false}},
                         "a")["result"]["data"]["services"][0]["id"];
  }
  void until_up(const std::string& run) {
    Loop loop;
    REQUIRE(loop.until([&] {
      const Json data =
          session_.call("shell", {{"action", "poll"}, {"run_id", run}}, "a")["result"]["data"];
      for (const Json& item : data["items"]) {
        if (item["item_type"] == "stdout") return true;
      }
      return false;
    }));
  }
  Outcome kill(const std::string& run) const {
    return run_program({.argv = {command_path(), "kill", run, "--state", state(), "--json"},
                        .env = {},
                        .cwd = ""});
  }
  Conversation& session() { return session_; }

 private:
  TempDir dir_;
  std::string config_;
  Conversation session_;
};

TEST_CASE("kill of a restarted run ends the run that replaced it") {
  Killing desk("return { toolsets = { 'services' } }\n");
  const std::string first =
      desk.serve({{"name", "web"},
                  {"command", "test -e tried && echo up && exec sleep 60; : > tried; exit 1"},
                  {"ready", {{"output_regex", "up"}}},
                  {"restart", {{"max", 2}, {"backoff_ms", 1}}}});
  const std::string now = desk.session().event("run_ready")["run"];
  REQUIRE(first != now);
  Json said;
  Loop loop;
  // A reported event may not be on disk yet.
  REQUIRE(loop.until([&] {
    said = Json::parse(desk.kill(first).out);
    return said.contains("run");
  }));
  CHECK(said["run"] == now);
  CHECK(said["state"] == "killed");
}

TEST_CASE("kill of a run that waits for its restart prevents the restart") {
  Killing desk("return { toolsets = { 'services' } }\n");
  const std::string run =
      desk.serve({{"name", "bad"}, {"command", "exit 1"}, {"restart", {{"backoff_ms", 60000}}}});
  const Json next = desk.session().event("run_ended")["next"];
  Json said;
  Loop loop;
  // The end is reported before it is on disk.
  REQUIRE(loop.until([&] {
    said = Json::parse(desk.kill(run).out, nullptr, false);
    return said.is_object() && said.contains("run");
  }));
  CHECK(said == Json({{"run", next}, {"state", "killed"}, {"killed", true}}));
  CHECK(desk.session().event("run_ended")["reason"] == "killed before it started");
}

TEST_CASE("kill ends a run of another process") {
  Killing desk;
  const std::string word = "6" + unique_word().substr(1, 6);
  const std::string run = desk.spawn("echo up; exec sleep 600 " + word);
  const std::string queued = desk.spawn("echo never");
  desk.until_up(run);
  const Outcome early = desk.kill(queued);
  CHECK(early.status.code == 0);
  CHECK(Json::parse(early.out)["state"] == "killed");
  const Outcome outcome = desk.kill(run.substr(0, 6));
  INFO(outcome.err);
  CHECK(outcome.status.code == 0);
  CHECK(Json::parse(outcome.out) == Json({{"run", run}, {"state", "killed"}, {"killed", true}}));
  CHECK(processes_with(word).empty());
  CHECK(Json::parse(desk.kill(run).out)["killed"] == false);
}

TEST_CASE("kill ends a detached run of a dead host") {
  Killing desk("return { toolsets = { 'shell' }, kill_on_session_end = false }\n");
  const std::string word = "6" + unique_word().substr(1, 6);
  const std::string run = desk.spawn("echo up; exec sleep 600 " + word);
  desk.until_up(run);
  desk.session().program().send_signal(SIGKILL);
  (void)desk.session().program().wait();
  CHECK(processes_with(word).size() == 1);
  const Outcome outcome = desk.kill(run);
  INFO(outcome.err);
  CHECK(outcome.status.code == 0);
  CHECK(Json::parse(outcome.out)["state"] == "killed");
  CHECK(processes_with(word).empty());
}

TEST_CASE("kills of several runs of dead hosts at the same time all end their run") {
  TempDir dir;
  const std::string gibbous = command_path() + " ";
  const std::string state = " --state " + dir.path() + "/state";
  std::string all;
  for (int i = 0; i < 3; ++i) {
    const Outcome started = run_program(
        {.argv = {command_path(), "call", "bg_start", R"({"command":"sleep 600"})", "--keep",
                  "--json", "--mode", "auto", "--state", dir.path() + "/state"},
         .env = {},
         .cwd = dir.path()});
    const std::string id = Json::parse(started.out)["result"]["data"]["id"];
    all += gibbous + "kill " + id + state + " & ";
  }
  const Outcome killed =
      run_program({.argv = {"/bin/sh", "-c", all + "wait"}, .env = {}, .cwd = dir.path()});
  CHECK(killed.err.empty());
  const Outcome listed = run_program(
      {.argv = {"/bin/sh", "-c", gibbous + "ps" + state}, .env = {}, .cwd = dir.path()});
  CHECK(listed.out.find("running") == std::string::npos);
}

TEST_CASE("kill of an unknown run suggests the nearest id") {
  Killing desk;
  const std::string run = desk.spawn("true");
  desk.until_up(desk.spawn("echo x"));
  std::string wrong = run;
  wrong.back() = wrong.back() == 'x' ? 'y' : 'x';
  const Outcome outcome = desk.kill(wrong);
  CHECK(outcome.status.code == 1);
  CHECK_THAT(outcome.err + outcome.out, Catch::Matchers::Contains(run));
}

}  // namespace
}  // namespace gibbous::testing
