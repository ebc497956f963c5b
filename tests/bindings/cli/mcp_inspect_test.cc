// `gibbous mcp inspect`: what a client gets of the server, and what of it its model reads.
#include <string>
#include <vector>

#include "tests/support/catch.h"
#include "tests/support/conversation.h"
#include "tests/support/loop.h"
#include "tests/support/program.h"

using Catch::Matchers::Contains;
using gibbous::Json;
using namespace gibbous::testing;

namespace {

struct Shop {
  TempDir home;
  TempDir scripts;

  explicit Shop(const std::string& tools =
                    "tool { name = 'many', title = 'Many', description = 'Prints\\nlines.', "
                    "permission = 'read', input = schema.object { n = schema.integer() }, "
                    "output = schema.object { n = schema.integer() }, "
                    "run = function(args) return { text = ('x'):rep(args.n), "
                    "data = { n = args.n } } end }") {
    scripts.write("init.lua",
                  "return { toolsets = { { name = 'own', tools = { " + tools + " } } } }");
  }

  Outcome inspect(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), {command_path(), "mcp", "inspect", "--scripts",
                                         scripts.path(), "--mode", "auto"});
    return run_program({.argv = std::move(arguments),
                        .env = {{"HOME", home.path()}, {"XDG_STATE_HOME", home.path() + "/state"}},
                        .cwd = home.path()});
  }
  Json json(std::vector<std::string> arguments) const {
    arguments.push_back("--json");
    const Outcome made = inspect(std::move(arguments));
    INFO(made.out << made.err);
    REQUIRE(made.status.code == 0);
    return Json::parse(made.out);
  }
};

}  // namespace

TEST_CASE("mcp inspect shows instructions and tools, with their size") {
  const Shop shop;
  const Outcome made = shop.inspect({});
  INFO(made.out << made.err);
  REQUIRE(made.status.code == 0);
  CHECK_THAT(made.out, Contains("What a client receives") && Contains("(mode auto)") &&
                           Contains("Instructions: ") && Contains("Tools: 1, ") &&
                           Contains("many\n  Prints\n  lines.\n") && Contains("\"inputSchema\"") &&
                           Contains("Resources: 1\n  gibbous://report") &&
                           Contains("Resource templates: 3\n  gibbous://runs/"));
}

TEST_CASE("mcp inspect counts each tool as it is written, and all of them") {
  const Shop shop;
  const Json seen = shop.json({"--structured"});
  CHECK(seen["as"] == "client");
  REQUIRE(seen["tools"].size() == 1);
  const Json tool = seen["tools"][0];
  CHECK(tool["tool"]["title"] == "Many");
  CHECK(tool["tool"].contains("outputSchema"));
  const std::size_t bytes = tool["tool"].dump().size();
  CHECK(tool["bytes"] == bytes);
  CHECK(tool["tokens"] == (bytes + 3) / 4);
  CHECK(seen["total"]["bytes"] == bytes);
  CHECK(seen["instructions"]["bytes"] == seen["instructions"]["text"].get<std::string>().size());
  CHECK(seen["prompts"].is_array());
  CHECK_FALSE(seen.contains("result"));
}

TEST_CASE("mcp inspect --as shows what the model of that client reads") {
  const Shop shop;
  for (const char* client : {"claude", "codex"}) {
    INFO(client);
    const Json seen = shop.json({"--as", client, "--structured"});
    CHECK(seen["as"] == client);
    const Json tool = seen["tools"][0]["tool"];
    CHECK(tool.size() == 3);
    CHECK(tool["description"] == "Prints\nlines.");
    CHECK(tool["inputSchema"]["properties"].contains("n"));
    CHECK_FALSE(seen["instructions"]["text"].get<std::string>().empty());
  }
  CHECK(shop.inspect({"--as", "cursor"}).status.code == 2);
}

TEST_CASE("mcp inspect --call shows a result, cut as the client cuts it") {
  const Shop shop;
  const auto result = [&shop](std::vector<std::string> more) {
    more.insert(more.end(), {"--call", "many", "--args", R"({"n":60000})"});
    return shop.json(std::move(more))["result"];
  };
  CHECK(result({})["cut"] == false);
  CHECK(result({})["text"].get<std::string>().size() == 60'000);
  const Json claude = result({"--as", "claude"});
  CHECK(claude["cut"] == true);
  CHECK(claude["characters"] == 60'000);
  CHECK(claude["text"].get<std::string>().size() == 2'048);
  const Json codex = result({"--as", "codex"});
  CHECK(codex["text"].get<std::string>().size() < 12'100);
  CHECK(result({"--as", "codex", "--structured"})["text"] == R"({"n":60000})");
}

TEST_CASE("mcp inspect says what is wrong with a call") {
  const Shop shop;
  const auto fails = [&shop](std::vector<std::string> arguments, const std::string& why) {
    const Outcome made = shop.inspect(std::move(arguments));
    CHECK(made.status.code != 0);
    CHECK_THAT(made.err, Contains(why));
  };
  fails({"--call", "mayn"}, "mayn");
  fails({"--call", "many", "--args", "[]"}, "--args: expected a JSON object");
  fails({"--call", "many", "--args", "{"}, "--args: expected a JSON object");
  // Wrong arguments are a result, which the model reads.
  const Json result = shop.json({"--as", "claude", "--call", "many", "--args", R"({"n":"x"})"});
  CHECK_THAT(result["result"]["text"].get<std::string>(), Contains("args.n"));
  CHECK(result["result"]["notes"].size() == 1);
}

TEST_CASE("mcp inspect shows an approval that is missing as the model reads it") {
  const Shop shop;
  const TempDir policies;
  policies.write("init.lua",
                 "return { modes = { auto = {} }, decide = function() return { decision = 'ask', "
                 "rule = 'r', reason = 'Sure?' } end }");
  const Json seen = shop.json(
      {"--policies", policies.path(), "--as", "codex", "--call", "many", "--args", R"({"n":1})"});
  CHECK_THAT(seen["result"]["text"].get<std::string>(), Contains("needs approval"));
}

TEST_CASE("mcp inspect names a script that is broken") {
  const Shop shop("nonsense(");
  const Outcome made = shop.inspect({});
  CHECK(made.status.code != 0);
  CHECK_THAT(made.err, Contains("init.lua:1"));
}
