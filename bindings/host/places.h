// Where things are: the shipped scripts, the workspace, the environment that runs inherit. Used by
// Runtime::create only.
#pragma once

#include <string>
#include <vector>

#include "gibbous/status.h"

namespace gibbous::host {

// The directory that holds scripts/ and policies/: $GIBBOUS_SHARE, <command's dir>/share/gibbous,
// or <command's dir>/../share/gibbous.
Result<std::string> find_share();
// An absolute path without "." and ".."; relative ones are below the current directory.
Result<std::string> absolute_directory(const std::string& path, const char* field);
// This process's environment as "NAME=value".
std::vector<std::string> inherited_environment();

}  // namespace gibbous::host
