// The cases of a policy (policies/cases/): command lines, and what the policy must say of them.
// Read when a policy is tested or loaded; each line is one PolicyCase. Loop thread only.
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

// A bit for each decision.
using Decisions = std::uint8_t;
constexpr Decisions bit_of(rules::Decision decision) {
  return static_cast<Decisions>(1U << static_cast<unsigned>(decision));
}

struct PolicyCase {
  std::string name;       // of its table
  std::string mode;       // default: auto
  std::string workspace;  // default: /workspace
  std::string home;       // default: /home/user
  std::string cwd;        // default: the workspace
  std::string command;
  std::vector<std::string> argv;  // instead of `command`
  std::string expectation;        // the key it stands under: "asked_or_denied"
  Decisions expected = 0;         // one of these
  std::string file;               // where its text, else its table, stands; as far as it is known
  int line = 0;
};

// Inside a protected call. A list of cases and of lists of cases. False: the faults say why, and
// `out` is of no use. Raises when the budget or the memory is gone.
bool read_cases(lua_State* state, int index, std::vector<PolicyCase>* out, Faults* faults);

}  // namespace gibbous::lua
