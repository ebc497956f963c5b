// The paths of a profile as the file system has them now. For prepare.cc.
#pragma once

#include <sys/stat.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gibbous/status.h"
#include "runtime/base/unique_fd.h"

namespace gibbous {

struct KnownPath {
  std::string asked;  // without a trailing '/'
  std::string path;   // without symbolic links
  mode_t type = 0;    // S_IFDIR, …

  bool is_directory() const { return S_ISDIR(type); }
  bool through_link() const { return asked != path; }
};

struct ResolvedPath : KnownPath {
  UniqueFd fd;  // O_PATH
  dev_t device = 0;
  ino_t inode = 0;
};

// Returns nothing if the path does not exist, or not for this user. An error names `field`.
Result<std::optional<ResolvedPath>> resolve_path(const std::string& asked, const char* field);

// Returns a path without '/' at its end.
std::string without_slash(std::string path);

// Returns the directory that an absolute path is in.
std::string parent_of(const std::string& path);

// Returns true for a path that is `tree` or below it. Both must be without symbolic links and
// without a trailing '/'.
bool is_within(std::string_view path, std::string_view tree);
// These take lists of paths, as text or of what has one.
inline std::string_view path_text(std::string_view path) {
  return path;
}
template <typename Known>
requires requires(const Known& known) {
  known.path;
}
std::string_view path_text(const Known& known) {
  return known.path;
}
template <typename Paths>
bool is_within_any(std::string_view path, const Paths& trees) {
  return std::any_of(trees.begin(), trees.end(),
                     [path](const auto& tree) { return is_within(path, path_text(tree)); });
}
template <typename Paths>
bool holds_any_of(std::string_view tree, const Paths& paths) {
  return std::any_of(paths.begin(), paths.end(),
                     [tree](const auto& path) { return is_within(path_text(path), tree); });
}
template <typename Paths>
bool is_one_of(std::string_view path, const Paths& paths) {
  return std::any_of(paths.begin(), paths.end(),
                     [path](const auto& each) { return path_text(each) == path; });
}

// Returns true if `path` was reached through a link that is in one of `trees` and leads out of it:
// a program in an earlier sandbox could have made such a link.
bool is_led_astray(const ResolvedPath& path, std::span<const ResolvedPath> trees);

// Follows a path link by link as far as it exists, and keeps the rest unchanged. Calls `enter` with
// each directory before a name is looked up in it ("" is the root), and `on_link` with those that a
// link is in.
using OnDirectory = std::function<void(const std::string& directory)>;
std::string follow_links(const std::string& asked, const OnDirectory& enter,
                         const OnDirectory& on_link);

std::string follow_links(const std::string& asked);

// True for the types of file systems that configure the kernel itself.
bool configures_kernel(std::string_view type);

// Lists the direct entries of a directory, without links.
std::vector<std::string> children_of(const std::string& directory);

}  // namespace gibbous
