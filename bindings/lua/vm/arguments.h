// Parses the arguments of a call from JSON text that a model wrote. Called for every call. Pure,
// any thread.
#pragma once

#include <cstddef>
#include <string>

#include "bindings/lua/vm/value.h"
#include "gibbous/status.h"

namespace gibbous::lua {

// Policies see the arguments inside the request that they judge.
inline constexpr int kMaxArgumentDepth = kMaxValueDepth - 1;

// Returns an object; "" and null give an empty one. Otherwise fails with invalid_arguments and says
// what is wrong and where.
Result<Json> parse_arguments(const std::string& text, std::size_t max_bytes);

}  // namespace gibbous::lua
