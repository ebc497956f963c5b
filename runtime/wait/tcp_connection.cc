// `Handles` holds the uv_tcp_t and its requests; the close callback frees it.
#include "runtime/wait/tcp_connection.h"

#include <sys/socket.h>
#include <uv.h>

#include <array>

#include "runtime/base/open_handles.h"

namespace gibbous {

struct TcpConnection::Handles {
  uv_tcp_t tcp{};
  uv_connect_t connect{};
  std::array<char, 4096> buffer;
};

TcpConnection::TcpConnection(OpenHandles& open, TcpEvents& events)
    : open_(open), events_(&events), handles_(new Handles) {}

TcpConnection::~TcpConnection() {
  delete handles_;
}

TcpConnection* TcpConnection::connect(uv_loop_s* loop, OpenHandles& handles, const Address& address,
                                      int port, TcpEvents& events, int& error) {
  auto* connection = new TcpConnection(handles, events);
  uv_tcp_t* tcp = &connection->handles_->tcp;
  error = uv_tcp_init(loop, tcp);
  if (error != 0) {
    delete connection;
    return nullptr;
  }
  tcp->data = connection;
  handles.opened();
  sockaddr_storage to{};
  address.fill(to, port);
  const auto on_connect = [](uv_connect_t* request, int status) noexcept {
    static_cast<TcpConnection*>(request->handle->data)->connected(status);
  };
  error = uv_tcp_connect(&connection->handles_->connect, tcp,
                         reinterpret_cast<const sockaddr*>(&to), on_connect);
  if (error != 0) {
    connection->close();
    return nullptr;
  }
  return connection;
}

void TcpConnection::connected(int status) {
  if (events_ == nullptr) return;  // UV_ECANCELED after close()
  if (status == 0 && connected_to_itself()) status = UV_ECONNREFUSED;
  if (status == 0) {
    events_->on_connected();
  } else {
    events_->on_end(status);
  }
}

// A connection to a free local port of the ephemeral range can pick that very port as its own and
// connect to itself (simultaneous open), although nothing listens.
bool TcpConnection::connected_to_itself() const {
  sockaddr_storage own{};
  sockaddr_storage peer{};
  int own_size = sizeof own;
  int peer_size = sizeof peer;
  if (uv_tcp_getsockname(&handles_->tcp, reinterpret_cast<sockaddr*>(&own), &own_size) != 0 ||
      uv_tcp_getpeername(&handles_->tcp, reinterpret_cast<sockaddr*>(&peer), &peer_size) != 0) {
    return false;
  }
  const auto port = [](const sockaddr_storage& address) {
    return reinterpret_cast<const sockaddr_in*>(&address)->sin_port;  // IPv6 has it in the same
                                                                      // place
  };
  return port(own) == port(peer) && Address::from(reinterpret_cast<sockaddr*>(&own)) ==
                                        Address::from(reinterpret_cast<sockaddr*>(&peer));
}

int TcpConnection::exchange(std::string_view request) {
  const int error = send(request);
  return error != 0 ? error : listen();
}

int TcpConnection::send(std::string_view bytes) {
  if (bytes.empty()) return 0;
  auto* stream = reinterpret_cast<uv_stream_t*>(&handles_->tcp);
  const uv_buf_t buffer =
      uv_buf_init(const_cast<char*>(bytes.data()), static_cast<unsigned>(bytes.size()));
  const int sent = uv_try_write(stream, &buffer, 1);
  if (sent < 0) return sent;
  return static_cast<std::size_t>(sent) == bytes.size() ? 0 : UV_ENOBUFS;
}

int TcpConnection::listen() {
  const auto on_alloc = [](uv_handle_t* handle, std::size_t, uv_buf_t* out) noexcept {
    auto& memory = static_cast<TcpConnection*>(handle->data)->handles_->buffer;
    *out = uv_buf_init(memory.data(), static_cast<unsigned>(memory.size()));
  };
  const auto on_read = [](uv_stream_t* from, ssize_t count, const uv_buf_t* in) noexcept {
    TcpEvents* events = static_cast<TcpConnection*>(from->data)->events_;
    if (events == nullptr || count == 0) return;
    if (count < 0) return events->on_end(static_cast<int>(count));
    events->on_bytes({in->base, static_cast<std::size_t>(count)});
  };
  return uv_read_start(reinterpret_cast<uv_stream_t*>(&handles_->tcp), on_alloc, on_read);
}

void TcpConnection::close() {
  events_ = nullptr;
  uv_close(reinterpret_cast<uv_handle_t*>(&handles_->tcp), [](uv_handle_t* handle) noexcept {
    auto* connection = static_cast<TcpConnection*>(handle->data);
    OpenHandles& open = connection->open_;
    delete connection;
    open.closed();
  });
}

}  // namespace gibbous
