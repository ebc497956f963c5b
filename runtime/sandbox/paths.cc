// One open and one readlink resolve a path. The descriptor itself is granted, so that the path
// cannot change its meaning in between.
#include "runtime/sandbox/paths.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstring>
#include <memory>
#include <utility>

#include "runtime/base/mounts.h"

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

bool configures_kernel(std::string_view type) {
  constexpr std::array<std::string_view, 13> kTypes = {
      "proc",     "sysfs",    "cgroup",    "cgroup2", "debugfs",     "tracefs", "securityfs",
      "configfs", "efivarfs", "selinuxfs", "bpf",     "binfmt_misc", "pstore"};
  return std::find(kTypes.begin(), kTypes.end(), type) != kTypes.end();
}

}  // namespace

Result<std::optional<ResolvedPath>> resolve_path(const std::string& asked, const char* field) {
  const auto failed = [&](const char* why) {
    return Status::error("sandbox_unavailable", std::string(field) + ": " + asked + ": " + why);
  };
  ResolvedPath resolved;
  resolved.asked = asked;
  while (resolved.asked.size() > 1 && resolved.asked.back() == '/') resolved.asked.pop_back();
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

std::string parent_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == 0 || slash == std::string::npos ? "/" : path.substr(0, slash);
}

bool is_within(std::string_view path, std::string_view tree) {
  if (tree == "/") return true;
  return path.starts_with(tree) && (path.size() == tree.size() || path[tree.size()] == '/');
}

bool is_within_any(std::string_view path, std::span<const ResolvedPath> trees) {
  return std::any_of(trees.begin(), trees.end(),
                     [&](const ResolvedPath& tree) { return is_within(path, tree.path); });
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

Way follow(const std::string& asked, std::span<const ResolvedPath> trees) {
  constexpr int kMaxLinks = 40;  // as the kernel stores it
  Way way;
  std::string rest = asked;
  for (int links = 0; !rest.empty();) {
    const std::size_t slash = std::min(rest.find('/'), rest.size());
    const std::string name = rest.substr(0, slash);
    rest.erase(0, slash + 1);
    if (name.empty() || name == ".") continue;
    if (name == "..") {
      way.path.resize(way.path.empty() ? 0 : way.path.rfind('/'));
      continue;
    }
    const std::string next = way.path + "/" + name;
    std::array<char, PATH_MAX> target;
    const ssize_t size = ::readlink(next.c_str(), target.data(), target.size());
    if (size <= 0 || ++links > kMaxLinks) {
      way.path = next;
      continue;
    }
    way.link_within = way.link_within || is_within_any(way.path, trees);
    rest = std::string(target.data(), static_cast<std::size_t>(size)) + "/" + rest;
    if (rest.front() == '/') way.path.clear();
  }
  if (way.path.empty()) way.path = "/";
  return way;
}

void Neighbours::expect(const std::vector<std::string>& paths) {
  for (const std::string& path : paths) {
    const std::size_t slash = path.rfind('/');
    if (slash != std::string::npos && slash != 0) ++directories_[path.substr(0, slash)].expected;
  }
}

bool Neighbours::may_exist(const std::string& path) {
  constexpr std::size_t kMaxNames = 2000;
  constexpr std::size_t kWorthReading = 5;
  const std::size_t slash = path.rfind('/');
  const std::string name = path.substr(slash + 1);
  if (slash == std::string::npos || slash == 0 || name.empty() || name == "." || name == "..") {
    return true;
  }
  const auto entry = directories_.find(path.substr(0, slash));
  if (entry == directories_.end()) return true;
  Directory& directory = entry->second;
  // A directory that does not exist is empty.
  if (directory.expected < kWorthReading) return may_exist(entry->first);
  if (!std::exchange(directory.read, true)) {
    const std::unique_ptr<DIR, int (*)(DIR*)> stream(::opendir(entry->first.c_str()), &::closedir);
    directory.known = stream != nullptr || errno == ENOENT || errno == ENOTDIR;
    while (const dirent* const found = stream ? ::readdir(stream.get()) : nullptr) {
      directory.names.insert(found->d_name);
      if (directory.names.size() <= kMaxNames) continue;
      directory.known = false;
      break;
    }
  }
  return !directory.known || directory.names.contains(name);
}

Way Neighbours::follow_missing(const std::string& path, std::span<const ResolvedPath> trees) {
  const std::size_t slash = path.rfind('/');
  const auto [entry, fresh] = ways_.try_emplace(path.substr(0, slash));
  if (fresh) entry->second = follow(entry->first, trees);
  Way way = entry->second;
  way.path += (way.path == "/" ? "" : "/") + path.substr(slash + 1);
  return way;
}

Way Neighbours::follow_name(const std::string& path, std::span<const ResolvedPath> trees) {
  std::string name = path;
  while (name.size() > 1 && name.back() == '/') name.pop_back();
  Way way = follow_missing(name, trees);
  std::array<char, 1> start;
  const bool is_link = ::readlink(way.path.c_str(), start.data(), start.size()) >= 0;
  return is_link || name.ends_with("/..") || name.ends_with("/.") ? follow(path, trees) : way;
}

std::vector<std::string> kernel_mounts() {
  std::vector<std::string> points;
  for (Mount& mount : own_mounts()) {
    if (configures_kernel(mount.type)) points.push_back(std::move(mount.point));
  }
  return points;
}

std::vector<std::string> children_of(const std::string& directory) {
  std::vector<std::string> children;
  const std::unique_ptr<DIR, int (*)(DIR*)> stream(::opendir(directory.c_str()), &::closedir);
  if (!stream) return children;
  const std::string prefix = directory == "/" ? directory : directory + "/";
  while (const dirent* const entry = ::readdir(stream.get())) {
    const std::string_view name(entry->d_name);
    if (name == "." || name == ".." || entry->d_type == DT_LNK) continue;
    children.push_back(prefix + entry->d_name);
  }
  return children;
}

}  // namespace gibbous
