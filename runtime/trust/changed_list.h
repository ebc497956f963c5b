// ChangedList: what git obeys in repositories (runtime/paths/obeyed.h) and sandboxed runs have
// changed or made, in the file `changed` of the state directory, which every process of this user
// shares. A person who has looked at a thing removes its line, or the file. It is replaced whole
// under a lock. Any thread; waits for the disk.
//
//   gibbous-changed 1
//   /home/ann/app<TAB>9f86d081…<TAB>/home/ann/app//.git/hooks/pre-commit
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "gibbous/status.h"

namespace gibbous::trust {

inline constexpr std::size_t kMaxChanged = 4000;
inline constexpr std::size_t kMaxChangedFileBytes = std::size_t{8} << 20;

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

  // Fails with changed_damaged, state_dir_unusable or state_file_unusable.
  Result<std::vector<Changed>> list() const;
  // `edit` receives what is there and returns whether to write it. The oldest go when there are too
  // many. Also fails with state_busy.
  Status change(const std::function<bool(std::vector<Changed>&)>& edit) const;
  std::string path() const { return directory_ + "/changed"; }

 private:
  std::string directory_;
};

// Pure.
std::string encode_changed(const std::vector<Changed>& all);
Result<std::vector<Changed>> decode_changed(std::string_view text);

}  // namespace gibbous::trust
