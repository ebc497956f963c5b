#include "bindings/lua/load/host_tools.h"

#include <lua.hpp>

#include "bindings/lua/vm/value.h"

namespace gibbous::lua {
namespace {

Json definition_of(const HostTool& tool) {
  Json definition = {{"name", tool.name},
                     {"title", tool.title},
                     {"description", tool.description},
                     {"permission", tool.permission},
                     {"structured", tool.structured}};
  if (!tool.input_schema.empty()) definition["input"] = Json::parse(tool.input_schema);
  if (!tool.output_schema.empty()) definition["output"] = Json::parse(tool.output_schema);
  return definition;
}

}  // namespace

void push_host_toolset(lua_State* state, const HostTools& tools, void (*push_run)(lua_State*)) {
  luaL_checkstack(state, LUA_MINSTACK, "reading the tools of the host");
  lua_createtable(state, 0, 2);
  lua_pushstring(state, kHostToolset);
  lua_setfield(state, -2, "name");
  lua_createtable(state, static_cast<int>(tools.size()), 0);  // [toolset, tools]
  int count = 0;
  for (const auto& [name, tool] : tools) {
    push_json(state, definition_of(*tool));
    push_run(state);
    lua_setfield(state, -2, "run");
    lua_rawseti(state, -2, ++count);
  }
  lua_setfield(state, -2, "tools");
}

}  // namespace gibbous::lua
