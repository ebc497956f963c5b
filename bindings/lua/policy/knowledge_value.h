// Reads what policies know about programs, variables and paths, from the table that
// scripts/meta/rule.lua calls Knowledge. Read once for each load. Entries of path classes stay as
// they are written, because one policy is asked about several places: the runtime's, and those of
// examples and cases. LastPathMap resolves them for one place. Loop thread only.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "bindings/lua/check/sandbox_value.h"
#include "bindings/lua/source/faults.h"
#include "runtime/command/analyse.h"
#include "runtime/command/knowledge.h"

struct lua_State;

namespace gibbous::lua {

// Inside a protected call. Returns false with faults, and `out` must not be used then. Raises when
// the budget or the memory is used up. `tested`: patterns are valid, and are compiled when they are
// needed.
bool read_knowledge(lua_State* state, int index, command::Knowledge* out, Faults* faults,
                    bool tested = false);

// Checks that every variable in the path classes is one of `variables`; those of git
// (runtime/paths/git_places.h) always are.
bool check_path_variables(const command::Knowledge& knowledge, const PathVariables& variables,
                          Faults* faults);

// The path classes of one place, with every variable of sandbox profiles. Set the result as
// Place::map; the place's own map is ignored. An unknown variable stands for no path.
std::shared_ptr<const command::PathMap> make_path_map(const command::Knowledge& knowledge,
                                                      const command::Place& place,
                                                      const PathVariables& variables);

// The map of the last place. The same place again costs a few string comparisons.
class LastPathMap {
 public:
  // Returns it, or a new one when something changed (such as a workspace that becomes a linked
  // worktree). `resolver` makes what resolves the paths of a new map, instead of place.resolve; may
  // be null.
  std::shared_ptr<const command::PathMap> at(
      const command::Knowledge& knowledge, const command::Place& place,
      const PathVariables& variables, decltype(command::Place::resolve) (*resolver)() = nullptr);
  void forget() { map_.reset(); }

 private:
  std::string workspace_;
  std::string home_;
  PathVariables variables_;
  std::shared_ptr<const command::PathMap> map_;
};

}  // namespace gibbous::lua
