#include "runtime/keeper/session_sockets.h"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <string_view>
#include <unordered_map>

#include "runtime/base/mounts.h"
#include "runtime/process/usage_ports.h"
#include "runtime/sandbox/temporary.h"

namespace gibbous::keeper {
namespace {

constexpr std::size_t kMostSockets = 64;
constexpr std::size_t kMostProcesses = 512;

constexpr std::array<std::string_view, 26> kCommanding = {
    "tmux",     "screen",  "emacs",      "nvim",    "vim",       "code",      "kitty",
    "wezterm",  "zellij",  "dtach",      "abduco",  "ssh-agent", "gpg-agent", "ssh",
    "dbus-",    "dockerd", "containerd", "podman",  "docker",    "Xorg",      "Xvfb",
    "Xwayland", "sway",    "systemd",    "gibbous", "i3"};

bool carries_out_commands(pid_t pid) {
  std::string name = read_small_file(("/proc/" + std::to_string(pid) + "/comm").c_str());
  return std::any_of(kCommanding.begin(), kCommanding.end(),
                     [&](std::string_view each) { return name.starts_with(each); });
}

std::string_view next_field(std::string_view& line) {
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  const std::string_view field = line.substr(0, line.find(' '));
  line.remove_prefix(field.size());
  return field;
}

// Num: RefCount Protocol Flags Type St Inode Path
std::unordered_map<std::uint64_t, std::string> listening() {
  constexpr std::string_view kAccepts = "00010000";
  constexpr std::string_view kDatagram = "0002";
  std::unordered_map<std::uint64_t, std::string> found;
  const std::string all = read_small_file("/proc/net/unix");
  std::string_view rest(all);
  while (!rest.empty() && found.size() < kMostSockets) {
    std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    if (line.find(" /") == std::string_view::npos || !names_temporary(line)) continue;
    std::array<std::string_view, 7> fields;
    for (std::string_view& field : fields) field = next_field(line);
    if (line.empty() || (fields[3] != kAccepts && fields[4] != kDatagram)) continue;
    std::string path(line.substr(1));
    std::uint64_t inode = 0;
    std::from_chars(fields[6].data(), fields[6].data() + fields[6].size(), inode);
    const bool inside = std::any_of(
        kTemporaryDirectories.begin(), kTemporaryDirectories.end(),
        [&](const std::string& directory) { return path.starts_with(directory + "/"); });
    struct stat file {};
    if (inode == 0 || !inside || ::lstat(path.c_str(), &file) != 0 || !S_ISSOCK(file.st_mode)) {
      continue;
    }
    found.emplace(inode, std::move(path));
  }
  return found;
}

}  // namespace

std::vector<std::string> session_sockets(const std::function<std::vector<pid_t>()>& processes) {
  std::unordered_map<std::uint64_t, std::string> sockets = listening();
  std::vector<std::string> found;
  if (sockets.empty()) return found;
  std::size_t count = 0;
  for (const pid_t pid : processes()) {
    if (sockets.empty() || ++count > kMostProcesses) break;
    const bool commanding = carries_out_commands(pid);
    for (const ino_t inode : sockets_of(pid)) {
      const auto at = sockets.find(inode);
      if (at == sockets.end()) continue;
      if (!commanding) found.push_back(std::move(at->second));
      sockets.erase(at);
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace gibbous::keeper
