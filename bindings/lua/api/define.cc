#include "bindings/lua/api/define.h"

#include <lua.hpp>
#include <string>

#include "bindings/lua/check/definition.h"
#include "bindings/lua/check/wrong_use.h"

namespace gibbous::lua {

int define(lua_State* state, const char* kind, const char* function, Status (*check)(lua_State*)) {
  lua_settop(state, 2);
  if (!lua_istable(state, 2)) {
    return luaL_error(state, "%s: expected a table { name = ..., %s = function ... end }, got a %s",
                      kind, function, luaL_typename(state, 2));
  }
  const std::string name = peek_name(state, "name");
  const std::string owner = name.empty() ? kind : std::string(kind) + " '" + name + "'";
  if (!are_definitions_known(state)) {
    if (const Status good = check(state); !good) throw WrongUse(owner, good.message());
  }
  if (const Status good = check_function(state, function); !good)
    throw WrongUse(owner, good.message());
  lua_newtable(state);
  for (lua_pushnil(state); lua_next(state, 2) != 0; lua_pop(state, 1)) {
    lua_pushvalue(state, -2);  // [table, definition, copy, key, value, key]
    lua_pushvalue(state, -2);
    lua_rawset(state, 3);
  }
  return 1;
}

void make_callable(lua_State* state, int (*call)(lua_State*)) {
  lua_createtable(state, 0, 2);
  lua_pushcfunction(state, call);
  lua_setfield(state, -2, "__call");
  lua_pushboolean(state, 0);
  lua_setfield(state, -2, "__metatable");
  lua_setmetatable(state, -2);
}

}  // namespace gibbous::lua
