// Sandboxes as Lua has them: the request of a script, a mode or the configuration (a name, or a
// table with profile, network and min_landlock_abi), and the complete profile of a policy's
// verdict, with its lists of paths. Loop thread only.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "bindings/lua/check/wrong_use.h"
#include "runtime/runs/run.h"
#include "runtime/sandbox/sandbox.h"

namespace gibbous::lua {

// The values of $NAME at the start of a profile's path; a name may stand for several directories,
// or none on this machine.
using PathVariables = std::map<std::string, std::vector<std::string>>;
// The directories of repositories in which sandboxed runs have changed what git obeys, or which
// they have made.
inline constexpr const char* kChangedByRuns = "CHANGED_BY_RUNS";
// The caches of tools, absolute.
inline constexpr const char* kCaches = "CACHES";

// Expands a path that begins with '~/' or a variable; an absolute one stays. Throws WrongUse.
std::vector<std::string> expand_path(const FieldPath& place, const std::string& path,
                                     const PathVariables& variables);

// Normalises a name or a table to { profile, network, min_landlock_abi }, without absent members;
// null stays null. Throws WrongUse.
Json sandbox_request(const FieldPath& place, const Json& value);
// Returns true when it requests any restriction.
bool restricts(const Json& request);
// The schema of a request as a table.
Json sandbox_schema(const std::string& description);

// Parses a verdict's sandbox. Throws WrongUse, because no run may start with a profile that was not
// understood.
SandboxSpec parse_sandbox(const FieldPath& place, const Json& value,
                          const PathVariables& variables);
// Returns the table of info().sandbox.
Json sandbox_value(const Run& run);
// Returns the table of h:refusals().
Json refusals_value(const Run& run, const std::string& workspace);

}  // namespace gibbous::lua
