// The cases of a policy (policies/cases/): command lines and the expected verdicts. Read when a
// policy is tested or loaded; each line becomes one PolicyCase. Loop thread only.
//
//   { name = 'remove', mode = 'auto', deny = { 'rm -rf /' }, not_denied = { { argv = {...} } } }
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bindings/lua/source/faults.h"
#include "runtime/rules/rules.h"

struct lua_State;

namespace gibbous::lua {

// One bit for each decision.
using Decisions = std::uint8_t;
constexpr Decisions bit_of(rules::Decision decision) {
  return static_cast<Decisions>(1U << static_cast<unsigned>(decision));
}

// Allowed, in the sandbox of what no rule knows; and in that of what rules know.
constexpr Decisions kConfined = 1U << 7;
constexpr Decisions kInside = 1U << 6;
constexpr char kConfinedProfile[] = "confined";

struct PolicyCase {
  std::string name;       // of its table
  std::string mode;       // default: auto
  std::string workspace;  // default: /workspace
  std::string home;       // default: /home/user
  std::string cwd;        // default: the workspace
  std::string shell;      // that runs `command`; default: bash
  std::string command;
  std::vector<std::string> argv;  // instead of `command`
  std::string expectation;        // its key: "asked_or_denied"
  Decisions expected = 0;         // the allowed decisions
  std::string file;               // the place of its text, else of its table, as far as known
  int line = 0;
};

// Inside a protected call. Reads a list of cases and of lists of cases. Returns false with faults,
// and `out` must not be used then. Raises when the budget or the memory is used up.
bool read_cases(lua_State* state, int index, std::vector<PolicyCase>* out, Faults* faults);

}  // namespace gibbous::lua
