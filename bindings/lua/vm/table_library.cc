// table.concat, insert and sort with bounds: LuaJIT's own functions do the work, and its size is
// charged before, because no hook fires inside a C function.
#include <lua.hpp>
#include <string>
#include <string_view>

#include "bindings/lua/vm/sandbox.h"
#include "bindings/lua/vm/state.h"

namespace gibbous::lua {

namespace {

constexpr std::size_t kSortStepsPerCompare = 8;

void charge(lua_State* state, std::size_t steps) {
  Budget::of(state).charge(state, steps);
}

std::size_t compares_of_sort(std::size_t items) {
  std::size_t levels = 1;
  for (std::size_t rest = items; rest > 1; rest /= 2) ++levels;
  return items * levels;
}

int l_table_concat(lua_State* state) {
  luaL_checktype(state, 1, LUA_TTABLE);
  luaL_optstring(state, 2, "");
  luaL_optint(state, 3, 1);
  luaL_optint(state, 4, 0);
  charge(state, lua_objlen(state, 1));
  return call_original(state, "concat");
}

int l_table_insert(lua_State* state) {
  luaL_checktype(state, 1, LUA_TTABLE);
  const std::size_t length = lua_objlen(state, 1);
  if (lua_gettop(state) == 2) {
    lua_rawseti(state, 1, static_cast<int>(length) + 1);
    return 0;
  }
  charge(state, length);
  return call_original(state, "insert");
}

int l_table_sort(lua_State* state) {
  luaL_checktype(state, 1, LUA_TTABLE);
  if (!lua_isnoneornil(state, 2)) luaL_checktype(state, 2, LUA_TFUNCTION);
  Budget::of(state).check_c_stack(state);
  charge(state, compares_of_sort(lua_objlen(state, 1)) * kSortStepsPerCompare);
  return call_original(state, "sort");
}

constexpr luaL_Reg kTableFunctions[] = {
    {"concat", l_table_concat},
    {"insert", l_table_insert},
    {"sort", l_table_sort},
    {nullptr, nullptr},
};

}  // namespace

const luaL_Reg* bounded_table_functions() {
  return kTableFunctions;
}

}  // namespace gibbous::lua
