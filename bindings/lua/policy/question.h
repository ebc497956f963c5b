// What a person is shown when the policy asks: the request, its commands as they were understood,
// and what an answer would be remembered under. Loop thread only.
#pragma once

#include "bindings/lua/policy/policy_request.h"
#include "bindings/lua/policy/verdict.h"
#include "gibbous/runtime.h"

namespace gibbous::lua {

// All fields but call, mode_rank, policy and reply.
AskRequest make_question(const PolicyRequest& asked, const Verdict& verdict);

}  // namespace gibbous::lua
