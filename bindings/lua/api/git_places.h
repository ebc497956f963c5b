// Where git keeps things for a workspace that is a linked worktree (`git worktree add`): its .git
// is a file that names a directory of another repository, and a commit writes there. Looked at anew
// for each start, for a sandbox profile's variables. Any thread; reads three small files at most.
#pragma once

#include <string>

#include "bindings/lua/check/sandbox_value.h"

namespace gibbous::lua {

// Sets GIT_LINK (the file), GIT_WORKTREE (the directory that it names) and GIT_COMMON (the
// repository's own): each one place, or none when the workspace is no linked worktree. The file is
// only believed when the directory names it in turn, as git sees to it: a program that may write
// the workspace alone cannot forge that anywhere else.
void add_git_places(const std::string& workspace, PathVariables& variables);

}  // namespace gibbous::lua
