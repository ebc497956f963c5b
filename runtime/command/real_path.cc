// real_path: resolves the existing part of a path on this machine.
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <utility>

#include "runtime/base/unique_fd.h"
#include "runtime/command/analyse.h"
#include "runtime/command/path_map.h"

namespace gibbous::command {
namespace {

constexpr int kMaxLinks = 40;  // the kernel's own limit

// The existing part of most paths has no links, which one system call confirms. The kernel resolves
// from left to right, so it reports a link before a missing component.
bool is_plain(const std::string& path) {
  open_how how{};
  how.flags = O_PATH | O_CLOEXEC;
  how.resolve = RESOLVE_NO_SYMLINKS;
  const long fd = ::syscall(SYS_openat2, AT_FDCWD, path.c_str(), &how, sizeof(how));
  if (fd < 0) return errno == ENOENT || errno == ENOTDIR;
  ::close(static_cast<int>(fd));
  return true;
}

}  // namespace

// Resolves component by component, as the kernel does: ".." after a link leaves the link's target.
std::string real_path(const std::string& absolute) {
  if (absolute.empty() || absolute.size() >= PATH_MAX) return normalize(absolute);
  if (is_plain(absolute)) return normalize(absolute);
  std::string real;  // "" is the root
  std::string rest = absolute;
  int links = 0;
  UniqueFd directory(::open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
  while (!rest.empty()) {
    const std::size_t begin = rest.find_first_not_of('/');
    if (begin == std::string::npos) break;
    const std::size_t end = std::min(rest.find('/', begin), rest.size());
    const std::string name = rest.substr(begin, end - begin);
    rest.erase(0, end);
    if (name == ".") continue;
    if (name == "..") {
      real.resize(real.empty() ? 0 : real.rfind('/'));
      directory = UniqueFd(::open(real.empty() ? "/" : real.c_str(), O_PATH | O_CLOEXEC));
      continue;
    }
    UniqueFd next(::openat(directory.get(), name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
    struct stat info {};
    if (!next || ::fstat(next.get(), &info) != 0) {
      return normalize(real + "/" + name + rest);  // nothing below it exists
    }
    if (!S_ISLNK(info.st_mode)) {
      real += "/" + name;
      directory = std::move(next);
      continue;
    }
    std::array<char, PATH_MAX> target{};
    const ssize_t size = ::readlinkat(next.get(), "", target.data(), target.size());
    if (size <= 0 || ++links > kMaxLinks) return normalize(real + "/" + name + rest);
    const std::string to(target.data(), static_cast<std::size_t>(size));
    if (to[0] == '/') {
      real.clear();
      directory = UniqueFd(::open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
    }
    rest = to + rest;
    if (rest.size() > 2 * PATH_MAX) return normalize(real + "/" + rest);
  }
  return real.empty() ? "/" : real;
}

}  // namespace gibbous::command
