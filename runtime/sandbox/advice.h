// Advice: what a known program means that fails in a sandbox, or says nothing, and the way out. A
// hint for people and models, as refusals are: it counts only what the profile explains. Any
// thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runtime/sandbox/sandbox.h"

namespace gibbous {

struct EndedProgram {
  std::string_view line;    // that the shell has run
  std::string_view output;  // of both streams; its end matters
  bool failed = false;
  bool leaves = true;  // git fetch runs outside, and no person is asked
};

struct Advice {
  std::string line;     // the program's words; "" where it has said nothing
  std::string way_out;  // one sentence, without a full stop
  bool adds = false;    // to the refusal of that line, which counts as well
};

inline constexpr std::size_t kMaxAdvice = 2;

std::vector<Advice> find_advice(const SandboxSpec& spec, const EndedProgram& ended);

}  // namespace gibbous
