// Many calls on one engine: turns, budgets, the policy, and the end of everything.
#include "bindings/lua/call/engine.h"

#include <algorithm>
#include <ctime>

#include "tests/bindings/lua/call/engine_fixture.h"

using gibbous::AskRequest;
using gibbous::CallId;
using gibbous::CallResult;
using gibbous::Json;
using gibbous::Millis;
using gibbous::Nanos;
using gibbous::testing::contains;
using gibbous::testing::TickingClock;
using gibbous::testing::World;

namespace {

constexpr std::chrono::microseconds kTick{20};

// A policy that returns the verdict in the effect's arguments.
constexpr char kAnswerFromArguments[] =
    "return { modes = { default = {} }, decide = function(effect)\n"
    "  local decision = effect.args and effect.args.decision or 'allow'\n"
    "  return { decision = decision, reason = 'because of the test', rule = 'test.rule' }\n"
    "end }\n";

}  // namespace

TEST_CASE("a runaway ends with budget_exceeded at its file and line, and others continue") {
  World world;
  TickingClock clock(kTick);
  world.context.clock = &clock;
  world.start(
      "define('runaway', function()\n"
      "  local x = 0\n"
      "  while true do\n"
      "    x = x + 1\n"
      "  end\n"
      "end)\n"
      "define('hello', function() return 'hi' end)");
  const CallId runaway = world.begin("runaway");
  const CallId hello = world.begin("hello");
  CHECK(world.finish(hello).ok);
  CHECK(world.results.count(runaway) == 0);
  const CallResult result = world.finish(runaway);
  CHECK(result.code == "budget_exceeded");
  CHECK((contains(result.message, world.tools_file + ":5:") ||
         contains(result.message, world.tools_file + ":4:")));
  CHECK(contains(result.message, "1000 ms"));
  CHECK(contains(result.traceback, "stack traceback:"));
}

TEST_CASE("a budget that ran out after the last look at the clock is told of with its line, too") {
  World world;
  TickingClock clock(kTick);
  world.context.budget_clock = &clock;
  world.start(
      "define('runaway', function()\n"
      "  tool.progress(1)\n"
      "  while true do end\n"
      "end)");
  const CallId runaway = world.begin("runaway");
  REQUIRE(world.until([&] { return !world.progress[runaway].empty(); }));
  // A look sees less than a second; at the end of that slice it is more.
  clock.set_step(Millis{600});
  const CallResult result = world.finish(runaway);
  CHECK(result.code == "budget_exceeded");
  INFO(result.message);
  CHECK(contains(result.message, world.tools_file + ":4:"));
  CHECK(contains(result.message, "1000 ms"));
}

TEST_CASE("runaways share the time fairly by call, and a short call is not held up") {
  World world;
  TickingClock clock(kTick);
  world.context.clock = &clock;
  world.start(
      "define('runaway', function() while true do end end)\n"
      "define('swarm', function()\n"
      "  for i = 1, 20 do task.spawn(function() while true do end end) end\n"
      "end)\n"
      "define('steps', function() for i = 1, 5 do time.sleep(0) end return 'ok' end)");
  const CallId one = world.begin("runaway");
  const CallId two = world.begin("swarm");
  const Nanos begun = clock.now();
  const CallId steps = world.begin("steps");
  CHECK(world.finish(steps).ok);
  CHECK(world.order == std::vector<CallId>{steps});
  world.finish(one);
  const Nanos first = clock.now() - begun;
  world.finish(two);
  const Nanos both = clock.now() - begun;
  CHECK(world.results[one].code == "budget_exceeded");
  CHECK(world.results[two].code == "budget_exceeded");
  // If one had run before the other, it would have ended after half of the time.
  INFO(first.count() << " of " << both.count());
  CHECK(first * 10 > both * 7);
}

TEST_CASE("where there is more to do than time, the calls that began first end first") {
  World world;
  world.start(
      "local begun = 0\n"
      "define('work', function()\n"
      "  begun = begun + 1\n"
      "  tool.call('nothing')\n"
      "  if not store.get('begun') then store.set('begun', begun) end\n"
      "end)\n"
      "define('nothing', function() end)");
  constexpr std::size_t kCalls = 40;
  for (std::size_t i = 0; i < kCalls; ++i) world.begin("work");
  REQUIRE(world.until([&] { return world.results.size() == kCalls; }));
  // By the time that the first had ended.
  CHECK(world.noted("begun").get<std::size_t>() < kCalls / 4);
}

TEST_CASE("a call of a higher priority runs before those that began earlier") {
  World world;
  TickingClock still(Nanos{0});  // no call uses up its share, however busy the machine is
  world.context.clock = &still;
  world.start(
      "define('work', function() tool.call('nothing') end)\n"
      "define('nothing', function() end)");
  const CallId low = world.begin("work", "{}", "", -1);
  const CallId first = world.begin("work");
  const CallId second = world.begin("work");
  const CallId high = world.begin("work", "{}", "", 1000);  // counts as the highest
  REQUIRE(world.until([&] { return world.results.size() == 4; }));
  CHECK(world.order == std::vector<CallId>{high, first, second, low});
}

TEST_CASE("run_ready keeps within its Lua time, and says that there is more") {
  World world;
  world.start("define('runaway', function() while true do end end)");
  world.begin("runaway");
  Nanos shortest = Nanos::max();
  for (int frame = 0; frame < 20; ++frame) {
    const Nanos begun = world.clock.now();
    CHECK(world.engine->run_ready(Millis{3}));
    shortest = std::min(shortest, world.clock.now() - begun);
  }
  // Other programs may delay a frame, but not every one of them.
  CHECK(shortest >= Millis{3});
  CHECK(shortest < Millis{6});
  world.engine->cancel_all();
  CHECK(world.until([&] { return world.engine->active_calls() == 0; }));
  CHECK_FALSE(world.engine->run_ready(Nanos{0}));
}

TEST_CASE("waiting is not counted as Lua time") {
  World world;
  world.options.limits.call_lua = Millis{20};
  world.start("define('patient', function() for i = 1, 10 do time.sleep(5) end return 'ok' end)");
  CHECK(world.run("patient").text == "ok");
}

TEST_CASE("a call's tasks share its Lua time") {
  World world;
  world.options.limits.call_lua = Millis{50};
  world.start(
      "define('swarm', function()\n"
      "  for i = 1, 50 do\n"
      "    task.spawn(function() while true do end end)\n"
      "  end\n"
      "end)");
  const std::clock_t begun = std::clock();  // of the processor
  CHECK(world.run("swarm").code == "budget_exceeded");
  CHECK(std::clock() - begun < CLOCKS_PER_SEC);  // not the 2.5 s of 50 times 50 ms
}

TEST_CASE("pcall cannot swallow the end of the budget") {
  World world;
  world.options.limits.call_lua = Millis{40};
  world.options.limits.cleanup = Millis{20};
  world.start(
      "define('swallow', function()\n"
      "  while true do pcall(function() while true do end end) end\n"
      "end)\n"
      "define('child', function()\n"
      "  while true do\n"
      "    pcall(function() task.all({ function() while true do end end }) end)\n"
      "  end\n"
      "end)\n"
      "define('returns', function()\n"
      "  local ok, err = pcall(function() while true do end end)\n"
      "  return 'all is well'\n"
      "end)");
  CHECK(world.run("swallow").code == "budget_exceeded");
  CHECK(world.run("child").code == "budget_exceeded");
  CHECK(world.run("returns").code == "budget_exceeded");
}

TEST_CASE("memory that a call uses up ends only that call") {
  World world;
  world.options.generation.memory.total_bytes = std::size_t{16} << 20;
  world.start(
      "define('hog', function()\n"
      "  local t = {}\n"
      "  for i = 1, 1e9 do t[i] = { i } end\n"
      "end)\n"
      "define('spawner', function()\n"
      "  local keep = {}\n"
      "  local function grow() local t = {} for i = 1, 1e9 do t[i] = { i } end end\n"
      "  task.all({ grow, grow, grow })\n"
      "end)\n"
      "define('hello', function() return 'hi' end)");
  const CallResult hog = world.run("hog");
  CHECK(hog.code == "memory_exceeded");
  CHECK(contains(hog.message, "16 MiB"));
  CHECK(world.run("hello").ok);
  CHECK(world.run("spawner").code == "memory_exceeded");
  CHECK(world.run("hello").ok);
}

TEST_CASE("a denial names the reason and the rule") {
  World world;
  world.policy(kAnswerFromArguments);
  world.start("define('act', function() return 'done' end)");
  CHECK(world.run("act").ok);
  const CallResult denied = world.run("act", R"({"decision":"deny"})");
  CHECK(denied.code == "denied");
  CHECK(contains(denied.message, "'act'"));
  CHECK(contains(denied.message, "because of the test"));
  CHECK(contains(denied.message, "test.rule"));
  CHECK(Json::parse(denied.data)["rule"] == "test.rule");
}

TEST_CASE("the policy sees the tool, its permission, mode, session, workspace and arguments") {
  World world;
  world.policy(
      "return { modes = { default = {} }, decide = function(effect)\n"
      "  return { decision = 'deny', rule = 'show', reason = json.encode(effect) }\n"
      "end }\n");
  world.start("define('act', function() return 'done' end)");
  const CallResult denied = world.run("act", R"({"n":1})", "s1");
  const Json effect = Json::parse(Json::parse(denied.data)["reason"].get<std::string>());
  CHECK(effect == Json{{"kind", "call"},
                       {"tool", "act"},
                       {"permission", "read"},
                       {"mode", "default"},
                       {"session", "s1"},
                       {"workspace", "/workspace"},
                       {"args", {{"n", 1}}}});
}

TEST_CASE("a policy that raises, never ends or returns nonsense denies") {
  World world;
  world.options.generation.policy_budget = Millis{20};
  world.policy(
      "return { modes = { default = {} }, decide = function(effect)\n"
      "  local how = effect.args.how\n"
      "  if how == 'raise' then error('broken rule') end\n"
      "  while how == 'loop' do end\n"
      "  if how == 'nonsense' then return 'yes' end\n"
      "end }\n");
  world.start("define('act', function() return 'done' end)");
  for (const char* how : {"raise", "loop", "nonsense", "nothing"}) {
    INFO(how);
    CHECK(world.run("act", std::string("{\"how\":\"") + how + "\"}").code == "denied");
  }
}

TEST_CASE("ask without an approver says how to approve") {
  World world;
  world.policy(kAnswerFromArguments);
  world.start("define('act', function() return 'done' end)");
  const CallResult result = world.run("act", R"({"decision":"ask"})");
  CHECK(result.code == "needs_approval");
  CHECK(contains(result.message, "because of the test"));
  CHECK_FALSE(contains(result.message, "--mode auto"));  // the policy has no such mode
  CHECK(contains(result.message, "approver"));
}

TEST_CASE("an approver can allow and deny, immediately or later") {
  World world;
  world.policy(kAnswerFromArguments);
  world.start("define('act', function() return 'done' end)");
  const std::string ask = R"({"decision":"ask"})";
  std::vector<AskRequest> asked;
  world.engine->host.approver = [&](AskRequest request) { asked.push_back(std::move(request)); };

  const CallId allowed = world.begin("act", ask, "s1");
  const CallId denied = world.begin("act", ask);
  REQUIRE(world.until([&] { return asked.size() == 2; }));
  CHECK(asked[0].call == allowed);
  CHECK(asked[0].session == "s1");
  CHECK(asked[0].tool == "act");
  CHECK(asked[0].arguments == ask);
  CHECK(asked[0].reason == "because of the test");
  CHECK(asked[0].rule == "test.rule");
  CHECK(world.results.empty());
  asked[0].answer(true, "");
  asked[0].answer(false, "too late");
  CHECK(world.results.empty());
  asked[1].answer(false, "I do not like it");
  CHECK(world.finish(allowed).ok);
  CHECK(world.finish(denied).code == "denied");
  CHECK(contains(world.results[denied].message, "I do not like it"));

  world.engine->host.approver = [](const AskRequest& request) { request.answer(true, ""); };
  CHECK(world.run("act", ask).ok);
}

TEST_CASE("an approval that is dropped denies, and one that outlives its call does nothing") {
  World world;
  world.policy(kAnswerFromArguments);
  world.start("define('act', function() return 'done' end)");
  const std::string ask = R"({"decision":"ask"})";
  std::vector<AskRequest> asked;
  world.engine->host.approver = [&](AskRequest request) { asked.push_back(std::move(request)); };
  const CallId dropped = world.begin("act", ask);
  REQUIRE(world.until([&] { return asked.size() == 1; }));
  asked.clear();
  CHECK(world.finish(dropped).code == "denied");
  CHECK(contains(world.results[dropped].message, "no person answered"));

  const CallId cancelled = world.begin("act", ask);
  const CallId left = world.begin("act", ask);
  REQUIRE(world.until([&] { return asked.size() == 2; }));
  world.engine->cancel(cancelled);
  CHECK(world.finish(cancelled).code == "cancelled");
  asked[0].answer(true, "");
  world.engine->run_ready(Nanos{0});
  CHECK(world.results[cancelled].code == "cancelled");
  world.engine.reset();
  CHECK(world.results[left].code == "shutdown");
  asked[1].answer(true, "");
}

TEST_CASE("a broken policy at the first load denies everything") {
  World world;
  world.policy("return { modes = \n");
  std::vector<std::string> lines;
  world.context.log = [&](const std::string& level, const std::string& message, const Json&,
                          const std::string&) { lines.push_back(level + " " + message); };
  world.start("define('act', function() return 'done' end)");
  const CallResult result = world.run("act");
  CHECK(result.code == "denied");
  CHECK(contains(result.message, "init.lua:"));
  REQUIRE(lines.size() == 1);
  CHECK(contains(lines[0], "error the policies are broken"));
}

TEST_CASE("broken scripts fail the first load with file and line") {
  World world;
  world.script("local x = = 5");
  const auto made = gibbous::lua::Engine::create(world.options, world.context);
  REQUIRE_FALSE(made.ok());
  CHECK(contains(made.status().message(), world.tools_file + ":2:"));
}

TEST_CASE("destroying the engine ends every call with `shutdown`") {
  World world;
  world.policy(kAnswerFromArguments);
  world.start(
      "define('wait', function()\n"
      "  task.spawn(function() time.sleep(1e6) end)\n"
      "  local t = task.spawn(function() task.all({ function() time.sleep(1e6) end }) end)\n"
      "  t:await()\n"
      "end)\n"
      "define('outer', function() tool.call('wait', {}) end)\n"
      "define('busy', function() while true do end end)\n"
      "define('act', function() return '' end)");
  std::vector<AskRequest> asked;
  world.engine->host.approver = [&](AskRequest request) { asked.push_back(std::move(request)); };
  std::vector<CallId> ids;
  for (const char* name : {"wait", "outer", "busy"}) ids.push_back(world.begin(name));
  ids.push_back(world.begin("act", R"({"decision":"ask"})"));
  for (int turn = 0; turn < 10; ++turn) world.engine->run_ready(Millis{5});
  ids.push_back(world.begin("wait"));  // this one has not begun
  CHECK(world.results.empty());
  int wakes = 0;
  world.engine->host.wake = [&] { ++wakes; };
  world.engine.reset();
  for (const CallId id : ids) {
    INFO(id);
    REQUIRE(world.results.count(id) == 1);
    CHECK(world.results[id].code == "shutdown");
  }
  CHECK(wakes == 0);
}

TEST_CASE("cancel_all ends every call, with its cleanup") {
  World world;
  world.start(
      "define('wait', function(args)\n"
      "  store.set('begun' .. args.n, true)\n"
      "  pcall(time.sleep, 1e6)\n"
      "  store.set('cleaned' .. args.n, true)\n"
      "end)\n"
      "define('outer', function() tool.call('wait', { n = 3 }) end)");
  world.begin("wait", R"({"n":1})");
  world.begin("wait", R"({"n":2})");
  world.begin("outer");
  for (const char* key : {"begun1", "begun2", "begun3"}) {
    CHECK(world.until([&] { return world.noted(key) == true; }));
  }
  CHECK(world.engine->active_calls() == 4);
  world.engine->cancel_all();
  CHECK(world.until([&] { return world.engine->active_calls() == 0; }));
  for (const auto& [id, result] : world.results) CHECK(result.code == "cancelled");
  for (const char* key : {"cleaned1", "cleaned2", "cleaned3"}) CHECK(world.noted(key) == true);
}

TEST_CASE("the host is woken when something becomes ready") {
  World world;
  world.start("define('sleep', function() time.sleep(1) return '' end)");
  int wakes = 0;
  world.engine->host.wake = [&] { ++wakes; };
  const CallId id = world.begin("sleep");
  CHECK(wakes == 1);
  world.engine->run_ready(Nanos{0});
  CHECK_FALSE(world.engine->has_ready());
  const int before = wakes;
  CHECK(world.loop.until([&] { return wakes > before; }));
  world.engine->run_ready(Nanos{0});
  CHECK(world.results.count(id) == 1);
}

TEST_CASE("two engines in one process do not affect each other") {
  World one;
  World two;
  one.start("define('who', function() store.set('me', 1) return 'one' end)");
  two.start("define('who', function() store.set('me', 2) return 'two' end)");
  const CallId first = one.begin("who");
  const CallId second = two.begin("who");
  CHECK(two.finish(second).text == "two");
  CHECK(one.finish(first).text == "one");
  CHECK(one.noted("me") == 1);
  CHECK(two.noted("me") == 2);
}

TEST_CASE("a call may start and cancel others from its own result") {
  World world;
  world.start(
      "define('hello', function() return 'hi' end)\n"
      "define('wait', function() time.sleep(1e6) end)");
  const CallId waiting = world.begin("wait");
  gibbous::CallRequest request;
  request.tool = "hello";
  CallId next = 0;
  world.engine->call(
      500, request,
      [&](const CallResult&) {
        world.engine->cancel(waiting);
        next = world.begin("hello");
      },
      nullptr);
  CHECK(world.finish(waiting).code == "cancelled");
  CHECK(world.finish(next).ok);
}
