// A network namespace that several programs share, without a process in it: it lasts as long as
// somebody holds its descriptors. It has a loopback interface, which is up, and nothing else.
// Keeper only.
#pragma once

#include "gibbous/status.h"
#include "runtime/base/unique_fd.h"

namespace gibbous::network {

struct Place {
  UniqueFd user;  // the user namespace that owns it; unset: the keeper's
  UniqueFd network;
};

// `own_user`: within a user namespace of its own, which has the caller's user and group and no
// other, for callers that may not make a network. Forks a short-lived child. Fails with
// "sandbox_unavailable".
Result<Place> make_place(bool own_user);

// Moves this process into it; it must have one thread. False, with errno.
bool enter(const Place& place);

}  // namespace gibbous::network
