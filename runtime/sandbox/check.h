// Checks of a profile that do not look at any of its paths. For prepare.cc.
#pragma once

#include "gibbous/status.h"
#include "runtime/sandbox/sandbox.h"

namespace gibbous {

// "invalid_request": a field is wrong; "sandbox_unavailable": this machine cannot do it.
Status check_spec(const SandboxSpec& spec, const SandboxSupport& support);

}  // namespace gibbous
