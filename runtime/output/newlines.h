// Counts newlines at memory speed, which is the cost of line accounting for every incoming byte.
// Pure, any thread.
#pragma once

#include <cstddef>
#include <cstdint>

namespace gibbous {

std::uint64_t count_newlines(const char* bytes, std::size_t size);

}  // namespace gibbous
