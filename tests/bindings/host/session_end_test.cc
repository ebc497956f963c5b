// A host ends a session that will not come again, and changes the mode while runs go on.
#include <string>

#include "tests/support/catch.h"
#include "tests/support/host.h"
#include "tests/support/loop.h"

namespace gibbous::testing {
namespace {

using Catch::Matchers::Contains;

Json start_in(Host& host, const std::string& session, Json options) {
  options["command"] = "sleep 600";
  return host.data("bg_start", options, session);
}

std::string state_of(Host& host, const std::string& session, const Json& id) {
  return host.data("bg_status", {{"id", id}}, session)["processes"][0]["state"];
}

TEST_CASE("the end of a session ends its runs, and nobody else's") {
  const TempDir dir;
  RuntimeOptions options = auto_mode();
  options.state_dir = dir.path() + "/state";
  options.workspace = dir.path();
  Host host(std::move(options));
  const Json gone = start_in(host, "gone", Json::object())["id"];
  const Json stays = start_in(host, "stays", Json::object())["id"];
  CHECK(host.runtime->has_run(gone.get<std::string>(), "gone"));
  CHECK_FALSE(host.runtime->has_run(gone.get<std::string>(), "stays"));
  CHECK(host.runtime->end_session("gone") == Refusal::kNone);
  CHECK(host.until([&] { return state_of(host, "gone", gone) == "killed"; }));
  CHECK(state_of(host, "stays", stays) == "running");
  // Neither a session that does not exist nor the host's own ends.
  host.runtime->end_session("unknown");
  host.runtime->end_session("");
  CHECK(state_of(host, "stays", stays) == "running");
}

TEST_CASE("detached runs outlive their session") {
  const TempDir dir;
  RuntimeOptions options = auto_mode();
  options.state_dir = dir.path() + "/state";
  options.workspace = dir.path();
  options.keep_runs = true;
  Host host(std::move(options));
  const Json detached = start_in(host, "gone", Json::object())["id"];
  host.runtime->end_session("gone");
  // What would be killed is killed before the next call.
  start_in(host, "stays", Json::object());
  CHECK(state_of(host, "gone", detached) == "running");
  for (const char* session : {"gone", "stays"}) {
    const Json status = host.data("bg_status", Json::object(), session);
    for (const Json& each : status["processes"]) {
      host.data("bg_kill", {{"id", each["id"]}}, session);
    }
  }
}

TEST_CASE("what a session has waiting does not start after its end") {
  const TempDir dir;
  RuntimeOptions options = auto_mode();
  options.state_dir = dir.path() + "/state";
  options.workspace = dir.path();
  options.files["config.lua"] = "return { limits = { max_concurrent = 1 } }";
  Host host(std::move(options));
  const Json first = start_in(host, "gone", Json::object())["id"];
  const Json waits = start_in(host, "gone", {{"serial", "builds"}})["id"];
  CHECK(state_of(host, "gone", waits) == "queued");
  host.runtime->end_session("gone");
  for (const Json& each : {first, waits}) {
    CHECK(host.until([&] { return state_of(host, "gone", each) == "killed"; }));
  }
}

TEST_CASE("another mode judges what comes, and runs go on") {
  RuntimeOptions options = auto_mode();
  options.files["config.lua"] = "return { modes = { 'auto', 'plan' } }";
  Host host(std::move(options));
  const std::string run = host.start("sleep 600");
  const ReloadResult changed = host.runtime->set_mode("plan");
  INFO(changed.message);
  REQUIRE(changed.ok);
  CHECK(host.runtime->mode() == "plan");
  CHECK_FALSE(host.call("bg_start", {{"command", "touch x"}}).ok);
  CHECK(host.data("bg_status", {{"id", run}})["processes"][0]["state"] == "running");

  // Neither what the configuration closes nor what does not exist takes its place.
  const ReloadResult closed = host.runtime->set_mode("dangerous");
  CHECK_FALSE(closed.ok);
  CHECK_THAT(closed.message, Contains("modes"));
  const ReloadResult unknown = host.runtime->set_mode("nonsense");
  CHECK_FALSE(unknown.ok);
  CHECK(host.runtime->mode() == "plan");
  CHECK_FALSE(host.call("bg_start", {{"command", "touch x"}}).ok);
  REQUIRE(host.runtime->set_mode("auto").ok);
  host.data("bg_kill", {{"id", run}});
}

TEST_CASE("a mode that does not exist leaves the one in force") {
  Host host(auto_mode());
  const ReloadResult unknown = host.runtime->set_mode("nonsense");
  CHECK_FALSE(unknown.ok);
  CHECK_THAT(unknown.message, Contains("nonsense"));
  CHECK(host.runtime->mode() == "auto");
  CHECK(host.until([&] { return host.saw_event("reload_failed"); }));
  host.runtime->close(nullptr);
  CHECK(host.runtime->set_mode("plan").message == "closed");
  CHECK(host.runtime->end_session("x") == Refusal::kClosed);
}

}  // namespace
}  // namespace gibbous::testing
