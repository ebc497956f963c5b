// A yes-or-no question to the person at the terminal. Main thread.
#pragma once

#include <string>

namespace gibbous::cli {

// Returns true when a person can be asked: stdin and stderr are a terminal, and this program is in
// its foreground.
bool can_confirm();

// Asks on stderr, and waits for a line. Anything but a yes is a no. Call it only where
// can_confirm().
bool confirmed(const std::string& question);

}  // namespace gibbous::cli
