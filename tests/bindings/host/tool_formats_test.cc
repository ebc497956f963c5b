// The schemas of tools for the APIs of models: by the rules that their vendors publish.
#include "tests/support/catch.h"
#include "tests/support/host.h"
#include "tests/support/vendor_rules.h"

namespace gibbous::testing {
namespace {

using Catch::Matchers::Contains;

const std::vector<std::string> kToolsets = {"bg",      "wait",       "shell",    "safe_shell",
                                            "process", "background", "services", "lean"};

// A shipped toolset, with every parameter that its tools have.
RuntimeOptions whole(const std::string& toolset, const TempDir& dir) {
  RuntimeOptions options = auto_mode();
  options.toolsets = {toolset};
  options.all_parameters = true;
  options.state_dir = dir.path() + "/state";
  options.workspace = dir.path();
  return options;
}

// A tool whose parameters are `input`, a piece of Lua.
RuntimeOptions with_input(const std::string& input, const TempDir& dir) {
  RuntimeOptions options = auto_mode();
  options.state_dir = dir.path() + "/state";
  options.files["scripts/init.lua"] =
      "return { toolsets = { { name = 'x', tools = { tool { name = 'probe', description = "
      "'Probes.',"
      "  permission = 'read', input = " +
      input +
      ", run = function(args)\n"
      "  return tostring(args.text) .. ' ' .. tostring(args.count)\n"
      "end } } } } }";
  return options;
}

Json listed(const Host& host, ToolFormat format) {
  return Json::parse(host.runtime->tools_json(format));
}

TEST_CASE("every shipped tool passes the rules of strict calls") {
  for (const std::string& toolset : kToolsets) {
    const TempDir dir;
    Host host(whole(toolset, dir));
    CHECK(host.runtime->tools_not_strict().empty());
    for (const Json& tool : listed(host, ToolFormat::kOpenAiStrict)) {
      INFO(tool.dump());
      CHECK(tool["function"]["strict"] == true);
      CHECK(against_openai_strict(tool["function"]["parameters"]).empty());
    }
    for (const Json& tool : listed(host, ToolFormat::kOpenAiResponsesStrict)) {
      INFO(tool.dump());
      CHECK(tool["type"] == "function");
      CHECK(tool["strict"] == true);
      CHECK(against_openai_strict(tool["parameters"]).empty());
    }
  }
}

TEST_CASE("every shipped tool passes Gemini's and Anthropic's rules") {
  for (const std::string& toolset : kToolsets) {
    const TempDir dir;
    Host host(whole(toolset, dir));
    const Json gemini = listed(host, ToolFormat::kGemini);
    REQUIRE(gemini.size() == 1);
    for (const Json& tool : gemini[0]["functionDeclarations"]) {
      INFO(tool.dump());
      CHECK_FALSE(tool.contains("parametersJsonSchema"));
      CHECK(against_gemini(tool).empty());
    }
    for (const Json& tool : listed(host, ToolFormat::kAnthropic)) {
      INFO(tool.dump());
      CHECK(against_anthropic(tool).empty());
    }
  }
}

TEST_CASE("without strict, the Responses API is told that a tool is not") {
  const TempDir dir;
  Host host(whole("bg", dir));
  for (const Json& tool : listed(host, ToolFormat::kOpenAiResponses))
    CHECK(tool["strict"] == false);
  for (const Json& tool : listed(host, ToolFormat::kOpenAi))
    CHECK_FALSE(tool["function"].contains("strict"));
}

TEST_CASE("what may be absent may be null in a strict schema, and says what null stands for") {
  const TempDir dir;
  Host host(
      with_input("schema.object { text = schema.string {},"
                 "  count = schema.integer { default = 7, minimum = 1 },"
                 "  way = schema.string { enum = { 'up', 'down' }, optional = true } }",
                 dir));
  const Json tools = listed(host, ToolFormat::kOpenAiStrict);
  REQUIRE(tools.size() == 1);
  const Json& properties = tools[0]["function"]["parameters"]["properties"];
  CHECK(properties["text"] == Json{{"type", "string"}});
  CHECK(properties["count"] ==
        Json{{"type", {"integer", "null"}}, {"minimum", 1}, {"description", "(null: 7)"}});
  CHECK(properties["way"]["enum"] == Json{"up", "down", nullptr});
  // What a model that follows it sends is understood.
  const CallResult result =
      host.call("probe", {{"text", "a"}, {"count", nullptr}, {"way", nullptr}});
  CHECK(result.text == "a 7");
}

TEST_CASE("a tool that strict calls cannot describe says so, and is listed all the same") {
  const TempDir dir;
  Host host(with_input(
      "schema.object { text = schema.object({}, { additional = schema.string {} }) }", dir));
  const Json tools = listed(host, ToolFormat::kOpenAiResponsesStrict);
  REQUIRE(tools.size() == 1);
  CHECK(tools[0]["strict"] == false);
  CHECK(tools[0]["parameters"]["properties"].contains("text"));
  REQUIRE(host.runtime->tools_not_strict().size() == 1);
  CHECK(host.runtime->tools_not_strict()[0] ==
        "probe: the schema.text is an object with names of any kind");
}

TEST_CASE("an optional parameter that strict calls cannot describe is left out") {
  const TempDir dir;
  Host host(with_input(
      "schema.object { text = schema.string {},"
      "  count = schema.object({}, { additional = schema.string {}, optional = true }) }",
      dir));
  const Json tools = listed(host, ToolFormat::kOpenAiStrict);
  CHECK(tools[0]["function"]["strict"] == true);
  CHECK_FALSE(tools[0]["function"]["parameters"]["properties"].contains("count"));
}

TEST_CASE("a schema that Gemini has no words for is passed on as it is") {
  const TempDir dir;
  Host host(
      with_input("{ type = 'object', required = { 'text' },"
                 "  properties = { text = { ['$ref'] = '#/$defs/t' } },"
                 "  ['$defs'] = { t = { type = 'string' } } }",
                 dir));
  const Json tools = listed(host, ToolFormat::kGemini);
  const Json& function = tools[0]["functionDeclarations"][0];
  CHECK_FALSE(function.contains("parameters"));
  CHECK(function["parametersJsonSchema"]["properties"]["text"]["$ref"] == "#/$defs/t");
}

TEST_CASE("a tool without parameters has none for Gemini") {
  const TempDir dir;
  Host host(with_input("schema.object {}", dir));
  const Json tools = listed(host, ToolFormat::kGemini);
  CHECK(tools[0]["functionDeclarations"][0] == Json{{"name", "probe"}, {"description", "Probes."}});
}

TEST_CASE("formats have names") {
  CHECK(tool_format_named("openai-responses-strict") == ToolFormat::kOpenAiResponsesStrict);
  CHECK_FALSE(tool_format_named("xml"));
  CHECK_FALSE(tool_format_named(""));
}

}  // namespace
}  // namespace gibbous::testing
