// Writes a file as a whole or not at all: under a temporary name beside its place, synced, then
// renamed over the old file. Follows no symbolic link. Any thread; waits for the disk.
#pragma once

#include <string>
#include <string_view>

#include "gibbous/status.h"

namespace gibbous::report {

// Makes the file readable by this user only, because it holds output of agents. Fails with
// file_unusable, which names the path.
Status write_page(const std::string& path, std::string_view bytes);

// "gibbous-NAME.html", with '_' for everything but letters, digits, '-' and '_'.
std::string page_name(std::string_view session);

}  // namespace gibbous::report
