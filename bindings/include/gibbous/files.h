// Lua files that front ends read in addition to what a runtime loads. Any thread.
#pragma once

#include <string>
#include <vector>

#include "gibbous/status.h"

namespace gibbous {

// Runs the file, sandboxed and for a bounded time, and returns the table that it returns as JSON
// text. The error (config_invalid) names the file and, where possible, the line.
Result<std::string> read_lua_table(const std::string& path);
// The same for a text that is in memory; `path` is its name in messages.
Result<std::string> read_lua_table(const std::string& path, const std::string& text);

// Returns a directory below the shipped scripts that has an init.lua of its own, for
// RuntimeOptions::scripts_dir.
Result<std::string> shipped_scripts(const std::string& name);

// Returns "file:line: message" for each global that a Lua file below one of the directories
// assigns, or reads although nothing defines it. Either directory may be "".
std::vector<std::string> global_problems(const std::string& scripts_dir,
                                         const std::string& policies_dir);

}  // namespace gibbous
