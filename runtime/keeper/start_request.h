// What KeeperClient does with a StartRequest before it is sent: checks it, and puts strings that
// are too large for a message where the keeper can read them. Any thread.
#pragma once

#include "runtime/base/unique_fd.h"
#include "runtime/keeper/client.h"

namespace gibbous {

// 0, or the errno that the request deserves before the keeper has seen it.
int start_request_error(const StartRequest& request);

// The strings of a start in a memfd, sealed, so that the keeper can rely on what it has checked. 0,
// or an errno.
int start_strings_to_memfd(const StartRequest& request, UniqueFd& memfd);

}  // namespace gibbous
