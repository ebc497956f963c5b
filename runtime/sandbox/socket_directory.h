// Where tmux and screen of a session's runs make their sockets: beside its temporary directories
// (temporary.h), with which they go. Any thread.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "runtime/sandbox/temporary.h"

namespace gibbous {

// Those of sandboxed runs are others, because a server outside would be a way out.
std::string socket_directory(const std::string& group, bool sandboxed);

// Makes such a directory and returns its group; null for any other path, and where it cannot be
// made.
std::shared_ptr<TemporaryGroup> make_sockets(TemporaryGroups& groups, std::string_view directory);

}  // namespace gibbous
