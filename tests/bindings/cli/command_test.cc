// The other sub-commands and the command line itself, as a shell sees them.
#include <signal.h>

#include <cstdlib>
#include <string>
#include <vector>

#include <re2/re2.h>

#include "tests/support/catch.h"
#include "tests/support/conversation.h"
#include "tests/support/loop.h"

using gibbous::Json;
using namespace gibbous::testing;

namespace {

enum ExitCode { kDone = 0, kFailed = 1, kWrongUse = 2, kDenied = 3, kNeedsApproval = 4 };

std::string test_scripts() {
  return std::string(std::getenv("GIBBOUS_SOURCE_DIR")) + "/tests/bindings/cli/scripts";
}

Outcome run_gibbous(std::vector<std::string> arguments, const std::string& input = "") {
  arguments.insert(arguments.begin(), command_path());
  return run_program({.argv = std::move(arguments)}, input);
}

Outcome call(std::vector<std::string> arguments, const std::string& input = "") {
  arguments.insert(arguments.begin(), {"call"});
  arguments.insert(arguments.end(), {"--scripts", test_scripts()});
  return run_gibbous(std::move(arguments), input);
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("version and help go to stdout and exit with 0") {
  CHECK(run_gibbous({"version"}).out.find("gibbous ") == 0);
  CHECK(run_gibbous({"--version"}).out == run_gibbous({"version"}).out);
  CHECK(Json::parse(run_gibbous({"version", "--json"}).out).contains("version"));
  const Outcome help = run_gibbous({"--help"});
  CHECK(help.status.code == kDone);
  for (const char* command : {"mcp", "call", "session", "tools", "check", "new", "doctor", "ps",
                              "logs", "attach", "events", "sessions", "report", "top", "version"}) {
    INFO(command);
    CHECK(has(help.out, command));
    const Outcome own = run_gibbous({command, "--help"});
    CHECK(own.status.code == kDone);
    CHECK(own.out.size() > 100);
  }
  for (const char* front_end : {"mcp", "call", "session", "tools", "check", "doctor"}) {
    const std::string out = run_gibbous({front_end, "--help"}).out;
    for (const char* option : {"--mode", "--toolset", "--config", "--state", "--sandbox",
                               "--workspace", "--scripts", "--policies", "--json"}) {
      INFO(front_end << " " << option);
      CHECK(has(out, option));
    }
  }
}

TEST_CASE("wrong use is reported on stderr with its own exit code") {
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
      {{"sesion"}, "did you mean 'session'?"},
      {{"frobnicate"}, "unknown command 'frobnicate'"},
      {{"call"}, "TOOL"},
      {{"tools", "--format", "yaml"}, "--format"},
      {{"session", "--workspace", "/nonexistent"}, "/nonexistent"},
      {{"session", "--bogus"}, "--bogus"},
      {{"session", "--mode"}, "--mode"},
      {{""}, "unknown command"},
      {{}, "gibbous"},
  };
  for (const auto& [arguments, complaint] : cases) {
    INFO(complaint);
    const Outcome outcome = run_gibbous(arguments);
    CHECK(outcome.status.code == kWrongUse);
    CHECK(outcome.out.empty());
    CHECK(has(outcome.err, complaint));
  }
}

TEST_CASE("an unknown option suggests the nearest one") {
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
      {{"call", "bg_status", "--mod", "auto"}, "unknown option '--mod'; did you mean '--mode'?"},
      {{"logs", "web", "--tial=5"}, "unknown option '--tial'; did you mean '--tail'?"},
      {{"policy", "check", "ls", "--stdn"}, "unknown option '--stdn'; did you mean '--stdin'?"},
      {{"--verson"}, "unknown option '--verson'; did you mean '--version'?"},
      {{"ps", "--frobnicate"}, "unknown option '--frobnicate'\n"},
      {{"ps", "surplus"}, "surplus"},
  };
  for (const auto& [arguments, complaint] : cases) {
    INFO(complaint);
    const Outcome outcome = run_gibbous(arguments);
    CHECK(outcome.status.code == kWrongUse);
    CHECK(has(outcome.err, complaint));
  }
}

TEST_CASE("help COMMAND is COMMAND --help") {
  CHECK(run_gibbous({"help"}).out == run_gibbous({"--help"}).out);
  CHECK(run_gibbous({"help", "logs"}).out == run_gibbous({"logs", "--help"}).out);
  CHECK(run_gibbous({"help", "policy", "check"}).out ==
        run_gibbous({"policy", "check", "--help"}).out);
  const Outcome unknown = run_gibbous({"help", "lgos"});
  CHECK(unknown.status.code == kWrongUse);
  CHECK(has(unknown.err, "did you mean 'logs'?"));
}

TEST_CASE("call prints the tool's text") {
  const Outcome outcome = call({"echo", R"({"text":"hello"})"});
  CHECK(outcome.status.code == kDone);
  CHECK(outcome.out == "hello\n");
  CHECK(outcome.err.empty());
}

TEST_CASE("call takes the arguments from stdin") {
  CHECK(call({"echo", "-"}, R"({"text":"piped"})").out == "piped\n");
  CHECK(call({"echo"}).status.code == kDone);
}

TEST_CASE("call --json prints the whole result or error") {
  const Json result = Json::parse(call({"echo", R"({"text":"x"})", "--json"}).out);
  CHECK(result["result"]["data"]["text"] == "x");
  const Outcome failed = call({"fail", "--json"});
  CHECK(failed.status.code == kFailed);
  CHECK(Json::parse(failed.out)["error"]["code"] == "too_blue");
}

TEST_CASE("call says that a run ends with it, and --keep lets it go on") {
  const TempDir state;
  const auto start = [&state](std::vector<std::string> more) {
    std::vector<std::string> arguments = {
        "call", "bg_start", R"({"command":"sleep 60"})", "--mode",
        "auto", "--state",  state.path() + "/s",         "--json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_gibbous(arguments);
  };
  const auto id_of = [](const Outcome& outcome) {
    return Json::parse(outcome.out)["result"]["data"]["id"].get<std::string>();
  };
  const Outcome ended = start({});
  CHECK(has(ended.err, "run " + id_of(ended) + " ends with this command; --keep"));
  const Outcome kept = start({"--keep"});
  CHECK(kept.err.empty());
  const Json runs =
      Json::parse(run_gibbous({"ps", "--state", state.path() + "/s", "--json"}).out)["runs"];
  bool goes_on = false;
  for (const Json& run : runs)
    goes_on = goes_on || (run["id"] == id_of(kept) && run.contains("usage"));
  CHECK(goes_on);
  const Outcome killed =
      run_gibbous({"kill", id_of(kept), "--state", state.path() + "/s", "--json"});
  CHECK(Json::parse(killed.out)["state"] == "killed");
}

TEST_CASE("the exit code of call depends on the error") {
  CHECK(call({"fail"}).status.code == kFailed);
  CHECK(call({"crash"}).status.code == kFailed);
  CHECK(call({"nonesuch"}).status.code == kWrongUse);
  CHECK(call({"sleep", R"({"ms":"x"})"}).status.code == kWrongUse);
  CHECK(call({"echo", "{not json"}).status.code == kWrongUse);
  CHECK(call({"bg_start", R"({"command":"true"})", "--mode", "plan"}).status.code == kDenied);
  CHECK(call({"bg_start", R"({"command":"true"})", "--mode", "default"}).status.code ==
        kNeedsApproval);
  CHECK(call({"echo", "--mode", "nonesuch"}).status.code != kDone);
}

TEST_CASE("an error of call goes to stderr, without colour when that is not a terminal") {
  const Outcome outcome = call({"fail"});
  CHECK(outcome.out.empty());
  CHECK(outcome.err.find("gibbous: too_blue: The sky is too blue.") == 0);
  CHECK_FALSE(has(outcome.err, "\x1b"));
}

TEST_CASE("an interrupt cancels the call") {
  Program program({.argv = {command_path(), "call", "sleep", R"({"ms":600000})", "--scripts",
                            test_scripts(), "--json"}});
  // The runtime watches the signal; before it starts, the signal ends the program at once.
  Loop loop;
  REQUIRE(loop.until([&] {
    program.send_signal(SIGINT);
    return program.wait(std::chrono::milliseconds(0)).has_value();
  }));
  CHECK(program.wait()->code != kDone);
}

TEST_CASE("tools prints a table, or schemas with --format") {
  const Outcome table = run_gibbous({"tools", "--scripts", test_scripts()});
  CHECK(table.status.code == kDone);
  CHECK(table.out.find("TOOL") == 0);
  CHECK(RE2::PartialMatch(table.out, "\necho +test +(read|write|execute) +Gives back"));
  CHECK(has(table.out, "echo"));
  CHECK(has(table.out, "Gives back what it was given\n"));

  const Json mcp = Json::parse(run_gibbous({"tools", "--json", "--scripts", test_scripts()}).out);
  CHECK(mcp.at(0).contains("inputSchema"));
  const Json openai =
      Json::parse(run_gibbous({"tools", "--format", "openai", "--scripts", test_scripts()}).out);
  CHECK(openai.at(0)["type"] == "function");
  CHECK(openai.at(0)["function"].contains("parameters"));
  const Json anthropic = Json::parse(run_gibbous({"tools", "--format", "anthropic"}).out);
  CHECK(anthropic.at(0).contains("input_schema"));
}

TEST_CASE("gibbous tools --strict is for OpenAI's formats, and needs one") {
  const Json strict =
      Json::parse(run_gibbous({"tools", "--format", "openai-responses", "--strict"}).out);
  for (const Json& tool : strict) CHECK(tool["strict"] == true);
  const auto refused = run_gibbous({"tools", "--format", "gemini", "--strict"});
  CHECK(refused.status.code == 2);
  CHECK(has(refused.err, "--strict: only the formats openai and openai-responses have strict"));
  CHECK(run_gibbous({"tools", "--strict"}).status.code == 2);
}

TEST_CASE("the option --toolset limits the list of tools") {
  const Json tools = Json::parse(
      run_gibbous({"tools", "--json", "--toolset", "test", "--scripts", test_scripts()}).out);
  for (const Json& tool : tools) CHECK(tool["name"].get<std::string>().find("bg_") != 0);
  CHECK_FALSE(tools.empty());
}

TEST_CASE("check reports each error with its file and line") {
  const Outcome right = run_gibbous({"check", test_scripts()});
  CHECK(right.status.code == kDone);
  CHECK(right.out.find("ok: ") == 0);

  const TempDir directory;
  directory.write("init.lua", "local x = 1\nlocal = 2\n");
  const Outcome wrong = run_gibbous({"check", directory.path()});
  CHECK(wrong.status.code == kFailed);
  CHECK(has(wrong.out, "init.lua:2: "));

  const Json report = Json::parse(run_gibbous({"check", directory.path(), "--json"}).out);
  CHECK(report["ok"] == false);
  CHECK(has(report["errors"][0]["file"], "init.lua"));
  CHECK(report["errors"][0]["line"] == 2);
}

TEST_CASE("check reports undefined and assigned globals") {
  const TempDir directory;
  REQUIRE(std::system(("mkdir " + directory.path() + "/scripts " + directory.path() + "/policies")
                          .c_str()) == 0);
  directory.write("scripts/init.lua", R"(-- Line 1.
local helper = require 'helper'
counter = 1
local function greet(args)
  local numbers = { 1, 2.5, 70000, 'x', y = 1e100, [true] = 9 }
  return helper.text(args) .. tostring(numbers)
end
return { toolsets = {} }
)");
  directory.write("scripts/helper.lua", R"(local M = {}
function M.text(args)
  local deep = function()
    local undefned = args
    return undefned, loog.info('x'), coroutine.wrap
  end
  return deep, string.rep, tool, wait, counter
end
return M
)");
  directory.write("policies/init.lua", R"(local policy = require 'policy'
local modes = require 'modes'
local function unused() return run end
return { modes = modes, decide = policy.decider(modes), rules = require 'rules',
  knowledge = require 'knowledge' }
)");
  const Outcome outcome = run_gibbous({"check", directory.path()});
  INFO(outcome.out);
  CHECK(outcome.status.code == kFailed);
  CHECK(has(outcome.out, "scripts/init.lua:3: global 'counter' is assigned"));
  CHECK(has(outcome.out, "scripts/helper.lua:5: undefined global 'loog'; did you mean 'log'?"));
  CHECK(has(outcome.out, "scripts/helper.lua:5: undefined global 'coroutine': a yield"));
  CHECK(has(outcome.out, "policies/init.lua:3: undefined global 'run'"));
  CHECK_FALSE(has(outcome.out, "'undefned'"));
  CHECK_FALSE(has(outcome.out, "'wait'"));
  CHECK_FALSE(has(outcome.out, "helper.lua:7"));
}

TEST_CASE("check reports errors of scripts and of policies") {
  const TempDir directory;
  REQUIRE(std::system(("mkdir " + directory.path() + "/scripts " + directory.path() + "/policies")
                          .c_str()) == 0);
  directory.write("scripts/init.lua", "return {{\n");
  directory.write("policies/init.lua", "\nthis is no Lua\n");
  const Outcome outcome = run_gibbous({"check", directory.path()});
  CHECK(outcome.status.code == kFailed);
  CHECK(has(outcome.out, "scripts/init.lua:"));
  CHECK(has(outcome.out, "policies/init.lua:2:"));
}

TEST_CASE("check reports a directory without scripts and policies") {
  const TempDir empty;
  const Outcome outcome = run_gibbous({"check", empty.path()});
  CHECK(outcome.status.code == kWrongUse);
  CHECK(has(outcome.err, "init.lua"));
}

TEST_CASE("doctor names what enforces limits and sandboxes, as text and as JSON") {
  const Outcome text = run_gibbous({"doctor"});
  INFO(text.out << text.err);
  CHECK(text.status.code == kDone);
  const Outcome json = run_gibbous({"doctor", "--json"});
  CHECK(json.status.code == kDone);
  const Json report = Json::parse(json.out);
  CHECK(report["ok"] == true);
  for (const char* name :
       {"keeper", "scripts", "policies", "limits.memory", "limits.pids", "limits.cpu",
        "sandbox.landlock", "sandbox.seccomp", "sandbox.mount_namespace",
        "sandbox.network_namespace", "guarantee.end_with_host", "guarantee.memory",
        "guarantee.sandbox_hides"}) {
    INFO(name);
    CHECK(has(text.out, name));
    bool found = false;
    for (const Json& finding : report["findings"]) found = found || finding["name"] == name;
    CHECK(found);
  }
}

TEST_CASE("doctor fails when runs cannot start, and says what to do") {
  const Outcome outcome = run_program(
      {.argv = {command_path(), "doctor"}, .env = {{"GIBBOUS_KEEPER", "/nowhere/keeper"}}});
  CHECK(outcome.status.code == kFailed);
  CHECK(has(outcome.out, "FAIL"));
  CHECK(has(outcome.out, "set GIBBOUS_KEEPER"));
}

TEST_CASE("doctor reports limits that are only polled") {
  const Outcome outcome = run_program(
      {.argv = {command_path(), "doctor", "--json"}, .env = {{"GIBBOUS_CGROUPS", "off"}}});
  CHECK(outcome.status.code == kDone);
  CHECK(has(outcome.out, R"("name":"limits.memory","grade":"note","value":"polling")"));
}
