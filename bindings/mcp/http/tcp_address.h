// Addresses that the HTTP transport listens at: numeric ones, so that no name server decides where
// the tools are offered. Any thread.
#pragma once

#include <netinet/in.h>
#include <sys/socket.h>

#include <optional>
#include <string>

#include "gibbous/status.h"
#include "runtime/base/unique_fd.h"

namespace gibbous::mcp::http {

class TcpAddress {
 public:
  // 127.0.0.1:8000 or [::1]:8000; port 0 stands for any free one.
  static std::optional<TcpAddress> parse(const std::string& text);

  bool is_loopback() const;
  // A socket that listens and does not block. Fails with listen_failed.
  Result<UniqueFd> listen() const;
  // Where a socket listens, as parse() reads it.
  static std::string of(const UniqueFd& socket);

 private:
  static std::string text_of(const sockaddr_storage& place);

  sockaddr_storage place_{};
  socklen_t size_ = 0;
};

}  // namespace gibbous::mcp::http
