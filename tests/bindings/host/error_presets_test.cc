// Excerpts of errors have what a team's own watcher presets find, also after a reload.
#include <string>

#include "tests/support/catch.h"
#include "tests/support/host.h"
#include "tests/support/loop.h"

namespace gibbous::testing {
namespace {

using Catch::Matchers::Contains;

// Scripts of a team, which use what ships beside them.
class Team {
 public:
  Team() {
    options = auto_mode();
    options.state_dir = dir.path() + "/state";
    options.workspace = dir.path();
    dir.write("scripts/init.lua", "return { toolsets = { require 'toolsets.bg' } }");
    options.scripts_dir = dir.path() + "/scripts";
  }

  void finds(const std::string& regex) const {
    dir.write("scripts/watchers/test_failure.lua",
              "return { { regex = [[" + regex + "]], event = 'test_failure' } }");
  }

  TempDir dir;
  RuntimeOptions options;
};

// Prints a line in the middle of much output that no word of failure gives away.
std::string failed_run(Host& host) {
  const Json start = {{"command", "seq 1500; echo 'case 7 went red'; seq 1500; exit 3"},
                      {"until", {{"exit", true}}}};
  return host.data("bg_start", start)["id"];
}

std::string status(Host& host, const std::string& id) {
  return host.call("bg_status", {{"id", id}}).text;
}

TEST_CASE("an error excerpt has what a preset of the team finds") {
  const Team team;
  std::string id;
  {
    Host host(team.options);
    CHECK_THAT(status(host, failed_run(host)), !Contains("1501:case 7"));
  }
  team.finds("^case \\d+ went red$");
  {
    Host host(team.options);
    id = failed_run(host);
    CHECK_THAT(status(host, id), Contains("\n1501:case 7 went red\n"));
    const CallResult output = host.call("bg_output", {{"id", id}, {"max_chars", 1000}});
    CHECK_THAT(output.text, Contains("1501:case 7 went red\n"));
  }
  // Only the journal knows the run now.
  Host host(team.options);
  CHECK_THAT(status(host, id), Contains("\n1501:case 7 went red\n"));
}

TEST_CASE("after a reload, excerpts of earlier runs use the new presets") {
  const Team team;
  team.finds("^nothing$");
  Host host(team.options);
  const std::string id = failed_run(host);
  CHECK_THAT(status(host, id), !Contains("1501:case 7"));
  team.finds("went red");
  REQUIRE(host.runtime->reload().ok);
  CHECK_THAT(status(host, id), Contains("\n1501:case 7 went red\n"));
}

TEST_CASE("a reload with a wrong preset fails, and the presets before it go on") {
  const Team team;
  team.finds("went red");
  Host host(team.options);
  const std::string id = failed_run(host);
  team.finds("went (red");
  const ReloadResult result = host.runtime->reload();
  CHECK_FALSE(result.ok);
  CHECK_THAT(result.message, Contains("preset 'test_failure'[1].regex: missing )"));
  CHECK_THAT(result.file, Contains("watchers/test_failure.lua"));
  CHECK_THAT(status(host, id), Contains("\n1501:case 7 went red\n"));
}

TEST_CASE("a reload while a call waits for the end of a run changes what its answer shows") {
  const Team team;
  team.finds("^nothing$");
  Host host(team.options);
  const Json start = {{"command", "seq 1500; echo 'case 7 went red'; seq 1500; read line; exit 3"},
                      {"until", {{"input", true}}}};
  const std::string id = host.data("bg_start", start)["id"];
  CallResult ended;
  bool is_ended = false;
  CallRequest request;
  request.tool = "bg_input";
  request.arguments = Json{{"id", id}, {"keys", "x<Enter>"}}.dump();
  host.runtime->call(std::move(request), [&](CallResult result) {
    ended = std::move(result);
    is_ended = true;
  });
  team.finds("went red");
  REQUIRE(host.runtime->reload().ok);
  REQUIRE(host.until([&] { return is_ended; }));
  INFO(ended.text);
  CHECK_THAT(ended.text + status(host, id), Contains("\n1501:case 7 went red\n"));
}

}  // namespace
}  // namespace gibbous::testing
