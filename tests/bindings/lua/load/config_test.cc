// The configuration file: what it may contain, and how mistakes are reported.
#include "bindings/lua/load/config_layers.h"

#include <algorithm>

#include "bindings/lua/call/engine.h"
#include "bindings/lua/check/schema_check.h"
#include "tests/support/catch.h"
#include "tests/support/loop.h"
#include "tests/support/source.h"

using namespace gibbous;
using namespace gibbous::lua;

namespace {

Result<Config> load(const std::string& text, const std::string& path = "conf/gibbous.lua") {
  const auto merged = merge_layers({{ConfigLayer::kUser, path, text, nullptr}}, SystemClock());
  if (!merged) return merged.status();
  return merged->config;
}

std::string error_of(const std::string& text) {
  const auto config = load(text);
  if (config) return "";
  CHECK(config.status().code() == "config_invalid");
  const std::string& message = config.status().message();
  CHECK(message.find("gibbous.lua:") != std::string::npos);
  return message.substr(message.find("gibbous.lua:"));
}

TEST_CASE("the page about the configuration shows every field, with its default") {
  const std::string page = gibbous::testing::source_text("docs/configuration.md");
  const std::string fence = "```lua\n";
  const std::size_t begin = page.find(fence) + fence.size();
  const auto shown = gibbous::lua::load_table(
      "shown.lua", page.substr(begin, page.find("\n```", begin) - begin), SystemClock());
  INFO(shown.status().message());
  REQUIRE(shown.ok());
  const gibbous::Json properties = gibbous::lua::config_schema()["properties"];
  REQUIRE(properties.size() > 10);
  for (const auto& [name, field] : properties.items()) {
    INFO(name);
    REQUIRE(shown->contains(name));
    if (field.contains("default")) CHECK((*shown)[name] == field["default"]);
    const gibbous::Json inner = field.value("properties", gibbous::Json::object());
    for (const auto& [inner_name, inner_field] : inner.items()) {
      INFO(inner_name);
      REQUIRE((*shown)[name].contains(inner_name));
      if (inner_field.contains("default")) {
        CHECK((*shown)[name][inner_name] == inner_field["default"]);
      }
    }
  }
}

}  // namespace

TEST_CASE("every field of the configuration arrives") {
  const auto config = load(R"(
    local second = 1000
    return {
      scripts = 'tools', policies = '../policies', workspace = '/srv',
      toolsets = { 'bg', 'wait' }, mode = 'auto', shell = '/bin/bash',
      limits = { max_concurrent = 20, default_timeout_ms = 60 * second, max_buffer_bytes = 1024,
        head_bytes = 0, kill_grace_ms = 1, timeout_grace_ms = 2, drain_limit_ms = 3,
        max_queued = 4, max_ended = 5 },
      env = { LANG = 'C', TERM = 'dumb' }, unset_env = { 'SECRET' },
      pass_env = { 'NPM_TOKEN' },
      lua = { call_ms = 7, memory_bytes = 8 * 1024 * 1024 }, temp_directory = 'temp',
      settings = { process = { max_concurrent = 2 } },
    })",
                           "/ann/conf/gibbous.lua");
  INFO(config.status().message());
  REQUIRE(config.ok());
  CHECK(config->text("scripts") == "/ann/conf/tools");
  CHECK(config->text("policies") == "/ann/policies");
  CHECK(config->get<Json>("pass_env") == Json::array({"NPM_TOKEN"}));
  CHECK(config->text("workspace") == "/srv");
  CHECK(config->get<Json>("toolsets") == Json{"bg", "wait"});
  CHECK(config->text("mode") == "auto");

  RunsOptions runs;
  runs.env = {"LANG=de", "SECRET=x", "HOME=/root"};
  config->apply_runs(runs);
  std::sort(runs.env.begin(), runs.env.end());
  CHECK(runs.env ==
        std::vector<std::string>{"HOME=/root", "LANG=C", "TERM=dumb", "TMPDIR=/ann/conf/temp"});
  CHECK(config->get<Json>("settings") == Json{{"process", {{"max_concurrent", 2}}}});
  CHECK(runs.shell == "/bin/bash");
  CHECK(runs.limits.max_concurrent == 20);
  CHECK(runs.limits.default_timeout == Millis(60'000));
  CHECK(runs.limits.max_buffer_bytes == 1024);
  CHECK(runs.limits.head_bytes == 0);
  CHECK(runs.limits.kill_grace == Millis(1));
  CHECK(runs.limits.timeout_grace == Millis(2));
  CHECK(runs.limits.drain_limit == Millis(3));
  CHECK(runs.limits.max_queued == 4);
  CHECK(runs.limits.max_ended == 5);

  EngineLimits limits;
  MemoryLimits memory;
  config->apply_lua(limits, memory);
  CHECK(limits.call_lua == Millis(7));
  CHECK(memory.total_bytes == std::size_t{8} << 20);
}

TEST_CASE("an empty configuration changes nothing") {
  const auto config = load("return {}");
  REQUIRE(config.ok());
  CHECK(config->find("mode") == nullptr);
  RunsOptions runs;
  config->apply_runs(runs);
  CHECK(runs.limits.max_concurrent == RunLimits{}.max_concurrent);
  CHECK(runs.shell == default_shell());
  CHECK(
      load("return { toolsets = {}, unset_env = {}, pass_env = {}, env = {}, limits = {} }").ok());
}

TEST_CASE("mistakes name the file, the field, the expected and the actual value") {
  CHECK(error_of("return { limits = { max_concurrent = 10001 } }") ==
        "gibbous.lua: limits.max_concurrent: expected integer from 1 to 10000, got integer 10001");
  CHECK(error_of("return { limits = { max_concurent = 3 } }") ==
        R"(gibbous.lua: limits.max_concurent: unknown field; did you mean "max_concurrent"?)");
  CHECK(error_of("return { mod = 'auto' }") ==
        R"(gibbous.lua: mod: unknown field; did you mean "mode"?)");
  CHECK(error_of("return { env = { A = 1 } }") ==
        "gibbous.lua: env.A: expected string, got integer 1");
  CHECK(error_of("return { toolsets = 'bg' }").find("toolsets: expected array of string") !=
        std::string::npos);
  CHECK(error_of("return { limits = { default_timeout_ms = -1 } }").find("from 0 to") !=
        std::string::npos);
  CHECK(error_of("return { mcp = { tokens = { ci = { mode = 'plan' } } } }")
            .find("mcp.tokens.ci: expected one of file (a path) and sha256") != std::string::npos);
  CHECK(error_of("return { mcp = { tokens = { ['c i'] = { file = 'x' } } } }")
            .find("mcp.tokens.c i: expected a name of 1 to 64 letters") != std::string::npos);
  CHECK(error_of("return { mcp = { tokens = { ci = { sha256 = 'secret' } } } }")
            .find("mcp.tokens.ci.sha256") != std::string::npos);
  CHECK(error_of("return { mcp = { tokens = { ci = { file = 'x', approver = 'me' } } } }")
            .find("mcp.tokens.ci.approver") != std::string::npos);
  CHECK(error_of("return { mcp = { tokens = { ci = { token = 'in clear' } } } }")
            .find("mcp.tokens.ci.token: unknown field") != std::string::npos);
  CHECK(error_of("return { limits = { max_buffer_bytes = 1023 } }").find("from 1024 to") !=
        std::string::npos);
}

TEST_CASE(
    "a configuration that is not a table, does not compile, fails or never ends is reported with "
    "its place") {
  CHECK(error_of("return 5").find("must return a table of settings") != std::string::npos);
  CHECK(error_of("").find("must return a table of settings") != std::string::npos);
  CHECK(error_of("return { 'a' }").find("must return a table of settings") != std::string::npos);
  CHECK(error_of("return {\n mode = = 1 }").find("gibbous.lua:2: unexpected symbol near '='") == 0);
  CHECK(error_of("\nlocal t\nreturn t.x").find("gibbous.lua:3: attempt to index") == 0);
  CHECK(error_of("while true do end").find("gibbous.lua:1: time budget of 250 ms exceeded") == 0);
  CHECK(error_of("return { mode = function() end }").find("gibbous.lua") == 0);
  CHECK(error_of("return { shell = os.getenv('HOME') }").find("gibbous.lua:1: ") == 0);
  const auto missing = read_config_text("/nonexistent/gibbous.lua");
  CHECK(missing.status().message() == "/nonexistent/gibbous.lua: no such configuration file");
}
