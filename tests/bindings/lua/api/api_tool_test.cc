// tool{} and tool.call.
#include "tests/bindings/lua/call/engine_fixture.h"

using gibbous::CallId;
using gibbous::CallResult;
using gibbous::Json;
using gibbous::testing::contains;
using gibbous::testing::World;

namespace {

// Returns the message with which loading a script with `tool{ fields }` fails.
std::string refused(const std::string& fields) {
  World world;
  world.script("\ntools[1] = tool { " + fields + " }");
  const auto made = gibbous::lua::Engine::create(world.options, world.context);
  return made.ok() ? "it was accepted" : made.status().message();
}

constexpr char kGood[] =
    "name = 'a', description = 'd', permission = 'read', run = function() return '' end";

}  // namespace

TEST_CASE("a definition that is wrong names the field, at the script's line") {
  CHECK(refused(kGood) == "it was accepted");
  CHECK(contains(refused("descripton = 'x', name = 'a'"),
                 "descripton: unknown field; did you mean \"description\"?"));
  CHECK(contains(refused("name = 'a'"),
                 "tools.lua:3: tool 'a': description: is missing; expected string"));
  CHECK(contains(refused("name = 5"), "name: expected string of at most 64 characters"));
  CHECK(contains(
      refused("name = 'a b', description = 'd', permission = 'read', run = function() end"),
      "tool 'a b': name: expected string of at most 64 characters that matches "));
  CHECK(contains(
      refused("name = 'a', description = 'd', permission = 'exec', run = function() end"),
      "permission: expected one of \"read\", \"write\", \"execute\", got string \"exec\""));
  CHECK(contains(refused("name = 'a', description = 'd', permission = 'read', run = 'x'"),
                 "run: expected a function, got a string"));
  CHECK(contains(refused(std::string(kGood) + ", annotations = { readonly = true }"),
                 "annotations.readonly: unknown field; did you mean \"read_only\"?"));
  CHECK(contains(refused(std::string(kGood) + ", annotations = { read_only = 1 }"),
                 "annotations.read_only: expected boolean, got integer 1"));
  CHECK(contains(refused(std::string(kGood) + ", input = schema.string()"), "object"));
}

TEST_CASE("annotations follow from the permission by default") {
  World world;
  world.start(
      "define('reads', function() return '' end)\n"
      "define('runs', function() return '' end, { permission = 'execute' })\n"
      "define('given', function() return '' end, { permission = 'write', annotations = { "
      "destructive = false } })");
  const auto& tools = world.engine->current()->tools();
  CHECK(tools.at("reads").annotations["readOnlyHint"] == true);
  CHECK(tools.at("reads").annotations["destructiveHint"] == false);
  CHECK(tools.at("runs").annotations["readOnlyHint"] == false);
  CHECK(tools.at("runs").annotations["destructiveHint"] == true);
  CHECK(tools.at("given").annotations["destructiveHint"] == false);
  CHECK(tools.at("given").annotations["readOnlyHint"] == false);
}

TEST_CASE("tool.error must be used with a code and a message") {
  World world;
  world.start(
      "define('a', function() tool.error('Not A Code', 'm') end)\n"
      "define('b', function() tool.error('code') end)\n"
      "define('c', function() tool.error('code', 'm', 5) end)\n"
      "define('d', function() tool.progress('x') end)\n"
      "define('e', function() tool.progress(0 / 0) end)\n"
      "define('f', function() tool.repeat_with('x') end)\n"
      "define('g', function() tool.repeat_with { 'x' } end)\n"
      "define('h', function() tool.repeat_with { at = string.rep } end)");
  CHECK(contains(world.run("a").message, ":2: bad argument #1 to 'error'"));
  CHECK(contains(world.run("b").message, ":3: bad argument #2 to 'error'"));
  CHECK(contains(world.run("c").message, ":4: bad argument #3 to 'error'"));
  CHECK(contains(world.run("d").message, ":5: bad argument #1 to 'progress'"));
  CHECK(contains(world.run("e").message, "finite"));
  CHECK(contains(world.run("f").message, ":7: bad argument #1 to 'repeat_with'"));
  CHECK(contains(world.run("g").message, "a table of arguments with names, got a list"));
  CHECK(contains(world.run("h").message, "args.at"));
}

TEST_CASE("tool.call returns the result of another tool") {
  World world;
  world.start(
      "define('add', function(args) return { text = 'sum', data = { n = args.a + args.b, none = {} "
      "} } end,\n"
      "  { input = schema.object({ a = schema.integer(), b = schema.integer() }) })\n"
      "define('outer', function()\n"
      "  local r, err = tool.call('add', { a = 1, b = 2 })\n"
      "  return r.text .. r.data.n .. tostring(err)\n"
      "end)");
  CHECK(world.run("outer").text == "sum3nil");
}

TEST_CASE("tool.call returns nil and an error when the other tool fails") {
  World world;
  world.policy(
      "return { modes = { default = {} }, decide = function(effect)\n"
      "  if effect.tool == 'forbidden' then return { decision = 'deny', rule = 'r', reason = 'no' "
      "} end\n"
      "  if effect.tool == 'asked' then return { decision = 'ask', rule = 'r', reason = 'maybe' } "
      "end\n"
      "  return { decision = 'allow', rule = 'r' }\n"
      "end }\n");
  world.start(
      "define('broken', function() error('broken') end)\n"
      "define('fails', function() tool.error('own_code', 'failed') end)\n"
      "define('forbidden', function() return '' end)\n"
      "define('asked', function() return '' end)\n"
      "define('strict', function() return '' end, { input = schema.object({}) })\n"
      "define('outer', function(args)\n"
      "  local r, err = tool.call(args.name, args.args)\n"
      "  return tostring(r) .. ' ' .. err.code .. ' ' .. err.message\n"
      "end)");
  const auto call = [&](const std::string& name, const std::string& arguments = "{}") {
    return world.run("outer", "{\"name\":\"" + name + "\",\"args\":" + arguments + "}").text;
  };
  CHECK(contains(call("broken"), "nil script_error " + world.tools_file + ":2: broken"));
  CHECK(call("fails") == "nil own_code failed");
  CHECK(contains(call("forbidden"), "nil denied"));
  CHECK(contains(call("asked"), "nil needs_approval"));
  CHECK(contains(call("nothing"), "nil unknown_tool"));
  CHECK(contains(call("strict", R"({"x":1})"), "nil invalid_arguments"));
}

TEST_CASE("a tool that calls itself ends with an error") {
  World world;
  world.start(
      "define('self', function()\n"
      "  local r, err = tool.call('self')\n"
      "  if not r then return nil, err end\n"
      "  return r.text\n"
      "end)");
  const CallResult result = world.run("self");
  CHECK(result.code == "too_deep");
  CHECK(contains(result.message, "'self'"));
}

TEST_CASE("cancelling a call cancels the calls that it made, and waits for them") {
  World world;
  world.start(
      "define('inner', function()\n"
      "  pcall(time.sleep, 1e6)\n"
      "  store.set('inner', 'cleaned')\n"
      "end)\n"
      "define('outer', function() tool.call('inner') return 'never' end)");
  const CallId id = world.begin("outer");
  CHECK(world.until([&] { return world.engine->active_calls() == 2; }));
  world.settle();
  CHECK(world.engine->cancel(id));
  CHECK(world.finish(id).code == "cancelled");
  CHECK(world.noted("inner") == "cleaned");
  CHECK(world.engine->active_calls() == 0);
}

TEST_CASE("a called tool's approval is requested on behalf of the host's call") {
  World world;
  world.policy(
      "return { modes = { default = {} }, decide = function(effect)\n"
      "  return { decision = effect.tool == 'inner' and 'ask' or 'allow', rule = 'r', reason = "
      "'maybe' }\n"
      "end }\n");
  world.start(
      "define('inner', function(args) return 'in' .. args.n end)\n"
      "define('outer', function() return tool.call('inner', { n = 1 }).text end)");
  std::vector<gibbous::AskRequest> asked;
  world.engine->host.approver = [&](gibbous::AskRequest request) {
    asked.push_back(std::move(request));
  };
  const CallId id = world.begin("outer", "{}", "s1");
  REQUIRE(world.until([&] { return !asked.empty(); }));
  CHECK(asked[0].call == id);
  CHECK(asked[0].tool == "inner");
  CHECK(asked[0].session == "s1");
  CHECK(asked[0].arguments == R"({"n":1})");
  asked[0].answer(true, "");
  CHECK(world.finish(id).text == "in1");
}

namespace {

constexpr char kSwitched[] =
    "local held = false\n"
    "define('hold', function() held = true return '' end)\n"
    "define('let_go', function() held = false return '' end)\n"
    "define('extra', function()\n"
    "  while held do time.sleep(5) end\n"
    "  return 'here'\n"
    "end, { enabled = false })\n"
    "define('on', function() tool.enable('extra') return '' end)\n"
    "define('off', function() tool.disable('extra') return '' end)\n"
    "define('call', function()\n"
    "  local result, err = tool.call('extra')\n"
    "  return result and result.text or err.code\n"
    "end)\n"
    "define('wrong', function() tool.enable('nothing') end)\n";

}  // namespace

TEST_CASE("a disabled tool is there once a script enables it, for every caller") {
  World world;
  world.start(kSwitched);
  CHECK(world.run("extra").code == "unknown_tool");
  CHECK(contains(world.run("extra").message, "the tool 'extra' is disabled"));
  CHECK(world.run("call").text == "unknown_tool");
  CHECK_FALSE(contains(world.run("extr").message, "did you mean"));
  world.run("on");
  world.settle();
  CHECK(world.events_named("tools_changed").size() == 1);
  world.run("on");
  world.settle();
  CHECK(world.events_named("tools_changed").size() == 1);
  CHECK(world.run("extra", "{}", "another session").text == "here");
  CHECK(world.run("call").text == "here");
  CHECK(contains(world.run("wrong").message, "expected the name of a tool that is loaded"));
}

TEST_CASE("a call goes on when its tool is disabled meanwhile, and can be cancelled") {
  World world;
  world.start(kSwitched);
  world.run("on");
  world.run("hold");
  const CallId id = world.begin("extra");
  const CallId other = world.begin("extra");
  world.settle();
  world.run("off");
  CHECK(world.engine->cancel(other));
  world.run("let_go");
  CHECK(world.finish(id).text == "here");
  CHECK(world.finish(other).code == "cancelled");
  CHECK(world.run("extra").code == "unknown_tool");
  CHECK(world.events_named("tools_changed").size() == 2);
}

TEST_CASE("a tool stays enabled over a reload, until it is gone from the scripts") {
  World world;
  world.start(kSwitched);
  world.run("on");
  REQUIRE(world.engine->reload().ok);
  CHECK(world.run("extra").text == "here");
  world.script("define('other', function() return '' end)");
  REQUIRE(world.engine->reload().ok);
  world.script(kSwitched);
  REQUIRE(world.engine->reload().ok);
  CHECK(world.run("extra").code == "unknown_tool");
}

TEST_CASE("what a tool asks for is one of three kinds") {
  World world;
  world.start("define('a', function() return '' end, { asks = { 'form', 'roots' } })");
  CHECK(world.engine->current()->find("a")->asks == std::vector<std::string>{"form", "roots"});
  CHECK(
      contains(refused(std::string(kGood) + ", asks = { 'person' }"), "asks[1]: expected one of"));
  CHECK(contains(refused(std::string(kGood) + ", enabled = 1"), "enabled: expected boolean"));
}
