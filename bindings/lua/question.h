// What a person is shown when the policy asks: the effect, the command as it was understood, and
// what an answer would be remembered under. Loop thread only.
#pragma once

#include "bindings/lua/generation.h"
#include "gibbous/runtime.h"

namespace gibbous::lua {

// All but call, mode_rank, policy and reply.
AskRequest make_question(const Json& effect, const Verdict& verdict);

}  // namespace gibbous::lua
