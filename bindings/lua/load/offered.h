// Offered: what the toolsets of a generation offer to clients, and the handlers of its watchers.
// Plain data; loop thread only.
#pragma once

#include <map>
#include <string>

#include "bindings/lua/load/prompt.h"
#include "bindings/lua/load/resource.h"
#include "bindings/lua/load/tool.h"
#include "bindings/lua/vm/lua_ref.h"

namespace gibbous::lua {

struct Offered {
  std::map<std::string, ToolDefinition> tools;
  std::map<std::string, ResourceDefinition> resources;  // by URI, or template
  std::map<std::string, PromptDefinition> prompts;
  std::map<std::string, LuaRef> handlers;  // of watchers, by name: "on_ready"
};

}  // namespace gibbous::lua
