// See file_below.h.
#include "bindings/cli/file_below.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "runtime/base/state_file.h"

namespace gibbous::cli {
namespace {

constexpr mode_t kDirectoryMode = 0777;  // minus the umask

}  // namespace

std::string name_in_parent(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

Status cannot_write(const std::string& path, int error) {
  const char* why = error == ELOOP || error == ENOTDIR ? "it is a symbolic link or no directory"
                                                       : std::strerror(error);
  return Status::error("file_unwritable", "cannot write " + path + ": " + why);
}

Result<UniqueFd> open_parent(const std::string& directory, const std::string& path,
                             Parents parents) {
  UniqueFd place(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!place) return cannot_write(directory, errno);
  std::size_t begin = 0;
  for (std::size_t end = path.find('/'); end != std::string::npos; end = path.find('/', begin)) {
    const std::string name = path.substr(begin, end - begin);
    const bool made = parents == Parents::kMustExist ||
                      ::mkdirat(place.get(), name.c_str(), kDirectoryMode) == 0 || errno == EEXIST;
    if (!made) return cannot_write(path.substr(0, end), errno);
    place.reset(
        ::openat(place.get(), name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!place && errno == ENOENT) return Status::error("file_missing", path + " does not exist");
    if (!place) return cannot_write(path.substr(0, end), errno);
    begin = end + 1;
  }
  return place;
}

bool write_text(int fd, std::string_view text) {
  const WithoutSizeSignal guard;
  while (!text.empty()) {
    const ssize_t written = ::write(fd, text.data(), text.size());
    if (written < 0 && errno != EINTR) return false;
    if (written > 0) text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

}  // namespace gibbous::cli
