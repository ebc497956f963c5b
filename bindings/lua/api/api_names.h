// The names of the tables that scripts see. Pure, any thread.
#pragma once

#include <string>
#include <vector>

namespace gibbous::lua {

// Lists the tables that open_api() makes globals.
std::vector<std::string> api_names();

}  // namespace gibbous::lua
