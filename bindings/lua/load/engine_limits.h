// EngineLimits: the limits of tool calls, together and each. The configuration sets them, the
// engine enforces them. Plain data.
#pragma once

#include <cstddef>

#include "runtime/base/clock.h"

namespace gibbous::lua {

struct EngineLimits {
  Nanos call_lua{
      1'000'000'000};          // Lua time of one call, all its tasks together, waiting not counted
  Nanos slice{2'000'000};      // Lua time without a pause
  Nanos hold{40'000'000};      // the same where a script cannot pause
  Nanos cleanup{200'000'000};  // Lua time after a cancel
  std::size_t max_argument_bytes = std::size_t{1} << 20;
  std::size_t max_calls = 1000;    // at the same time
  std::size_t max_draining = 4;    // old generations that calls still use
  Millis drain_deadline{600'000};  // then those calls are cancelled
};

}  // namespace gibbous::lua
