// A question of the policy as people read it, on a terminal or in a client's dialog, and text of
// strangers made fit for both. Shared by the front ends that ask. Pure, any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "gibbous/runtime.h"

namespace gibbous::stdio {

// On one line, with nothing in it that does not show: control characters, invisible and
// bidirectional ones, and what is no UTF-8 become \n, \x1b, \u202e. Cut at `most` bytes, and says
// so.
std::string printable(std::string_view text, std::size_t most);

// Why, what, what that would run, and which rule: some lines, without an end after the last.
std::string question_text(const AskRequest& request);

}  // namespace gibbous::stdio
