// Ids of runs: 8 letters and digits, from the kernel's random numbers. Any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace gibbous {

inline constexpr std::size_t kIdChars = 8;

// 47 random bits. Only letters and digits: an id is never taken for an option on a command line,
// and it is one word in a text search.
std::string random_id();
std::uint64_t random_bits();

}  // namespace gibbous
