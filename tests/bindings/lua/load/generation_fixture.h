// Shared by the tests of generations: directories with scripts and policies, and a load of them.
#pragma once

#include <memory>
#include <string>

#include "bindings/lua/api/api.h"
#include "bindings/lua/call/context.h"
#include "bindings/lua/load/generation.h"
#include "runtime/base/clock.h"
#include "tests/support/loop.h"

namespace gibbous::testing {

// A policies/init.lua that allows everything in mode default.
inline constexpr char kAllowAll[] =
    "return { modes = { default = {} }, decide = function(effect)\n"
    "  return { decision = 'allow', rule = 'all' }\n"
    "end }\n";
// A scripts/init.lua without tools.
inline constexpr char kNoTools[] = "return { toolsets = {} }\n";

class Scripts {
 public:
  Scripts() {
    context.clock = &clock;
    script("init.lua", kNoTools);
    policy("init.lua", kAllowAll);
    options.scripts_dir = dir.path() + "/scripts";
    options.policies_dir = dir.path() + "/policies";
    options.mode = "default";
  }
  std::string script(const std::string& name, const std::string& text) const {
    return dir.write("scripts/" + name, text);
  }
  std::string policy(const std::string& name, const std::string& text) const {
    return dir.write("policies/" + name, text);
  }
  std::shared_ptr<lua::Generation> load(bool allow_broken_policy = false) {
    options.clock = context.clock;
    options.place = {context.workspace, context.home, context.path_variables};
    options.open_api = [this](lua_State* state) {
      lua::bind_context(state, context);
      lua::open_api(state);
    };
    return lua::Generation::load(options, 1, allow_broken_policy, &failure);
  }
  // The only error of a load that must fail.
  lua::ScriptError error() {
    if (load() != nullptr) return {};
    return failure.errors.empty() ? lua::ScriptError{} : failure.errors.front();
  }

  TempDir dir;
  SystemClock clock;
  lua::Context context;
  lua::GenerationOptions options;
  lua::LoadFailure failure;
};

// Returns "init.lua" for "/a/b/init.lua".
inline std::string base_name(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

}  // namespace gibbous::testing
