// Reads the watcher presets that find errors: `compile_error`, `test_failure` and `stack_trace` of
// the module watchers.presets, each a list of tables { regex = '...', ... }. Loop thread only.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "bindings/lua/vm/state.h"
#include "runtime/output/error_patterns.h"

struct lua_State;

namespace gibbous::lua {

// In a protected call, with the module's value on top of the stack. A preset that is absent finds
// nothing. False: `error` names the preset, the entry and the file.
bool read_error_presets(lua_State* state,
                        const std::function<std::string(lua_State*, int)>& file_of_value,
                        std::vector<ErrorPattern>* patterns, ScriptError* error);

}  // namespace gibbous::lua
