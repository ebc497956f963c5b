// Modules of the shipped scripts that moved: their old names work for a minor release. Any thread.
#pragma once

#include <string>

namespace gibbous::lua {

// The name that a module has now, or "" when it has not moved.
std::string moved_module(const std::string& module);

}  // namespace gibbous::lua
