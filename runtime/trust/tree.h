// Tree: all files below the directory of a configuration layer, read once, with a hash over their
// names, modes and bytes. What is used of a layer is what is in here and nothing else, so that it
// is what was hashed. Any thread; waits for the disk.
#pragma once

#include <sys/stat.h>

#include <cstddef>
#include <string>
#include <vector>

#include "gibbous/status.h"

namespace gibbous::trust {

inline constexpr std::size_t kMaxTreeFiles = 256;
inline constexpr std::size_t kMaxTreeEntries = 512;  // with directories
inline constexpr std::size_t kMaxTreeDepth = 8;
inline constexpr std::size_t kMaxTreeFileBytes = std::size_t{1} << 20;
inline constexpr std::size_t kMaxTreeBytes = std::size_t{4} << 20;

struct TreeFile {
  std::string name;  // relative: "policies/init.lua"
  mode_t mode = 0;   // permissions
  std::string bytes;
  std::string hash;  // of the mode and the bytes
};

struct Tree {
  std::string directory;        // as it was asked for
  std::vector<TreeFile> files;  // sorted by name
  std::string hash;

  const TreeFile* find(const std::string& name) const;
};

// kRoot: everything must belong to root, and no other user may write to it.
enum class TreeOwner { kAnybody, kRoot };

// Fails with layer_missing where there is nothing, and else with layer_unusable: something in it
// that is neither a regular file nor a directory (a symbolic link, too: it would lead out of what
// is hashed), too many or too large files, an unreadable one, or another owner.
Result<Tree> read_tree(const std::string& directory, TreeOwner owner);
// The same for one file, whose name in the tree is that of the path.
Result<Tree> read_single(const std::string& path);

// The names of files that were added ("+ name"), removed ("- name") or changed ("~ name") between
// two lists of names and hashes.
struct NamedHash {
  std::string name;
  std::string hash;
};
std::vector<NamedHash> hashes_of(const Tree& tree);
std::vector<std::string> differences(const std::vector<NamedHash>& before,
                                     const std::vector<NamedHash>& after);

}  // namespace gibbous::trust
