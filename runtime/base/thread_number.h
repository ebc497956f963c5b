// A number for each thread that no other thread of the process gets, also after its end; the
// system's own are used again. Any thread.
#pragma once

#include <cstdint>

namespace gibbous {

// Above 0. A forked child has the number of the thread that forked it.
std::uint64_t thread_number();

}  // namespace gibbous
