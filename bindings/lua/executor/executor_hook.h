// Calls functions of executors. Used by executor*.cc. Loop thread only.
#pragma once

#include <functional>
#include <string>

#include "bindings/lua/call/engine.h"
#include "bindings/lua/vm/value.h"

namespace gibbous::lua {

// Makes a call of `function`, of the current generation; the policy does not judge its commands.
CallSpec executor_hook(const std::string& executor, const LuaRef& function,
                       const std::string& session, Json arguments);

// Functions that receive the answer of an executor. Both are called from the loop.
struct AnswerUse {
  // Comes once, with the function's result, or with null when it returned nothing, failed (which is
  // logged) or was late. Never at shutdown.
  std::function<void(const Json&)> on_answer;
  // When set, a call that is late goes on for `late` more, and this gets its result.
  std::function<void(const Json&)> on_late_answer;
  Millis late{0};
};

// Makes the call, and ends it when it takes longer than `limit`. Returns a function that cancels
// the question: no answer comes then.
std::function<void()> ask_executor_within(Context& context, CallSpec hook, Millis limit,
                                          AnswerUse use);

}  // namespace gibbous::lua
