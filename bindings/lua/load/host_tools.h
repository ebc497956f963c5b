// The tools and functions that the host of a runtime carries out, by name: a generation has them as
// toolsets beside those of its scripts. A function is a tool that no client sees, named
// `host.NAME`. Loop thread only.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "gibbous/runtime.h"

struct lua_State;

namespace gibbous::lua {

inline constexpr const char* kHostToolset = "host";
inline constexpr const char* kHostFunctions = "host_functions";  // their toolset
inline constexpr const char* kHostPrefix = "host.";              // of their names as tools

struct HostPart : HostTool {
  bool is_function = false;
  std::function<ToolAnswer(const std::string& arguments)> pure;  // HostFunction::pure
};

using HostTools = std::map<std::string, std::shared_ptr<const HostPart>>;

// Pushes one of the two toolsets, as a script would return it, and returns true; or nothing, when
// it would be empty. `push_run` pushes the function of each tool. The schemas must be JSON.
bool push_host_toolset(lua_State* state, const HostTools& tools, bool functions,
                       void (*push_run)(lua_State*));

}  // namespace gibbous::lua
