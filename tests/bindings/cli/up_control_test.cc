// `gibbous restart`, `stop` and `start`: services of a `gibbous up` that runs in another terminal.
#include <signal.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "tests/support/catch.h"
#include "tests/support/conversation.h"
#include "tests/support/loop.h"
#include "tests/support/program.h"

using Catch::Matchers::Contains;
using gibbous::Json;
using namespace gibbous::testing;

namespace {

enum ExitCode { kDone = 0, kFailed = 1, kWrongUse = 2 };

struct Terminals {
  TempDir workspace;
  std::string state = workspace.path() + "/state";
  Program up;

  explicit Terminals(const std::string& services) : up(spec_for(services)) {}

  ProgramSpec spec_for(const std::string& services) const {
    workspace.write("gibbous.lua", services);
    REQUIRE(
        run_program({.argv = {command_path(), "trust", "--yes", "gibbous.lua", "--state", state},
                     .env = {},
                     .cwd = workspace.path()})
            .status.code == kDone);
    return {.argv = {command_path(), "up", "--json", "--state", state},
            .env = {},
            .cwd = workspace.path()};
  }

  Outcome ask(std::vector<std::string> words, const std::string& directory = "") const {
    words.insert(words.begin(), command_path());
    words.insert(words.end(), {"--state", state});
    return run_program({.argv = std::move(words),
                        .env = {},
                        .cwd = directory.empty() ? workspace.path() : directory});
  }

  // The next event of this name and service in the output of up.
  Json event(const std::string& name, const std::string& service) {
    while (const auto line = up.read_line()) {
      Json event = Json::parse(*line);
      if (event["event"] == name && event["service"] == service) return event;
    }
    FAIL("no event " << name << " of " << service);
    return {};
  }

  // Waits for all of these events of services, in any order.
  void events(std::multimap<std::string, std::string> awaited) {
    while (!awaited.empty()) {
      const auto line = up.read_line();
      REQUIRE(line);
      const Json event = Json::parse(*line);
      const auto [first, last] = awaited.equal_range(event["event"].get<std::string>());
      const auto found = std::find_if(
          first, last, [&](const auto& each) { return event["service"] == each.second; });
      if (found != last) awaited.erase(found);
    }
  }
};

constexpr const char* kTwo =
    "return { { name = 'web', command = 'sleep 100' "
    "}, { name = 'db', command = 'sleep 100' } }";

}  // namespace

TEST_CASE("restart ends a service of a running up and starts it again") {
  Terminals terminals(kTwo);
  const std::string first = terminals.event("started", "web")["run"];
  const Outcome outcome = terminals.ask({"restart", "web"});
  INFO(outcome.err);
  REQUIRE(outcome.status.code == kDone);
  const Json ended = terminals.event("exited", "web");
  CHECK(ended["run"] == first);
  CHECK(ended["state"] == "killed");
  const std::string second = terminals.event("started", "web")["run"];
  CHECK(second != first);
  CHECK(outcome.out == "web restarted: " + second + "\n");
}

TEST_CASE("a service that was stopped can be started again, and up waits for that") {
  Terminals terminals("return { { name = 'web', command = 'sleep 100' } }");
  terminals.event("started", "web");
  CHECK(terminals.ask({"stop", "web"}).out == "web stopped\n");
  CHECK(terminals.event("exited", "web")["stopped"] == true);
  CHECK_THAT(terminals.ask({"stop", "web"}).err, Contains("web is not running"));
  CHECK_THAT(terminals.ask({"start", "web"}).out, Contains("web started: "));
  terminals.event("started", "web");
  CHECK_THAT(terminals.ask({"start", "web"}).err, Contains("gibbous restart web"));

  terminals.ask({"stop", "web"});
  terminals.up.send_signal(SIGINT);
  const auto status = terminals.up.wait();
  REQUIRE(status);
  CHECK(status->code == kDone);
}

TEST_CASE("a service that ended by itself can be started while others run") {
  Terminals terminals(
      "return { { name = 'web', command = 'sleep 100' }, { "
      "name = 'job', command = 'exit 3' } }");
  terminals.event("exited", "job");
  const Json told = Json::parse(terminals.ask({"start", "job", "--json"}).out);
  CHECK_THAT(told["text"].get<std::string>(), Contains("job started: "));
  CHECK(terminals.event("exited", "job")["exit_code"] == 3);
}

constexpr const char* kChain =
    "return { { name = 'web', command = 'sleep 100', after = { 'db', 'job' } },"
    " { name = 'job', command = 'sleep 0.01', after = { 'db' } },"
    " { name = 'db', command = 'echo up; sleep 100', ready = { kind = 'regex', pattern = 'up' } } "
    "}";

TEST_CASE("start first starts what the service comes after, but not what has completed") {
  Terminals terminals(kChain);
  terminals.events({{"started", "web"}, {"exited", "job"}});
  REQUIRE(terminals.ask({"stop", "web"}).status.code == kDone);
  REQUIRE(terminals.ask({"stop", "db"}).out == "db stopped\n");
  const Outcome outcome = terminals.ask({"start", "web"});
  INFO(outcome.err);
  CHECK_THAT(outcome.out, Contains("db started: ") && Contains("\nweb started: "));
  CHECK_THAT(outcome.out, !Contains("job"));
  // The old run of db ends, a new one is ready, and only then web starts.
  terminals.event("exited", "db");
  terminals.event("started", "db");
  terminals.event("ready", "db");
  terminals.event("started", "web");
}

TEST_CASE("stop and restart name the services that come after and go on") {
  Terminals terminals(kChain);
  terminals.events({{"started", "web"}, {"exited", "job"}});
  const std::string restarted = terminals.ask({"restart", "db"}).out;
  CHECK_THAT(restarted, Contains("db restarted: "));
  CHECK_THAT(restarted, Contains("; web comes after it and goes on: gibbous restart web"));
  CHECK(terminals.ask({"stop", "db"}).out == "db stopped; web comes after it and goes on\n");
  // A restart does not start what was stopped.
  CHECK_THAT(terminals.ask({"restart", "web"}).out, Contains("web restarted: "));
}

TEST_CASE("a start that what it comes after makes impossible fails with the reason") {
  Terminals terminals(
      "return { { name = 'web', command = 'sleep 100', after = { 'db' } },"
      " { name = 'other', command = 'sleep 100' },"
      " { name = 'db', command = 'exit 3', ready = { kind = 'regex', pattern = 'up' } } }");
  terminals.event("not_started", "web");
  const Outcome outcome = terminals.ask({"start", "web"});
  CHECK(outcome.status.code == kFailed);
  CHECK_THAT(outcome.err, Contains("web was not started"));
}

TEST_CASE("a service starts once what it comes after was made ready by a restart") {
  Terminals terminals(
      "return { { name = 'web', command = 'sleep 100', after = { 'db' } },"
      " { name = 'db', command = '[ -e up ] && echo up; touch up; sleep 100',"
      "   ready = { kind = 'regex', pattern = 'up' }, ready_timeout_ms = 100 } }");
  terminals.event("not_started", "web");
  REQUIRE(terminals.ask({"restart", "db"}).status.code == kDone);
  terminals.event("ready", "db");
  CHECK_THAT(terminals.ask({"start", "web"}).out, Contains("web started: "));
  terminals.up.send_signal(SIGINT);
  const auto status = terminals.up.wait();
  REQUIRE(status);
  CHECK(status->code == kDone);
}

TEST_CASE("controls name what is wrong") {
  const TempDir elsewhere;
  const Outcome none = run_program(
      {.argv = {command_path(), "restart", "web", "--state", elsewhere.path() + "/state"},
       .env = {},
       .cwd = elsewhere.path()});
  CHECK(none.status.code == kFailed);
  CHECK_THAT(none.err, Contains("no 'gibbous up' of this workspace"));

  Terminals terminals(kTwo);
  terminals.event("started", "db");
  CHECK_THAT(terminals.ask({"restart", "wbe"}).err,
             Contains("no service 'wbe'") && Contains("web, db"));
  CHECK_THAT(terminals.ask({"stop", "web"}, elsewhere.path()).err,
             Contains("no 'gibbous up' of this workspace"));
  terminals.workspace.write("below/file", "");
  CHECK(terminals.ask({"stop", "web"}, terminals.workspace.path() + "/below").out ==
        "web stopped\n");
  CHECK(terminals.ask({"stop"}).status.code == kWrongUse);
}

TEST_CASE("an up that was killed leaves nothing that answers") {
  Terminals terminals(kTwo);
  terminals.event("started", "db");
  terminals.up.send_signal(SIGKILL);
  REQUIRE(terminals.up.wait());
  CHECK_THAT(terminals.ask({"stop", "web"}).err, Contains("no 'gibbous up' of this workspace"));
}
