// Makes what a person sees when the policy asks: the request, its commands as they were understood,
// and the key under which an answer is remembered. Loop thread only.
#pragma once

#include "bindings/lua/policy/policy_request.h"
#include "bindings/lua/policy/verdict.h"
#include "gibbous/runtime.h"

namespace gibbous::lua {

// Fills in all fields except call, mode_rank, policy and reply.
AskRequest make_question(const PolicyRequest& asked, const Verdict& verdict);

}  // namespace gibbous::lua
