// `gibbous mcp install`: sets up the server in clients' settings, and loses nothing that is there.
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "tests/support/catch.h"
#include "tests/support/conversation.h"
#include "tests/support/loop.h"
#include "tests/support/program.h"
#include "tests/support/terminal_program.h"

using Catch::Matchers::Contains;
using gibbous::Json;
using namespace gibbous::testing;

namespace {

enum ExitCode { kDone = 0, kFailed = 1, kWrongUse = 2, kDenied = 3, kNeedsApproval = 4 };

// A machine with one project and a home directory, and with no client in PATH.
struct Machine {
  TempDir home;
  TempDir project;

  // A command line of `gibbous mcp`.
  ProgramSpec command(std::vector<std::string> arguments) const {
    const std::vector<std::string> words = {"/usr/bin/env",
                                            "-C",
                                            project.path(),
                                            "-u",
                                            "CODEX_HOME",
                                            "-u",
                                            "CLAUDE_CONFIG_DIR",
                                            "-u",
                                            "XDG_CONFIG_HOME",
                                            "HOME=" + home.path(),
                                            "PATH=" + home.path() + "/bin",
                                            "TERM=dumb",
                                            "XDG_STATE_HOME=" + home.path() + "/state",
                                            command_path(),
                                            "mcp"};
    arguments.insert(arguments.begin(), words.begin(), words.end());
    return {.argv = std::move(arguments), .env = {}, .cwd = ""};
  }
  // A client's program that notes how it was called, and fails with `code`.
  void add_client(const std::string& name, int code = 0) const {
    const std::string path = home.path() + "/bin/" + name;
    home.write("bin/" + name, "#!/bin/sh\necho \"" + name + " $*\" >> " + home.path() +
                                  "/called\necho it says no\nexit " + std::to_string(code) + "\n");
    REQUIRE(::chmod(path.c_str(), 0755) == 0);
  }
  Outcome install(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), {"install", "--yes"});
    return run_program(command(std::move(arguments)));
  }
};

std::string content(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

const Json kArguments = {"mcp", "--mode", "auto", "--toolset", "lean"};

}  // namespace

TEST_CASE("mcp install writes the settings of each client as it reads them") {
  const Machine machine;
  const Outcome made = machine.install({"claude", "cursor", "gemini", "vscode"});
  INFO(made.out << made.err);
  REQUIRE(made.status.code == kDone);
  CHECK_THAT(made.out, Contains("Claude Code: added gibbous to") && Contains("claude mcp list") &&
                           Contains("It serves job, run in mode auto"));
  for (const char* file : {".mcp.json", ".cursor/mcp.json", ".gemini/settings.json"}) {
    INFO(file);
    const Json entry =
        Json::parse(content(machine.project.path() + "/" + file))["mcpServers"]["gibbous"];
    CHECK(entry == Json{{"command", command_path()}, {"args", kArguments}});
  }
  const Json code = Json::parse(content(machine.project.path() + "/.vscode/mcp.json"));
  CHECK(code["servers"]["gibbous"]["type"] == "stdio");
  CHECK(code["servers"]["gibbous"]["args"].back() == "${workspaceFolder}");
}

TEST_CASE("mcp install has clients with a command of their own register it for all projects") {
  const Machine machine;
  for (const char* client : {"claude", "codex", "gemini"}) machine.add_client(client);
  const Outcome made = machine.install({"claude", "codex", "gemini", "--scope", "user"});
  INFO(made.out << made.err);
  REQUIRE(made.status.code == kDone);
  const std::string server = command_path() + " mcp ";
  CHECK(content(machine.home.path() + "/called") ==
        "claude mcp remove -s user gibbous\nclaude mcp add -s user gibbous -- " + server +
            "--mode auto --toolset lean\ncodex mcp remove gibbous\ncodex mcp add gibbous -- " +
            server +
            "--mode auto --toolset lean\ngemini mcp remove -s user gibbous\n"
            "gemini mcp add -s user gibbous " +
            server + "-- --mode auto --toolset lean\n");
  CHECK_THAT(made.out, Contains("Codex: registered gibbous for all projects") &&
                           Contains("$ codex mcp add gibbous -- "));
  const Outcome removed = machine.install({"codex", "--remove"});
  CHECK_THAT(removed.out, Contains("$ codex mcp remove gibbous\n") &&
                              Contains("removed gibbous from all projects"));

  SECTION("what fails is reported with what the client says") {
    machine.add_client("codex", 3);
    const Outcome failed = machine.install({"codex"});
    CHECK(failed.status.code == kFailed);
    CHECK_THAT(failed.err, Contains("codex mcp add gibbous") && Contains("it says no"));
  }
  SECTION("a client that is not here is told of with what to run where it is") {
    std::filesystem::remove(machine.home.path() + "/bin/codex");
    const Outcome failed = machine.install({"codex"});
    CHECK(failed.status.code == kFailed);
    CHECK_THAT(failed.err, Contains("codex is not in PATH") && Contains("codex mcp add gibbous"));
  }
  SECTION("--dry-run says what would be run, and runs nothing") {
    std::filesystem::remove(machine.home.path() + "/called");
    const Outcome dry = machine.install({"codex", "--dry-run", "--json"});
    const Json told = Json::parse(dry.out)["clients"][0];
    CHECK(told["command"][0] == "codex");
    CHECK(told["change"] == "registered");
    CHECK_FALSE(std::filesystem::exists(machine.home.path() + "/called"));
  }
}
TEST_CASE("mcp install says what a client refuses before the policy is asked") {
  const Machine machine;
  machine.add_client("codex");
  const std::string codex = "note: codex exec refuses tools that are not read-only unless";
  const Outcome made = machine.install({"codex"});
  CHECK_THAT(made.out,
             Contains(codex) && Contains("default_tools_approval_mode = \"approve\"\n  check: "));
  CHECK_THAT(machine.install({"gemini"}).out,
             Contains("a folder that it does not trust") && Contains("\"trust\": true\n"));
  CHECK_THAT(machine.install({"cursor"}).out, !Contains("refuses"));
  const Json told = Json::parse(machine.install({"codex", "cursor", "--json"}).out);
  CHECK_THAT(told["clients"][0]["note"].get<std::string>(), Contains("codex exec refuses"));
  CHECK(told["clients"][1].count("note") == 0);
  CHECK_THAT(machine.install({"codex", "--remove"}).out, !Contains(codex));
}

TEST_CASE("mcp install changes nothing but the server's own entry of JSON settings") {
  const Machine machine;
  const std::string path = machine.project.path() + "/.mcp.json";
  const std::string before =
      "{\n    \"zebra\": 1.5,\n    \"mcpServers\": {\n        \"other\": {\n            "
      "\"command\": \"x\"\n        }\n    },\n    \"ape\": \"\u00e4 }\"\n}\n";
  machine.project.write(".mcp.json", before);
  REQUIRE(machine.install({"claude"}).status.code == kDone);
  const std::string after = content(path);
  const std::size_t at = before.find("        }\n    },") + 9;
  CHECK(after.substr(0, at) == before.substr(0, at));
  CHECK(after.ends_with(before.substr(at)));
  CHECK_THAT(after, Contains(",\n        \"gibbous\": {\n            \"command\""));

  SECTION("a second time changes nothing") {
    const Outcome again = machine.install({"claude"});
    CHECK_THAT(again.out, Contains("gibbous is already in"));
    CHECK(content(path) == after);
  }
  SECTION("--remove restores what was there") {
    CHECK_THAT(machine.install({"claude", "--remove"}).out, Contains("removed gibbous from"));
    CHECK(content(path) == before);
    CHECK_THAT(machine.install({"claude", "--remove"}).out, Contains("there is no gibbous in"));
  }
  SECTION("another mode updates the entry, and what a person added to it stays") {
    Json edited = Json::parse(after);
    edited["mcpServers"]["gibbous"]["env"] = {{"A", "1"}};
    machine.project.write(".mcp.json", edited.dump());
    CHECK_THAT(machine.install({"claude", "--mode", "plan", "--toolset", "bg"}).out,
               Contains("updated gibbous in"));
    const Json entry = Json::parse(content(path))["mcpServers"]["gibbous"];
    CHECK(entry["args"] == Json{"mcp", "--mode", "plan", "--toolset", "bg"});
    CHECK(entry["env"]["A"] == "1");
  }
}

TEST_CASE("mcp install leaves settings with comments alone, and shows what to add") {
  const Machine machine;
  const std::string file = ".config/zed/settings.json";
  for (const std::string before :
       {"// Zed\n{ \"theme\": \"dark\" }\n", "{ \"a\": 1, }", "{ /* open", "{ \"a }"}) {
    INFO(before);
    machine.home.write(file, before);
    const Outcome made = machine.install({"zed"});
    CHECK(made.status.code == kFailed);
    CHECK_THAT(made.err, Contains("not plain JSON") && Contains("Add by hand") &&
                             Contains("\"context_servers\""));
    CHECK(content(machine.home.path() + "/" + file) == before);
  }
  machine.home.write(file, " \n");
  CHECK(machine.install({"zed"}).status.code == kDone);
}
TEST_CASE("mcp install writes Windsurf's file, and follows no link out of the home directory") {
  const Machine machine;
  const std::string path = machine.home.path() + "/.codeium/windsurf/mcp_config.json";
  REQUIRE(machine.install({"windsurf"}).status.code == kDone);
  const Json entry = Json::parse(content(path))["mcpServers"]["gibbous"];
  CHECK(entry["args"].back() == machine.project.path());
  REQUIRE(machine.install({"windsurf", "--remove"}).status.code == kDone);
  CHECK(Json::parse(content(path))["mcpServers"].empty());
  CHECK_THAT(machine.install({"windsurf", "--project"}).err, Contains("use --user"));
  const TempDir elsewhere;
  elsewhere.write("mcp_config.json", "{}");
  std::filesystem::remove_all(machine.home.path() + "/.codeium/windsurf");
  std::filesystem::create_directory_symlink(elsewhere.path(),
                                            machine.home.path() + "/.codeium/windsurf");
  CHECK_THAT(machine.install({"windsurf"}).err, Contains("symbolic link"));
  CHECK(content(elsewhere.path() + "/mcp_config.json") == "{}");
}

TEST_CASE("mcp install passes on scripts, policies, configuration and sandbox") {
  const Machine machine;
  const TempDir elsewhere;
  machine.project.write("own/init.lua",
                        "return { toolsets = { { name = 'own', tools = { tool { name = 'mine', "
                        "description = 'Says hi.', permission = 'read', "
                        "run = function() return 'hi' end } } } } }");
  const std::string config = elsewhere.write("config.lua", "return {}");
  const std::vector<std::string> options = {"--scripts", "own",       "--config", config,
                                            "--sandbox", "workspace", "--json"};
  std::vector<std::string> words = {"claude", "vscode", "windsurf"};
  words.insert(words.end(), options.begin(), options.end());
  const Outcome made = machine.install(words);
  INFO(made.out << made.err);
  REQUIRE(made.status.code == kDone);
  const Json told = Json::parse(made.out);
  CHECK(told["tools"] == Json{"mine"});
  const auto expected = [&](const std::string& scripts) {
    return Json{"mcp",      "--mode", "auto",      "--scripts", scripts,
                "--config", config,   "--sandbox", "workspace"};
  };
  CHECK(told["clients"][0]["entry"]["args"] == expected("own"));
  Json code = expected("${workspaceFolder}/own");
  code.insert(code.end(), {"--workspace", "${workspaceFolder}"});
  CHECK(told["clients"][1]["entry"]["args"] == code);
  CHECK(told["clients"][2]["entry"]["args"][4] == machine.project.path() + "/own");

  machine.project.write(
      "rules/init.lua",
      "return { modes = { auto = {} }, decide = function() return { verdict = 'deny' } end }");
  const Outcome rules = machine.install({"claude", "--policies", "rules", "--dry-run"});
  CHECK_THAT(rules.out, Contains("\"--policies\",\n        \"rules\""));
  CHECK(machine.install({"claude", "--scripts", "nowhere"}).status.code == kWrongUse);
  CHECK(machine.install({"claude", "--sandbox", "workspce"}).status.code != kDone);
  machine.project.write("broken/init.lua", "return nonsense(");
  CHECK_THAT(machine.install({"claude", "--scripts", "broken"}).err, Contains("init.lua"));
}

TEST_CASE("mcp install keeps the permissions of a file") {
  const Machine machine;
  const std::string path = machine.project.path() + "/.mcp.json";
  machine.project.write(".mcp.json", "{}");
  REQUIRE(::chmod(path.c_str(), 0640) == 0);
  REQUIRE(machine.install({"claude"}).status.code == kDone);
  struct stat now {};
  REQUIRE(::stat(path.c_str(), &now) == 0);
  CHECK((now.st_mode & 0777) == 0640);
}
TEST_CASE("mcp install leaves settings alone that it cannot change with certainty") {
  const Machine machine;
  const auto refused = [&machine](const std::string& text, const std::string& why) {
    INFO(text);
    machine.project.write(".mcp.json", text);
    const Outcome made = machine.install({"claude"});
    CHECK(made.status.code == kFailed);
    CHECK_THAT(made.err, Contains(why) && Contains("left as it is") && Contains("Add by hand") &&
                             Contains("\"gibbous\": {"));
    CHECK(content(machine.project.path() + "/.mcp.json") == text);
  };
  refused("{\n  // mine\n  \"mcpServers\": {}\n}\n", "not plain JSON");
  refused("[]", "not a JSON object");
  refused(R"({"mcpServers":[]})", "is not an object");
  refused(R"({"mcpServers":{},"mcpServers":{}})", "two members");
  refused(R"({"mcpServers":{"gibbous":{"url":"http://x"}}})", "no local server");
  refused(std::string(300, '[') + std::string(300, ']'), "nests deeper");
}

TEST_CASE("mcp install follows no symbolic link out of the project") {
  const Machine machine;
  const TempDir elsewhere;
  elsewhere.write("mcp.json", "{}");
  std::filesystem::create_symlink(elsewhere.path() + "/mcp.json",
                                  machine.project.path() + "/.mcp.json");
  std::filesystem::create_directory_symlink(elsewhere.path(), machine.project.path() + "/.cursor");
  const Outcome made = machine.install({"claude", "cursor"});
  CHECK(made.status.code == kFailed);
  CHECK_THAT(made.err, Contains("symbolic link") && Contains("Add by hand"));
  CHECK(content(elsewhere.path() + "/mcp.json") == "{}");
}

TEST_CASE("mcp install without a client takes those that it finds, and says where") {
  const Machine machine;
  const Outcome none = machine.install({});
  CHECK(none.status.code == kWrongUse);
  CHECK_THAT(none.err, Contains("no client was found") && Contains("claude codex cursor"));
  machine.project.write("CLAUDE.md", "");
  machine.home.write("bin/codex", "#!/bin/sh\n");
  REQUIRE(::chmod((machine.home.path() + "/bin/codex").c_str(), 0755) == 0);
  const Outcome dry = machine.install({"--dry-run"});
  CHECK_THAT(dry.out, Contains("would have added") && Contains("codex mcp add gibbous"));
  CHECK(content(machine.project.path() + "/.mcp.json").empty());
  const Outcome found = machine.install({"--json"});
  const Json clients = Json::parse(found.out)["clients"];
  REQUIRE(clients.size() == 2);
  CHECK(clients[0]["client"] == "claude");
  CHECK(clients[0]["scope"] == "project");
  CHECK(clients[1]["client"] == "codex");
  CHECK(clients[1]["scope"] == "user");
  CHECK_THAT(machine.install({}).out, Contains("found .mcp.json in this project"));
}

TEST_CASE("mcp install refuses what the server would not start with") {
  const Machine machine;
  const auto says = [&machine](std::vector<std::string> arguments, const std::string& what) {
    const Outcome made = machine.install(std::move(arguments));
    CHECK(made.status.code != kDone);
    CHECK_THAT(made.err, Contains(what));
    CHECK(content(machine.project.path() + "/.mcp.json").empty());
  };
  says({"cladue"}, "did you mean 'claude'?");
  says({"claude", "--mode", "atuo"}, "did you mean 'auto'?");
  says({"claude", "--toolset", "lena"}, "did you mean 'lean'?");
  says({"claude", "--name", "a b"}, "--name must be");
  says({"zed", "--project"}, "use --user");
  says({"claude", "--scope", "team"}, "--scope");
  says({"claude", "--scope", "user", "--project"}, "excludes");
  says({"claude", "--user", "--project"}, "excludes");
  const TempDir policies;
  policies.write("init.lua", "return 5");
  says({"claude", "--policies", policies.path()}, "the policy would deny everything: ");
}

TEST_CASE("mcp install changes nothing without a person who agrees") {
  const Machine machine;
  const std::string file = machine.project.path() + "/.mcp.json";
  for (const char* more : {"--mode=auto", "--json"}) {
    INFO(more);
    const Outcome made = run_program(machine.command({"install", "claude-code", more}));
    CHECK(made.status.code == kNeedsApproval);
    CHECK_THAT(made.err,
               Contains("a person has to agree") && Contains("--yes") && Contains("--dry-run"));
    CHECK_FALSE(std::filesystem::exists(file));
  }
  REQUIRE(machine.install({"claude-code"}).status.code == kDone);
  // Nothing is to be agreed to.
  const Outcome again = run_program(machine.command({"install", "claude-code"}));
  CHECK(again.status.code == kDone);
  CHECK_THAT(again.out, Contains("gibbous is already in"));
}

TEST_CASE("mcp install shows on a terminal what it would write, and asks") {
  const Machine machine;
  const std::string before = "{\n  \"mcpServers\": {\n    \"other\": {}\n  }\n}\n";
  machine.project.write(".mcp.json", before);
  const std::string file = machine.project.path() + "/.mcp.json";
  for (const auto& [keys, code] : std::vector<std::pair<std::string, int>>{
           {"n\n", kDenied}, {"\n", kDenied}, {"y\n", kDone}}) {
    INFO(keys);
    TerminalProgram program(machine.command({"install", "claude-code"}));
    const std::string shown = program.until("Do this? [y/N]: ");
    CHECK_THAT(shown, Contains(file + ", with:") && Contains("\"gibbous\": {\r\n"));
    CHECK(content(file) == before);
    program.type(keys);
    CHECK(program.wait().code == code);
    CHECK((content(file) == before) == (code == kDenied));
  }
}
TEST_CASE("mcp install asks once about all files, and writes none of them after a no") {
  const Machine machine;
  TerminalProgram program(machine.command({"install", "claude-code", "cursor"}));
  const std::string shown = program.until("Do this? [y/N]: ");
  CHECK_THAT(shown, Contains(machine.project.path() + "/.cursor/mcp.json, with:"));
  program.type("\x04");
  CHECK(program.wait().code == kDenied);
  CHECK_FALSE(std::filesystem::exists(machine.project.path() + "/.mcp.json"));
  CHECK_FALSE(std::filesystem::exists(machine.project.path() + "/.cursor"));
}

TEST_CASE("mcp install notices that a file has changed while a person looked") {
  const Machine machine;
  machine.project.write(".mcp.json", "{}\n");
  TerminalProgram program(machine.command({"install", "claude-code"}));
  program.until("Do this? [y/N]: ");
  machine.project.write(".mcp.json", "{ \"mine\": 1 }\n");
  program.type("y\n");
  program.until("was changed by another program meanwhile");
  CHECK(program.wait().code == kFailed);
  CHECK(content(machine.project.path() + "/.mcp.json") == "{ \"mine\": 1 }\n");
}

TEST_CASE("mcp uninstall takes out what install has written, and nothing else") {
  const Machine machine;
  struct Place {
    const char* client;
    const char* scope;
    std::string file;
    std::string before;
  };
  const std::string& home = machine.home.path();
  const std::string& project = machine.project.path();
  const std::vector<Place> places = {
      {"claude-code", "project", project + "/.mcp.json", "{ \"a\": 1 }\n"},
      {"cursor", "user", home + "/.cursor/mcp.json", "{}\n"},
      {"vscode", "project", project + "/.vscode/mcp.json", "{\"servers\": { \"o\": {} }}\n"},
      {"gemini", "project", project + "/.gemini/settings.json", "{\"theme\":\"dark\"}\n"},
      {"zed", "user", home + "/.config/zed/settings.json", "{\n  \"a\": 1\n}\n"},
  };
  for (const Place& place : places) {
    INFO(place.client << " " << place.scope);
    std::filesystem::create_directories(std::filesystem::path(place.file).parent_path());
    std::ofstream(place.file) << place.before;
    REQUIRE(machine.install({place.client, "--scope", place.scope}).status.code == kDone);
    CHECK_THAT(content(place.file), Contains("gibbous"));
    const std::vector<std::string> words = {"uninstall", place.client, "--scope", place.scope};
    const Outcome refused = run_program(machine.command(words));
    CHECK(refused.status.code == kNeedsApproval);
    std::vector<std::string> agreed = words;
    agreed.emplace_back("--yes");
    const Outcome made = run_program(machine.command(agreed));
    INFO(made.out << made.err);
    CHECK(made.status.code == kDone);
    CHECK_THAT(made.out, Contains("removed gibbous from"));
    CHECK_THAT(content(place.file), !Contains("gibbous"));
    Json rest = Json::parse(content(place.file));
    for (const char* servers : {"mcpServers", "servers", "context_servers"}) {
      if (rest.contains(servers) && rest[servers].empty()) rest.erase(servers);
    }
    CHECK(rest == Json::parse(place.before));
    CHECK_THAT(run_program(machine.command(words)).out, Contains("there is no gibbous in"));
  }
}

TEST_CASE("mcp install tells programs what it writes") {
  const Machine machine;
  const Outcome dry = machine.install({"claude", "--json", "--dry-run"});
  const Json told = Json::parse(dry.out)["clients"][0];
  CHECK(told["file"] == machine.project.path() + "/.mcp.json");
  CHECK(told["member"] == "mcpServers");
  CHECK(told["change"] == "added");
  CHECK(told["entry"]["command"] == command_path());
  CHECK_FALSE(std::filesystem::exists(machine.project.path() + "/.mcp.json"));
}
