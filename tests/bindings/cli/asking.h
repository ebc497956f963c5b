// Shared by the tests of questions: a tool that may run only after a question, and a policy that
// asks it.
#pragma once

#include <string>
#include <vector>

#include "tests/support/loop.h"

namespace gibbous::testing {

// A directory with tools, a policy and a state directory of its own.
class Asking {
 public:
  Asking() {
    dir_.write("scripts/init.lua", R"(
local build = tool {
  name = 'build', description = 'Builds.', permission = 'execute', command = 'command',
  input = schema.object { command = schema.string { default = 'make -j4 && make install' } },
  run = function(args) return 'built with ' .. args.command end,
}
local late = tool {
  name = 'late', description = 'Is asked about late.', permission = 'execute',
  input = schema.object { path = schema.string {} },
  run = function(args)
    tool.progress(1, 2, 'waiting')
    wait { any = { wait.file(args.path) }, timeout_ms = 30000 }
    local result, err = tool.call('build', {})
    if not result then tool.error(err.code, err.message) end
    return result.text
  end,
}
local large = tool {
  name = 'large', description = 'Gives a MiB.', permission = 'read', input = schema.object {},
  run = function() return ('x'):rep(1048576) end,
}
return { toolsets = { { name = 'test', tools = { build, late, large } } } }
)");
    dir_.write("policies/init.lua", R"(
local function decide(effect)
  if effect.tool == 'late' or effect.permission == 'read' then
    return { decision = 'allow', reason = 'It waits.', rule = 'test.allow' }
  end
  return { decision = 'ask', reason = 'It\27[2J builds.', rule = 'test.ask' }
end
-- A rule makes command lines be read.
local never = {
  id = 'test.never', decision = 'deny', program = 'never', reason = 'Never.',
  match = { 'never' }, not_match = { 'make' },
}
return { modes = { default = {} }, decide = decide, rules = { never } }
)");
  }

  std::vector<std::string> options() const {
    return {"--scripts", dir_.path() + "/scripts", "--policies",  dir_.path() + "/policies",
            "--state",   dir_.path() + "/state",   "--workspace", dir_.path()};
  }
  std::vector<std::string> options(std::vector<std::string> first) const {
    for (const std::string& word : options()) first.push_back(word);
    return first;
  }
  const TempDir& dir() const { return dir_; }

 private:
  TempDir dir_;
};

}  // namespace gibbous::testing
