// See page_file.h.
#include "bindings/inspect/report/page_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "runtime/base/random_id.h"
#include "runtime/base/unique_fd.h"

namespace gibbous::report {
namespace {

constexpr mode_t kPageMode = 0600;
constexpr std::size_t kMaxNameChars = 64;

Status unusable(const std::string& path, const std::string& why) {
  return Status::error("file_unusable", "cannot write " + path + ": " + why);
}

bool write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

// Checks whether the existing file, if any, may be replaced.
Status check_place(int directory, const std::string& name, const std::string& path) {
  struct stat there {};
  if (::fstatat(directory, name.c_str(), &there, AT_SYMLINK_NOFOLLOW) != 0) {
    return errno == ENOENT ? Status() : unusable(path, std::strerror(errno));
  }
  if (S_ISLNK(there.st_mode)) return unusable(path, "it is a symbolic link");
  if (!S_ISREG(there.st_mode)) return unusable(path, "it is not a regular file");
  return {};
}

}  // namespace

Status write_page(const std::string& path, std::string_view bytes) {
  const std::size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  const std::string name = slash == std::string::npos ? path : path.substr(slash + 1);
  if (name.empty() || name == "." || name == "..") return unusable(path, "it names no file");
  const UniqueFd directory(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!directory) return unusable(path, std::strerror(errno));
  if (Status status = check_place(directory.get(), name, path); !status) return status;
  const std::string own = ".gibbous-" + random_id() + ".tmp";
  const UniqueFd file(::openat(directory.get(), own.c_str(),
                               O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, kPageMode));
  if (!file) return unusable(path, std::strerror(errno));
  if (!write_all(file.get(), bytes) || ::fsync(file.get()) != 0 ||
      ::renameat(directory.get(), own.c_str(), directory.get(), name.c_str()) != 0) {
    const std::string why = std::strerror(errno);
    ::unlinkat(directory.get(), own.c_str(), 0);
    return unusable(path, why);
  }
  return {};
}

std::string page_name(std::string_view session) {
  std::string name(session.substr(0, kMaxNameChars));
  std::replace_if(
      name.begin(), name.end(),
      [](char c) {
        const bool plain =
            (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        return !plain && c != '-' && c != '_';
      },
      '_');
  return "gibbous-" + (name.empty() ? "session" : name) + ".html";
}

}  // namespace gibbous::report
