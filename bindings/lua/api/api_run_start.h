// The functions of the table `run` that start commands, or queue them; both suspend. Used by
// api_run.cc. Loop thread only.
#pragma once

#include "bindings/lua/api/run_value.h"
#include "bindings/lua/policy/policy_request.h"

struct lua_State;

namespace gibbous::lua {

struct Context;
struct QueuedPlace;

int l_run_check(lua_State* state);
int l_run_start(lua_State* state);
int l_run_queue(lua_State* state);  // api_run_queue.cc

// What both share: the options in the table at 1, names that must be known, and what the policy is
// asked. `queued` is where a run that is started from the queue was queued; null: nowhere.
StartOptions check_start(lua_State* state, bool queued);
Status check_names(const StartOptions& options, const Context& context);
PolicyRequest start_request(const StartOptions& options, const Context& context,
                            const QueuedPlace* queued);

}  // namespace gibbous::lua
