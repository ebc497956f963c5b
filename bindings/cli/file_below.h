// Files below a directory, opened without following a symbolic link below it. For commands that
// write into a project or a home directory. Main thread.
#pragma once

#include <string>
#include <string_view>

#include "gibbous/status.h"
#include "runtime/base/unique_fd.h"

namespace gibbous::cli {

enum class Parents { kMake, kMustExist };

// Opens the directory that holds `path`, such as "scripts/tools/greet.lua", below `directory`.
// Fails with file_missing (only where parents must exist) or file_unwritable, and the reason.
Result<UniqueFd> open_parent(const std::string& directory, const std::string& path,
                             Parents parents);

// The last part of a path.
std::string name_in_parent(const std::string& path);

// file_unwritable, for an errno.
Status cannot_write(const std::string& path, int error);

bool write_text(int fd, std::string_view text);

}  // namespace gibbous::cli
