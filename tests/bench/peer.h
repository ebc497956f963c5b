// Peer: `gibbous session`, `gibbous mcp` or another server on pipes, spoken to line by
// line, as a raw client does.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace gibbous::bench {

class Peer {
 public:
  explicit Peer(const std::vector<std::string>& arguments);
  // Another server, which is talked to in the same way; `program`: a path.
  Peer(const std::string& program, const std::vector<std::string>& arguments);
  ~Peer();
  void send(const std::string& line);
  std::string receive();  // one line
  // The next line that holds `part`.
  std::string receive_with(const std::string& part);
  pid_t pid() const { return pid_; }

 private:
  pid_t pid_ = 0;
  int in_ = -1;
  int out_ = -1;
  std::string buffer_;
};

// A request of MCP's newer era, which needs no handshake. `parameters` are members of an object.
std::string mcp_request(int id, const std::string& method, const std::string& parameters);

}  // namespace gibbous::bench
