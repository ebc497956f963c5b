// Exchange: one request of revision 2026-07-28 over HTTP. It has a Server of its own, because
// nothing is kept from request to request; only a call that waits for its client's answers lives
// on, until the client returns with the requestState. Loop thread only.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "bindings/mcp/http/client_backend.h"
#include "bindings/mcp/http/connection.h"
#include "bindings/mcp/protocol.h"
#include "bindings/mcp/server.h"
#include "runtime/base/clock.h"

namespace gibbous::mcp::http {

// The status of an answer with this error code.
HttpStatus status_of(int error);

class Exchange final : private MessageSink, private Responder {
 public:
  // The references must outlive this. Calls `on_rest` when it no longer has a connection.
  Exchange(ToolsBackend& backend, std::string session, const Clock& clock, ServerOptions options,
           std::function<void()> on_rest);
  ~Exchange() override;
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  // Answers the request over the connection. Only while none is answered.
  void serve(Connection& connection, bool takes_body, bool takes_events, const Request& request);
  bool busy() const { return connection_ != nullptr; }
  // The client is gone for good: its calls end.
  void end() { backend_.end(); }
  // Nothing is left to do, and no client will return.
  bool over() const { return connection_ == nullptr && !server_.awaits_answers(); }

  Server& server() { return server_; }
  const ClientBackend& backend() const { return backend_; }

 private:
  void send(std::string message) override { send_about(std::move(message), {}); }
  void send_about(std::string message, const About& about) override;
  bool congested() const override;
  void on_gone() override;

  ClientBackend backend_;
  const std::function<void()> on_rest_;
  Connection* connection_ = nullptr;
  Json request_;  // its id
  Server server_;
};

}  // namespace gibbous::mcp::http
