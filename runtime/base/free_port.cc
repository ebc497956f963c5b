#include "runtime/base/free_port.h"

#include <netinet/in.h>
#include <sys/socket.h>

#include <cstdint>

#include "runtime/base/unique_fd.h"

namespace gibbous {
namespace {

// Returns the port if it can be listened on, else 0.
int try_listening(int port) {
  const UniqueFd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const int on = 1;
  // Connections that have just ended do not count as listeners.
  ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  socklen_t size = sizeof address;
  auto* any = reinterpret_cast<sockaddr*>(&address);
  const bool free = ::bind(socket.get(), any, size) == 0 && ::listen(socket.get(), 1) == 0 &&
                    ::getsockname(socket.get(), any, &size) == 0;
  return free ? ntohs(address.sin_port) : 0;
}

}  // namespace

int free_port(int wanted, const std::set<int>& taken) {
  if (!taken.contains(wanted) && try_listening(wanted) == wanted) return wanted;
  constexpr int kAttempts = 20;
  for (int i = 0; i < kAttempts; ++i) {
    const int port = try_listening(0);
    if (!taken.contains(port)) return port;
  }
  return 0;
}

}  // namespace gibbous
