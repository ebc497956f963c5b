// LegacySession: one client of a revision with a handshake, over HTTP. Its Server lives from
// `initialize` to DELETE, or until it is not used any more. A message about a request goes to the
// stream of that request, every other one to the stream that the client opened with GET. A
// connection that ends cancels nothing: the client may come back for what it missed. Loop thread
// only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "bindings/mcp/http/client_backend.h"
#include "bindings/mcp/http/connection.h"
#include "bindings/mcp/http/event_history.h"
#include "bindings/mcp/http/limits.h"
#include "bindings/mcp/protocol.h"
#include "bindings/mcp/server.h"
#include "runtime/base/clock.h"

namespace gibbous::mcp::http {

class LegacySession final : private MessageSink {
 public:
  // The references must outlive this. `name`: of the runtime's session. `total_history`: the bytes
  // of all histories.
  LegacySession(ToolsBackend& backend, std::string name, const Clock& clock, const Limits& limits,
                ServerOptions options, std::size_t& total_history);
  ~LegacySession() override;
  LegacySession(const LegacySession&) = delete;
  LegacySession& operator=(const LegacySession&) = delete;

  // Answers a request over the connection; `fields` are added to the head of the answer.
  void serve(Connection& connection, bool takes_body, bool takes_events, const Request& request,
             std::string fields = {});
  // A notification, or an answer to a question.
  void take(Connection& connection, const Incoming& message);
  // Opens the stream of the session, or takes up a stream after the event with this id. Returns
  // false when the id is none of this session.
  bool listen(Connection& connection, const std::string* last_event);

  // The server is about to end: nothing is sent afterwards.
  void shut_down();
  // Since when nothing goes on in it; nothing while something does.
  std::optional<Nanos> idle_since() const;
  void tidy(Nanos now) { history_.forget_old(now); }
  // Whether `initialize` has succeeded.
  bool opened() const { return opened_; }

  Server& server() { return server_; }
  const ClientBackend& backend() const { return backend_; }

 private:
  // A stream, with or without a connection.
  struct Stream final : Responder {
    Stream(LegacySession& session, std::uint64_t number) : session(session), number(number) {}
    void on_gone() override;
    std::string first_event_id() override;

    LegacySession& session;
    const std::uint64_t number;
    Connection* connection = nullptr;
    bool takes_body = false;
    bool takes_events = true;
    bool began = false;  // the client has an event id of it, or may have
  };

  void send(std::string message) override { send_about(std::move(message), {}); }
  void send_about(std::string message, const About& about) override;
  bool congested() const override;
  bool send_on(Stream& stream, const std::string& message, bool ends);
  void attach(Stream& stream, Connection& connection);
  void replay(Stream& stream, const EventId& after);
  // `unbegun`: the status where no stream of events has begun.
  void end_stream(Stream& stream, HttpStatus unbegun);

  const Clock& clock_;
  ClientBackend backend_;
  EventHistory history_;
  Stream own_{*this, 0};        // opened with GET
  std::uint64_t own_sent_ = 0;  // the last number that it was given
  std::uint64_t last_stream_ = 0;
  std::map<std::string, std::unique_ptr<Stream>> waiting_;  // by id_key() of the request
  bool first_ids_ = false;  // the client's revision has empty events
  bool opened_ = false;
  bool ending_ = false;
  Nanos used_;
  Server server_;
};

}  // namespace gibbous::mcp::http
