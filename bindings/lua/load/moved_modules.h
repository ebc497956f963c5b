// Modules of the shipped scripts that moved: their old names work for one more minor release. Any
// thread.
#pragma once

#include <string>

namespace gibbous::lua {

// Returns the current name of a module, or "" when it has not moved.
std::string moved_module(const std::string& module);

}  // namespace gibbous::lua
