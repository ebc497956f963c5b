// A duration as short text, of two units at most. Pure; any thread.
#pragma once

#include <string>

namespace gibbous {

// "12ms", "3.2s", "4m 05s", "2h 03m", "5d 01h"; rounded down. `millis` is 0 or more.
std::string short_duration(double millis);

}  // namespace gibbous
