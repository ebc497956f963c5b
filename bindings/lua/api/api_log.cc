// The table `log`. A line goes to the host (Context::log) or becomes an event, from the loop;
// scripts never wait for it.
#include <lua.hpp>
#include <string>

#include "bindings/json/text.h"
#include "bindings/lua/api/api.h"
#include "bindings/lua/call/call.h"
#include "bindings/lua/call/context.h"
#include "bindings/lua/call/engine.h"
#include "runtime/audit/redact.h"

namespace gibbous::lua {
namespace {

constexpr std::size_t kMaxMessageBytes = std::size_t{16} << 10;
constexpr std::size_t kMaxFieldBytes = std::size_t{64} << 10;
constexpr char kCut[] = " [cut]";

// Returns the session of the call that runs now, or "" while scripts load.
std::string session_of(lua_State* state) {
  const Call* call = calling(state);
  return call == nullptr ? "" : call->session();
}

int write_line(lua_State* state, const char* level) {
  luaL_checkstring(state, 1);
  lua_settop(state, 2);
  if (!lua_isnil(state, 2)) luaL_checktype(state, 2, LUA_TTABLE);
  // [message, fields]
  lua_pushvalue(state, 1);
  std::string message = to_json(state, -1).get<std::string>();
  if (message.size() > kMaxMessageBytes) message = message.substr(0, kMaxMessageBytes) + kCut;
  Json fields;
  if (!lua_isnil(state, 2)) {
    fields = to_json(state, 2);
    if (fields.is_array() && fields.empty()) fields = Json::object();
    luaL_argcheck(state, fields.is_object(), 2, "expected a table with names, got a list");
    const std::size_t size = to_text(fields).size();
    if (size > kMaxFieldBytes) fields = {{"cut", std::to_string(size) + " bytes of fields"}};
  }
  const Context& context = context_of(state);
  if (context.engine != nullptr) {
    context.engine->log(level, message, std::move(fields), session_of(state));
  }
  return 0;
}

int l_log_debug(lua_State* state) {
  return write_line(state, "debug");
}
int l_log_info(lua_State* state) {
  return write_line(state, "info");
}
int l_log_warn(lua_State* state) {
  return write_line(state, "warn");
}
int l_log_error(lua_State* state) {
  return write_line(state, "error");
}

int l_log_redact(lua_State* state) {
  std::size_t size = 0;
  const char* const text = luaL_checklstring(state, 1, &size);
  luaL_argcheck(state, size <= kMaxFieldBytes, 1, "expected at most 65536 bytes");
  const std::string redacted = redact_secrets({text, size});
  lua_pushlstring(state, redacted.data(), redacted.size());
  return 1;
}

constexpr luaL_Reg kLog[] = {
    {"debug", l_log_debug}, {"info", l_log_info},     {"warn", l_log_warn},
    {"error", l_log_error}, {"redact", l_log_redact}, {nullptr, nullptr},
};

}  // namespace

void open_log(lua_State* state) {
  lua_newtable(state);
  luaL_register(state, nullptr, kLog);
}

}  // namespace gibbous::lua
