// A state refers to its context by one pointer in its registry.
#include "bindings/lua/call/context.h"

#include <lua.hpp>

#include "bindings/lua/call/engine.h"

#include "bindings/lua/call/task.h"

namespace gibbous::lua {
namespace {

// Their addresses are the keys.
constexpr char kContextKey = 'c';
constexpr char kWantedKey = 'w';

void* key(const char& of) {
  return const_cast<char*>(&of);
}

}  // namespace

void bind_context(lua_State* state, Context& context) {
  lua_pushlightuserdata(state, key(kWantedKey));
  lua_pushnil(state);
  lua_rawset(state, LUA_REGISTRYINDEX);
  make_task_slot(state);
  lua_pushlightuserdata(state, key(kContextKey));
  lua_pushlightuserdata(state, &context);
  lua_rawset(state, LUA_REGISTRYINDEX);
}

void bind_no_context(lua_State* state, bool* wanted) {
  lua_pushlightuserdata(state, key(kWantedKey));
  lua_pushlightuserdata(state, wanted);
  lua_rawset(state, LUA_REGISTRYINDEX);
}

std::shared_ptr<const ErrorPatterns> error_patterns_of(const Context& context) {
  return context.engine == nullptr ? ErrorPatterns::shipped() : context.engine->error_patterns();
}

Context& context_of(lua_State* state) {
  lua_pushlightuserdata(state, key(kContextKey));
  lua_rawget(state, LUA_REGISTRYINDEX);
  auto* context = static_cast<Context*>(lua_touserdata(state, -1));
  lua_pop(state, 1);
  if (context != nullptr) return *context;
  lua_pushlightuserdata(state, key(kWantedKey));
  lua_rawget(state, LUA_REGISTRYINDEX);
  if (auto* wanted = static_cast<bool*>(lua_touserdata(state, -1))) *wanted = true;
  luaL_error(state, "the runtime is out of reach while scripts load");
  __builtin_unreachable();
}

}  // namespace gibbous::lua
