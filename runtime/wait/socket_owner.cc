// Reads /proc/PID/fd. A forked server shares its listening socket with its workers: the oldest of
// the tree is the one to name, which is why a tree is searched from its root.
#include "runtime/wait/socket_owner.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace gibbous {
namespace {

// The whole search, in descriptors looked at (1 µs each); a process costs as much as kProcessCost
// of them.
constexpr std::size_t kSearchLimit = 4096;
constexpr std::size_t kProcessCost = 8;
constexpr std::size_t kMaxTree = 256;

using Directory = std::unique_ptr<DIR, int (*)(DIR*)>;

Directory open_directory(const std::string& path) {
  return {::opendir(path.c_str()), ::closedir};
}

class Search {
 public:
  explicit Search(ino_t inode) : link_("socket:[" + std::to_string(inode) + "]") {}

  bool exhausted() const { return cost_ >= kSearchLimit; }

  bool holds(pid_t pid) {
    cost_ += kProcessCost;
    const Directory directory = open_directory("/proc/" + std::to_string(pid) + "/fd");
    if (directory == nullptr) return false;  // another user's process, or gone
    std::array<char, 64> target;
    while (const dirent* entry = ::readdir(directory.get())) {
      const ssize_t size =
          ::readlinkat(::dirfd(directory.get()), entry->d_name, target.data(), target.size());
      if (size > 0 && std::string_view(target.data(), static_cast<std::size_t>(size)) == link_) {
        return true;
      }
      if (++cost_; exhausted()) return false;
    }
    return false;
  }

 private:
  std::string link_;
  std::size_t cost_ = 0;
};

void append_children(pid_t pid, std::vector<pid_t>& tree) {
  const std::string id = std::to_string(pid);
  const std::string path = "/proc/" + id + "/task/" + id + "/children";
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return;
  std::array<char, 4096> text;
  const ssize_t size = ::read(fd, text.data(), text.size() - 1);
  ::close(fd);
  if (size <= 0) return;
  text[static_cast<std::size_t>(size)] = '\0';
  for (char* at = text.data(); tree.size() < kMaxTree;) {
    char* end = nullptr;
    const long child = std::strtol(at, &end, 10);
    if (end == at) break;
    tree.push_back(static_cast<pid_t>(child));
    at = end;
  }
}

std::vector<pid_t> newest_first() {
  std::vector<pid_t> pids;
  const Directory directory = open_directory("/proc");
  if (directory == nullptr) return pids;
  while (const dirent* entry = ::readdir(directory.get())) {
    if (std::isdigit(static_cast<unsigned char>(entry->d_name[0])) != 0) {
      pids.push_back(static_cast<pid_t>(std::strtol(entry->d_name, nullptr, 10)));
    }
  }
  std::sort(pids.rbegin(), pids.rend());
  return pids;
}

}  // namespace

pid_t find_socket_owner(ino_t inode, pid_t likely) {
  if (inode == 0) return 0;
  Search search(inode);
  std::vector<pid_t> tree;
  if (likely > 0) tree.push_back(likely);
  for (std::size_t i = 0; i < tree.size() && !search.exhausted(); ++i) {
    if (search.holds(tree[i])) return tree[i];
    append_children(tree[i], tree);
  }
  for (const pid_t pid : newest_first()) {
    if (search.exhausted()) break;
    if (search.holds(pid)) return pid;
  }
  return 0;
}

}  // namespace gibbous
