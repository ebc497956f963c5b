// Where keepers that keep runs can be found: the names of their sockets, and how to knock. Shared
// by the keeper and the library. Any thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gibbous/status.h"
#include "runtime/base/unique_fd.h"

namespace gibbous {

// "keeper-0badcafe.sock"
std::string door_name(std::uint32_t keeper_number);

// Opens the directory if it is this user's and nobody else may write to it; made (0700) with
// `make`.
Result<UniqueFd> open_door_directory(const std::string& directory, bool make);

// The paths of all doors in the directory; none when there is no such directory.
std::vector<std::string> list_doors(const std::string& directory);

// A connected socket, non-blocking, and the pid of who listens there. A door without a keeper
// behind it is removed. Fails with "keeper_gone" or "keeper_not_ours".
struct Knock {
  UniqueFd socket;
  int pid = 0;
};
Result<Knock> knock(const std::string& path);

}  // namespace gibbous
