// Which files a sandbox grants, as a Landlock ruleset. A tree that may be read, and in which the
// profile hides something, is granted child by child along the way to what is hidden: that is left
// out whether it exists or not, and so is whatever another process makes in those directories
// later. Their names can be listed. For prepare.cc.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "gibbous/status.h"
#include "runtime/base/unique_fd.h"
#include "runtime/sandbox/paths.h"
#include "runtime/sandbox/sandbox.h"

namespace gibbous {

namespace paths {
class MountTable;
}

class Lookups;

// What a sandbox grants; everything else is refused.
struct Grants {
  std::uint32_t landlock_abi = 0;
  SandboxNetwork network = SandboxNetwork::kOn;
  std::span<const ResolvedPath> read;
  std::span<const ResolvedPath> write;
  std::span<const std::string> devices;  // as far as they exist
  // Trees of the session's own that stand in the place of others: to be changed, and to be read.
  std::span<const UniqueFd* const> own_write;
  std::span<const UniqueFd* const> own_read;
  std::span<const std::string> hidden;        // absolute, as asked
  Lookups* lookups = nullptr;                 // finds out where they are
  const paths::MountTable* mounts = nullptr;  // null: to be read
  std::size_t added = 0;  // rules that the child adds, for its terminals and layers (enter.cc)
};

struct Ruleset {
  UniqueFd fd;
  std::uint64_t device_rights = 0;  // for rules that the child adds
  std::uint64_t write_rights = 0;
  // Mounts of other machines and processes, which are not granted: to open one can take for ever.
  std::vector<std::string> left_out;
  // Directories with too many entries to grant them one by one: all in them is granted.
  std::vector<std::string> whole;
};

// Keeps the newest rulesets: most starts of a keeper grant the same, and nothing has changed on the
// way. One thread.
class Rulesets {
 public:
  Result<std::shared_ptr<const Ruleset>> get(const Grants& grants);

 private:
  // A directory that a ruleset was made from, as it was.
  struct Seen {
    std::string path;
    dev_t device = 0;
    ino_t inode = 0;  // 0: there was none
    std::int64_t changed_ns = 0;
  };
  struct Kept {
    std::string key;
    std::vector<Seen> seen;
    std::size_t added = 0;
    std::shared_ptr<const Ruleset> ruleset;
  };
  class Maker;
  static Seen look(const std::string& path);
  static bool is_current(const Kept& kept);

  std::vector<Kept> kept_;  // the newest last
};

}  // namespace gibbous
