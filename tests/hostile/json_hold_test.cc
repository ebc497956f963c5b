// JSON of a megabyte in one step: what cannot pause ends when it has held the loop for too long.
#include <string>

#include "tests/support/catch.h"
#include "tests/support/host.h"

namespace gibbous {
namespace {

using Catch::Matchers::Contains;

// The text has fewer than 500,000 values, so that nothing but the time ends it.
CallResult run(const std::string& body) {
  RuntimeOptions options = testing::auto_mode();
  options.files["scripts/init.lua"] =
      "local long = '[' .. ('[[1,2],{\"a\":\"b\"}],'):rep(65000) .. '0]'\n"
      "return { toolsets = { { name = 'x', tools = { tool { name = 'step', description = 'x',\n"
      "  permission = 'read', input = schema.object {}, run = function()\n" +
      body + "\n  end } } } } }\n";
  options.files["config.lua"] = "return { lua = { hold_ms = 2, call_ms = 60000 } }";
  testing::Host host(options);
  return host.call("step", Json::object());
}

TEST_CASE("JSON of a megabyte is decoded no longer than a step may hold the loop") {
  const CallResult result = run("    local value = json.decode(long)\n    return tostring(#value)");
  INFO(result.message);
  CHECK(result.code == "budget_exceeded");
  CHECK_THAT(result.message, Contains("without a pause exceeded") && Contains("lua.hold_ms"));
}

TEST_CASE("a script that catches the error of a long step ends with it all the same") {
  const CallResult result = run("    pcall(json.decode, long)\n    return 'went on'");
  CHECK(result.code == "budget_exceeded");
}

TEST_CASE("JSON that is too long to be written ends when the limit is reached") {
  const CallResult result = run("    return json.encode(('\\0'):rep(3000000))");
  INFO(result.message);
  CHECK_FALSE(result.ok);
}

}  // namespace
}  // namespace gibbous
