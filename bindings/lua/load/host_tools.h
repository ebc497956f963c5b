// The tools that the host of a runtime carries out (gibbous::HostTool), by name: a generation lists
// them as a toolset among those of its scripts. Loop thread only.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "gibbous/runtime.h"

struct lua_State;

namespace gibbous::lua {

inline constexpr const char* kHostToolset = "host";

using HostTools = std::map<std::string, std::shared_ptr<const HostTool>>;

// Pushes the toolset, as a script would return it. `push_run` pushes the function of each tool. The
// schemas must be JSON.
void push_host_toolset(lua_State* state, const HostTools& tools, void (*push_run)(lua_State*));

}  // namespace gibbous::lua
