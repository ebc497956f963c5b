// What the journal adds to the runs of a host: those that wait in the queue, and what happened.
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/catch.h"
#include "tests/support/host.h"
#include "tests/support/loop.h"

using namespace gibbous;
using namespace gibbous::testing;

namespace {

RuntimeOptions shell_in(const TempDir& dir) {
  RuntimeOptions options = with_shell();
  options.state_dir = dir.path() + "/state";
  options.workspace = dir.path();
  return options;
}

// Spawns a command that waits for a file, and returns its id.
std::string spawn(Host& host, const std::string& session = "") {
  const Json arguments = {{"action", "spawn"}, {"command", "echo begun; sleep 1000"}};
  return host.data("shell", arguments, session).at("run_id");
}

std::vector<Json> listed(Host& host, const std::string& session = "") {
  const auto runs = std::make_shared<std::optional<std::vector<std::string>>>();
  REQUIRE(host.runtime->list_runs(session, [runs](std::vector<std::string> all) {
    *runs = std::move(all);
  }) == Refusal::kNone);
  REQUIRE(host.until([runs] { return runs->has_value(); }));
  std::vector<Json> infos;
  for (const std::string& each : **runs) infos.push_back(Json::parse(each));
  return infos;
}

Result<std::string> events_of(Host& host, const std::string& run, const std::string& session = "",
                              std::size_t most = 100) {
  const auto events = std::make_shared<std::optional<Result<std::string>>>();
  REQUIRE(host.runtime->run_events(session, run, most, [events](Result<std::string> got) {
    *events = std::move(got);
  }) == Refusal::kNone);
  REQUIRE(host.until([events] { return events->has_value(); }));
  return **events;
}

}  // namespace

TEST_CASE("runs that wait in the queue are listed last, for their session") {
  const TempDir dir;
  Host host(shell_in(dir));
  const std::string first = spawn(host, "one");
  const std::string second = spawn(host, "one");
  REQUIRE(host.until([&] { return host.saw_event("run_started"); }));
  const std::vector<Json> all = listed(host, "one");
  REQUIRE(all.size() == 2);
  CHECK(all[0]["id"] == first);
  CHECK(all[0]["state"] == "running");
  CHECK(all[1]["id"] == second);
  CHECK(all[1]["state"] == "queued");
  CHECK(all[1]["session"] == "one");
  CHECK(all[1]["command"] == "echo begun; sleep 1000");
  CHECK(listed(host, "two").empty());
}

TEST_CASE("the events of a run are what happened to it, without its output") {
  const TempDir dir;
  Host host(shell_in(dir));
  const Json done = host.data(
      "bg_start", {{"command", "echo out; echo err >&2; exit 3"}, {"until", {{"exit", true}}}});
  const std::string id = done.at("id");
  const Result<std::string> got = events_of(host, id);
  REQUIRE(got);
  const Json events = Json::parse(*got);
  CHECK(events["run"] == id);
  REQUIRE(!events["events"].empty());
  for (const Json& each : events["events"]) {
    CHECK(each["type"] != "stdout");
    CHECK(each["type"] != "stderr");
    CHECK(each["seq"].is_number_unsigned());
  }
  CHECK_FALSE(events.contains("more"));
  const Json last = Json::parse(*events_of(host, id, "", 1));
  CHECK(last["events"].size() == 1);
  CHECK(last["events"][0] == events["events"].back());
  CHECK(last.contains("more") == (events["events"].size() > 1));
}

TEST_CASE("the events of a run that is not there, or of another session, are not found") {
  const TempDir dir;
  Host host(shell_in(dir));
  const std::string id = spawn(host, "one");
  REQUIRE(host.until([&] { return host.saw_event("run_started"); }));
  CHECK(events_of(host, "nobodyxx").status().code() == "run_not_found");
  CHECK(events_of(host, id, "two").status().code() == "run_not_found");
  CHECK(events_of(host, id, "one"));
}

TEST_CASE("a host may close while the events of a run are read") {
  const TempDir dir;
  Host host(shell_in(dir));
  const std::string id = spawn(host);
  int told = 0;
  const auto tell = [&told](const Result<std::string>&) { ++told; };
  REQUIRE(host.runtime->run_events("", id, 10, tell) == Refusal::kNone);
  bool closed = false;
  REQUIRE(host.runtime->close([&closed] { closed = true; }) == Refusal::kNone);
  REQUIRE(host.until([&closed] { return closed; }));
  CHECK(told <= 1);
  CHECK(host.runtime->run_events("", id, 10, tell) == Refusal::kClosed);
}
