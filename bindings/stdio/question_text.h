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

// What is asked about, on one line: the command, or the call where there is none, shortened in the
// middle if it is long; below it the reason. Without a final line end, as the others.
std::string question_head(const AskRequest& request);
// The tool, all of what was shortened, the commands that it would run, and the rule.
std::string question_details(const AskRequest& request);
// Both of them.
std::string question_text(const AskRequest& request);

// Leaves out the middle of a text above `most` bytes, and says its length there.
std::string shortened(const std::string& text, std::size_t most);

// The ids of what asks, from the index `first` on.
std::string rules_text(const AskRequest& request, std::size_t first = 0);

}  // namespace gibbous::stdio
