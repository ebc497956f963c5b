// Finds the git repositories below a directory. Any thread; reads directories for up to
// kSearchTime, longer where a file system or the machine is slow.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace gibbous::paths {

inline constexpr std::chrono::milliseconds kSearchTime{20};
// What is spent between two looks counts as no more than this: the rest is the machine's, which
// gave the processor to others or stood still.
inline constexpr std::chrono::milliseconds kMostForOne{2};
inline constexpr std::size_t kMaxRepositories = 64;

// The time that a search has spent.
class SearchTime {
 public:
  using Time = std::chrono::steady_clock::time_point;

  explicit SearchTime(Time now) : last_(now) {}
  // Whether kSearchTime was spent. Call it after each step.
  bool is_over(Time now) {
    spent_ += std::min<Time::duration>(now - std::exchange(last_, now), kMostForOne);
    return spent_ >= kSearchTime;
  }

 private:
  Time last_;
  Time::duration spent_{0};
};

struct Repositories {
  // Each .git below the directory, but its own: a directory, or the file of a submodule or
  // worktree.
  std::vector<std::string> places;
  // Links with that name; they lead to repositories that are elsewhere, or will be.
  std::vector<std::string> links;
  // Directories that git takes for a repository when it is run in them, among them the directory
  // itself: those of bare repositories.
  std::vector<std::string> bare;
  bool complete = true;   // false: there may be more, farther down
  bool too_many = false;  // there are more than kMaxRepositories, of whatever kind
};

// Looks at what is nearest to `directory` first. Follows no links, and enters nothing that is
// mounted from another machine or process.
Repositories find_repositories(const std::string& directory);

}  // namespace gibbous::paths
