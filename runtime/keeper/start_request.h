// What KeeperClient does with a StartRequest before it is sent: checks it, and puts strings that
// are too large for a message into a memfd. Any thread.
#pragma once

#include "runtime/base/unique_fd.h"
#include "runtime/keeper/client.h"

namespace gibbous {

// 0, or the errno of a request that cannot be sent.
int start_request_error(const StartRequest& request);

// Writes the strings of a start to a sealed memfd, so that the keeper can rely on what it has
// checked. 0, or an errno.
int start_strings_to_memfd(const StartRequest& request, UniqueFd& memfd);

}  // namespace gibbous
