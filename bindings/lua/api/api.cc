// All tables together, and what they share. Called once for each new state.
#include "bindings/lua/api/api.h"

#include <lua.hpp>

namespace gibbous::lua {
namespace {

struct Table {
  const char* name;
  void (*open)(lua_State*);
};

constexpr Table kTables[] = {
    {"tool", open_tool}, {"schema", open_schema},   {"run", open_run},   {"wait", open_wait},
    {"task", open_task}, {"log", open_log},         {"json", open_json}, {"store", open_store},
    {"time", open_time}, {"journal", open_journal},
};

void set_text(lua_State* state, const char* key, const std::string& text) {
  lua_pushlstring(state, text.data(), text.size());
  lua_setfield(state, -2, key);
}

}  // namespace

void open_api(lua_State* state) {
  for (const Table& table : kTables) {
    table.open(state);
    lua_setglobal(state, table.name);
  }
}

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
