// PortProber: checks local TCP ports for listeners, for all port conditions of a runtime, with one
// timer that runs only while there are any. PortCondition uses it. Loop thread only.
//
// Ports are looked up, not connected to (sock_diag.h). Host "" is 127.0.0.1, ::1 and the wildcard
// addresses. Host names and other machines are connected to, as is everything where the kernel does
// not answer (seccomp, gVisor).
#pragma once

#include <functional>
#include <list>
#include <optional>
#include <string>
#include <vector>

#include "runtime/runs/deadlines.h"
#include "runtime/wait/sock_diag.h"

namespace gibbous {

class PortProber {
 public:
  struct Query {
    int port = 0;
    std::vector<Address> to;    // finds a listener that accepts connections to one of these
    bool any_loopback = false;  // or one on another loopback address, checked less often
    // The loop calls it, at most once. May remove this query, and no other.
    std::function<void(const Listener&)> on_found;
  };
  using Ticket = std::list<Query>::iterator;

  PortProber(const Clock& clock, Deadlines& deadlines) : clock_(clock), deadlines_(deadlines) {}
  ~PortProber();
  PortProber(const PortProber&) = delete;
  PortProber& operator=(const PortProber&) = delete;

  // Returns true if this kernel answers. If not, only connecting helps.
  bool available();
  // Looks now, for any_loopback as well.
  std::optional<Listener> look(const Query& query);
  // Returns every listener that could answer on a loopback address.
  std::vector<Listener> look_at_all(int port);
  // Looks again and again, after the caller has looked once. The ticket is valid until remove().
  Ticket add(Query query);
  void remove(Ticket ticket);

 private:
  std::optional<Listener> look_at(const Query& query, bool all_loopback);
  void arm();
  void tick();

  const Clock& clock_;
  Deadlines& deadlines_;
  std::optional<SockDiag> diag_;
  std::list<Query> queries_;
  Deadlines::Token timer_ = 0;
  Nanos newest_{0};  // when the last query was added
  unsigned ticks_ = 0;
  bool unavailable_ = false;
};

}  // namespace gibbous
