// See exchange.h.
#include "bindings/mcp/http/exchange.h"

#include <utility>

#include "bindings/mcp/http/modern_headers.h"

namespace gibbous::mcp::http {

HttpStatus status_of(int error) {
  switch (error) {
    case kMethodNotFound:
      return kNotFound;
    case kParseError:
    case kInvalidRequest:
    case kHeaderMismatch:
    case kMissingCapability:
    case kUnsupportedVersion:
      return kBadRequest;
    default:
      return kOk;
  }
}

Exchange::Exchange(ToolsBackend& backend, std::string session, const Clock& clock,
                   ServerOptions options, std::function<void()> on_rest)
    : backend_(backend, std::move(session)),
      on_rest_(std::move(on_rest)),
      server_(backend_, *this, clock, std::move(options)) {}

// A call that has become a task goes on without it.
Exchange::~Exchange() = default;

void Exchange::serve(Connection& connection, bool takes_body, bool takes_events,
                     const Request& request) {
  connection_ = &connection;
  request_ = request.id;
  connection.answer_later(*this, takes_body, takes_events);
  server_.handle(request);
}

void Exchange::send_about(std::string message, const About& about) {
  if (connection_ == nullptr) return;
  const bool ends = about.ends && about.request != nullptr && *about.request == request_;
  // Forgotten first, because the connection forgets this with the last message.
  Connection& connection = *connection_;
  if (ends) connection_ = nullptr;
  connection.send(message, ends, status_of(about.error));
  if (ends) on_rest_();
}

bool Exchange::congested() const {
  return connection_ != nullptr && connection_->congested();
}

// In this revision, a client cancels by closing the stream.
void Exchange::on_gone() {
  connection_ = nullptr;
  server_.handle(Notification{"notifications/cancelled", Json{{"requestId", request_}}});
  on_rest_();
}

}  // namespace gibbous::mcp::http
