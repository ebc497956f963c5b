// Paths as text, without a look at the disk. Any thread.
#pragma once

#include <string>
#include <string_view>

namespace gibbous {

// "/a//b/../c/" -> "/a/c"; "" stays "". Never goes above "/".
std::string normalize_path(std::string_view absolute);

}  // namespace gibbous
