// A network namespace that several programs share, without a process in it: it lasts as long as
// a process holds its descriptors. It has a loopback interface, which is up, and nothing else.
// Keeper only.
#pragma once

#include "gibbous/status.h"
#include "runtime/base/unique_fd.h"

namespace gibbous::network {

struct Place {
  UniqueFd user;  // the user namespace that owns it; unset: the keeper's
  UniqueFd network;
};

// A user namespace that has the caller's user and group and no other, for callers that may not make
// other namespaces outside of one. Both fork a short-lived child, and fail with
// "sandbox_unavailable".
Result<UniqueFd> make_user_namespace();
// `user`: the descriptor of such a one, in which it is made; -1: in the caller's.
Result<Place> make_place(int user);

// Moves this process into it; it must have one thread. False, with errno.
bool enter(const Place& place);

}  // namespace gibbous::network
