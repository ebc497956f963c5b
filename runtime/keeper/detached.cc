#include "runtime/keeper/detached.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "runtime/keeper/control_socket.h"

namespace gibbous::keeper {
namespace {

constexpr int kBacklog = 8;
constexpr mode_t kSocketMode = 0600;

}  // namespace

Result<ControlSocket> ControlSocket::open(const std::string& directory, std::uint32_t keeper_number,
                                          const ProcessIdentity& host) {
  auto held = open_control_directory(directory, false);
  if (!held) return held.status();
  const std::string name = control_name(keeper_number, host);
  UniqueFd socket(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  // The socket gets its name once it listens: a host that connects earlier would take it for one
  // without a keeper.
  const std::string unfinished = "new-" + name;
  std::snprintf(address.sun_path, sizeof address.sun_path, "/proc/self/fd/%d/%s", held->get(),
                unfinished.c_str());
  const mode_t before = ::umask(static_cast<mode_t>(~kSocketMode) & 0777);
  const bool open =
      socket &&
      ::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 &&
      ::listen(socket.get(), kBacklog) == 0 &&
      ::renameat(held->get(), unfinished.c_str(), held->get(), name.c_str()) == 0;
  const int error = errno;
  ::umask(before);
  if (!open) {
    ::unlinkat(held->get(), unfinished.c_str(), 0);
    return Status::error("control_socket", directory + "/" + name + ": " + std::strerror(error));
  }
  return ControlSocket(std::move(socket), std::move(*held), name);
}

ControlSocket::ControlSocket(ControlSocket&&) noexcept = default;

ControlSocket::~ControlSocket() {
  if (directory_) ::unlinkat(directory_.get(), name_.c_str(), 0);
}

bool ControlSocket::has_name() const {
  struct stat status {};
  return ::fstatat(directory_.get(), name_.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0;
}

UniqueFd ControlSocket::accept() const {
  UniqueFd visitor(::accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  ucred peer{};
  socklen_t size = sizeof peer;
  if (!visitor || ::getsockopt(visitor.get(), SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0 ||
      peer.uid != ::geteuid()) {
    return {};
  }
  return visitor;
}

}  // namespace gibbous::keeper
