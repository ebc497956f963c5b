// Turns what a tool returned or raised into the CallResult of its caller. Used by Call. Loop thread
// only.
#pragma once

#include "bindings/lua/call/task.h"
#include "gibbous/runtime.h"

namespace gibbous::lua {

class Call;

// A tool returns a string; or { text?, data?, content?, is_error? } with at least one of the first
// three; or nil, err. Anything else, and data that do not fit the tool's output schema, is a
// script_error at the tool's function.
CallResult returned_result(Call& call, Task& root);
CallResult failed_result(const Failure& failure);

}  // namespace gibbous::lua
