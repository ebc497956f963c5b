// One open and one readlink resolve a path. The descriptor itself is granted, so that the path
// cannot change its meaning in between.
#include "runtime/sandbox/paths.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstring>
#include <memory>
#include <utility>

#include "runtime/base/listing.h"

namespace gibbous {
namespace {

// Returns the path of the open file; nothing when no path leads to it from here.
std::optional<std::string> path_of(int fd) {
  std::array<char, PATH_MAX> text;
  const std::string link = "/proc/self/fd/" + std::to_string(fd);
  const ssize_t size = ::readlink(link.c_str(), text.data(), text.size());
  if (size <= 0 || static_cast<std::size_t>(size) == text.size() || text[0] != '/') {
    return std::nullopt;
  }
  return std::string(text.data(), static_cast<std::size_t>(size));
}

bool means_missing(int error) {
  return error == ENOENT || error == ENOTDIR || error == EACCES || error == ELOOP;
}

}  // namespace

Result<std::optional<ResolvedPath>> resolve_path(const std::string& asked, const char* field) {
  const auto failed = [&](const char* why) {
    return Status::error("sandbox_unavailable", std::string(field) + ": " + asked + ": " + why);
  };
  ResolvedPath resolved;
  resolved.asked = without_slash(asked);
  resolved.fd.reset(::open(asked.c_str(), O_PATH | O_CLOEXEC));
  if (!resolved.fd) {
    if (means_missing(errno)) return std::optional<ResolvedPath>();
    return failed(std::strerror(errno));
  }
  struct stat file {};
  if (::fstat(resolved.fd.get(), &file) != 0) return failed(std::strerror(errno));
  // It was removed meanwhile.
  if (file.st_nlink == 0) return std::optional<ResolvedPath>();
  resolved.type = file.st_mode & S_IFMT;
  resolved.device = file.st_dev;
  resolved.inode = file.st_ino;
  auto path = path_of(resolved.fd.get());
  if (!path) return failed("its location cannot be determined");
  resolved.path = std::move(*path);
  return std::optional<ResolvedPath>(std::move(resolved));
}

std::string without_slash(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return path;
}

std::string parent_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == 0 || slash == std::string::npos ? "/" : path.substr(0, slash);
}

bool is_within(std::string_view path, std::string_view tree) {
  if (tree == "/") return true;
  return path.starts_with(tree) && (path.size() == tree.size() || path[tree.size()] == '/');
}

bool is_led_astray(const ResolvedPath& path, std::span<const ResolvedPath> trees) {
  if (!path.through_link()) return false;
  std::string above = path.asked;
  for (std::size_t slash = above.rfind('/'); slash != 0 && slash != std::string::npos;
       slash = above.rfind('/')) {
    above.resize(slash);
    const UniqueFd fd(::open(above.c_str(), O_PATH | O_CLOEXEC));
    const auto real = fd ? path_of(fd.get()) : std::nullopt;
    if (!real) return true;
    for (const ResolvedPath& tree : trees) {
      if (tree.path != path.path && is_within(*real, tree.path) &&
          !is_within(path.path, tree.path)) {
        return true;
      }
    }
  }
  return false;
}

std::string follow_links(const std::string& asked, const OnDirectory& enter,
                         const OnDirectory& on_link) {
  constexpr int kMaxLinks = 40;  // as the kernel stores it
  std::string at;
  std::string rest = asked;
  for (int links = 0; !rest.empty();) {
    const std::size_t slash = std::min(rest.find('/'), rest.size());
    const std::string name = rest.substr(0, slash);
    rest.erase(0, slash + 1);
    if (name.empty() || name == ".") continue;
    if (name == "..") {
      at.resize(at.empty() ? 0 : at.rfind('/'));
      continue;
    }
    enter(at);
    const std::string next = at + "/" + name;
    std::array<char, PATH_MAX> target;
    const ssize_t size = ::readlink(next.c_str(), target.data(), target.size());
    if (size <= 0 || ++links > kMaxLinks) {
      at = next;
      continue;
    }
    on_link(at);
    rest = std::string(target.data(), static_cast<std::size_t>(size)) + "/" + rest;
    if (rest.front() == '/') at.clear();
  }
  return at.empty() ? "/" : at;
}

std::string follow_links(const std::string& asked) {
  const auto ignore = [](const std::string&) {};
  return follow_links(asked, ignore, ignore);
}

bool configures_kernel(std::string_view type) {
  constexpr std::array<std::string_view, 13> kTypes = {
      "proc",     "sysfs",    "cgroup",    "cgroup2", "debugfs",     "tracefs", "securityfs",
      "configfs", "efivarfs", "selinuxfs", "bpf",     "binfmt_misc", "pstore"};
  return std::find(kTypes.begin(), kTypes.end(), type) != kTypes.end();
}

std::vector<std::string> children_of(const std::string& directory) {
  std::vector<std::string> children;
  const std::string prefix = directory == "/" ? directory : directory + "/";
  Listing listing(directory);
  while (const dirent* const entry = listing.next()) {
    if (entry->d_type != DT_LNK) children.push_back(prefix + entry->d_name);
  }
  return children;
}

}  // namespace gibbous
