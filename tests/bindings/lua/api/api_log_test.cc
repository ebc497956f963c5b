// log.*: lines reach the host from the loop, never from inside a script.
#include "tests/bindings/lua/call/engine_fixture.h"

using gibbous::CallResult;
using gibbous::Json;
using gibbous::testing::contains;
using gibbous::testing::World;

TEST_CASE("log lines become events if the host has no log, before the result of their call") {
  World world;
  world.start(
      "log.info('loading')\n"
      "define('talk', function()\n"
      "  log.debug('one')\n"
      "  log.error('two', { n = 2 })\n"
      "  return ''\n"
      "end)");
  bool done = false;
  std::size_t before = 0;
  gibbous::CallRequest request;
  request.tool = "talk";
  request.session = "s1";
  world.engine->call(
      7, request,
      [&](const CallResult&) {
        done = true;
        before = world.events.size();
      },
      nullptr);
  REQUIRE(world.until([&] { return done; }));
  REQUIRE(before == 3);
  CHECK(Json::parse(world.events[0].json) ==
        Json{{"event", "log"}, {"session", ""}, {"level", "info"}, {"message", "loading"}});
  CHECK(world.events[1].session == "s1");
  CHECK(Json::parse(world.events[2].json) == Json{{"event", "log"},
                                                  {"session", "s1"},
                                                  {"level", "error"},
                                                  {"message", "two"},
                                                  {"fields", {{"n", 2}}}});
}

TEST_CASE("log lines go to the host's function if it has one") {
  World world;
  std::vector<std::string> lines;
  world.context.log = [&](const std::string& level, const std::string& message, const Json& fields,
                          const std::string& session) {
    lines.push_back(level + "|" + message + "|" + fields.dump() + "|" + session);
  };
  world.start(
      "define('talk', function() log.warn('careful', { a = true }) log.info('x') return '' end)");
  world.run("talk", "{}", "s1");
  CHECK(lines == std::vector<std::string>{"warn|careful|{\"a\":true}|s1", "info|x|null|s1"});
  CHECK(world.events.empty());
}

TEST_CASE("a text is redacted as it is before it is recorded") {
  World world;
  world.start(
      "define('hide', function() return log.redact('X=1 TOKEN=hunter2 y') end)\n"
      "define('long', function() return log.redact(('x'):rep(65537)) end)");
  CHECK(world.run("hide").text == "X=1 TOKEN=*** y");
  CHECK_FALSE(world.run("long").ok);
}

TEST_CASE("long messages are cut, and a flood is dropped and counted") {
  World world;
  world.start(
      "define('long', function() log.info(('x'):rep(100000)) return '' end)\n"
      "define('flood', function() for i = 1, 50000 do log.info('x') end return '' end)");
  world.run("long");
  CHECK(world.events[0].json.size() < 20'000);
  CHECK(contains(world.events[0].json, "[cut]"));
  CHECK(world.run("flood").ok);
}

TEST_CASE("wrong use of log names the argument") {
  World world;
  world.start(
      "define('a', function() log.info({}) end)\n"
      "define('b', function() log.info('x', 5) end)\n"
      "define('c', function() log.info('x', { 1, 2 }) end)");
  CHECK(contains(world.run("a").message, "bad argument #1 to 'info'"));
  CHECK(contains(world.run("b").message, "bad argument #2 to 'info'"));
  CHECK(contains(world.run("c").message, "bad argument #2 to 'info'"));
}
