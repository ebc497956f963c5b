// In version 2, a group that contains processes gives no controllers to groups below it, so new
// groups go below the nearest ancestor that passes the controllers on. Version 1 has no such rule.
#include "runtime/process/cgroup_places.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <vector>

#include "runtime/base/mounts.h"

namespace gibbous {
namespace {

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(separator, at), text.size());
    if (end > at) parts.emplace_back(text.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

bool has(const std::vector<std::string>& list, std::string_view what) {
  return std::find(list.begin(), list.end(), what) != list.end();
}

std::vector<Mount> cgroup_mounts(std::string_view mountinfo) {
  std::vector<Mount> mounts = parse_mounts(mountinfo);
  std::erase_if(
      mounts, [](const Mount& mount) { return mount.type != "cgroup" && mount.type != "cgroup2"; });
  return mounts;
}

// Returns the directory of `group` as far as the mount shows it, or "".
std::string directory_of(const Mount& mount, const std::string& group) {
  std::string_view below = group;
  if (mount.root != "/") {
    if (!below.starts_with(mount.root)) return "";
    below.remove_prefix(mount.root.size());
  }
  while (!below.empty() && below.back() == '/') below.remove_suffix(1);
  return mount.point + std::string(below);
}

bool writable(const std::string& directory) {
  return !directory.empty() && ::access(directory.c_str(), W_OK | X_OK) == 0;
}

bool hands_on(const std::string& directory, std::string_view controller) {
  std::ifstream file(directory + "/cgroup.subtree_control");
  std::string line;
  std::getline(file, line);
  return has(split(line, ' '), controller);
}

std::string parent_of(const std::string& directory) {
  return directory.substr(0, directory.rfind('/'));
}

class Finder {
 public:
  Finder(std::string_view mountinfo, std::string_view own_groups)
      : mounts_(cgroup_mounts(mountinfo)), own_(split(own_groups, '\n')) {}

  CgroupPlace controller(const std::string& name) const {
    const CgroupPlace second = version2(name);
    return second.ok() ? second : version1(name);
  }

  // `controller` "" means none.
  CgroupPlace version2(const std::string& controller) const {
    for (const Mount& mount : mounts_) {
      if (mount.type != "cgroup2") continue;
      std::string directory = directory_of(mount, own_group(""));
      if (directory.ends_with(std::string("/") + kKeeperLeaf)) directory = parent_of(directory);
      // A group with processes cannot pass controllers on, so new groups go below it or above it.
      while (directory.size() >= mount.point.size()) {
        if (writable(directory) && (controller.empty() || hands_on(directory, controller))) {
          return {LimitMeans::kCgroup2, directory};
        }
        directory = parent_of(directory);
      }
    }
    return {};
  }

  // The nearest group that counts what was killed for memory.
  CgroupPlace memory_around() const {
    for (const Mount& mount : mounts_) {
      const bool second = mount.type == "cgroup2";
      if (!second && !has(split(mount.options, ','), "memory")) continue;
      std::string directory = directory_of(mount, own_group(second ? "" : "memory"));
      if (directory.ends_with(std::string("/") + kKeeperLeaf)) directory = parent_of(directory);
      const char* counts = second ? "/memory.events" : "/memory.oom_control";
      for (; directory.size() >= mount.point.size(); directory = parent_of(directory)) {
        if (::access((directory + counts).c_str(), R_OK) != 0) continue;
        return {second ? LimitMeans::kCgroup2 : LimitMeans::kCgroup1, directory};
      }
    }
    return {};
  }

 private:
  CgroupPlace version1(const std::string& name) const {
    for (const Mount& mount : mounts_) {
      if (mount.type != "cgroup" || !has(split(mount.options, ','), name)) continue;
      for (const std::string& directory : {directory_of(mount, own_group(name)), mount.point}) {
        if (writable(directory)) return {LimitMeans::kCgroup1, directory};
      }
    }
    return {};
  }

  // Returns the path in a line "ID:CONTROLLERS:PATH"; version 2 names no controllers.
  std::string own_group(const std::string& controller) const {
    for (const std::string& line : own_) {
      const std::size_t first = line.find(':');
      const std::size_t second = line.find(':', first + 1);
      if (second == std::string::npos) continue;
      const std::string names = line.substr(first + 1, second - first - 1);
      if (controller.empty() ? names.empty() : has(split(names, ','), controller)) {
        return line.substr(second + 1);
      }
    }
    return "/";
  }

  std::vector<Mount> mounts_;
  std::vector<std::string> own_;
};

}  // namespace

CgroupPlaces find_cgroup_places(std::string_view mountinfo, std::string_view own_groups) {
  const Finder finder(mountinfo, own_groups);
  CgroupPlaces places;
  places.memory = finder.controller("memory");
  places.cpu = finder.controller("cpu");
  places.pids = finder.controller("pids");
  places.kill = finder.version2("");
  places.memory_around = finder.memory_around();
  return places;
}

bool are_cgroups_off() {
  const char* wanted = std::getenv("GIBBOUS_CGROUPS");
  return wanted != nullptr && std::string_view(wanted) == "off";
}

std::string version2_group(std::string_view groups) {
  for (const std::string& line : split(groups, '\n')) {
    if (line.starts_with("0::")) return line.substr(3);
  }
  return "";
}

std::string version2_directory(std::string_view mountinfo, const std::string& group) {
  for (const Mount& mount : cgroup_mounts(mountinfo)) {
    if (mount.type != "cgroup2") continue;
    std::string directory = directory_of(mount, group);
    if (!directory.empty() && ::access(directory.c_str(), F_OK) == 0) return directory;
  }
  return "";
}

CgroupPlaces find_cgroup_places() {
  if (are_cgroups_off()) return {};
  return find_cgroup_places(read_small_file("/proc/self/mountinfo"),
                            read_small_file("/proc/self/cgroup"));
}

}  // namespace gibbous
