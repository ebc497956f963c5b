// More that a policy judges: text typed into a shell, the environment of a start, and the files
// that its output is copied into.
#include <fstream>
#include <string>
#include <vector>

#include "gibbous/approvals.h"
#include "gibbous/policy.h"
#include "tests/bindings/host/policy_world.h"

namespace gibbous {
namespace {

using testing::echo;
using testing::kAskAboutSecret;
using testing::kDenyForbidden;
using testing::policy_with;
using testing::TempDir;
using testing::World;

TEST_CASE("text typed into a shell is judged in the shell's current directory") {
  TempDir scripts;
  std::ofstream(scripts.path() + "/init.lua") << R"(
local talk = tool {
  name = 'talk', description = 'Types lines into a shell.', permission = 'execute',
  input = schema.object { lines = schema.array(schema.string {}) },
  run = function(args)
    local shell, err = run.start { argv = { 'sh' }, stdin = 'pipe' }
    if not shell then tool.error(err.code, err.message) end
    for _, line in ipairs(args.lines) do
      local ok, refused = shell:write(line)
      if not ok then tool.error(refused.code, refused.message) end
    end
    shell:close_stdin()
    shell:wait { any = { { kind = 'exit' } }, timeout_ms = 20000 }
    return 'done'
  end,
}
return { toolsets = { { name = 'talk', tools = { talk } } } }
)";
  World world(policy_with(
      "{ id = 'test.outside', decision = 'deny', reason = 'Stay inside.', access = 'write',\n"
      "  path = 'system', match = { 'echo x > /etc/x' } },\n"));
  world.options().scripts_dir = scripts.path();
  world.start();
  const auto talk = [&](const Json& lines) {
    const CallResult result = world.host().call("talk", {{"lines", lines}});
    UNSCOPED_INFO(result.message);
    return result.code;
  };
  CHECK(talk({"echo hello\n"}) == "");
  CHECK(talk({"echo x > /etc/gibbous-test\n"}) == "denied");
  CHECK(talk({"cd /etc\n", "echo x > gibbous-test\n"}) == "denied");
  CHECK(talk({"F=/etc/gibbous-test\n", "echo x > \"$F\"\n"}) == "denied");
  CHECK(talk({"echo x > /e", "tc/gibbous-test\n"}) == "denied");
}

TEST_CASE("a typed line that stands for an earlier one is judged as the line that runs") {
  TempDir scripts;
  std::ofstream(scripts.path() + "/init.lua") << R"(
local talk = tool {
  name = 'talk', description = 'Types keys into a shell.', permission = 'execute',
  input = schema.object {
    shell = schema.string {}, pty = schema.boolean {}, keys = schema.array(schema.string {}),
  },
  run = function(args)
    local stdin = not args.pty and 'pipe' or nil
    local shell, err = run.start { command = args.shell, pty = args.pty, stdin = stdin }
    if not shell then tool.error(err.code, err.message) end
    -- Until it has shown its prompt, a shell dies of the interrupt that <C-c> makes.
    if args.pty then
      shell:wait { any = { wait.screen(shell, '[#$]') }, timeout_ms = 20000 }
    end
    local ok, refused
    for _, keys in ipairs(args.keys) do
      ok, refused = shell:send_keys(keys)
      if not ok then break end
    end
    shell:kill { grace_ms = 0 }
    shell:wait { any = { { kind = 'exit' } }, timeout_ms = 20000 }
    if not ok then tool.error(refused.code, refused.message) end
    return 'done'
  end,
}
return { toolsets = { { name = 'talk', tools = { talk } } } }
)";
  World world(policy_with(std::string(kAskAboutSecret) + kDenyForbidden));
  world.options().scripts_dir = scripts.path();
  world.start();
  const auto talk = [&](const Json& keys, const char* shell = "bash --norc --noprofile",
                        bool pty = true) {
    const CallResult result =
        world.host().call("talk", {{"shell", shell}, {"pty", pty}, {"keys", keys}});
    UNSCOPED_INFO(result.message);
    return result.code;
  };
  const std::string asks = "needs_approval";
  // What stands for an earlier line is asked about.
  for (const Json& keys : {Json{"echo hi<Enter>", "!!<Enter>"}, Json{"!rm<Enter>"},
                           Json{"echo hi<Enter>", "^hi^ho<Enter>"}, Json{"fc<Enter>"},
                           Json{"echo hi<Enter>", "true && fc -s<Enter>"},
                           Json{"echo hi<Enter>", "!!:s/hi/ho", "/<Enter>"},
                           Json{"echo 'hi!x'<Enter>"}}) {  // quotes are not looked at
    INFO(keys.dump());
    CHECK(talk(keys) == asks);
  }
  CHECK(talk({"echo \"hi!\"<Enter>", "echo hi!<Enter>", "if ! false; then echo forb; fi<Enter>"}) ==
        "");
  CHECK(talk({"echo hi<Enter>", "echo forbidden<Enter>"}) == "denied");
  // Whether the shell has a history is not looked at, either.
  CHECK(talk({"!rm<Enter>"}, "dash") == asks);
  CHECK(talk({"!rm<Enter>"}, "bash", false) == asks);
}

TEST_CASE("the environment that a start sets is judged with it") {
  TempDir scripts;
  std::ofstream(scripts.path() + "/init.lua") << R"(
local go = tool {
  name = 'go', description = 'Starts true with a variable.', permission = 'execute',
  input = schema.object { name = schema.string {} },
  run = function(args)
    local one, err = run.start { argv = { 'true' }, env = { [args.name] = './evil.so' } }
    if not one then tool.error(err.code, err.message) end
    return 'started'
  end,
}
return { toolsets = { { name = 'go', tools = { go } } } }
)";
  World world(
      policy_with("{ id = 'test.variable', decision = 'deny', reason = 'Not this one.',\n"
                  "  match = { 'LD_PRELOAD=./x.so true' },\n"
                  "  test = function(command)\n"
                  "    for _, each in ipairs(command.assignments) do\n"
                  "      if each.name == 'LD_PRELOAD' then return true end\n"
                  "    end\n"
                  "    return false\n"
                  "  end },\n"));
  world.options().scripts_dir = scripts.path();
  world.start();
  const auto harmless = world.host().call("go", {{"name", "HARMLESS"}});
  INFO(harmless.message);
  CHECK(harmless.ok);
  CHECK(world.host().call("go", {{"name", "LD_PRELOAD"}}).code == "denied");
}

TEST_CASE("the files that a start copies output into are judged with it") {
  TempDir scripts;
  std::ofstream(scripts.path() + "/init.lua") << R"(
local go = tool {
  name = 'go', description = 'Starts echo with a log.', permission = 'execute',
  input = schema.object { path = schema.string {} },
  run = function(args)
    local one, err = run.start { argv = { 'echo', 'x' }, log = { path = args.path } }
    if not one then tool.error(err.code, err.message) end
    return 'started'
  end,
}
return { toolsets = { { name = 'go', tools = { go } } } }
)";
  World world(policy_with(
      "{ id = 'test.hooks', decision = 'deny', reason = 'No hooks.', access = 'write',\n"
      "  path = 'protected', match = { 'echo x > .git/hooks/pre-commit' } },\n"));
  TempDir workspace;
  world.options().scripts_dir = scripts.path();
  world.options().workspace = workspace.path();
  world.start();
  CHECK(world.host().call("go", {{"path", "out.log"}}).ok);
  CHECK(world.host().call("go", {{"path", ".git/hooks/pre-commit"}}).code == "denied");
}

TEST_CASE("what scripts make of Lua's functions changes no verdict on words not known") {
  TempDir scripts;
  scripts.write("init.lua",
                "_G.ipairs = function() return function() end end\n"
                "_G.setmetatable = function(value) return value end\n"
                "return { toolsets = { require 'toolsets.bg' } }\n");
  World world(policy_with(
      "{ id = 'test.drop', decision = 'deny', reason = 'Keep it.', program = 'echo', match = {\n"
      "  'echo drop' }, test = function(command) return command.argv[2] == 'drop' end },\n"
      "{ id = 'test.set', decision = 'deny', reason = 'Keep it.', program = 'true', match = {\n"
      "  'X=all true' }, test = function(command)\n"
      "    return command.assignments[1] ~= nil and command.assignments[1].value == 'all'\n"
      "  end },\n"));
  world.options().scripts_dir = scripts.path();
  world.start();
  for (const char* line : {"echo drop", "echo \"$VERB\"", "X=\"$VERB\" true"}) {
    CAPTURE(line);
    CHECK(world.host().call("bg_start", {{"command", line}}).code == "denied");
  }
  CHECK(world.host().call("bg_start", {{"command", "echo list"}}).ok);
}

}  // namespace
}  // namespace gibbous
