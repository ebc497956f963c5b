// SockDiag: asks the kernel which sockets listen on a TCP port (NETLINK_SOCK_DIAG), without
// connecting: the server sees nothing, a bound socket that does not listen is not taken for a
// server, and one query costs 2 µs. PortProber uses it. Never blocks. Any one thread.
#pragma once

#include <sys/types.h>

#include <memory>
#include <optional>
#include <vector>

#include "gibbous/status.h"
#include "runtime/base/unique_fd.h"
#include "runtime/wait/address.h"

namespace gibbous {

struct Listener {
  Address address;  // where it listens; 0.0.0.0 and :: mean any address
  ino_t inode = 0;  // of its socket, as /proc/PID/fd shows it
  uid_t user = 0;
};

class SockDiag {
 public:
  // Fails where the kernel does not answer (seccomp, gVisor, no tcp_diag): then only connecting
  // helps.
  static Result<SockDiag> open();

  // Finds the socket that would accept a connection to `to`, an address of this machine. Returns
  // nothing without a listener, and an error if the kernel gave no answer.
  Result<std::optional<Listener>> find(const Address& to, int port);
  // Returns every listener on the port, on any address. Walks the kernel's whole table (40 µs).
  Result<std::vector<Listener>> list(int port);

 private:
  explicit SockDiag(UniqueFd socket) : socket_(std::move(socket)) {}
  Status ask(const Address& to, int port, bool all, std::vector<Listener>& found);

  UniqueFd socket_;
  std::uint32_t sequence_ = 0;
};

}  // namespace gibbous
