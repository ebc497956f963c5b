// What git would obey if a person started it in the repositories of a workspace: its configuration
// and what that names, hooks, attributes, the steps of a rebase. One fingerprint for each, to be
// compared with an earlier one. Any thread; reads small files for as long as their file systems
// take.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace gibbous::paths {

struct GitPlaces;

struct Obeyed {
  // "/home/ann/app//.git/hooks/update": "//" stands behind the repository's directory. A key of a
  // configuration follows it: "/home/ann/app//.git/config core.pager". That of a repository itself
  // ends with ".git", or with "//".
  std::string path;
  std::string hash;
  // In Unix milliseconds: when it, or a directory around it that could be another one, was changed
  // last. No program can set that.
  std::int64_t changed = 0;
  bool is_repository = false;
};

inline constexpr std::size_t kMaxObeyed = 384;

// Returns one more than kMaxObeyed when there are more. Keys that make git run nothing and
// go nowhere else (user.name, branch.x.merge) are left out as long as they are written as git
// writes them.
std::vector<Obeyed> find_obeyed(const GitPlaces& places, const std::string& workspace);

}  // namespace gibbous::paths
