// Reads /proc/PID/fd. A forked server shares its listening socket with its workers. A tree is
// searched from its root, because the oldest process is the one to name.
#include "runtime/wait/socket_owner.h"

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

#include "runtime/base/listing.h"
#include "runtime/process/proc.h"

namespace gibbous {
namespace {

// The bound of the whole search, in descriptors (1 µs each); a process costs as much as
// kProcessCost of them.
constexpr std::size_t kSearchLimit = 4096;
constexpr std::size_t kProcessCost = 8;
constexpr std::size_t kMaxTree = 256;

class Search {
 public:
  explicit Search(ino_t inode) : link_("socket:[" + std::to_string(inode) + "]") {}

  bool exhausted() const { return cost_ >= kSearchLimit; }

  bool holds(pid_t pid) {
    cost_ += kProcessCost;
    Listing listing("/proc/" + std::to_string(pid) + "/fd");
    if (!listing) return false;  // another user's process, or gone
    std::array<char, 64> target;
    while (const dirent* entry = listing.next()) {
      const ssize_t size = ::readlinkat(listing.fd(), entry->d_name, target.data(), target.size());
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

std::vector<pid_t> newest_first() {
  std::vector<pid_t> pids;
  Listing listing("/proc");
  while (const dirent* entry = listing.next()) {
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
    if (tree.size() < kMaxTree) append_children(tree[i], tree);
  }
  for (const pid_t pid : newest_first()) {
    if (search.exhausted()) break;
    if (search.holds(pid)) return pid;
  }
  return 0;
}

}  // namespace gibbous
