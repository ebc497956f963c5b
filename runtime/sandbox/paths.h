// The paths of a profile as the file system has them now. For prepare.cc.
#pragma once

#include <sys/stat.h>

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "gibbous/status.h"
#include "runtime/base/unique_fd.h"

namespace gibbous {

struct ResolvedPath {
  std::string asked;
  std::string path;  // without symbolic links
  UniqueFd fd;       // O_PATH
  mode_t type = 0;   // S_IFDIR, …
  dev_t device = 0;
  ino_t inode = 0;

  bool is_directory() const { return S_ISDIR(type); }
  bool through_link() const { return asked != path; }
};

// Returns nothing if the path does not exist, or not for this user. An error names `field`.
Result<std::optional<ResolvedPath>> resolve_path(const std::string& asked, const char* field);

// Returns the directory that an absolute path is in.
std::string parent_of(const std::string& path);

// Returns true for a path that is `tree` or below it. Both must be without symbolic links and
// without a trailing '/'.
bool is_within(std::string_view path, std::string_view tree);
bool is_within_any(std::string_view path, std::span<const ResolvedPath> trees);

// Returns true if `path` was reached through a link that is in one of `trees` and leads out of it:
// a program in an earlier sandbox could have made such a link.
bool is_led_astray(const ResolvedPath& path, std::span<const ResolvedPath> trees);

// Follows a path link by link as far as it exists, and keeps the rest unchanged.
struct Way {
  std::string path;
  bool link_within = false;  // one of its links is in `trees`
};
Way follow(const std::string& asked, std::span<const ResolvedPath> trees);

// The contents and location of directories, read once for each preparation: profiles name a hundred
// files of which a machine has ten, and most are in the same few directories.
class Neighbours {
 public:
  // Announces the lookups: a directory is read only if that saves more than it costs.
  void expect(const std::vector<std::string>& paths);
  // Returns false when the name does not exist now, true when it may.
  bool may_exist(const std::string& path);
  // Like follow(), for a path whose last name does not exist.
  Way follow_missing(const std::string& path, std::span<const ResolvedPath> trees);
  // Like follow(): whoever asks about several names in a directory follows the way there once.
  Way follow_name(const std::string& path, std::span<const ResolvedPath> trees);

 private:
  struct Directory {
    std::size_t expected = 0;
    bool read = false;
    bool known = false;  // else it could not be read, or has too many names
    std::unordered_set<std::string> names;
  };
  std::unordered_map<std::string, Directory> directories_;
  std::unordered_map<std::string, Way> ways_;
};

// Returns where the file systems that configure the kernel itself are mounted.
std::vector<std::string> kernel_mounts();

// Lists the direct entries of a directory, without links.
std::vector<std::string> children_of(const std::string& directory);

}  // namespace gibbous
