// A state refers to its context by one pointer in its registry.
#include "bindings/lua/call/context.h"

#include <lua.hpp>

#include "bindings/lua/call/engine.h"

#include "bindings/lua/call/task.h"

namespace gibbous::lua {
namespace {

constexpr char kContextKey = 0;  // its address is the key

}  // namespace

void bind_context(lua_State* state, Context& context) {
  lua_pushlightuserdata(state, const_cast<char*>(&kContextKey));
  lua_pushlightuserdata(state, &context);
  lua_rawset(state, LUA_REGISTRYINDEX);
  make_task_slot(state);
}

std::shared_ptr<const ErrorPatterns> error_patterns_of(const Context& context) {
  return context.engine == nullptr ? ErrorPatterns::shipped() : context.engine->error_patterns();
}

Context& context_of(lua_State* state) {
  lua_pushlightuserdata(state, const_cast<char*>(&kContextKey));
  lua_rawget(state, LUA_REGISTRYINDEX);
  auto* context = static_cast<Context*>(lua_touserdata(state, -1));
  lua_pop(state, 1);
  if (context == nullptr) luaL_error(state, "internal error: no context is bound to this state");
  return *context;
}

}  // namespace gibbous::lua
