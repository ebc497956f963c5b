// A wait that looks at something outside of what runs may see anyway is an effect: another host, or
// a file elsewhere. It is judged as the command that would look at the same, and the sandbox that
// runs get holds for it, too. Loop thread only.
#pragma once

#include <string>

#include "gibbous/status.h"
#include "runtime/wait/wait.h"

namespace gibbous::lua {

struct Context;
struct Verdict;

// Returns the command line that looks at the same as the conditions do; "" when they stay on this
// machine and in the workspace.
std::string looking_command(const WaitSpec& spec, const Context& context);

// Returns ok, or why a run of that verdict could not look at that: "denied".
Status check_sight(const Context& context, const Verdict& verdict, const WaitSpec& spec);

}  // namespace gibbous::lua
