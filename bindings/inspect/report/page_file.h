// A file written whole or not at all: made beside its place under a name of its own, synced, then
// renamed over what was there. Never through a symbolic link. Any thread; waits for the disk.
#pragma once

#include <string>
#include <string_view>

#include "gibbous/status.h"

namespace gibbous::report {

// Readable by this user alone, as what agents write may be. Fails with file_unusable, which names
// the path.
Status write_page(const std::string& path, std::string_view bytes);

// "gibbous-NAME.html", with what is no letter, digit, '-' or '_' as '_'.
std::string page_name(std::string_view session);

}  // namespace gibbous::report
