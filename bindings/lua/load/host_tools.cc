#include "bindings/lua/load/host_tools.h"

#include <algorithm>
#include <lua.hpp>
#include <utility>

#include "bindings/lua/vm/value.h"

namespace gibbous::lua {
namespace {

// A tool's data are an object.
Json output_of(const HostPart& part) {
  Json schema = Json::parse(part.output_schema);
  if (!part.is_function) return schema;
  return {{"type", "object"},
          {"properties", {{"value", std::move(schema)}}},
          {"required", {"value"}},
          {"additionalProperties", false}};
}

Json definition_of(const HostPart& tool) {
  Json definition = {{"name", tool.name},
                     {"title", tool.title},
                     {"description", tool.description},
                     {"permission", tool.permission},
                     {"structured", tool.structured}};
  if (!tool.input_schema.empty()) definition["input"] = Json::parse(tool.input_schema);
  if (!tool.output_schema.empty()) definition["output"] = output_of(tool);
  return definition;
}

}  // namespace

bool push_host_toolset(lua_State* state, const HostTools& tools, bool functions,
                       void (*push_run)(lua_State*)) {
  const bool any = std::any_of(tools.begin(), tools.end(), [functions](const auto& each) {
    return each.second->is_function == functions;
  });
  if (!any) return false;
  luaL_checkstack(state, LUA_MINSTACK, "reading the tools of the host");
  lua_createtable(state, 0, 2);
  lua_pushstring(state, functions ? kHostFunctions : kHostToolset);
  lua_setfield(state, -2, "name");
  lua_createtable(state, static_cast<int>(tools.size()), 0);  // [toolset, tools]
  int count = 0;
  for (const auto& [name, tool] : tools) {
    if (tool->is_function != functions) continue;
    push_json(state, definition_of(*tool));
    push_run(state);
    lua_setfield(state, -2, "run");
    lua_rawseti(state, -2, ++count);
  }
  lua_setfield(state, -2, "tools");
  return true;
}

}  // namespace gibbous::lua
