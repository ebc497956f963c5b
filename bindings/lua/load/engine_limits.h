// EngineLimits: what calls of tools may use, together and each. The configuration sets them, the
// engine holds them. Plain data.
#pragma once

#include <cstddef>

#include "runtime/base/clock.h"

namespace gibbous::lua {

struct EngineLimits {
  Nanos call_lua{
      1'000'000'000};          // Lua time of one call, all its tasks together, waiting not counted
  Nanos slice{2'000'000};      // Lua time in one go
  Nanos cleanup{200'000'000};  // Lua time after a cancel
  std::size_t max_argument_bytes = std::size_t{1} << 20;
  std::size_t max_calls = 1000;    // at the same time
  std::size_t max_draining = 4;    // old generations that calls still hold
  Millis drain_deadline{600'000};  // then those calls are cancelled
};

}  // namespace gibbous::lua
