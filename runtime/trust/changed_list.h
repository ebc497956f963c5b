// ChangedList: what git obeys in repositories (runtime/paths/obeyed.h) and sandboxed runs have
// changed or made, in the file `changed` of the state directory, which every process of this user
// shares (runtime/base/state_table.h). A person who has looked at a thing removes its line, or the
// file. Any thread; waits for the disk.
//
//   gibbous-changed 1
//   /home/ann/app<TAB>9f86d081…<TAB>/home/ann/app//.git/hooks/pre-commit
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "gibbous/status.h"
#include "runtime/base/state_table.h"

namespace gibbous::trust {

inline constexpr std::size_t kMaxChanged = 4000;

struct Changed {
  std::string workspace;
  std::string before;  // the hash that it had; "-": it was not there
  std::string path;    // paths::Obeyed::path
};

// The directory that is not what it was: the thing's repository, or the workspace where that is not
// below it.
std::string directory_of(const Changed& changed);

class ChangedList {
 public:
  // `directory`: the state directory, absolute.
  explicit ChangedList(std::string directory) : directory_(std::move(directory)) {}

  // Fails with changed_damaged, changed_newer, state_dir_unusable or state_file_unusable.
  // `mark` tells later whether the file is still the same; may be null.
  Result<std::vector<Changed>> list(StateMark* mark = nullptr) const;
  // `edit` receives what is there and returns whether to write it. The oldest go when there are too
  // many. Also fails with state_busy.
  Status change(const std::function<bool(std::vector<Changed>&)>& edit) const;
  std::string path() const { return directory_ + "/changed"; }

 private:
  std::string directory_;
};

}  // namespace gibbous::trust
