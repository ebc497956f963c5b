// Finds the globals that script and policy files assign, and those that they read although nothing
// defines them, for `gibbous check`. The files are compiled, not run. Any thread.
#pragma once

#include <string>
#include <vector>

#include "bindings/lua/vm/state.h"

namespace gibbous::lua {

// Globals beside what the sandbox leaves and `require`.
struct ApiGlobals {
  std::vector<std::string> there;
  std::vector<std::string> withheld;  // tables of scripts that policies do not have
};

// Looks at every .lua file below `directory`; files of types (---@meta) and files that do not
// compile are left out. In the order of the files and lines.
std::vector<ScriptError> global_faults(const std::string& directory, const ApiGlobals& api);

}  // namespace gibbous::lua
