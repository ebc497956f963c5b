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

// Has the policy make what the run sees of the settings of package managers, which hold the
// company's registry beside its tokens (SandboxSpec::views). A file that it makes nothing of is
// hidden; one in the workspace that has no secret stays as it is.
void show_settings(const Context& context, SandboxSpec* spec);

// What both share: the options in the table at 1, names that must be known, and what the policy is
// asked. `queued` is where a run that is started from the queue was queued; null: nowhere.
StartOptions check_start(lua_State* state, bool queued);
Status check_names(const StartOptions& options, const Context& context);
PolicyRequest start_request(const StartOptions& options, const Context& context,
                            const QueuedPlace* queued);

}  // namespace gibbous::lua
