// Reads while there is no host, and gives a socket its name only once it listens.
#include "runtime/keeper/detached.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "runtime/keeper/control_socket.h"

namespace gibbous::keeper {
namespace {

constexpr std::size_t kReadBytes = std::size_t{64} << 10;
constexpr int kBacklog = 8;
constexpr mode_t kSocketMode = 0600;

}  // namespace

bool Spool::read() {
  std::array<char, kReadBytes> buffer;
  // One read per turn: other streams and messages are waiting too.
  const ssize_t got = ::read(pipe_.get(), buffer.data(), buffer.size());
  if (got < 0) return errno == EAGAIN || errno == EINTR;
  if (got == 0) return false;
  bytes_.append(buffer.data(), static_cast<std::size_t>(got));
  // Cutting at twice the size is cheaper than cutting at every read.
  if (bytes_.size() > 2 * kSpoolBytes) {
    const std::size_t cut = bytes_.size() - kSpoolBytes;
    bytes_.erase(0, cut);
    lost_ += cut;
  }
  return true;
}

UniqueFd Spool::hand_over() {
  const std::string bytes = std::exchange(bytes_, {});
  lost_ = 0;
  if (bytes.empty()) return {};
  UniqueFd memory(::memfd_create("gibbous-kept", MFD_CLOEXEC));
  for (std::size_t written = 0; memory && written < bytes.size();) {
    const ssize_t put = ::write(memory.get(), bytes.data() + written, bytes.size() - written);
    if (put <= 0) return {};
    written += static_cast<std::size_t>(put);
  }
  return memory;
}

UniqueFd Spool::another() const {
  if (!pipe_) return {};
  return UniqueFd(::fcntl(pipe_.get(), F_DUPFD_CLOEXEC, 0));
}

Result<ControlSocket> ControlSocket::open(const std::string& directory,
                                          std::uint32_t keeper_number) {
  auto held = open_control_directory(directory, false);
  if (!held) return held.status();
  const std::string name = control_name(keeper_number);
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
