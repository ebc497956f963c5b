// Finds where git keeps things for a workspace that is a linked worktree (`git worktree add`): its
// .git is a file that names a directory of another repository, and a commit writes there. Each
// start looks anew, for the variables of sandbox profiles. Any thread; reads three small files at
// most.
#pragma once

#include <string>

#include "bindings/lua/check/sandbox_value.h"

namespace gibbous::lua {

// Sets GIT_LINK (the file), GIT_WORKTREE (the directory that it names) and GIT_COMMON (the
// repository's own): each one place, or none when the workspace is no linked worktree. Believes the
// file only when the directory names it in turn, which git ensures: a program that may write only
// the workspace cannot forge that anywhere else.
void add_git_places(const std::string& workspace, PathVariables& variables);

}  // namespace gibbous::lua
