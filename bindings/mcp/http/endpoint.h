// Endpoint: MCP over HTTP requests. It tells the eras apart, checks the headers of each, and finds
// or makes the Server that answers. It also passes the runtime's events and questions to those that
// they concern. Loop thread only.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bindings/mcp/backend.h"
#include "bindings/mcp/http/exchange.h"
#include "bindings/mcp/http/front_end.h"
#include "bindings/mcp/http/legacy_session.h"
#include "bindings/mcp/http/limits.h"
#include "bindings/mcp/protocol.h"
#include "bindings/mcp/server.h"
#include "bindings/mcp/task_table.h"
#include "runtime/base/clock.h"

namespace gibbous::mcp::http {

// The path that clients use.
inline constexpr const char* kPath = "/mcp";

class Endpoint final : public RequestHandler {
 public:
  // The references must outlive this. `session`: the backend's own, NAME@WORKSPACE; those of legacy
  // clients are called after it. `options` are those of every Server.
  Endpoint(DrivenBackend& backend, std::string session, const Limits& limits, const Clock& clock,
           ServerOptions options);
  ~Endpoint() override;

  std::optional<Answer> look_at(const RequestHead& head) override;
  void take(Connection& connection, const RequestHead& head, std::string body) override;

  void on_event(const Event& event);
  void on_ask(AskRequest request);
  void on_input(InputRequest request);
  void on_withdrawn(const std::string& question);
  // Gives up what has waited for too long, and forgets what is over.
  void tidy();
  std::optional<Nanos> next_timeout() const;
  void shut_down();

 private:
  void take_request(Connection& connection, const RequestHead& head, const Request& request);
  void serve_modern(Connection& connection, const RequestHead& head, const Request& request);
  Exchange* returned_to(const Request& request);
  void open_session(Connection& connection, const RequestHead& head, const Request& request);
  bool make_room_for_session();
  // Answers the request itself, and returns null, when it names no session that goes on.
  LegacySession* session_of(Connection& connection, const RequestHead& head);
  void serve_session(Connection& connection, const RequestHead& head);
  void sweep();
  bool concerns(const std::string& session, const Event& event) const;
  template <typename Visit>
  void each_server(const Visit& visit);
  // Null: the client has gone, or the call is none of a client's.
  Server* server_of(CallId call);

  DrivenBackend& backend_;
  const std::string session_;
  const Limits& limits_;
  const Clock& clock_;
  const ServerOptions options_;
  TaskTable tasks_;  // of clients of this revision, beyond their exchanges
  std::uint64_t last_exchange_ = 0;
  std::map<std::uint64_t, std::unique_ptr<Exchange>> exchanges_;
  std::vector<std::uint64_t> resting_;  // exchanges without a connection, to be looked at
  std::size_t history_bytes_ = 0;
  std::map<std::string, std::unique_ptr<LegacySession>> sessions_;  // by Mcp-Session-Id
  Nanos next_sweep_{0};
};

}  // namespace gibbous::mcp::http
