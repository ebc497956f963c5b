// The JSON Schemas of tools in the subset that OpenAI's strict function calls take: every object is
// closed and requires all of its properties, what may be absent may be null instead, and keywords
// that only checks need are left out. Arguments are checked against the whole schema all the same,
// where null is an absent argument. Pure.
#pragma once

#include "bindings/json/json.h"
#include "gibbous/status.h"

namespace gibbous::host {

// From OpenAI's guide to structured outputs.
inline constexpr int kStrictLevels = 10;
inline constexpr std::size_t kStrictProperties = 5000;

// Returns the schema in that subset. An optional property that the subset cannot describe (an
// object with names of any kind) is left out. Fails with not_strict, and the place, when a required
// one cannot be described or the schema is too large.
Result<Json> strict_schema(const Json& schema);

}  // namespace gibbous::host
