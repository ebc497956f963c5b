// Reads the result of policies/init.lua except for its rules: the decide function, the modes, and
// the patterns of secrets. Used by the loader of a generation. Loop thread only.
#pragma once

#include <functional>
#include <string>

#include "bindings/lua/policy/policy_program.h"

struct lua_State;

namespace gibbous::lua {

// The error code of a mode that does not exist: the caller's mistake, not the policy's.
inline constexpr char kUnknownMode[] = "unknown_mode";
// The error code of a table that is no policy, but has what a layer adds to one.
inline constexpr char kRulesAlone[] = "rules_alone";

// In a protected call, with the table on top: [root] -> [root]. `mode` is the requested one, "" for
// none. Returns false with the error's message, and its code for an unknown mode.
bool read_policy_tables(lua_State* state, const std::string& mode, PolicyTables* tables,
                        ScriptError* error);

}  // namespace gibbous::lua
