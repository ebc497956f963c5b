// OwnListeners: which sockets that listen on this machine belong to a session. Each object is for
// one thread. Keeper only.
#pragma once

#include <netinet/in.h>
#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <unordered_set>
#include <utility>

#include "runtime/network/destination.h"
#include "runtime/process/listeners.h"

namespace gibbous::network {

// Whether a process is one of the session.
using IsOwn = std::function<bool(pid_t)>;

class OwnListeners {
 public:
  explicit OwnListeners(IsOwn is_own) : is_own_(std::move(is_own)) {}

  enum class Found : std::uint8_t { kNobody, kOwn, kOther };
  // Tells whose sockets get what is sent to a destination now. kOther: also other programs', or
  // that cannot be found out.
  Found at(const Destination& destination, std::uint8_t protocol);
  // Those of this machine's loopback that are the session's. Looks at processes only if there are
  // others than the last time.
  ListeningSockets list();

 private:
  void look(const ListeningSockets& sockets);

  IsOwn is_own_;
  std::unordered_set<ino_t> known_;  // the session's
  std::unordered_set<ino_t> seen_;   // by list()
};

}  // namespace gibbous::network
