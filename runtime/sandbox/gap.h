// How a sandbox's report names paths, and what an old kernel leaves open. For prepare.cc.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/sandbox/sandbox.h"

namespace gibbous {

// Returns a path, or its end after "...", so that sentences stay short.
std::string shortened(const std::string& path);

// Returns a sentence about names that should be protected and do not exist; not for an empty list.
std::string missing_sentence(const std::vector<std::string>& paths);

// Returns sentences about what a Landlock of this ABI leaves open.
std::vector<std::string> landlock_gaps(std::uint32_t abi, SandboxNetwork network);

}  // namespace gibbous
