// Connects: decides on behalf of a run which addresses its programs reach. Their connect(2), and
// what sends with an address, wait in the kernel (seccomp_unotify(2)) until a thread of the keeper
// has read the address, once, and has made the call itself on a duplicate of their socket: what
// other threads of theirs write meanwhile changes nothing. So does kill(2) of a process of another
// run, which the thread signals if it may be; else the kernel answers. Keeper only.
//
// One thread for each run, which nothing holds up but a program of that run. When the keeper is
// gone, the calls fail (ENOSYS).
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "runtime/base/unique_fd.h"
#include "runtime/network/own_listeners.h"

namespace gibbous::network {

struct ConnectRules {
  std::vector<std::uint16_t> ports;  // of this machine's loopback that may be reached
  // Whether a process is one whose servers may be reached. Called in the run's thread.
  IsOwn is_own;
  // Whether a process is one that the run may signal although it is not its own. The same.
  std::function<bool(pid_t)> may_signal;
};

class Connects {
 public:
  // Null where no thread can be made. The run's first process sends the listener of its filter
  // through `*sender`; when all copies of that are closed before, the thread ends.
  static std::shared_ptr<Connects> start(ConnectRules rules, UniqueFd* sender);

  // The addresses that were refused so far, each once, at most kMaxRefused: "127.0.0.1:5432
  // [fe80::1]:80". Any thread.
  std::string refused() const;

 private:
  struct State;
  explicit Connects(std::shared_ptr<State> state) : state_(std::move(state)) {}

  std::shared_ptr<State> state_;
};

inline constexpr std::size_t kMaxRefused = 8;

}  // namespace gibbous::network
