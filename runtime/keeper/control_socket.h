// How a host finds a keeper with detached runs: the names of the sockets, and the connection. The
// keeper and the library share it. Any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gibbous/status.h"
#include "runtime/base/unique_fd.h"
#include "runtime/process/proc.h"

namespace gibbous {

// "keeper-0badcafe-4711-98765.sock": the keeper's number, and the host that started it.
std::string control_name(std::uint32_t keeper_number, const ProcessIdentity& host);
// Returns whether this host started the keeper of the control socket. Names that older keepers gave
// do not say that.
bool is_control_of(std::string_view path, const ProcessIdentity& host);

// Opens the directory if it belongs to this user and no other user may write to it. `make` creates
// it (0700).
Result<UniqueFd> open_control_directory(const std::string& directory, bool make);

// The paths of all control sockets in the directory; none when there is no such directory.
std::vector<std::string> list_control_sockets(const std::string& directory);

// A connected socket, non-blocking, and the pid of the process that listens there. A control socket
// without a keeper is removed. Fails with "keeper_gone" or "keeper_not_ours".
struct KeeperConnection {
  UniqueFd socket;
  int pid = 0;
};
Result<KeeperConnection> connect_to_keeper(const std::string& path);

}  // namespace gibbous
