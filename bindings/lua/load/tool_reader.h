// Reads what scripts/init.lua returned, { toolsets = { { name, tools = { tool{...}, ... },
// resources = { resource{...}, ... }, prompts = { prompt{...}, ... } }, ... }, watchers = {
// { on_EVENT = function, ... }, ... } }, and checks every word of it; executors are
// executor_reader.h's. Called once by Generation::load, in a protected call. Loop thread only.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "bindings/lua/load/offered.h"
#include "bindings/lua/vm/state.h"

struct lua_State;

namespace gibbous::lua {

class DefinitionShape;  // check/definition.h

// In the description of a tool or of one of its arguments: the name of the shell of command lines.
inline constexpr std::string_view kShellWord = "$SHELL";

struct ToolReaderOptions {
  std::vector<std::string> only;  // toolsets; when empty, all but the optional ones
  Json settings;                  // of toolsets, by name; null: none
  std::string shell_word;         // stands for kShellWord in descriptions
  // Returns the file of the module that returned the value at an index, or "".
  std::function<std::string(lua_State*, int)> file_of_value;
};

// The shape of what tool{...} takes and returns; its `run` is a function.
const DefinitionShape& tool_shape();

// Reads the value on top of the stack and pops it. Returns false with the fault.
bool read_toolsets(lua_State* state, const ToolReaderOptions& options, Offered* offered,
                   ScriptError* error);

}  // namespace gibbous::lua
