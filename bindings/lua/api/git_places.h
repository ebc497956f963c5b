// Finds where git keeps things for a workspace: in its .git, in the repositories of its submodules,
// in those of its worktrees. A workspace that is a linked worktree (`git worktree add`) has a .git
// that is a file and names a directory of another repository, where a commit writes. Each start
// looks anew, for the variables of sandbox profiles. Any thread; reads a few small files and
// directories.
#pragma once

#include <string>

#include "bindings/lua/check/sandbox_value.h"
#include "runtime/paths/repositories.h"

namespace gibbous::lua {

// Sets GIT_DIRS, the directories in which git looks for what it obeys: that of the repository and,
// of the others, at most 63. And sets GIT_LINK (the file), GIT_WORKTREE (the directory that it
// names) and GIT_COMMON (the repository's own): each one place, or none when the workspace is no
// linked worktree. Believes the file only when the directory names it in turn, which git ensures: a
// program that may write only the workspace cannot forge that anywhere else.
// `below` are the repositories below the workspace: GIT_DIRS has theirs, too, GIT_NESTED their .git
// directories, and GIT_LINK their .git files. Returns false when there are more than GIT_DIRS has.
bool add_git_places(const std::string& workspace, const paths::Repositories& below,
                    PathVariables& variables);

}  // namespace gibbous::lua
