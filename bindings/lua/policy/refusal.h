// How a refusal reads, of a call and of what a call does. Pure, any thread.
#pragma once

#include <string>

#include "bindings/lua/policy/policy_request.h"
#include "bindings/lua/policy/verdict.h"
#include "gibbous/status.h"

namespace gibbous::lua {

// Two lines: what was refused, by which rule and why; then, after "Instead:", what to do, which
// reasons name behind a colon. `policy explain` has the rest.
std::string refusal_text(const std::string& what, const Verdict& verdict);

// The error of an effect that was not allowed: denied, or needs_approval.
Status refused_effect(RequestKind kind, const Verdict& verdict);

}  // namespace gibbous::lua
