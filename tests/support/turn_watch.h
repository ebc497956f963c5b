// Included by one file of a test program: no turn of a loop may take long in its cases. See
// turn_listener.h.
#pragma once

#include "tests/support/catch.h"

#if GIBBOUS_CATCH2 != 2
#include "tests/support/turn_listener.h"
#else
namespace gibbous::testing {
extern bool watches_turns;
}
#endif

namespace gibbous::testing {
namespace {
const bool kTurnsAreWatched = watches_turns = true;
}
}  // namespace gibbous::testing
