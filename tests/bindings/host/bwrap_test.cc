// scripts/executors/bwrap.lua in a custom tool: what a command in bubblewrap can and cannot do.
// Needs bwrap, and a machine that lets it make namespaces.
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "tests/support/catch.h"
#include "tests/support/host.h"
#include "tests/support/loop.h"

namespace gibbous {
namespace {

using Catch::Matchers::Contains;
using testing::Host;
using testing::TempDir;

constexpr const char* kTools = R"(
local bwrap = require 'executors.bwrap'
local function start(options, places)
  local handle, err = run.start(bwrap.wrap(options, places))
  if not handle then tool.error(err.code, err.message) end
  return { text = handle.id, data = { id = handle.id } }
end
local boxed = tool {
  name = 'boxed', description = 'Runs in bubblewrap.', permission = 'execute',
  input = schema.object {
    command = schema.string {},
    cwd = schema.string { optional = true },
    network = schema.string { optional = true },
    write = schema.array(schema.string {}, { optional = true }),
    hide = schema.array(schema.string {}, { optional = true }),
  },
  output = schema.object { id = schema.string {} },
  run = function(args, ctx)
    local env = { WORD = 'word' }
    return start({ command = args.command, cwd = args.cwd, env = env, detach = true }, {
      workspace = ctx.workspace, network = args.network, write = args.write, hide = args.hide,
    })
  end,
}
local program = tool {
  name = 'boxed_program', description = 'Runs a program in bubblewrap.', permission = 'execute',
  input = schema.object { argv = schema.array(schema.string {}) },
  output = schema.object { id = schema.string {} },
  run = function(args, ctx)
    return start({ argv = args.argv, detach = true }, { workspace = ctx.workspace })
  end,
}
local wrong = tool {
  name = 'wrong', description = 'Gives the message of a wrong use.', permission = 'read',
  input = schema.object { options = schema.any {}, places = schema.any {} },
  run = function(args)
    local ok, message = pcall(bwrap.wrap, args.options, args.places)
    return ok and 'fine' or tostring(message)
  end,
}
return { toolsets = {
  require 'toolsets.bg', require 'toolsets.wait',
  { name = 'own', tools = { boxed, program, wrong } },
} }
)";

class Boxes {
 public:
  Boxes() : host(options()) {}

  std::string start(const Json& arguments, const char* tool = "boxed") {
    return host.data(tool, arguments)["id"];
  }
  // Returns both streams of its output, after it ended.
  std::string output_of(const Json& arguments, const char* tool = "boxed") {
    const std::string id = start(arguments, tool);
    host.data("wait_for", {{"id", id}, {"exit", true}});
    const Json data = host.data("bg_output", {{"id", id}});
    return data["stdout"].get<std::string>() + data["stderr"].get<std::string>();
  }
  std::string workspace() const { return directory.path() + "/workspace"; }
  bool has(const std::string& name) const {
    return std::filesystem::exists(directory.path() + "/" + name);
  }

  TempDir directory;

 private:
  RuntimeOptions options() {
    RuntimeOptions options = testing::auto_mode();
    options.mode = "dangerous";  // the tests try what the policy would ask about
    directory.write("scripts/init.lua", kTools);
    directory.write("workspace/sub/file", "inside\n");
    directory.write("workspace/.git/hooks/pre-commit", "hook\n");
    directory.write("workspace/.git/config", "config\n");
    directory.write("outside/file", "outside\n");
    options.scripts_dir = directory.path() + "/scripts";
    options.workspace = workspace();
    return options;
  }

 public:
  Host host;
};

bool can_be_tested() {
  static const bool can = std::system(
                              "bwrap --unshare-user-try --unshare-pid --unshare-net --ro-bind / / "
                              "--dev /dev --proc /proc true 2>/dev/null") == 0;
  if (!can) WARN("NOT TESTED: there is no bwrap, or it can make no namespaces here");
  return can;
}

TEST_CASE("a command in bubblewrap has its arguments, environment and exit code") {
  if (!can_be_tested()) return;
  Boxes boxes;
  CHECK(boxes.output_of({{"command", "echo $WORD; pwd"}}) == "word\n" + boxes.workspace() + "\n");
  CHECK(boxes.output_of({{"command", "cat file"}, {"cwd", "sub"}}) == "inside\n");
  CHECK(boxes.output_of({{"argv", {"printf", "%s|", "a b", "$WORD", "--"}}}, "boxed_program") ==
        "a b|$WORD|--|");
  const std::string id = boxes.start({{"command", "exit 7"}});
  boxes.host.data("wait_for", {{"id", id}, {"exit", true}});
  const CallResult status = boxes.host.call("bg_status", {{"id", id}});
  CHECK(status.data.find("\"exit_code\":7") != std::string::npos);
}

TEST_CASE("bubblewrap makes only the workspace writable") {
  if (!can_be_tested()) return;
  Boxes boxes;
  const std::string outside = boxes.directory.path() + "/outside";
  CHECK(boxes.output_of({{"command", "echo x > new && echo done"}}) == "done\n");
  CHECK(boxes.has("workspace/new"));
  // Below /tmp only the workspace remains, so a file there disappears with the rest.
  boxes.output_of({{"command", "mkdir -p " + outside + "; echo x > " + outside + "/new"}});
  CHECK_FALSE(boxes.has("outside/new"));
  const std::string name = "/var/tmp/" + testing::unique_word();
  CHECK_THAT(boxes.output_of({{"command", "echo x > " + name}}), Contains("Read-only file system"));
  CHECK_FALSE(std::filesystem::exists(name));
  boxes.output_of({{"command", "echo x > " + outside + "/new"}, {"write", {outside}}});
  CHECK(boxes.has("outside/new"));
}

TEST_CASE("hooks and configuration of git can be neither changed nor replaced in bubblewrap") {
  if (!can_be_tested()) return;
  Boxes boxes;
  for (const char* const command :
       {"echo x > .git/hooks/pre-commit", "echo x > .git/hooks/new", "echo x > .git/config",
        "rm -rf .git/hooks", "mv .git/hooks .git/old", "mv .git old", "mv new .git/config"}) {
    INFO(command);
    CHECK_THAT(boxes.output_of(
                   {{"command", std::string("echo y > new; ") + command + " || echo refused"}}),
               Contains("refused"));
  }
  CHECK(boxes.has("workspace/.git/hooks/pre-commit"));
  CHECK(boxes.output_of({{"command", "echo x > .git/HEAD && cat .git/config .git/HEAD"}}) ==
        "config\nx\n");
}

TEST_CASE("a path hidden from a command in bubblewrap is empty") {
  if (!can_be_tested()) return;
  Boxes boxes;
  const std::string sub = boxes.workspace() + "/sub/";
  CHECK(boxes.output_of({{"command", "ls sub; cat sub/file"}, {"hide", {sub + "file"}}}) ==
        "file\n");
  CHECK(boxes.output_of({{"command", "ls sub"}, {"hide", {sub}}}) == "");
}

TEST_CASE("a command in bubblewrap sees its own processes and no network") {
  if (!can_be_tested()) return;
  Boxes boxes;
  constexpr int kFewProcesses = 5;
  const std::string processes =
      boxes.output_of({{"command", "echo /proc/[0-9]* | wc -w; kill -0 " +
                                       std::to_string(::getpid()) + " 2>/dev/null || echo gone"}});
  CHECK(std::stoi(processes) <= kFewProcesses);
  CHECK_THAT(processes, Contains("gone"));
  const char* const kInterfaces = "tail -n +3 /proc/net/dev | wc -l";
  for (const char* const network : {"off", "loopback"}) {
    CHECK(std::stoi(boxes.output_of({{"command", kInterfaces}, {"network", network}})) == 1);
  }
  const std::string outside =
      boxes.output_of({{"command", "readlink /proc/self/ns/net"}, {"network", "on"}});
  CHECK(outside == std::filesystem::read_symlink("/proc/self/ns/net").string() + "\n");
}

TEST_CASE("a kill ends everything in bubblewrap") {
  if (!can_be_tested()) return;
  Boxes boxes;
  const std::string word = testing::unique_word();
  const std::string sleeper = "sh -c 'trap \"\" TERM; sleep 600; : " + word + "' &";
  const std::string id = boxes.start(
      {{"command", sleeper + " setsid " + sleeper + " echo started; sleep 600; : " + word}});
  boxes.host.data("wait_for", {{"id", id}, {"output_regex", "started"}});
  CHECK(testing::processes_with(word).size() > 2);
  const Json killed = boxes.host.data("bg_kill", {{"id", id}});
  CHECK(killed["killed"] == true);
  CHECK(boxes.host.until([&] { return testing::processes_with(word).empty(); }));
}

TEST_CASE("wrong use of the bubblewrap executor names the field") {
  Boxes boxes;
  const auto message = [&](const Json& options, const Json& places) {
    return boxes.host.call("wrong", {{"options", options}, {"places", places}}).text;
  };
  const Json fine = {{"workspace", "/w"}};
  const Json command = {{"command", "true"}};
  CHECK(message(command, fine) == "fine");
  CHECK_THAT(message(command, Json::object()),
             Contains("places: workspace: is missing; expected string that matches"));
  CHECK_THAT(message(command, {{"workspace", "w"}}),
             Contains("places: workspace: expected string"));
  CHECK_THAT(message(command, "w"), Contains("places: the value: expected object, got string"));
  CHECK_THAT(message(command, {{"workspace", "/w"}, {"writes", 1}}),
             Contains("writes: unknown field; did you mean \"write\"?"));
  CHECK_THAT(
      message(command, {{"workspace", "/w"}, {"network", "of"}}),
      Contains(
          "places: network: expected one of \"on\", \"loopback\", \"off\", got string \"of\""));
  CHECK_THAT(message(command, {{"workspace", "/w"}, {"hide", {"/a", "b"}}}),
             Contains("places: hide[2]: expected string"));
  CHECK_THAT(message(command, {{"workspace", "/w"}, {"write", "/a"}}),
             Contains("places: write: expected array"));
  CHECK_THAT(message(Json::object(), fine), Contains("one of command and argv"));
  CHECK_THAT(message({{"command", "a"}, {"argv", {"b"}}}, fine),
             Contains("one of command and argv"));
  CHECK_THAT(message({{"argv", Json::array()}}, fine), Contains("options: argv: expected array"));
  CHECK_THAT(message({{"command", 1}}, fine), Contains("options: command: expected string"));
  CHECK_THAT(message({{"command", "a"}, {"cwd", 1}}, fine),
             Contains("options: cwd: expected string"));
  CHECK_THAT(message({{"command", "a"}, {"sandbox", "workspace"}}, fine),
             Contains("options: sandbox: expected"));
}

}  // namespace
}  // namespace gibbous
