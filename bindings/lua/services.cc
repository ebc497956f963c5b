// What a state knows of the world outside: one pointer in its registry.
#include "bindings/lua/services.h"

#include <lua.hpp>

#include "bindings/lua/task_impl.h"

namespace gibbous::lua {
namespace {

constexpr char kServicesKey = 0;  // its address is the key

}  // namespace

void bind_services(lua_State* state, Services& services) {
  lua_pushlightuserdata(state, const_cast<char*>(&kServicesKey));
  lua_pushlightuserdata(state, &services);
  lua_rawset(state, LUA_REGISTRYINDEX);
  make_task_slot(state);
}

Services& services_of(lua_State* state) {
  lua_pushlightuserdata(state, const_cast<char*>(&kServicesKey));
  lua_rawget(state, LUA_REGISTRYINDEX);
  auto* services = static_cast<Services*>(lua_touserdata(state, -1));
  lua_pop(state, 1);
  if (services == nullptr) luaL_error(state, "internal error: no services are bound to this state");
  return *services;
}

}  // namespace gibbous::lua
