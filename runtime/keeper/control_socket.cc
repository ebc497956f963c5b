// A path may be too long for a socket's address, so the socket is reached through /proc/self/fd.
#include "runtime/keeper/control_socket.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string_view>

#include "runtime/base/listing.h"

namespace gibbous {
namespace {

constexpr std::string_view kPrefix = "keeper-";
constexpr std::string_view kSuffix = ".sock";
constexpr mode_t kOwnerOnly = 0700;
constexpr mode_t kOthersMayWrite = 022;

Status failure(const char* code, const std::string& path, int error) {
  return Status::error(code, path + ": " + std::strerror(error));
}

bool make_directories(const std::string& path) {
  for (std::size_t at = path.find('/', 1); at != std::string::npos; at = path.find('/', at + 1)) {
    (void)::mkdir(path.substr(0, at).c_str(), kOwnerOnly);
  }
  return ::mkdir(path.c_str(), kOwnerOnly) == 0 || errno == EEXIST;
}

std::string name_end(const ProcessIdentity& host) {
  return "-" + std::to_string(host.pid) + "-" + std::to_string(host.start_time) +
         std::string(kSuffix);
}

}  // namespace

std::string control_name(std::uint32_t keeper_number, const ProcessIdentity& host) {
  std::array<char, 16> number{};
  std::snprintf(number.data(), number.size(), "%08x", keeper_number);
  return std::string(kPrefix) + number.data() + name_end(host);
}

bool is_control_of(std::string_view path, const ProcessIdentity& host) {
  return host.pid != 0 && path.ends_with(name_end(host));
}

Result<UniqueFd> open_control_directory(const std::string& directory, bool make) {
  if (make && !make_directories(directory)) {
    return failure("state_dir_unusable", directory, errno);
  }
  UniqueFd fd(::open(directory.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!fd) return failure("state_dir_unusable", directory, errno);
  struct stat status {};
  if (::fstat(fd.get(), &status) != 0) return failure("state_dir_unusable", directory, errno);
  if (status.st_uid != ::geteuid() || (status.st_mode & kOthersMayWrite) != 0) {
    return Status::error(
        "state_dir_unusable",
        directory + ": must belong to this user, and no other user may write to it");
  }
  return fd;
}

std::vector<std::string> list_control_sockets(const std::string& directory) {
  std::vector<std::string> controls;
  Listing list(directory);
  while (const dirent* entry = list.next()) {
    const std::string_view name(entry->d_name);
    if (name.starts_with(kPrefix) && name.ends_with(kSuffix)) {
      controls.push_back(directory + "/" + entry->d_name);
    }
  }
  return controls;
}

Result<KeeperConnection> connect_to_keeper(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  auto directory = open_control_directory(path.substr(0, slash), false);
  if (!directory) return directory.status();
  KeeperConnection connection;
  connection.socket.reset(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!connection.socket) return failure("keeper_gone", path, errno);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::snprintf(address.sun_path, sizeof address.sun_path, "/proc/self/fd/%d/%s", directory->get(),
                path.c_str() + slash + 1);
  if (::connect(connection.socket.get(), reinterpret_cast<const sockaddr*>(&address),
                sizeof address) != 0) {
    const int error = errno;
    if (error == ECONNREFUSED) ::unlinkat(directory->get(), path.c_str() + slash + 1, 0);
    return failure("keeper_gone", path, error);
  }
  ucred peer{};
  socklen_t size = sizeof peer;
  if (::getsockopt(connection.socket.get(), SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0 ||
      peer.uid != ::geteuid() || peer.pid <= 0) {
    return Status::error("keeper_not_ours", path + ": another program listens there");
  }
  connection.pid = peer.pid;
  return connection;
}

}  // namespace gibbous
