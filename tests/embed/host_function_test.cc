// Functions of the host: scripts call them as host.NAME(args), and policies the pure ones.
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/support/catch.h"
#include "tests/support/host.h"
#include "tests/support/loop.h"

namespace gibbous {
namespace {

using Catch::Matchers::Contains;
using testing::auto_mode;
using testing::Host;
using testing::TempDir;

// A tool whose function has this body.
std::string tool_with(const std::string& body) {
  return "return { toolsets = { { name = 'mine', tools = { tool { name = 'try',"
         " description = 'Tries.', permission = 'read', run = function(args, ctx) " +
         body + " end } } } } }";
}

HostFunction adder(std::function<void(ToolCall)> handler) {
  HostFunction function;
  function.name = "add";
  function.description = "Adds two numbers.";
  function.permission = "read";
  function.input_schema =
      R"({"type":"object","properties":{"a":{"type":"number"},"b":{"type":"number","default":1}},)"
      R"("required":["a"],"additionalProperties":false})";
  function.output_schema = R"({"type":"number"})";
  function.handler = std::move(handler);
  return function;
}

void answer_sum(const ToolCall& call) {
  const Json given = Json::parse(call.arguments);
  ToolAnswer answer;
  answer.data = Json(given["a"].get<double>() + given["b"].get<double>()).dump();
  call.reply(answer);
}

// A runtime whose tool `try` has this body, and which offers these functions.
struct Scripted {
  Scripted(const std::string& body, std::vector<HostFunction> functions,
           RuntimeOptions options = auto_mode()) {
    scripts.write("init.lua", tool_with(body));
    options.scripts_dir = scripts.path();
    options.functions = std::move(functions);
    host.emplace(std::move(options));
  }
  CallResult attempt() { return host->call("try", Json::object()); }

  TempDir scripts;
  std::optional<Host> host;
};

TEST_CASE("host function: a script calls it with checked arguments and gets its value") {
  Scripted world(
      "return { data = { three = host.add { a = 1, b = 2 }, two = host.add { a = 1 } } }",
      {adder(answer_sum)});
  const CallResult result = world.attempt();
  REQUIRE(result.ok);
  CHECK(Json::parse(result.data) == Json{{"three", 3}, {"two", 2}});
}

TEST_CASE("host function: values of every kind go both ways") {
  HostFunction echo;
  echo.name = "echo";
  echo.description = "Returns what it is given.";
  echo.permission = "read";
  echo.input_schema = R"({"type":"object","additionalProperties":true})";
  echo.handler = [](const ToolCall& call) {
    ToolAnswer answer;
    answer.data = Json::parse(call.arguments).value("it", Json()).dump();
    call.reply(answer);
  };
  Scripted world(
      "local list = host.echo { it = { 1, 'two', { three = true } } }"
      " assert(list[2] == 'two' and list[3].three == true)"
      " assert(host.echo { it = 'word' } == 'word' and host.echo { it = false } == false)"
      " assert(host.echo {} == json.null)"
      " return 'good'",
      {echo});
  const CallResult result = world.attempt();
  INFO(result.message);
  CHECK(result.text == "good");
}

TEST_CASE("host function: an error of the host is nil, err, and so are wrong arguments") {
  Scripted world(
      "local value, err = host.add { a = 13 } assert(value == nil)"
      " local _, wrong = host.add { a = 'x' }"
      " return { text = err.code .. '|' .. err.message .. '|' .. wrong.code .. '|' .. "
      "wrong.message }",
      {adder([](const ToolCall& call) {
        ToolAnswer answer;
        answer.ok = false;
        answer.code = "unlucky";
        answer.message = "not that number";
        call.reply(answer);
      })});
  const CallResult result = world.attempt();
  INFO(result.message);
  CHECK_THAT(result.text, Contains("unlucky|not that number|invalid_arguments|args.a"));
}

TEST_CASE("host function: no client sees it, and none may call it") {
  Scripted world("return 'x'", {adder(answer_sum)});
  for (const ToolInfo& tool : world.host->runtime->tools()) CHECK(tool.name != "host.add");
  CHECK(world.host->call("host.add", {{"a", 1}}).code == "unknown_tool");
  CHECK(world.host->call("add", {{"a", 1}}).code == "unknown_tool");
}

TEST_CASE("host function: a name that the host does not have is nil, and the table is fixed") {
  Scripted world(
      "assert(host.ad == nil and host[1] == nil)"
      " local set, why = pcall(function() host.add = print end)"
      " assert(not set and why:find('belong to the host'))"
      " return tostring(getmetatable(host))",
      {adder(answer_sum)});
  const CallResult result = world.attempt();
  INFO(result.message);
  CHECK(result.text == "false");
}

TEST_CASE("host function: it ends with the call that waits for it, and the host learns of it") {
  std::vector<ToolCall> calls;
  std::vector<std::uint64_t> cancelled;
  HostFunction function = adder([&](ToolCall call) { calls.push_back(std::move(call)); });
  function.on_cancel = [&](std::uint64_t id) { cancelled.push_back(id); };
  Scripted world("host.add { a = 1 } return 'never'", {function});
  std::optional<CallResult> result;
  const CallId id = world.host->runtime->call({"try", "{}", "s"},
                                              [&](CallResult got) { result = std::move(got); });
  REQUIRE(world.host->until([&] { return !calls.empty(); }));
  CHECK(calls.front().tool == "add");
  CHECK(calls.front().session == "s");
  REQUIRE(world.host->runtime->cancel(id));
  REQUIRE(world.host->until([&] { return result.has_value() && !cancelled.empty(); }));
  CHECK(result->code == "cancelled");
  CHECK(cancelled == std::vector<std::uint64_t>{calls.front().id});
}

TEST_CASE("host function: the policy judges it by its permission and its name") {
  const TempDir policies;
  policies.write("init.lua",
                 "local policy = require 'policy'\n"
                 "local modes = { auto = { permissions = { read = 'allow', write = 'deny',"
                 " execute = 'deny' }, commands = { unmatched = 'allow' } } }\n"
                 "return { modes = modes, decide = policy.decider(modes) }\n");
  RuntimeOptions options = auto_mode();
  options.policies_dir = policies.path();
  HostFunction writes = adder(answer_sum);
  writes.permission = "write";
  Scripted world("local value, err = host.add { a = 1 } return tostring(value) .. ' ' .. err.code",
                 {writes}, options);
  CHECK(world.attempt().text == "nil denied");
}

TEST_CASE("host function: functions come and go while the runtime lives") {
  Scripted world("return host.add and tostring((host.add { a = 1 })) or 'none'", {});
  Runtime& runtime = *world.host->runtime;
  CHECK(world.attempt().text == "none");
  REQUIRE(runtime.add_function(adder(answer_sum)).ok());
  CHECK(world.attempt().text == "2");
  CHECK(runtime.add_function(adder(answer_sum)).code() == "invalid_arguments");
  const auto refused = [&](const std::function<void(HostFunction&)>& spoil,
                           const std::string& why) {
    HostFunction function = adder(answer_sum);
    function.name = "other";
    spoil(function);
    const Status status = runtime.add_function(std::move(function));
    INFO(status.message());
    CHECK_FALSE(status.ok());
    CHECK_THAT(status.message(), Contains(why));
  };
  refused([](HostFunction& function) { function.name = "a-b"; }, "name");
  refused([](HostFunction& function) { function.name = "1st"; }, "name");
  refused([](HostFunction& function) { function.name = ""; }, "name");
  refused([](HostFunction& function) { function.permission = ""; }, "permission");
  refused([](HostFunction& function) { function.description = ""; }, "description");
  refused([](HostFunction& function) { function.handler = nullptr; }, "handler");
  refused([](HostFunction& function) { function.output_schema = "{"; }, "output_schema");
  CHECK(world.attempt().text == "2");
  REQUIRE(runtime.reload().ok);
  CHECK(world.attempt().text == "2");
  CHECK(runtime.remove_tool("host.add").code() == "tool_not_found");
  REQUIRE(runtime.remove_function("add").ok());
  CHECK(runtime.remove_function("add").code() == "function_not_found");
  CHECK(world.attempt().text == "none");
}

TEST_CASE("host function: a policy calls the pure ones, and no other") {
  const TempDir policies;
  policies.write("init.lua",
                 "local policy = require 'policy'\n"
                 "local modes = { auto = { permissions = { read = 'allow', write = 'allow',"
                 " execute = 'allow' }, commands = { unmatched = 'allow' } } }\n"
                 "local decide = policy.decider(modes)\n"
                 "return { modes = modes, decide = function(request, ...)\n"
                 "  if host.add == nil and host.is_quiet { tool = request.tool } then\n"
                 "    return { decision = 'deny', rule = 'quiet', reason = 'the host is quiet' }\n"
                 "  end\n"
                 "  return decide(request, ...)\n"
                 "end }\n");
  RuntimeOptions options = auto_mode();
  options.policies_dir = policies.path();
  bool quiet = false;
  bool throws = false;
  std::string asked;
  HostFunction pure;
  pure.name = "is_quiet";
  pure.description = "Whether nothing may happen.";
  pure.permission = "read";
  pure.input_schema = R"({"type":"object","additionalProperties":true})";
  pure.pure = [&](const std::string& arguments) {
    if (throws) throw std::runtime_error("the host is confused");
    asked = arguments;
    ToolAnswer answer;
    answer.data = quiet ? "true" : "false";
    return answer;
  };
  Scripted world("return tostring(host.is_quiet {})", {pure, adder(answer_sum)}, options);
  INFO(world.host->runtime->policy_error());
  CHECK(world.attempt().text == "false");
  quiet = true;
  const CallResult denied = world.attempt();
  CHECK(denied.code == "denied");
  CHECK_THAT(denied.message, Contains("the host is quiet"));
  CHECK_THAT(asked, Contains("\"try\""));
  throws = true;
  CHECK(world.attempt().code == "denied");  // a failure in the policy means no
  throws = quiet = false;
  CHECK(world.attempt().ok);
}

}  // namespace
}  // namespace gibbous
