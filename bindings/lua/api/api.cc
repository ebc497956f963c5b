// All tables together, and what they share. Called once for each new state.
#include "bindings/lua/api/api.h"
#include "bindings/lua/api/api_names.h"
#include "bindings/lua/check/schema_table.h"

#include <lua.hpp>

#include "bindings/lua/call/task.h"

namespace gibbous::lua {
namespace {

struct Table {
  const char* name;
  void (*open)(lua_State*);
};

constexpr Table kTables[] = {
    {"tool", open_tool},       {"resource", open_resource}, {"prompt", open_prompt},
    {"ask", open_ask},         {"schema", open_schema},     {"run", open_run},
    {"wait", open_wait},       {"task", open_task},         {"log", open_log},
    {"json", open_json},       {"store", open_store},       {"time", open_time},
    {"journal", open_journal}, {"host", open_host},
};

}  // namespace

const Call* calling(lua_State* state) {
  const TaskSlot* slot = task_slot(state);
  return slot == nullptr || slot->running == nullptr ? nullptr : &slot->running->call();
}

Json options_at(lua_State* state, int index) {
  return lua_isnoneornil(state, index) ? Json::object() : to_json(state, index);
}

std::vector<std::string> api_names() {
  std::vector<std::string> names;
  for (const Table& table : kTables) names.emplace_back(table.name);
  return names;
}

void open_api(lua_State* state) {
  for (const Table& table : kTables) {
    table.open(state);
    lua_setglobal(state, table.name);
  }
}

}  // namespace gibbous::lua
