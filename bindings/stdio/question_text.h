// A policy question as text for a terminal or a dialog, and untrusted text made printable. Shared
// by the front ends that ask. Pure, any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "gibbous/runtime.h"

namespace gibbous::stdio {

// Makes one line in which everything is visible: control characters, invisible and bidirectional
// ones, and invalid UTF-8 become \n, \x1b, \u202e. Cut after `most` bytes, with a note.
std::string printable(std::string_view text, std::size_t most);

// The reason, the tool, the command and the rule, on several lines without a final line end.
std::string question_text(const AskRequest& request);

// The ids of what asks, from the index `first` on.
std::string rules_text(const AskRequest& request, std::size_t first = 0);

}  // namespace gibbous::stdio
