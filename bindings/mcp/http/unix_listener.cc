// See unix_listener.h. The directory is opened once, and everything else is done through it, so
// that no program can put another one in its place meanwhile.
#include "bindings/mcp/http/unix_listener.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <system_error>
#include <utility>

namespace gibbous::mcp::http {
namespace {

constexpr int kUnixBacklog = 128;
constexpr mode_t kOwnerOnly = 0600;

Status cannot(const std::string& path, const std::string& why) {
  return Status::error("listen_failed", "cannot listen at " + path + ": " + why);
}

std::string error_text(int error) {
  if (error == ELOOP) return "a part of the path is a symbolic link; give the real path";
  return std::generic_category().message(error);
}

UniqueFd open_without_links(const std::string& path, int flags) {
  open_how how{};
  how.flags = static_cast<std::uint64_t>(flags | O_CLOEXEC);
  how.resolve = RESOLVE_NO_SYMLINKS;
  return UniqueFd(
      static_cast<int>(::syscall(SYS_openat2, AT_FDCWD, path.c_str(), &how, sizeof how)));
}

// A file by the descriptor of its directory, however long that one's path is.
sockaddr_un address_of(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  return address;
}

std::string below(const UniqueFd& directory, const std::string& name) {
  return "/proc/self/fd/" + std::to_string(directory.get()) + "/" + name;
}

int connect_or_bind(decltype(&::connect) call, const UniqueFd& socket, const std::string& path) {
  const sockaddr_un address = address_of(path);
  return call(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address);
}

int open_itself(const UniqueFd& directory, const std::string& name) {
  return ::openat(directory.get(), name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC);
}

// Removes a socket of this user at which no process listens.
Status remove_stale(const UniqueFd& directory, const std::string& name, const std::string& path) {
  const UniqueFd file(open_itself(directory, name));
  struct stat info {};
  if (!file || ::fstat(file.get(), &info) != 0) return cannot(path, error_text(errno));
  if (S_ISLNK(info.st_mode)) return cannot(path, error_text(ELOOP));
  if (!S_ISSOCK(info.st_mode)) return cannot(path, "something that is no socket is there");
  if (info.st_uid != ::geteuid()) return cannot(path, "a socket of another user is there");
  const UniqueFd probe(::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  const std::string itself = "/proc/self/fd/" + std::to_string(file.get());
  if (!probe || connect_or_bind(::connect, probe, itself) == 0 || errno != ECONNREFUSED) {
    return cannot(path, "another program listens there");
  }
  if (::unlinkat(directory.get(), name.c_str(), 0) != 0) return cannot(path, error_text(errno));
  return {};
}

}  // namespace

UnixPlace::UnixPlace(UniqueFd directory, std::string name, UniqueFd file)
    : directory_(std::move(directory)), name_(std::move(name)), file_(std::move(file)) {}

UnixPlace::~UnixPlace() {
  struct stat made {};
  struct stat there {};
  if (::fstat(file_.get(), &made) != 0 ||
      ::fstatat(directory_.get(), name_.c_str(), &there, AT_SYMLINK_NOFOLLOW) != 0) {
    return;
  }
  if (made.st_dev == there.st_dev && made.st_ino == there.st_ino) {
    ::unlinkat(directory_.get(), name_.c_str(), 0);
  }
}

Result<UnixListener> listen_unix(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  const std::string name = slash == std::string::npos ? path : path.substr(slash + 1);
  const std::string parent = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  // The name must fit an address behind the directory's descriptor.
  constexpr std::size_t kMaxName = 80;
  if (name.empty() || name == "." || name == ".." || name.size() > kMaxName) {
    return cannot(path, "expected a file name of at most " + std::to_string(kMaxName) + " bytes");
  }
  UniqueFd directory = open_without_links(parent, O_RDONLY | O_DIRECTORY);
  if (!directory) return cannot(path, error_text(errno));
  // When two servers start at once, the second must not remove what the first has made.
  if (::flock(directory.get(), LOCK_EX | LOCK_NB) != 0) {
    return cannot(path, "another program has locked the directory");
  }
  UnixListener listener;
  listener.socket = UniqueFd(::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  // The file gets the mode of the socket when it is made.
  if (!listener.socket || ::fchmod(listener.socket.get(), kOwnerOnly) != 0) {
    return cannot(path, error_text(errno));
  }
  const std::string place = below(directory, name);
  int bound = connect_or_bind(::bind, listener.socket, place);
  if (bound != 0 && errno == EADDRINUSE) {
    if (Status status = remove_stale(directory, name, path); !status) return status;
    bound = connect_or_bind(::bind, listener.socket, place);
  }
  UniqueFd file(bound != 0 ? bound : open_itself(directory, name));
  if (!file || ::listen(listener.socket.get(), kUnixBacklog) != 0) {
    return cannot(path, error_text(errno));
  }
  ::flock(directory.get(), LOCK_UN);
  listener.place = std::make_unique<UnixPlace>(std::move(directory), name, std::move(file));
  return listener;
}

}  // namespace gibbous::mcp::http
