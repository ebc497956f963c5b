// The table `prompt`: callable, prompt{ ... } checks a definition; and prompt.enable, with which a
// running script makes a prompt appear.
#include <lua.hpp>

#include "bindings/lua/api/api.h"
#include "bindings/lua/api/define.h"
#include "bindings/lua/call/call.h"
#include "bindings/lua/call/engine.h"
#include "bindings/lua/call/task.h"
#include "bindings/lua/check/wrong_use.h"
#include "bindings/lua/load/prompt_reader.h"

namespace gibbous::lua {
namespace {

int l_prompt_define(lua_State* state) {
  return define(state, "prompt", "run", check_prompt);
}

int set_prompt_enabled(lua_State* state, bool enabled) {
  luaL_checktype(state, 1, LUA_TSTRING);
  Call& call = Task::current(state)->call();
  const auto& prompts = call.generation().prompts();
  const auto found = prompts.find(lua_tostring(state, 1));
  if (found == prompts.end()) {
    return luaL_argerror(state, 1, "expected the name of a prompt that is loaded");
  }
  call.engine().enable(found->second.run, enabled);
  return 0;
}

int l_prompt_enable(lua_State* state) {
  return set_prompt_enabled(state, true);
}

int l_prompt_disable(lua_State* state) {
  return set_prompt_enabled(state, false);
}

constexpr luaL_Reg kPrompt[] = {
    {"enable", l_prompt_enable},
    {"disable", l_prompt_disable},
    {nullptr, nullptr},
};

}  // namespace

void open_prompt(lua_State* state) {
  lua_newtable(state);
  luaL_register(state, nullptr, kPrompt);
  make_callable(state, with_wrong_use<l_prompt_define>);
}

}  // namespace gibbous::lua
