// real_path: where a path leads on this machine, as far as it exists.
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdlib>

#include "runtime/command/analyse.h"
#include "runtime/command/path_map.h"

namespace gibbous::command {
namespace {

enum class Look { kPlain, kLinks, kMissing };

Look look_at(const std::string& path) {
  open_how how{};
  how.flags = O_PATH | O_CLOEXEC;
  how.resolve = RESOLVE_NO_SYMLINKS;
  const long fd = ::syscall(SYS_openat2, AT_FDCWD, path.c_str(), &how, sizeof(how));
  if (fd >= 0) {
    ::close(static_cast<int>(fd));
    return Look::kPlain;
  }
  return errno == ENOENT || errno == ENOTDIR || errno == ENAMETOOLONG ? Look::kMissing
                                                                      : Look::kLinks;
}

}  // namespace

std::string real_path(const std::string& absolute) {
  std::string head = absolute;
  std::string tail;
  while (head.size() > 1) {
    const Look look = look_at(head);
    if (look == Look::kPlain) return head + tail;
    if (look == Look::kLinks) {
      // A link on the way, or a kernel without openat2.
      char buffer[PATH_MAX];
      if (::realpath(head.c_str(), buffer) != nullptr) return normalize(buffer + tail);
      char target[PATH_MAX];
      const ssize_t size = ::readlink(head.c_str(), target, sizeof(target) - 1);
      if (size > 0) {  // it leads to what does not exist: writing there makes it
        target[size] = '\0';
        const std::string parent = real_path(normalize(head.substr(0, head.rfind('/')) + "/"));
        return normalize(join(parent, target) + tail);
      }
    }
    const std::size_t slash = head.rfind('/');
    tail.insert(0, head.substr(slash));
    head.resize(slash);
  }
  return tail.empty() ? "/" : tail;
}

}  // namespace gibbous::command
