// How a sandbox's report names paths. For prepare.cc.
#pragma once

#include <string>
#include <vector>

namespace gibbous {

// Returns a path, or its end after "...", so that sentences stay short.
std::string shortened(const std::string& path);

// Returns a sentence about names that should be protected and do not exist; not for an empty list.
std::string missing_sentence(const std::vector<std::string>& paths);

}  // namespace gibbous
