// A group of version 2 that holds processes gives no controllers to groups below it, so the place
// is the nearest group above that hands them on; version 1 knows no such rule.
#include "runtime/process/cgroup_places.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <vector>

namespace gibbous {
namespace {

struct Mount {
  std::string root;  // of the hierarchy, as it is mounted
  std::string point;
  std::string type;     // "cgroup" or "cgroup2"
  std::string options;  // of the file system: the controllers of version 1
};

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

// mountinfo writes space, tab, newline and backslash as \NNN.
std::string unescape(std::string_view text) {
  constexpr std::size_t kEscapeLength = 4;
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + kEscapeLength <= text.size()) {
      const auto digit = [&](std::size_t at) { return (text[i + at] - '0') & 7; };
      plain += static_cast<char>((digit(1) << 6) | (digit(2) << 3) | digit(3));
      i += kEscapeLength - 1;
    } else {
      plain += text[i];
    }
  }
  return plain;
}

std::vector<Mount> cgroup_mounts(std::string_view mountinfo) {
  constexpr std::size_t kRootField = 3;
  constexpr std::size_t kPointField = 4;
  std::vector<Mount> mounts;
  for (const std::string& line : split(mountinfo, '\n')) {
    const std::size_t dash = line.find(" - ");
    if (dash == std::string::npos) continue;
    const auto before = split(std::string_view(line).substr(0, dash), ' ');
    const auto after = split(std::string_view(line).substr(dash + 3), ' ');
    if (before.size() <= kPointField || after.size() < 3) continue;
    if (after[0] != "cgroup" && after[0] != "cgroup2") continue;
    mounts.push_back(
        {unescape(before[kRootField]), unescape(before[kPointField]), after[0], after[2]});
  }
  return mounts;
}

// The directory of `group` as far as the mount shows it, or "".
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

  // `controller`: "" is none.
  CgroupPlace version2(const std::string& controller) const {
    for (const Mount& mount : mounts_) {
      if (mount.type != "cgroup2") continue;
      std::string directory = directory_of(mount, own_group(""));
      // "Process in the group" holds for the group itself, so groups are made below it or above.
      while (directory.size() >= mount.point.size()) {
        if (writable(directory) && (controller.empty() || hands_on(directory, controller))) {
          return {LimitMeans::kCgroup2, directory};
        }
        directory = parent_of(directory);
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

  // The path in a line "ID:CONTROLLERS:PATH"; version 2 names no controllers.
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

std::string read_all(const char* path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace

CgroupPlaces find_cgroup_places(std::string_view mountinfo, std::string_view own_groups) {
  const Finder finder(mountinfo, own_groups);
  CgroupPlaces places;
  places.memory = finder.controller("memory");
  places.cpu = finder.controller("cpu");
  places.pids = finder.controller("pids");
  places.kill = finder.version2("");
  return places;
}

CgroupPlaces find_cgroup_places() {
  const char* wanted = std::getenv("GIBBOUS_CGROUPS");
  if (wanted != nullptr && std::string_view(wanted) == "off") return {};
  return find_cgroup_places(read_all("/proc/self/mountinfo"), read_all("/proc/self/cgroup"));
}

}  // namespace gibbous
