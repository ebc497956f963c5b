#include "runtime/trust/root_owned.h"

#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <cstring>
#include <deque>
#include <utility>

namespace gibbous::trust {
namespace {

constexpr int kMaxLinks = 40;  // as in the kernel
constexpr mode_t kGroupOrOthersWrite = 022;

std::deque<std::string> parts_of(const std::string& path) {
  std::deque<std::string> parts;
  for (std::size_t at = 0; at < path.size();) {
    const std::size_t end = std::min(path.find('/', at), path.size());
    if (end > at) parts.push_back(path.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

// Returns why others could change what the name at `path` is.
std::string objection(const std::string& path, const struct stat& info) {
  if (info.st_uid != 0) {
    return path + " does not belong to root (chown root it, or remove it)";
  }
  const bool link = S_ISLNK(info.st_mode);
  if (link || (info.st_mode & kGroupOrOthersWrite) == 0) return "";
  return path + " can be written by others than root (chmod go-w it)";
}

}  // namespace

std::string objection_to_root_path(const std::string& path) {
  std::deque<std::string> left = parts_of(path);
  std::string place = "/";
  struct stat info {};
  if (::lstat("/", &info) == 0) {
    if (std::string why = objection("/", info); !why.empty()) return why;
  }
  int links = 0;
  while (!left.empty()) {
    const std::string part = std::move(left.front());
    left.pop_front();
    if (part == ".") continue;
    if (part == "..") {
      place = place.substr(0, std::max<std::size_t>(place.rfind('/'), 1));
      continue;
    }
    const std::string next = place == "/" ? "/" + part : place + "/" + part;
    if (::lstat(next.c_str(), &info) != 0) {
      if (errno == ENOENT || errno == ENOTDIR) return "";
      return next + " cannot be looked at: " + std::strerror(errno);
    }
    if (std::string why = objection(next, info); !why.empty()) return why;
    if (!S_ISLNK(info.st_mode)) {
      place = next;
      continue;
    }
    std::array<char, PATH_MAX> target{};
    const ssize_t size = ::readlink(next.c_str(), target.data(), target.size());
    if (size <= 0 || ++links > kMaxLinks) return next + " is a symbolic link that leads nowhere";
    const std::string leads_to(target.data(), static_cast<std::size_t>(size));
    if (leads_to.front() == '/') place = "/";
    std::deque<std::string> parts = parts_of(leads_to);
    left.insert(left.begin(), parts.begin(), parts.end());
  }
  return "";
}

}  // namespace gibbous::trust
