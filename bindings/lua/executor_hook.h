// Calls of the functions of executors. Used by executor*.cc. Loop thread only.
#pragma once

#include <string>

#include "bindings/lua/engine.h"
#include "bindings/lua/value.h"

namespace gibbous::lua {

// A call of `function`, of the current generation, about whose commands no policy is asked.
HookCall executor_hook(const std::string& executor, const LuaRef& function,
                       const std::string& session, Json arguments);

}  // namespace gibbous::lua
