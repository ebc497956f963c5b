// task.spawn, task.all and t:await: a call ends after its children, and no error is lost.
#include "tests/bindings/lua/call/engine_fixture.h"

using gibbous::CallId;
using gibbous::CallResult;
using gibbous::testing::contains;
using gibbous::testing::World;

TEST_CASE("await returns the result of the task, even after its end and twice") {
  World world;
  world.start(
      "define('three', function()\n"
      "  local t = task.spawn(function(a, b) time.sleep(1) return a + b, nil, 'third' end, 1, 2)\n"
      "  local a, b, c = t:await()\n"
      "  local d = t:await()\n"
      "  return tostring(a) .. tostring(b) .. c .. d\n"
      "end)");
  CHECK(world.run("three").text == "3nilthird3");
}

TEST_CASE("tasks wait at the same time") {
  World world;
  world.start(
      "define('both', function()\n"
      "  local here = {}\n"
      "  -- Each ends only while the other is there.\n"
      "  local function meet(me, other)\n"
      "    here[me] = true\n"
      "    while not here[other] do time.sleep(1) end\n"
      "  end\n"
      "  task.all({ function() meet('a', 'b') end, function() meet('b', 'a') end })\n"
      "  return 'together'\n"
      "end)");
  CHECK(world.run("both").text == "together");
}

TEST_CASE("task.all returns the first result of each, in order") {
  World world;
  world.start(
      "define('all', function()\n"
      "  local r = task.all({\n"
      "    function() time.sleep(5) return 'a', 'lost' end,\n"
      "    function() return 'b' end,\n"
      "    function() end,\n"
      "  })\n"
      "  return r[1] .. r[2] .. tostring(r[3]) .. #task.all({})\n"
      "end)");
  CHECK(world.run("all").text == "abnil0");
}

TEST_CASE("a call ends after its children") {
  World world;
  world.start(
      "define('early', function()\n"
      "  task.spawn(function() time.sleep(20) store.set('child', 'done') end)\n"
      "  return 'early'\n"
      "end)");
  CHECK(world.run("early").text == "early");
  CHECK(world.noted("child") == "done");
}

TEST_CASE("the error of a child is raised where it is awaited, with both tracebacks") {
  World world;
  world.start(
      "local function work()\n"
      "  time.sleep(1)\n"
      "  error('no luck')\n"
      "end\n"
      "define('parent', function()\n"
      "  local t = task.spawn(work)\n"
      "  t:await()\n"
      "end)");
  const CallResult result = world.run("parent");
  CHECK(result.code == "script_error");
  CHECK(contains(result.message, ":4: no luck"));
  INFO(result.traceback);
  CHECK(contains(result.traceback, "spawned from:"));
  CHECK(contains(result.traceback, ":7:"));
  CHECK(contains(result.traceback, "awaited at:"));
  CHECK(contains(result.traceback, ":8:"));
}

TEST_CASE("a child's failure can be caught where it is awaited") {
  World world;
  world.start(
      "define('parent', function()\n"
      "  local t = task.spawn(function() time.sleep(1) tool.error('oops', 'went wrong') end)\n"
      "  local ok, err = pcall(t.await, t)\n"
      "  time.sleep(1)\n"
      "  return tostring(ok) .. ' ' .. err.code\n"
      "end)");
  CHECK(world.run("parent").text == "false oops");
}

TEST_CASE("a failing child that no task awaits cancels its siblings and fails its parent") {
  World world;
  world.start(
      "define('parent', function()\n"
      "  task.spawn(function()\n"
      "    local ok, err = pcall(time.sleep, 1e6)\n"
      "    store.set('sibling', err.code)\n"
      "  end)\n"
      "  task.spawn(function() time.sleep(1) error('first failure') end)\n"
      "  time.sleep(1e6)\n"
      "  return 'never'\n"
      "end)\n"
      "define('gone', function()\n"
      "  task.spawn(function() pcall(time.sleep, 1e6) store.set('gone', 'cancelled') end)\n"
      "  task.spawn(function() time.sleep(1) error('second failure') end)\n"
      "  return 'early'\n"
      "end)");
  const CallResult result = world.run("parent");
  CHECK(result.code == "script_error");
  CHECK(contains(result.message, ":7: first failure"));
  CHECK(contains(result.traceback, "raised in its parent at:"));
  CHECK(contains(result.traceback, ":8:"));
  CHECK(world.noted("sibling") == "cancelled");
  const CallResult gone = world.run("gone");
  CHECK(gone.code == "script_error");
  CHECK(contains(gone.message, "second failure"));
  CHECK(world.noted("gone") == "cancelled");
}

TEST_CASE("the failure of a grandchild keeps the whole chain") {
  World world;
  world.start(
      "define('grand', function()\n"
      "  local t = task.spawn(function()\n"
      "    local u = task.spawn(function()\n"
      "      error('deep')\n"
      "    end)\n"
      "    u:await()\n"
      "  end)\n"
      "  t:await()\n"
      "end)");
  const CallResult result = world.run("grand");
  INFO(result.traceback);
  CHECK(contains(result.message, ":5: deep"));
  for (const char* line : {":5:", ":4:", ":7:", ":3:", ":9:"})
    CHECK(contains(result.traceback, line));
}

TEST_CASE("task.all cancels the others when one fails, and waits for them") {
  World world;
  world.start(
      "define('all', function()\n"
      "  local ok, err = pcall(task.all, {\n"
      "    function() pcall(time.sleep, 1e6) store.set('other', 'cleaned') end,\n"
      "    function() time.sleep(1) error({ code = 'bad', message = 'bad' }) end,\n"
      "  })\n"
      "  return tostring(ok) .. err.code .. store.get('other')\n"
      "end)");
  CHECK(world.run("all").text == "falsebadcleaned");
}

TEST_CASE("a task cannot await itself, its parent, or a task that awaits it") {
  World world;
  world.start(
      "define('self', function()\n"
      "  local t\n"
      "  t = task.spawn(function() t:await() end)\n"
      "  t:await()\n"
      "end)\n"
      "define('ring', function()\n"
      "  local a, b\n"
      "  a = task.spawn(function() time.sleep(1) b:await() end)\n"
      "  b = task.spawn(function() time.sleep(1) a:await() end)\n"
      "  a:await()\n"
      "end)");
  CHECK(contains(world.run("self").message, "await"));
  CHECK(contains(world.run("ring").message, "await"));
}

TEST_CASE("wrong use of the task table raises") {
  World world;
  world.start(
      "define('spawn', function() task.spawn('x') end)\n"
      "define('all', function()\n"
      "  task.all({ function() end, 5 })\n"
      "end)\n"
      "define('many', function()\n"
      "  local args = {}\n"
      "  for i = 1, 100 do args[i] = i end\n"
      "  task.spawn(function() end, unpack(args))\n"
      "end)");
  CHECK(contains(world.run("spawn").message, "function expected"));
  CHECK(contains(world.run("all").message,
                 ":4: all: expected a list of functions, got a number at [2]"));
  CHECK(contains(world.run("many").message, "too many arguments"));
}

TEST_CASE("thousands of tasks can begin and end") {
  World world;
  world.options.limits.call_lua = std::chrono::seconds{20};
  world.start(
      "define('many', function()\n"
      "  local sum = 0\n"
      "  for round = 1, 20 do\n"
      "    local all = {}\n"
      "    for i = 1, 200 do all[i] = function() time.sleep(0) return i end end\n"
      "    for _, each in ipairs(task.all(all)) do sum = sum + each end\n"
      "  end\n"
      "  return tostring(sum)\n"
      "end)");
  CHECK(world.run("many").text == std::to_string(20 * 200 * 201 / 2));
}

TEST_CASE("too many tasks in one call raise") {
  World world;
  world.options.limits.call_lua = std::chrono::seconds{20};
  world.start(
      "define('flood', function()\n"
      "  while true do task.spawn(function() time.sleep(1e6) end) end\n"
      "end)");
  const CallResult result = world.run("flood");
  CHECK(result.code == "script_error");
  CHECK(contains(result.message, "too many tasks"));
}

TEST_CASE("handles that a script keeps do not outlive their call") {
  World world;
  world.start(
      "local kept\n"
      "define('keep', function() kept = task.spawn(function() return 5 end) return 'kept' end)\n"
      "define('use', function() return tostring(kept:await()) end)");
  CHECK(world.run("keep").ok);
  CHECK(contains(world.run("use").message, "belongs to another call"));
}

TEST_CASE("a wait's result is dropped if a child fails first, and no later wait gets it") {
  World world;
  world.start(
      "define('parent', function()\n"
      "  task.spawn(function() time.sleep(1) error('failed') end)\n"
      "  local ok, err = pcall(time.sleep, 20)\n"
      "  local began = time.monotonic_ms()\n"
      "  time.sleep(30)\n"
      "  local waited = time.monotonic_ms() - began >= 30\n"
      "  return tostring(ok) .. tostring(waited) .. err\n"
      "end)");
  const CallId id = world.begin("parent");
  world.settle();
  // Both timers come before either task goes on.
  world.loop.run_for(std::chrono::milliseconds{60});
  const CallResult result = world.finish(id);
  CHECK(contains(result.text, "falsetrue"));
  CHECK(contains(result.text, ":3: failed"));
}

TEST_CASE("a task that is cancelled ends with its children, and the call does not fail") {
  World world;
  world.start(
      "define('giver_up', function()\n"
      "  local began = time.monotonic_ms()\n"
      "  local child = task.spawn(function() task.spawn(time.sleep, 60000) time.sleep(60000) end)\n"
      "  time.sleep(1)\n"
      "  child:cancel()\n"
      "  child:cancel()\n"
      "  time.sleep(1)\n"
      "  return time.monotonic_ms() - began < 30000 and 'went on' or 'waited'\n"
      "end)\n"
      "define('itself', function()\n"
      "  local child\n"
      "  child = task.spawn(function() time.sleep(1) child:cancel() end)\n"
      "  child:await()\n"
      "end)");
  CHECK(world.run("giver_up").text == "went on");
  CHECK(contains(world.run("itself").message, "cancel: a task cannot cancel itself or a parent"));
}

TEST_CASE("several tasks can await the same one, and each gets its result or its error") {
  World world;
  world.start(
      "define('shared', function(args)\n"
      "  local source = task.spawn(function() time.sleep(1) if args.fail then error('bad') end "
      "return 1 end)\n"
      "  local function wait() local ok, value = pcall(source.await, source) return ok and value "
      "or 'error' end\n"
      "  local r = task.all({ wait, wait, wait })\n"
      "  return r[1] .. ' ' .. r[2] .. ' ' .. r[3]\n"
      "end)\n"
      "define('uncaught', function()\n"
      "  local source = task.spawn(function() time.sleep(1) error('bad') end)\n"
      "  task.all({ function() source:await() end, function() source:await() end })\n"
      "end)");
  CHECK(world.run("shared").text == "1 1 1");
  CHECK(world.run("shared", R"({"fail":true})").text == "error error error");
  CHECK(contains(world.run("uncaught").message, ":9: bad"));
}
