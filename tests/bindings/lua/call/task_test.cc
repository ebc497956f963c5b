// Suspending functions and the rules of cancelling, as scripts see them.
#include "bindings/lua/call/task.h"

#include "tests/bindings/lua/call/engine_fixture.h"

using gibbous::CallId;
using gibbous::CallResult;
using gibbous::Millis;
using gibbous::Nanos;
using gibbous::testing::contains;
using gibbous::testing::World;

TEST_CASE("a suspended task continues where it stopped, with its locals") {
  World world;
  world.start(
      "define('sleeper', function(args)\n"
      "  local sum = 0\n"
      "  for i = 1, 3 do time.sleep(1) sum = sum + i end\n"
      "  return tostring(sum)\n"
      "end)");
  CHECK(world.run("sleeper").text == "6");
}

TEST_CASE("many calls wait at the same time") {
  World world;
  world.start("define('sleeper', function(args) time.sleep(args.ms) return tostring(args.ms) end)");
  const CallId slow = world.begin("sleeper", R"({"ms":60})");
  const CallId fast = world.begin("sleeper", R"({"ms":1})");
  CHECK(world.finish(slow).text == "60");
  CHECK(world.finish(fast).text == "1");
  CHECK(world.order == std::vector<CallId>{fast, slow});
}

TEST_CASE("tasks that fail in one another are counted against the memory of scripts") {
  World world;
  world.options.generation.memory.total_bytes = std::size_t{16} << 20;
  world.start(
      "define('nested', function()\n"
      "  local text = string.rep('x', 15000)\n"
      "  local function deep(n)\n"
      "    if n == 0 then error(text) end\n"
      "    task.spawn(deep, n - 1)\n"
      "  end\n"
      "  deep(2000)\n"
      "end)\n"
      "define('beside', function()\n"
      "  local text = string.rep('x', 15000)\n"
      "  local kept = {}\n"
      "  for i = 1, 5000 do\n"
      "    kept[i] = task.spawn(function() error(text) end)\n"
      "    pcall(kept[i].await, kept[i])\n"
      "  end\n"
      "  return 'all'\n"
      "end)\n"
      "define('data', function()\n"
      "  local function deep(n)\n"
      "    if n == 0 then error({ code = 'odd', message = 'm', data = { n = 1 } }) end\n"
      "    task.spawn(deep, n - 1)\n"
      "  end\n"
      "  deep(20)\n"
      "end)");
  const CallResult nested = world.run("nested");
  CHECK_FALSE(nested.ok);
  CHECK(contains(nested.message, "xxxx"));
  const CallResult data = world.run("data");
  CHECK(data.code == "odd");
  CHECK(contains(data.data, R"("n":1)"));
  CHECK(world.run("beside").code == "memory_exceeded");
  const auto& memory = world.engine->current()->state().memory();
  CHECK(memory.used() < memory.limits().total_bytes);
  CHECK(world.run("data").code == "odd");  // nothing of that is in the way of the next call
}

TEST_CASE("wrong use of a suspending function names it, the argument and the script's line") {
  World world;
  world.start(
      "define('a', function()\n"
      "  time.sleep('soon')\n"
      "end)\n"
      "define('b', function()\n"
      "  local ok, err = pcall(function() time.sleep(-1) end)\n"
      "  return tostring(ok) .. ' ' .. err\n"
      "end)\n"
      "define('c', function()\n"
      "  local t = task.spawn(function() end)\n"
      "  local await = t.await\n"
      "  await('x')\n"
      "end)");
  CHECK(
      contains(world.run("a").message,
               world.tools_file + ":3: bad argument #1 to 'sleep' (number expected, got string)"));
  CHECK(contains(world.run("b").text, ":6: bad argument #1 to 'sleep' (expected milliseconds"));
  CHECK(contains(world.run("c").message, ":12: calling 'await' on bad self"));
}

TEST_CASE("a task cannot wait inside a callback of a built-in function") {
  World world;
  world.start(
      "define('sort', function()\n"
      "  table.sort({ 3, 2, 1 }, function(a, b)\n"
      "    time.sleep(1)\n"
      "    return a < b\n"
      "  end)\n"
      "end)\n"
      "define('metamethod', function()\n"
      "  local t = setmetatable({}, { __index = function() time.sleep(1) return 'waited' end })\n"
      "  return t.x\n"
      "end)");
  const CallResult result = world.run("sort");
  CHECK(result.code == "script_error");
  CHECK(contains(result.message, ":4: cannot wait here"));
  CHECK(world.run("metamethod").text == "waited");
}

TEST_CASE("a suspending function works under pcall and xpcall and as a tail call") {
  World world;
  world.start(
      "define('all', function()\n"
      "  local a = pcall(time.sleep, 1)\n"
      "  local b = pcall(function() return time.sleep(1) end)\n"
      "  local c = xpcall(function() time.sleep(1) return true end, function(e) return e end)\n"
      "  for _ in function(_, n) time.sleep(1) if n < 3 then return n + 1 end end, nil, 0 do end\n"
      "  return tostring(a and b and c)\n"
      "end)");
  CHECK(world.run("all").text == "true");
}

TEST_CASE("functions that need a call fail while scripts load") {
  World world;
  world.script("time.sleep(1)");
  const auto made = gibbous::lua::Engine::create(world.options, world.context);
  REQUIRE_FALSE(made.ok());
  CHECK(contains(made.status().message(), "tools.lua:2: "));
  CHECK(contains(made.status().message(), "while a script is loading"));
  for (const char* use : {"task.spawn(function() end)", "store.set('a', 1)", "tool.progress(1)",
                          "tool.call('x', {})", "task.all({ function() end })"}) {
    world.script(use);
    const auto next = gibbous::lua::Engine::create(world.options, world.context);
    INFO(use);
    REQUIRE_FALSE(next.ok());
    CHECK(contains(next.status().message(), "tools.lua:2: "));
  }
}

TEST_CASE("a cancelled task wakes up with `cancelled`, and cleans up") {
  World world;
  world.start(
      "define('wait', function()\n"
      "  local ok, err = pcall(time.sleep, 1e6)\n"
      "  store.set('cleanup', { ok = ok, code = err.code })\n"
      "  error(err)\n"
      "end)");
  const CallId id = world.begin("wait");
  world.settle();
  CHECK(world.engine->cancel(id));
  CHECK(world.results.empty());
  const CallResult result = world.finish(id);
  CHECK(result.code == "cancelled");
  CHECK(world.noted("cleanup") == gibbous::Json{{"ok", false}, {"code", "cancelled"}});
  CHECK_FALSE(world.engine->cancel(id));
}

TEST_CASE("a cancelled task cannot wait again") {
  World world;
  world.start(
      "define('stubborn', function()\n"
      "  local count = 0\n"
      "  for i = 1, 5 do\n"
      "    if not pcall(time.sleep, 1e6) then count = count + 1 end\n"
      "  end\n"
      "  store.set('count', count)\n"
      "  return 'finished all the same'\n"
      "end)");
  const CallId id = world.begin("stubborn");
  world.settle();
  world.engine->cancel(id);
  CHECK(world.finish(id).code == "cancelled");
  CHECK(world.noted("count") == 5);
}

TEST_CASE("a cancelled task that swallows everything is ended after the cleanup time") {
  World world;
  world.options.limits.cleanup = Millis{30};
  world.start(
      "define('swallow', function()\n"
      "  while true do pcall(time.sleep, 1e6) end\n"
      "end)\n"
      "define('runaway', function()\n"
      "  pcall(time.sleep, 1e6)\n"
      "  while true do pcall(function() while true do end end) end\n"
      "end)");
  for (const char* name : {"swallow", "runaway"}) {
    const CallId id = world.begin(name);
    world.settle();
    const Nanos begun = world.clock.now();
    world.engine->cancel(id);
    CHECK(world.finish(id).code == "cancelled");
    CHECK(world.clock.now() - begun >= Millis{25});
  }
}

TEST_CASE("a call can be cancelled before it has begun and while it runs") {
  World world;
  world.options.limits.cleanup = Millis{20};
  world.start(
      "define('never', function() store.set('ran', true) return '' end)\n"
      "define('busy', function() while true do end end)");
  const CallId never = world.begin("never");
  CHECK(world.engine->cancel(never));
  CHECK(world.finish(never).code == "cancelled");
  CHECK(world.noted("ran").is_null());
  const CallId busy = world.begin("busy");
  world.engine->run_ready(Millis{5});
  CHECK(world.results.count(busy) == 0);
  CHECK(world.engine->cancel(busy));
  CHECK(world.finish(busy).code == "cancelled");
}

TEST_CASE("cancelling goes to the children first, and a parent cleans up after them") {
  World world;
  world.start(
      "local log_ = {}\n"
      "local function waits(name, more)\n"
      "  return function()\n"
      "    if more then more() end\n"
      "    local ok, err = pcall(time.sleep, 1e6)\n"
      "    log_[#log_ + 1] = name\n"
      "    store.set('order', log_)\n"
      "    error(err)\n"
      "  end\n"
      "end\n"
      "define('tree', waits('root', function()\n"
      "  task.spawn(waits('a', function() task.spawn(waits('a1')) end))\n"
      "  task.spawn(waits('b'))\n"
      "end))");
  const CallId id = world.begin("tree");
  world.settle();
  world.engine->cancel(id);
  CHECK(world.finish(id).code == "cancelled");
  const auto order = world.noted("order");
  INFO(order.dump());
  REQUIRE(order.size() == 4);
  CHECK(order[3] == "root");
  const auto place = [&](const char* name) {
    for (std::size_t i = 0; i < order.size(); ++i) {
      if (order[i] == name) return i;
    }
    return order.size();
  };
  CHECK(place("a1") < place("a"));
}

TEST_CASE("a cancelled task cannot spawn") {
  World world;
  world.start(
      "define('wait', function()\n"
      "  pcall(time.sleep, 1e6)\n"
      "  local ok, err = pcall(task.spawn, function() end)\n"
      "  store.set('spawned', { ok = ok, code = err.code })\n"
      "end)");
  const CallId id = world.begin("wait");
  world.settle();
  world.engine->cancel(id);
  world.finish(id);
  CHECK(world.noted("spawned")["code"] == "cancelled");
}
