// The table `prompt`: callable, prompt{ ... } checks a definition.
#include <lua.hpp>

#include "bindings/lua/api/api.h"
#include "bindings/lua/api/define.h"
#include "bindings/lua/check/wrong_use.h"
#include "bindings/lua/load/prompt_reader.h"

namespace gibbous::lua {
namespace {

int l_prompt_define(lua_State* state) {
  return define(state, "prompt", "run", check_prompt);
}

}  // namespace

void open_prompt(lua_State* state) {
  lua_newtable(state);
  make_callable(state, with_wrong_use<l_prompt_define>);
}

}  // namespace gibbous::lua
