// The table `store`: JSON values in the namespace of the tool's script file. Only inside a tool
// call.
#include "bindings/lua/api/script_store.h"

#include <lua.hpp>
#include <string>
#include <utility>

#include "bindings/lua/api/api.h"
#include "bindings/lua/call/call.h"
#include "bindings/lua/call/context.h"
#include "bindings/lua/call/task.h"

namespace gibbous::lua {
namespace {

std::string namespace_of(lua_State* state) {
  return Task::current(state)->call().tool().file;
}

std::string check_key(lua_State* state, const ScriptStore& store) {
  std::size_t size = 0;
  luaL_checktype(state, 1, LUA_TSTRING);
  const char* key = lua_tolstring(state, 1, &size);
  if (size == 0) luaL_argerror(state, 1, "expected a key, got an empty string");
  if (size > store.limits().key_bytes) luaL_argerror(state, 1, "the key is too long");
  return {key, size};
}

int l_store_get(lua_State* state) {
  const ScriptStore& store = *context_of(state).store;
  const Json* value = store.get(namespace_of(state), check_key(state, store));
  if (value == nullptr) {
    lua_pushnil(state);
  } else {
    push_json(state, *value);
  }
  return 1;
}

int l_store_set(lua_State* state) {
  ScriptStore& store = *context_of(state).store;
  const std::string key = check_key(state, store);
  if (lua_isnoneornil(state, 2))
    luaL_argerror(state, 2, "expected a value; store.delete removes one");
  const Status status = store.set(namespace_of(state), key, to_json(state, 2));
  if (!status) return push_error(state, status);
  lua_pushboolean(state, 1);
  return 1;
}

int l_store_delete(lua_State* state) {
  ScriptStore& store = *context_of(state).store;
  lua_pushboolean(state, store.erase(namespace_of(state), check_key(state, store)) ? 1 : 0);
  return 1;
}

int l_store_keys(lua_State* state) {
  const std::string prefix = luaL_optstring(state, 1, "");
  Json keys = Json::array();
  for (std::string& key : context_of(state).store->keys(namespace_of(state), prefix)) {
    keys.push_back(std::move(key));
  }
  push_json(state, keys);
  return 1;
}

constexpr luaL_Reg kStore[] = {
    {"get", l_store_get},   {"set", l_store_set}, {"delete", l_store_delete},
    {"keys", l_store_keys}, {nullptr, nullptr},
};

}  // namespace

void open_store(lua_State* state) {
  lua_newtable(state);
  luaL_register(state, nullptr, kStore);
}

}  // namespace gibbous::lua
