// What policies know of programs, variables and paths, from the table that scripts/meta/rule.lua
// calls Knowledge. Read once a load; entries of path classes stay as they are written, since one
// policy is asked about several places: the runtime's, and those of examples and cases. PathMaps
// gives them their meaning in one place. Loop thread only.
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

// Inside a protected call. False: the faults say why, and `out` is of no use. Raises when the
// budget or the memory is gone. `tested`: patterns are right, and compiled when they are needed.
bool read_knowledge(lua_State* state, int index, command::Knowledge* out, Faults* faults,
                    bool tested = false);

// Every variable in the path classes is one of `variables`; those of git (add_git_places) are
// always.
bool check_path_variables(const command::Knowledge& knowledge, const PathVariables& variables,
                          Faults* faults);

// The path classes of one place, with every variable that sandbox profiles have. To be set as
// Place::map; the place's own map is not looked at. One that is not known has no places.
std::shared_ptr<const command::PathMap> make_path_map(const command::Knowledge& knowledge,
                                                      const command::Place& place,
                                                      const PathVariables& variables);

// The map of the place that was asked for last; a new one only when something moved (a workspace
// that becomes a linked worktree). Asking for the same place costs a few string comparisons.
class PathMaps {
 public:
  explicit PathMaps(std::shared_ptr<const command::Knowledge> knowledge)
      : knowledge_(std::move(knowledge)) {}
  std::shared_ptr<const command::PathMap> at(const command::Place& place,
                                             const PathVariables& variables);

 private:
  std::shared_ptr<const command::Knowledge> knowledge_;
  std::string workspace_;
  std::string home_;
  PathVariables variables_;
  std::shared_ptr<const command::PathMap> map_;
};

}  // namespace gibbous::lua
