// Changing the scripts while calls are in flight.
#include <algorithm>
#include <chrono>
#include <thread>

#include "bindings/lua/call/engine.h"
#include "tests/bindings/lua/call/engine_fixture.h"
#include "tests/support/loop.h"

using gibbous::CallId;
using gibbous::CallResult;
using gibbous::Json;
using gibbous::Millis;
using gibbous::ReloadResult;
using gibbous::testing::contains;
using gibbous::testing::World;

namespace {

std::string version(int number) {
  const std::string text = std::to_string(number);
  return "define('which', function() return 'v" + text + "' end)\n" +
         "define('slow', function() time.sleep(30) return 'v" + text + "' end)\n" +
         "define('wait', function() time.sleep(1e6) return 'v" + text + "' end)\n";
}

}  // namespace

TEST_CASE("a reload takes effect for new calls, and calls in flight finish on the old scripts") {
  World world;
  world.start(version(1));
  const CallId old = world.begin("slow");
  world.settle();
  world.script(version(2));
  const ReloadResult reloaded = world.engine->reload();
  CHECK(reloaded.ok);
  CHECK(reloaded.generation == 2);
  CHECK(world.run("which").text == "v2");
  CHECK(world.finish(old).text == "v1");
}

TEST_CASE("a call that was admitted before a reload runs on the old scripts") {
  World world;
  world.start(version(1));
  const CallId id = world.begin("which");
  world.script(version(2));
  REQUIRE(world.engine->reload().ok);
  CHECK(world.finish(id).text == "v1");
}

TEST_CASE("a broken reload keeps the old scripts and reports file and line") {
  World world;
  world.start(version(1));
  world.script("define('which', function() return = end)");
  const ReloadResult failed = world.engine->reload();
  CHECK_FALSE(failed.ok);
  CHECK(failed.generation == 1);
  CHECK(failed.file == world.tools_file);
  CHECK(failed.line == 2);
  CHECK(contains(failed.message, "unexpected symbol"));
  CHECK(world.run("which").text == "v1");
  const auto events = world.events_named("reload_failed");
  REQUIRE(events.size() == 1);
  const Json json = Json::parse(events[0].json);
  CHECK(json["event"] == "reload_failed");
  CHECK(json["session"] == "");
  CHECK(json["file"] == world.tools_file);
  CHECK(json["line"] == 2);
  CHECK(json["generation"] == 1);

  world.script(version(3));
  CHECK(world.engine->reload().ok);
  CHECK(world.run("which").text == "v3");
}

TEST_CASE("an endless loop in a reloaded file fails only that reload") {
  World world;
  world.options.generation.load_budget = Millis{50};
  world.start(version(1));
  world.script("while true do end");
  const ReloadResult failed = world.engine->reload();
  CHECK_FALSE(failed.ok);
  CHECK(failed.file == world.tools_file);
  CHECK(failed.line == 2);
  CHECK(world.run("which").text == "v1");
}

TEST_CASE("a reload says which files changed, and whether the tools did") {
  World world;
  world.start(version(1));
  world.script(version(2));
  REQUIRE(world.engine->reload().ok);
  world.settle();
  auto reloads = world.events_named("reload_ok");
  REQUIRE(reloads.size() == 1);
  CHECK(Json::parse(reloads[0].json)["generation"] == 2);
  CHECK(Json::parse(reloads[0].json)["changed"] == Json::array({world.tools_file}));
  CHECK(world.events_named("tools_changed").empty());

  world.script(version(3) + "define('new', function() return '' end)");
  REQUIRE(world.engine->reload().ok);
  world.settle();
  CHECK(world.events_named("tools_changed").size() == 1);

  REQUIRE(world.engine->reload().ok);
  world.settle();
  reloads = world.events_named("reload_ok");
  REQUIRE(reloads.size() == 3);
  CHECK(Json::parse(reloads[2].json)["changed"] == Json::array());
  CHECK(world.events_named("tools_changed").size() == 1);
}

TEST_CASE("the newest policy judges calls of old scripts") {
  World world;
  world.start(
      "define('which', function() return '' end)\n"
      "define('slow', function()\n"
      "  time.sleep(30)\n"
      "  local result, err = tool.call('which', {})\n"
      "  return err and err.code or 'allowed'\n"
      "end)");
  const CallId id = world.begin("slow");
  world.settle();
  world.policy(
      "return { modes = { default = {} }, decide = function()\n"
      "  return { decision = 'deny', rule = 'tight', reason = 'tightened' }\n"
      "end }\n");
  REQUIRE(world.engine->reload().ok);
  CHECK(world.finish(id).text == "denied");
}

TEST_CASE("with too many old generations, the calls of the oldest are cancelled") {
  World world;
  world.options.limits.max_draining = 2;
  world.start(version(1));
  std::vector<CallId> waiting;
  for (int number = 1; number <= 4; ++number) {
    waiting.push_back(world.begin("wait"));
    world.settle();
    world.script(version(number + 1));
    REQUIRE(world.engine->reload().ok);
  }
  CHECK(world.finish(waiting[0]).code == "cancelled");
  CHECK(contains(world.results[waiting[0]].message, "replaced too many times"));
  CHECK(world.finish(waiting[1]).code == "cancelled");
  CHECK(world.results.count(waiting[2]) == 0);
  CHECK(world.results.count(waiting[3]) == 0);
  world.engine->cancel_all();
  CHECK(world.until([&] { return world.engine->active_calls() == 0; }));
}

TEST_CASE("calls of old scripts are cancelled when the drain deadline has passed") {
  World world;
  world.options.limits.drain_deadline = Millis{30};
  world.start(version(1));
  const CallId old = world.begin("wait");
  world.settle();
  world.script(version(2));
  REQUIRE(world.engine->reload().ok);
  const CallId fresh = world.begin("wait");
  const CallResult result = world.finish(old);
  CHECK(result.code == "cancelled");
  CHECK(contains(result.message, "did not end in time"));
  CHECK(world.results.count(fresh) == 0);
  world.engine->cancel_all();
  CHECK(world.until([&] { return world.engine->active_calls() == 0; }));
}

namespace {

// A thread closes its state.
bool is_freed(const std::weak_ptr<gibbous::lua::Generation>& generation) {
  const auto end = std::chrono::steady_clock::now() + gibbous::testing::kPatience;
  while (!generation.expired() && std::chrono::steady_clock::now() < end) std::this_thread::yield();
  return generation.expired();
}

}  // namespace

TEST_CASE("an old generation is freed with its last call") {
  World world;
  world.start(version(1));
  const std::weak_ptr<gibbous::lua::Generation> first = world.engine->current();
  const CallId old = world.begin("slow");
  world.settle();
  REQUIRE(world.engine->reload().ok);
  CHECK_FALSE(first.expired());
  CHECK(world.finish(old).ok);
  CHECK(is_freed(first));
  const std::weak_ptr<gibbous::lua::Generation> second = world.engine->current();
  REQUIRE(world.engine->reload().ok);
  CHECK(is_freed(second));
}

TEST_CASE("the store survives a reload") {
  World world;
  world.start("define('set', function() store.set('n', { 1, 2 }) return '' end)");
  world.run("set");
  world.script("define('get', function() return tostring(#store.get('n')) end)");
  REQUIRE(world.engine->reload().ok);
  CHECK(world.run("get").text == "2");
}

TEST_CASE("the watched files are those of the last load") {
  World world;
  world.start(version(1));
  const auto has = [&](const std::string& path) {
    const auto files = world.engine->monitored_files();
    return std::any_of(files.begin(), files.end(),
                       [&](const auto& file) { return file.path == path; });
  };
  CHECK(has(world.tools_file));
  CHECK(has(world.dir.path() + "/policies/init.lua"));
  world.script("require 'more' local = 5");
  const std::string more = world.dir.write("scripts/more.lua", "return 1\n");
  CHECK_FALSE(world.engine->reload().ok);
  CHECK(has(world.tools_file));
  CHECK(has(more));
}
