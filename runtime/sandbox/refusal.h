// Refusals: what a sandboxed program was refused, read from what it said about it. A hint for
// people and models, never a decision: the words of a program only count when the profile explains
// them. Any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runtime/sandbox/sandbox.h"

namespace gibbous {

enum class RefusalKind : std::uint8_t { kRead, kWrite, kNetwork };
const char* to_string(RefusalKind kind);

struct Refusal {
  RefusalKind kind = RefusalKind::kWrite;
  std::string path;  // absolute; "" for the network, and for a write whose path was not said
  std::string line;  // what the program said
};

inline constexpr std::size_t kMaxRefusals = 16;

// Looks at every line of `output` (its end is what matters; callers give the last 64 KiB or so).
// `directory`: what relative paths start from. One for each kind and path, in order. Nothing is
// looked up: links are not followed.
std::vector<Refusal> find_refusals(const SandboxSpec& spec, std::string_view directory,
                                   std::string_view output);

}  // namespace gibbous
