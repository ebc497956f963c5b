// The limits of a run as Lua and JSON have them: names, units, ranges. One table serves run.start,
// policies, the configuration and the argument `limits` of tools. Any thread.
#pragma once

#include <string>

#include "bindings/lua/check/wrong_use.h"
#include "runtime/runs/limit_set.h"
#include "runtime/runs/run.h"

namespace gibbous::lua {

// Returns a JSON Schema object with one optional property for each limit.
Json limits_schema(const std::string& description);
// Throws WrongUse: "run.start: limits: pids: expected ...".
LimitSet parse_limits(const FieldPath& place, const Json& value);
// Returns only the limits that are set.
Json limits_value(const LimitSet& limits);
// { name, limit, used } in the units of the limits' own names.
Json limit_reached_value(const LimitReached& reached);
// Returns { memory = 'cgroup2', ... }: what enforces the limits of the tree.
Json limits_by_value(const LimitsInForce& in_force);

}  // namespace gibbous::lua
