// MadeStore: the repositories that sandboxed runs have made, in the file `made` of the state
// directory, which every process of this user shares: nobody has seen what is in them. It is
// replaced whole under a lock and signed with the key of the directory, which every sandbox hides.
// Any thread; waits for the disk.
//
//   gibbous-made 1 9f86d081…
//   made<TAB>when=1790000000<TAB>run=r_4x<TAB>path=/work/app/vendor/lib
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "gibbous/status.h"

namespace gibbous::trust {

inline constexpr std::size_t kMaxMade = 4000;
inline constexpr std::size_t kMaxMadeFileBytes = std::size_t{8} << 20;

struct Made {
  std::string path;  // absolute
  std::string run;
  std::int64_t when = 0;  // Unix seconds
};

class MadeStore {
 public:
  // `directory`: the state directory, absolute.
  explicit MadeStore(std::string directory) : directory_(std::move(directory)) {}

  // Fails with made_damaged, made_newer, state_dir_unusable or state_file_unusable.
  Result<std::vector<Made>> list() const;
  // `edit` receives what is there and returns whether to write it. The oldest go when there are too
  // many. Also fails with state_busy.
  Status change(const std::function<bool(std::vector<Made>&)>& edit) const;
  std::string path() const { return directory_ + "/made"; }

 private:
  std::string directory_;
};

// Pure.
std::string encode_made(const std::vector<Made>& all, std::string_view key);
Result<std::vector<Made>> decode_made(std::string_view text, std::string_view key);

}  // namespace gibbous::trust
