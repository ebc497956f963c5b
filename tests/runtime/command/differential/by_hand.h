// The differential test's knowledge of programs, written by hand: it needs neither Lua nor the
// policy. Also used by the tests of facts and bounds.
#pragma once

#include <memory>
#include <string>

#include "runtime/command/knowledge.h"

namespace gibbous::command::testing {

std::shared_ptr<const Knowledge> by_hand();

}  // namespace gibbous::command::testing
