// What a person is shown when the policy asks: the effect, the command as it was understood, and
// what an answer would be remembered under. Loop thread only.
#pragma once

#include "bindings/lua/load/generation.h"
#include "gibbous/runtime.h"

namespace gibbous::lua {

// All but call, mode_rank, policy and reply.
AskRequest make_question(const Json& effect, const Verdict& verdict);

// What a start must have in common with the call that a person approved: its command line, or its
// words; and what it asks of its executor.
std::string approved_key(const Json& effect);

}  // namespace gibbous::lua
