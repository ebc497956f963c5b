// One call from its arguments to its result.
#include "bindings/lua/call/call.h"

#include "bindings/lua/vm/arguments.h"
#include "tests/bindings/lua/call/engine_fixture.h"

using gibbous::CallId;
using gibbous::CallResult;
using gibbous::testing::contains;
using gibbous::testing::World;

TEST_CASE("a tool that returns a string answers with text") {
  World world;
  world.start("define('hello', function(args) return 'hello ' .. args.name end)");
  const CallResult result = world.run("hello", R"({"name":"world"})");
  REQUIRE(result.ok);
  CHECK(result.text == "hello world");
  CHECK(result.data.empty());
  CHECK(result.code.empty());
}

TEST_CASE("on_done never comes from inside call()") {
  World world;
  world.start("define('hello', function() return 'hi' end)");
  const CallId id = world.begin("hello");
  CHECK(world.results.empty());
  const CallId unknown = world.begin("nothing");
  CHECK(world.results.empty());
  CHECK(world.engine->active_calls() == 2);
  CHECK(world.engine->has_ready());
  CHECK(world.finish(id).ok);
  CHECK(world.finish(unknown).code == "unknown_tool");
  CHECK(world.engine->active_calls() == 0);
}

TEST_CASE("a tool that returns text and data answers with both") {
  World world;
  world.start(
      "define('both', function() return { text = 'two', data = { n = 2, list = json.array({}) } } "
      "end)\n"
      "define('data', function() return { data = { n = 2 } } end)");
  const CallResult both = world.run("both");
  REQUIRE(both.ok);
  CHECK(both.text == "two");
  CHECK(both.data == R"({"list":[],"n":2})");
  const CallResult data = world.run("data");
  REQUIRE(data.ok);
  CHECK(data.text == R"({"n":2})");
}

TEST_CASE("invalid UTF-8 in a text is replaced") {
  World world;
  world.start("define('raw', function() return 'a\\255b' end)");
  CHECK(world.run("raw").text ==
        "a\xEF\xBF\xBD"
        "b");
}

TEST_CASE("an unknown tool is quoted with the nearest one") {
  World world;
  world.start("define('bg_start', function() return '' end)");
  const CallResult result = world.run("bg_stort");
  CHECK_FALSE(result.ok);
  CHECK(result.code == "unknown_tool");
  CHECK(contains(result.message, "'bg_stort'"));
  CHECK(contains(result.message, "did you mean 'bg_start'?"));
}

TEST_CASE("an error of wrong arguments names the field, the expected and the actual value") {
  World world;
  world.start(
      "define('add', function(args) return tostring(args.a + args.b) end,\n"
      "  { input = schema.object({ a = schema.integer(), b = schema.integer({ default = 5 }) }) "
      "})");
  CHECK(world.run("add", R"({"a":1,"b":2})").text == "3");
  CHECK(world.run("add", R"({"a":1})").text == "6");
  const CallResult missing = world.run("add", "{}");
  CHECK(missing.code == "invalid_arguments");
  CHECK(contains(missing.message, "a"));
  const CallResult wrong = world.run("add", R"({"a":"one"})");
  CHECK(wrong.code == "invalid_arguments");
  CHECK(contains(wrong.message, "integer"));
}

TEST_CASE("arguments that are not a JSON object are refused") {
  World world;
  world.options.limits.max_argument_bytes = 100;
  world.start("define('any', function() return 'ran' end)");
  CHECK(world.run("any", "").text == "ran");
  CHECK(world.run("any", "[1]").code == "invalid_arguments");
  CHECK(world.run("any", "{\"a\":").code == "invalid_arguments");
  CHECK(world.run("any", "{} x").code == "invalid_arguments");
  CHECK(contains(world.run("any", "{\"a\":\"" + std::string(200, 'x') + "\"}").message, "limit"));
  world.options.limits.max_argument_bytes = 1 << 20;
  world.start();
  std::string deep;
  for (int level = 0; level < 100; ++level) deep += "[";
  CHECK(contains(world.run("any", "{\"a\":" + deep).message, "deeper"));
  const auto nested = [](int levels) {
    return "{\"a\":" + std::string(static_cast<std::size_t>(levels - 1), '[') +
           std::string(static_cast<std::size_t>(levels - 1), ']') + "}";
  };
  CHECK(world.run("any", nested(gibbous::lua::kMaxArgumentDepth)).text == "ran");
  CHECK(world.run("any", nested(gibbous::lua::kMaxArgumentDepth + 1)).code == "invalid_arguments");
}

TEST_CASE("a tool sees its arguments and the context of its call") {
  World world;
  world.context.temp_directory = "/temp";
  world.start("define('ctx', function(args, ctx) return { data = ctx } end)");
  const CallResult result = world.run("ctx", "{}", "s1");
  CHECK(result.data == R"({"call":1,"mode":"default","session":"s1","temp_directory":"/temp",)"
                       R"("workspace":"/workspace"})");
}

TEST_CASE("a script error names file and line and carries a traceback") {
  World world;
  world.start(
      "local function inner()\n"
      "  local t\n"
      "  return t.field\n"
      "end\n"
      "define('broken', function()\n"
      "  return inner() .. ''\n"
      "end)");
  const CallResult result = world.run("broken");
  CHECK(result.code == "script_error");
  CHECK(contains(result.message, world.tools_file + ":4: attempt to index"));
  CHECK(contains(result.traceback, world.tools_file + ":4:"));
  CHECK(contains(result.traceback, "stack traceback:"));
  CHECK(contains(result.traceback, ":7: in function"));
}

TEST_CASE("tool.error ends a call with its own code, message and data") {
  World world;
  world.start(
      "define('fail', function() tool.error('not_there', 'it is not there', { id = 7 }) end)\n"
      "define('thrown', function() error({ code = 'own', message = 'mine' }) end)\n"
      "define('returned', function() return nil, { code = 'own', message = 'given back' } end)");
  const CallResult failed = world.run("fail");
  CHECK_FALSE(failed.ok);
  CHECK(failed.code == "not_there");
  CHECK(failed.message == "it is not there");
  CHECK(failed.data == R"({"id":7})");
  CHECK(failed.traceback.empty());
  CHECK(world.run("thrown").code == "own");
  CHECK(world.run("returned").code == "own");
  CHECK(world.run("returned").message == "given back");
}

TEST_CASE("errors may be any value") {
  World world;
  world.start(
      "define('table', function() error({ 1, 2 }) end)\n"
      "define('nil', function() error(nil) end)\n"
      "define('number', function() error(12) end)\n"
      "define('function', function() error(define) end)\n"
      "define('true', function() error(true) end)");
  for (const char* name : {"table", "nil", "number", "function", "true"}) {
    const CallResult result = world.run(name);
    INFO(name << ": " << result.message);
    CHECK(result.code == "script_error");
    CHECK_FALSE(result.message.empty());
    CHECK(contains(result.traceback, world.tools_file));
  }
}

TEST_CASE("a forbidden return value of a tool is a script error at its function") {
  World world;
  world.start(
      "define('nothing', function() end)\n"
      "define('number', function() return 5 end)\n"
      "define('unknown', function() return { txt = 'a' } end)\n"
      "define('list', function() return { data = { 1, 2 } } end)\n"
      "define('function', function() return { data = { f = print or define } } end)\n"
      "define('text', function() return { text = 5 } end)\n"
      "define('empty', function() return {} end)");
  int line = gibbous::testing::kFirstLine;
  for (const char* name : {"nothing", "number", "unknown", "list", "function", "text", "empty"}) {
    const CallResult result = world.run(name);
    INFO(name << ": " << result.message);
    CHECK(result.code == "script_error");
    CHECK(contains(result.message,
                   world.tools_file + ":" + std::to_string(line++) + ": tool '" + name));
  }
}

TEST_CASE("data that do not fit the output schema are a script error that names the field") {
  World world;
  world.start(
      "local out = { output = schema.object({ n = schema.integer() }) }\n"
      "define('good', function() return { data = { n = 1 } } end, out)\n"
      "define('bad', function() return { data = { n = 'one' } } end, out)\n"
      "define('none', function() return 'text' end, out)");
  CHECK(world.run("good").ok);
  const CallResult bad = world.run("bad");
  CHECK(bad.code == "script_error");
  CHECK(contains(bad.message, "n"));
  CHECK(contains(bad.message, "output schema"));
  CHECK(contains(bad.message, ":4:"));
  CHECK(world.run("none").code == "script_error");
}

TEST_CASE("progress comes before the result, and only when it was asked for") {
  World world;
  world.start(
      "define('count', function()\n"
      "  tool.progress(1, 3, 'one') time.sleep(1) tool.progress(2, 3) tool.progress(3)\n"
      "  return 'done'\n"
      "end)");
  const CallId id = world.begin("count");
  CHECK(world.finish(id).ok);
  REQUIRE(world.progress[id].size() == 3);
  CHECK(world.progress[id][0].progress == 1);
  CHECK(world.progress[id][0].total == 3);
  CHECK(world.progress[id][0].message == "one");
  CHECK(world.progress[id][1].message.empty());
  CHECK_FALSE(world.progress[id][2].total.has_value());

  gibbous::CallRequest request;
  request.tool = "count";
  bool done = false;
  world.engine->call(
      100, request, [&](const CallResult&) { done = true; },
      [&](const gibbous::Progress&) { FAIL("progress was not requested"); });
  CHECK(world.until([&] { return done; }));
}

TEST_CASE(
    "the host hears with which arguments a call is made again, and not those of child calls") {
  World world;
  world.start(
      "define('inner', function() tool.repeat_with { inner = 1 } return '' end)\n"
      "define('outer', function()\n"
      "  tool.call('inner')\n"
      "  tool.repeat_with { n = 1 }\n"
      "  tool.repeat_with { n = 2, list = json.array {} }\n"
      "  time.sleep(1)\n"
      "  tool.repeat_with {}\n"
      "  return 'done'\n"
      "end)");
  gibbous::CallRequest request;
  request.tool = "outer";
  std::vector<std::string> heard;
  request.on_repeat_with = [&](const std::string& arguments) { heard.push_back(arguments); };
  bool done = false;
  world.engine->call(
      100, request, [&](const CallResult& result) { done = result.ok; }, nullptr);
  CHECK(world.until([&] { return done; }));
  CHECK(heard == std::vector<std::string>{R"({"list":[],"n":2})", "{}"});
  // Without one who listens it is nothing.
  CHECK(world.run("outer").ok);
}

TEST_CASE("a call id in use and a call over the limit end with an error") {
  World world;
  world.options.limits.max_calls = 2;
  world.start("define('wait', function() time.sleep(1e6) return '' end)");
  const CallId first = world.begin("wait");
  world.last_id = 0;
  bool refused = false;
  gibbous::CallRequest request;
  request.tool = "wait";
  world.engine->call(
      first, request, [&](const CallResult& result) { refused = result.code == "invalid_call"; },
      nullptr);
  CHECK(world.until([&] { return refused; }));
  world.last_id = first;
  world.begin("wait");
  const CallResult third = world.run("wait");
  CHECK(third.code == "too_many_calls");
  world.engine->cancel_all();
  CHECK(world.until([&] { return world.engine->active_calls() == 0; }));
}
