#include "bindings/lua/vm/error.h"

#include <lua.hpp>

#include "bindings/lua/vm/value.h"

namespace gibbous::lua {

void push_error_table(lua_State* state, const std::string& code, const std::string& message,
                      const std::string& run) {
  luaL_checkstack(state, 3, "pushing an error");
  lua_newtable(state);
  set_text(state, "code", code);
  set_text(state, "message", message);
  if (!run.empty()) set_text(state, "run", run);
}

int push_error(lua_State* state, const Status& status, const std::string& run) {
  lua_pushnil(state);
  push_error_table(state, status.code(), status.message(), run);
  return 2;
}

}  // namespace gibbous::lua
