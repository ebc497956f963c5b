// Finds where git keeps things for a workspace: in its .git, in the repositories of its submodules,
// in those of its worktrees, and in repositories below it. A workspace that is a linked worktree
// (`git worktree add`) has a .git that is a file and names a directory of another repository, where
// a commit writes. Any thread; reads small files and directories for as long as their file systems
// take.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "runtime/paths/obeyed.h"

namespace gibbous::paths {

// Stands for repositories below the workspace that are in no list.
inline constexpr const char* kAnywhere = "/";

// By the name of the variable in sandbox profiles; each list is there, and may be empty:
//   GIT_DIRS      the directories in which git looks for what it obeys: that of the repository and,
//                 of the others, at most 63
//   GIT_LINK      .git files: the workspace's and those below it
//   GIT_WORKTREE  the directory that the workspace's file names, and
//   GIT_COMMON    its repository's own: none when the workspace is no linked worktree
//   GIT_NESTED    the .git directories of the repositories below, and bare repositories there
//   GIT_ELSEWHERE .git files and links below that lead to nothing, or to what is not known; "/" is
//                 one when there may be repositories below that are in none of these lists
//   GIT_OWN       the workspace's .git directory, when there is one
// Believes the workspace's file only when the directory names it in turn, which git ensures: a
// program that may write only the workspace cannot forge that anywhere else.
struct GitPlaces {
  std::map<std::string, std::vector<std::string>> variables;
  bool complete = true;  // false: there may be more
  std::vector<Obeyed> obeyed;
};

GitPlaces find_git_places(const std::string& workspace);
// Without those below it, which take time, and what git obeys.
GitPlaces find_own_git_places(const std::string& workspace);
// Whether the places are still those of the workspace, as far as a short look tells: its own are,
// and there is no other repository in one of its directories, or beside one that was found.
bool still_holds(const GitPlaces& found, const std::string& workspace);

// The .git of each repository that was found: a directory, a link, or the file of a submodule or
// worktree. Of bare ones, and of those that git keeps for submodules and worktrees, the directory.
std::vector<std::string> repositories_in(const GitPlaces& found);

// Between a process and its helpers. What is not such a text is an incomplete answer.
std::string to_text(const GitPlaces& found);
GitPlaces git_places_of(const std::string& text);

}  // namespace gibbous::paths
