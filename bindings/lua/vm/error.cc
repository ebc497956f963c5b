#include "bindings/lua/vm/error.h"

#include <algorithm>
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

bool is_error_code(std::string_view code) {
  constexpr std::size_t kMaxBytes = 64;
  const auto is_lower = [](char byte) { return byte >= 'a' && byte <= 'z'; };
  return !code.empty() && code.size() <= kMaxBytes && is_lower(code.front()) &&
         std::all_of(code.begin(), code.end(), [&](char byte) {
           return is_lower(byte) || (byte >= '0' && byte <= '9') || byte == '_';
         });
}

}  // namespace gibbous::lua
