// Counting newlines at memory speed: what line accounting costs for every byte that comes in. Pure,
// any thread.
#pragma once

#include <cstddef>
#include <cstdint>

namespace gibbous {

std::uint64_t count_newlines(const char* bytes, std::size_t size);

}  // namespace gibbous
