// Waits as scripts see them: condition tables in, plain tables out. Used by api_wait.cc and
// api_run.cc.
#pragma once

#include <string>

#include "bindings/lua/check/wrong_use.h"
#include "runtime/wait/wait.h"

namespace gibbous::lua {

// The options of wait{…}; `default_run` fills in what conditions leave open (h:wait). Throws
// WrongUse, which names `place`.
WaitSpec parse_wait(const Json& options, const std::string& default_run,
                    const FieldPath& place = "wait");
// Checks what Waits::start would reject: patterns and URLs. Throws WrongUse.
void check_conditions(const WaitSpec& spec, const FieldPath& place = "wait");
Json wait_result(const WaitSpec& spec, const WaitResult& result);

}  // namespace gibbous::lua
