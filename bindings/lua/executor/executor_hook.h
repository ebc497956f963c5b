// Calls functions of executors. Used by executor*.cc. Loop thread only.
#pragma once

#include <functional>
#include <string>

#include "bindings/lua/call/engine.h"
#include "bindings/lua/vm/value.h"

namespace gibbous::lua {

// Makes a call of `function`, of the current generation; the policy does not judge its commands.
HookCall executor_hook(const std::string& executor, const LuaRef& function,
                       const std::string& session, Json arguments);

// Makes the call, and ends it when it takes longer than `limit`. on_answer comes once, from the
// loop, with the function's result, or with null when it returned nothing, failed (which is logged)
// or was late. Never at shutdown. Returns a function that cancels the question: no answer comes
// then.
std::function<void()> ask_executor_within(Context& context, HookCall hook, Millis limit,
                                          std::function<void(const Json&)> on_answer);

}  // namespace gibbous::lua
