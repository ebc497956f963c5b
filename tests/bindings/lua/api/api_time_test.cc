// time.*
#include "tests/bindings/lua/call/engine_fixture.h"

using gibbous::Json;
using gibbous::testing::contains;
using gibbous::testing::World;

TEST_CASE("time.sleep waits for at least the given time") {
  World world;
  world.start(
      "define('nap', function(args)\n"
      "  local began = time.monotonic_ms()\n"
      "  time.sleep(args.ms)\n"
      "  return time.monotonic_ms() - began >= args.ms and 'slept' or 'woke early'\n"
      "end)");
  for (const char* millis : {"0", "0.5", "1", "7", "20"}) {
    CHECK(world.run("nap", std::string("{\"ms\":") + millis + "}").text == "slept");
  }
}

TEST_CASE("time.sleep does not count a long script's time as waiting") {
  World world;
  world.start(
      "define('nap', function()\n"
      "  local began = time.monotonic_ms()\n"
      "  while time.monotonic_ms() - began < 20 do end\n"
      "  local slept = time.monotonic_ms()\n"
      "  time.sleep(15)\n"
      "  return time.monotonic_ms() - slept >= 15 and 'slept' or 'woke early'\n"
      "end)");
  CHECK(world.run("nap").text == "slept");
}

TEST_CASE("invalid milliseconds raise") {
  World world;
  world.start("define('nap', function(args) time.sleep(args.ms or 0 / 0) end)");
  CHECK(contains(world.run("nap", R"({"ms":-1})").message, "bad argument #1 to 'sleep'"));
  CHECK(contains(world.run("nap", R"({"ms":1e15})").message, "bad argument #1 to 'sleep'"));
  CHECK(contains(world.run("nap").message, "bad argument #1 to 'sleep'"));
}

TEST_CASE("the clocks are those of the host") {
  World world;
  world.start(
      "define('clocks', function() return { data = { wall = time.now_ms(), steady = "
      "time.monotonic_ms() } } end)");
  const auto wall = world.clock.wall();
  const Json data = Json::parse(world.run("clocks").data);
  CHECK(data["wall"].get<double>() >= static_cast<double>(wall.count()));
  CHECK(data["steady"].get<double>() > 0);
}

TEST_CASE("durations are shown in two units at most") {
  World world;
  world.start(
      "define('show', function(args)\n"
      "  local out = {}\n"
      "  for i, ms in ipairs(args.list) do out[i] = time.format_duration(ms) end\n"
      "  return table.concat(out, ' | ')\n"
      "end)");
  CHECK(world.run("show", R"({"list":[0,12,999,1000,3260,59999,60000,245000,7385000,435600000]})")
            .text ==
        "0ms | 12ms | 999ms | 1.0s | 3.2s | 59.9s | 1m 00s | 4m 05s | 2h 03m | 5d 01h");
}
