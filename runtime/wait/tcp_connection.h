// TcpConnection: one outgoing TCP connection of a probe: connects, sends a little, reads a little,
// closes. ConnectProbe and HttpProbe use it. Loop thread only.
#pragma once

#include <string_view>

#include "runtime/wait/address.h"

struct uv_loop_s;

namespace gibbous {

class OpenHandles;

// The loop calls all of them, never from inside a call to the connection, and none after close().
class TcpEvents {
 public:
  virtual ~TcpEvents() = default;
  virtual void on_connected() = 0;
  virtual void on_bytes(std::string_view bytes) = 0;
  // The connection failed, or the peer is done; `error` is libuv's.
  virtual void on_end(int error) = 0;
};

class TcpConnection {
 public:
  // Null: it could not even begin; `error` is libuv's. The caller must call close().
  static TcpConnection* connect(uv_loop_s* loop, OpenHandles& handles, const Address& address,
                                int port, TcpEvents& events, int& error);
  // After on_connected: sends and begins to read. `request` is small enough for a new socket's
  // buffer. An error is libuv's; 0 is success.
  int exchange(std::string_view request);
  // After on_connected: sends a little more, as small.
  int send(std::string_view bytes);
  // After on_connected: only reads.
  int listen();
  // Stops all events; the object frees itself once libuv releases it.
  void close();

 private:
  struct Handles;
  TcpConnection(OpenHandles& open, TcpEvents& events);
  ~TcpConnection();
  void connected(int status);
  bool connected_to_itself() const;

  OpenHandles& open_;
  TcpEvents* events_;  // null once closed
  Handles* handles_;
};

}  // namespace gibbous
