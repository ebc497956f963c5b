// Walks down the lists of children and may miss a process that forks meanwhile. Callers that must
// not miss any repeat until own_children() is empty, which is exact: only the caller itself can
// remove entries from that list.
#include "runtime/process/tree.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstdio>

#include "runtime/process/proc.h"

namespace gibbous {
namespace {

constexpr std::size_t kTaskPathBytes = 64;
constexpr std::size_t kReadBytes = 4096;

// Appends the numbers in the file, which are separated by spaces.
bool read_numbers(int fd, std::vector<pid_t>& numbers) {
  std::array<char, kReadBytes> text;
  off_t offset = 0;
  pid_t number = 0;
  for (;;) {
    const ssize_t got = ::pread(fd, text.data(), text.size(), offset);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return false;
    if (got == 0) break;
    offset += got;
    constexpr int kDecimal = 10;
    for (ssize_t i = 0; i < got; ++i) {
      const char c = text[static_cast<std::size_t>(i)];
      if (c >= '0' && c <= '9') {
        number = number * kDecimal + (c - '0');
      } else if (number != 0) {
        numbers.push_back(number);
        number = 0;
      }
    }
  }
  if (number != 0) numbers.push_back(number);
  return true;
}

UniqueFd open_children(pid_t pid, pid_t thread) {
  std::array<char, kTaskPathBytes> path;
  std::snprintf(path.data(), path.size(), "/proc/%d/task/%d/children", pid, thread);
  return UniqueFd(::open(path.data(), O_RDONLY | O_CLOEXEC));
}

}  // namespace

ProcessTree::ProcessTree() : ProcessTree(Source::kChildrenFiles) {
  if (!own_file_) source_ = Source::kScan;
}

ProcessTree::ProcessTree(Source source) : source_(source) {
  if (source == Source::kChildrenFiles) own_file_ = open_children(::getpid(), ::gettid());
}

const std::vector<pid_t>& ProcessTree::own_children() {
  own_.clear();
  if (source_ == Source::kChildrenFiles) {
    (void)read_numbers(own_file_.get(), own_);
  } else {
    scan();
    append_children(::getpid(), own_);
  }
  return own_;
}

std::vector<pid_t> ProcessTree::with_descendants(const std::vector<pid_t>& roots) {
  std::vector<pid_t> found = roots;
  for (std::size_t next = 0; next < found.size(); ++next) append_children(found[next], found);
  return found;
}

void ProcessTree::append_children(pid_t pid, std::vector<pid_t>& children) {
  if (source_ == Source::kScan) {
    const auto entry = scanned_.find(pid);
    if (entry == scanned_.end()) return;
    children.insert(children.end(), entry->second.begin(), entry->second.end());
    return;
  }
  std::array<char, kTaskPathBytes> path;
  std::snprintf(path.data(), path.size(), "/proc/%d/task", pid);
  struct stat tasks {};
  if (::stat(path.data(), &tasks) != 0) return;
  constexpr nlink_t kLinksOfOneThread = 3;
  if (tasks.st_nlink <= kLinksOfOneThread) {
    if (const UniqueFd file = open_children(pid, pid)) (void)read_numbers(file.get(), children);
    return;
  }
  // Each thread has its own list of the processes it forked.
  std::vector<pid_t> threads;
  if (!list_numbers(path.data(), threads)) return;
  for (const pid_t thread : threads) {
    if (const UniqueFd file = open_children(pid, thread)) (void)read_numbers(file.get(), children);
  }
}

void ProcessTree::scan() {
  scanned_.clear();
  std::vector<pid_t> pids;
  if (!list_numbers("/proc", pids)) return;
  for (const pid_t pid : pids) {
    if (const auto stat = read_stat(pid)) scanned_[stat->parent].push_back(pid);
  }
}

}  // namespace gibbous
