// Finds the globals that a compiled function reads and assigns, itself and in the functions inside
// it, with their lines. Exact, because it reads LuaJIT's own bytecode. In a protected call.
#pragma once

#include <optional>
#include <string>
#include <vector>

struct lua_State;

namespace gibbous::lua {

struct GlobalUse {
  std::string name;
  int line = 0;
  bool assigned = false;

  bool operator==(const GlobalUse&) const = default;
};

// Returns the uses of globals in the Lua function on top of the stack, which stays there: each use
// once a line, in the order of the lines. Returns nothing when the bytecode has another format than
// the one that this code knows.
std::optional<std::vector<GlobalUse>> global_uses(lua_State* state);

}  // namespace gibbous::lua
