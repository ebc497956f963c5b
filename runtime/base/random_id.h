// Ids of runs: 8 characters of A-Za-z0-9_-, from the kernel's random numbers. Any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace gibbous {

inline constexpr std::size_t kIdChars = 8;

// 48 random bits as 8 URL-safe characters; the first is never '-', so that an id is never taken for
// an option on a command line.
std::string random_id();
std::uint64_t random_bits();

}  // namespace gibbous
