// Where keepers that keep runs can be found: the names of their sockets, and how to connect. Shared
// by the keeper and the library. Any thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gibbous/status.h"
#include "runtime/base/unique_fd.h"

namespace gibbous {

// "keeper-0badcafe.sock"
std::string control_name(std::uint32_t keeper_number);

// Opens the directory if it belongs to this user and no other user may write to it; created (0700)
// with `make`.
Result<UniqueFd> open_control_directory(const std::string& directory, bool make);

// The paths of all control sockets in the directory; none when there is no such directory.
std::vector<std::string> list_control_sockets(const std::string& directory);

// A connected socket, non-blocking, and the pid of who listens there. A control socket without a
// keeper behind it is removed. Fails with "keeper_gone" or "keeper_not_ours".
struct KeeperConnection {
  UniqueFd socket;
  int pid = 0;
};
Result<KeeperConnection> connect_to_keeper(const std::string& path);

}  // namespace gibbous
