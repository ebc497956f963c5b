// Sandboxes as Lua has them: what a script, a mode or the configuration asks for (a name, or a
// table with profile, network and min_landlock_abi), and what a policy's verdict makes of it (a
// whole profile, with its lists of paths). Loop thread only.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "bindings/lua/vm/value.h"
#include "runtime/runs/run.h"
#include "runtime/sandbox/sandbox.h"

namespace gibbous::lua {

// What $NAME means at the start of a profile's path; a name may mean several directories, or none
// on this machine.
using PathVariables = std::map<std::string, std::vector<std::string>>;

// The places that a path with '~/' or a variable in front stands for; an absolute one is itself.
// Throws WrongUse.
std::vector<std::string> expand_path(const std::string& owner, const std::string& path,
                                     const PathVariables& variables);

// { profile, network, min_landlock_abi }, as far as they are named, from a name or a table; null
// for null. Throws WrongUse.
Json sandbox_request(const std::string& owner, const Json& value);
// It asks for more than nothing.
bool restricts(const Json& request);
// The schema of a request, for the configuration.
Json sandbox_schema();

// A verdict's sandbox. Throws WrongUse: a profile that is not understood must not be run with.
SandboxSpec parse_sandbox(const std::string& owner, const Json& value,
                          const PathVariables& variables);
// The table of info().sandbox.
Json sandbox_value(const Run& run);
// The table of h:refusals().
Json refusals_value(const Run& run, const std::string& workspace);

}  // namespace gibbous::lua
