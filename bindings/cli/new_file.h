// Writes new files below a directory: never over another file, and never through a symbolic link
// below the directory. Main thread.
#pragma once

#include <string>

#include "gibbous/status.h"

namespace gibbous::cli {

// Creates `path`, such as "scripts/tools/greet.lua", and the directories that it needs, below
// `directory`. Fails with file_exists, or with file_unwritable and the reason.
Status write_new_file(const std::string& directory, const std::string& path,
                      const std::string& text);

}  // namespace gibbous::cli
