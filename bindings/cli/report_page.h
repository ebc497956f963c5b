// The HTML page about a session.
#pragma once

#include <functional>
#include <string>

#include "gibbous/status.h"

namespace gibbous::cli {

// Returns a function that makes the page about a session from the journal of a state directory, ""
// for the default one. Its result is an error when there is no journal, or no such session. Any
// thread; it waits for the disk.
std::function<Result<std::string>(const std::string& session)> page_maker(
    const std::string& state_dir);

}  // namespace gibbous::cli
