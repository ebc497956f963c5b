// A unix socket that only this user can connect to. Any thread.
#pragma once

#include <memory>
#include <string>

#include "gibbous/status.h"
#include "runtime/base/unique_fd.h"

namespace gibbous::mcp::http {

// The socket in its directory. Destruction removes it, if it is still the same one.
class UnixPlace {
 public:
  // `file`: the socket's file, which stays open so that no other one gets its number.
  UnixPlace(UniqueFd directory, std::string name, UniqueFd file);
  ~UnixPlace();
  UnixPlace(const UnixPlace&) = delete;
  UnixPlace& operator=(const UnixPlace&) = delete;

 private:
  const UniqueFd directory_;
  const std::string name_;
  const UniqueFd file_;
};

struct UnixListener {
  UniqueFd socket;  // listens, and does not block
  std::unique_ptr<UnixPlace> place;
};

// Makes a socket with mode 0600 and listens. No part of the path may be a symbolic link. A socket
// of this user at which no process listens any more is replaced; anything else stays. Fails with
// listen_failed.
Result<UnixListener> listen_unix(const std::string& path);

}  // namespace gibbous::mcp::http
