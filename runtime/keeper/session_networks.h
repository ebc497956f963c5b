// SessionNetworks: the networks that sandboxed runs share, by the name of their group. Each lasts
// from its first run to the end of its last. Keeper only.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <unordered_set>
#include <vector>

#include "gibbous/status.h"
#include "runtime/keeper/network_sign.h"
#include "runtime/keeper/session_runs.h"
#include "runtime/network/forwarder.h"
#include "runtime/network/place.h"

namespace gibbous::keeper {

// The ports in the name of a group.
std::vector<std::uint16_t> ports_of(const std::string& group);

class SessionNetworks {
 public:
  // `on_process` is told of each child that is made for a network, `runs` of those that listen.
  SessionNetworks(std::function<void(pid_t)> on_process, std::shared_ptr<SessionRuns> runs)
      : on_process_(std::move(on_process)), runs_(std::move(runs)) {}
  ~SessionNetworks() { clear({}); }

  // `group`: "5432,6379/name": the ports of this machine that its runs may reach, and a name.
  // `user`: as network::make_place. `session`: as NetworkSign::put_up. `is_own`: whether a process
  // is of the session, so that what it listens on is reached. Counts one more run.
  Result<const network::Place*> take(const std::string& group, int user, const std::string& session,
                                     const network::IsOwn& is_own);
  // Whether another keeper has a network for the session of this group.
  bool is_one_of_several(const std::string& group) const;
  // One run less; "" is no group.
  void let_go(const std::string& group);
  // Ends all but these.
  void clear(const std::unordered_set<std::string>& kept);
  // Ends all, and waits a moment for them to be gone: nothing else is left.
  void end_all();
  // A child was reaped. True: it was made for a network.
  bool ended(pid_t pid);

 private:
  struct Shared {
    network::Place place;
    NetworkSign sign;
    std::string session;  // its temporary group
    network::IsOwn is_own;
    network::ForwarderProcess forwarder;
    std::size_t runs = 0;
    int losses = 0;  // forwarders that ended by themselves
  };
  void forward(const std::string& group, Shared& shared);
  void end(const Shared& shared);

  std::function<void(pid_t)> on_process_;
  std::shared_ptr<SessionRuns> runs_;
  std::map<std::string, Shared> by_group_;
  std::unordered_set<pid_t> ending_;
};

}  // namespace gibbous::keeper
