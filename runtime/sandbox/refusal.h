// Refusals: finds what the sandbox refused to a program, from its output. A hint for people and
// models, never a decision: a program's words count only if the profile explains them. Any thread.
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
  std::string path;  // absolute; "" for the network, and for a write that names no path
  std::string line;  // the program's words
  // A server of the session's own that is not there is refused in the same words.
  bool may_be_own = false;
};

inline constexpr std::size_t kMaxRefusals = 16;

// Looks at every line of `output` (its end matters; callers give about the last 64 KiB). Relative
// paths start at `directory`. Returns one refusal for each kind and path, in order. It looks
// nothing up and follows no links.
std::vector<Refusal> find_refusals(const SandboxSpec& spec, std::string_view directory,
                                   std::string_view output);

}  // namespace gibbous
