// The agent: a process inside a shared network that makes sockets of it for a process outside, or a
// thread of the keeper that does so in the machine's. A socket belongs to the network in which it
// was made, in every process. Keeper only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "runtime/base/unique_fd.h"
#include "runtime/network/own_listeners.h"
#include "runtime/network/place.h"

namespace gibbous::network {

// What listens in the network.
struct Inside {
  std::uint16_t port = 0;
  bool v4 = false;
  bool v6 = false;
};
inline constexpr std::size_t kMaxInside = 64;

class Agent {
 public:
  // Forks it; it ends with this object, or when the caller ends. Unset: it could not enter.
  static std::optional<Agent> start(const Place& place);
  // One in the caller's own network, a thread of the caller, which sees and reaches only what a
  // session's processes listen on. It serves the other end of `socket`, a socketpair's, and ends
  // with that. Where there can be no thread, what is asked there gets no answer.
  static void start_thread(UniqueFd socket, IsOwn is_own);
  explicit Agent(UniqueFd socket) : socket_(std::move(socket)) {}
  ~Agent() = default;
  Agent(Agent&&) = default;
  Agent& operator=(Agent&&) = default;

  // Each waits for the agent, which never waits itself. An unset descriptor: refused.
  std::vector<Inside> listeners();
  UniqueFd listen(std::uint16_t port, bool v6);
  // Connecting, or connected.
  UniqueFd connect(std::uint16_t port, bool v6);

  bool ok() const { return static_cast<bool>(socket_); }

 private:
  UniqueFd ask(std::uint8_t what, std::uint16_t port, bool v6);

  UniqueFd socket_;
};

// The same in the caller's own network.
std::vector<Inside> listeners_here();
UniqueFd listen_here(std::uint16_t port, bool v6);
UniqueFd connect_here(std::uint16_t port, bool v6);

// Waits for a packet, and a descriptor that comes with it. Returns the number of bytes; 0 at the
// end.
std::size_t receive(int socket, void* bytes, std::size_t size, UniqueFd* fd);

}  // namespace gibbous::network
