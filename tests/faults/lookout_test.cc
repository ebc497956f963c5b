// The lookout ends what stops the keeper and both its wardens, and spares what outlives its host.
#include <csignal>

#include "tests/faults/state_host.h"

namespace gibbous::testing {
namespace {

TEST_CASE("a run that stops all that guards it ends with its host, and a kept run lives on") {
  const TempDir state;
  const std::string word = unique_word();
  const std::string seconds = "6" + unique_word().substr(1, 6);
  std::string kept;
  {
    StateHost host(state);
    const Json started =
        host.result("start", {{"command", "exec sleep 600 " + seconds}, {"keep", true}});
    kept = started["id"].get<std::string>();
    const Steps steps = Steps{fixture("tree"), "tag", word} +
                        block("double-fork", {"setsid", "print", "up", "stop-ancestors"}) + kStay;
    host.result("start", {{"command", "exec " + quoted(steps)}});
    Loop loop;
    const auto keeper = keeper_of(started["pid"].get<pid_t>());
    REQUIRE(loop.until([keeper] {
      const auto stat = read_stat(keeper);
      return stat && stat->state == 'T';
    }));
    host.end(SIGKILL);
  }
  CHECK(gone(word));
  StateHost next(state);
  Loop loop;
  Json status;
  REQUIRE(loop.until([&] {
    status = next.call("bg_status", {{"id", kept}});
    return status.contains("result");
  }));
  INFO(status.dump());
  CHECK(status.dump().find("running") != std::string::npos);
  CHECK(processes_with(seconds).size() == 1);
  CHECK(next.result("bg_kill", {{"id", kept}})["survivors"].empty());
}

TEST_CASE("a run that stops all that guards it does not keep its host from answers") {
  const TempDir state;
  const std::string word = unique_word();
  StateHost host(state);
  const Steps steps = Steps{fixture("tree"), "tag", word} +
                      block("double-fork", {"setsid", "print", "up", "stop-ancestors"}) + kStay;
  const Json started = host.result("start", {{"command", "exec " + quoted(steps)}});
  const auto keeper = keeper_of(started["pid"].get<pid_t>());
  Loop loop;
  REQUIRE(loop.until([keeper] {
    const auto stat = read_stat(keeper);
    return stat && stat->state == 'T';
  }));
  const Json killed = host.call("bg_kill", {{"id", started["id"]}});
  INFO(killed.dump());
  CHECK((killed.contains("result") || killed.contains("error")));
  CHECK(gone(word));
  const Json status = host.result("bg_status", {{"id", started["id"]}});
  CHECK(status["processes"][0]["state"] != "running");
  const Json next = host.result("start", {{"command", "exec sleep 600"}});
  CHECK(host.result("bg_kill", {{"id", next["id"]}})["survivors"].empty());
}

}  // namespace
}  // namespace gibbous::testing
