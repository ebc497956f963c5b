// The part of the endpoint that keeps the sessions of legacy clients. See endpoint.h.
#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "bindings/mcp/http/endpoint.h"
#include "bindings/mcp/http/media_type.h"
#include "bindings/mcp/http/token.h"
#include "bindings/mcp/messages.h"
#include "runtime/base/random_id.h"

namespace gibbous::mcp::http {
namespace {

constexpr std::array<std::string_view, 4> kLegacyRevisions = {"2024-11-05", "2025-03-26",
                                                              "2025-06-18", "2025-11-25"};

Answer no_session(HttpStatus status, std::string message, const Json& id = nullptr) {
  return {status, error_response(id, Fault{kInvalidRequest, std::move(message), nullptr}), {}};
}

// A session of the runtime for one more client. The Mcp-Session-Id is a secret, which must not be
// in lists and journals.
std::string name_beside(const std::string& session) {
  std::string name = session;
  name.insert(std::min(name.find('@'), name.size()), "-" + random_id());
  return name;
}

}  // namespace

void Endpoint::open_session(Connection& connection, const RequestHead& head,
                            const Request& request) {
  const Result<std::string> id = make_token();
  if (!id || (sessions_.size() >= limits_.sessions && !make_room_for_session())) {
    connection.answer(no_session(kUnavailable, "Too many sessions are open", request.id));
    return;
  }
  if (sessions_.empty()) next_sweep_ = clock_.now() + limits_.sweep_time;
  auto& session = sessions_[*id] = std::make_unique<LegacySession>(
      backend_, name_beside(session_), clock_, limits_, options_, history_bytes_);
  session->serve(connection, accepts(head, kJsonType), accepts(head, kEventsType), request,
                 "Mcp-Session-Id: " + *id + "\r\n");
  // The request is answered at once. After an error there is no session.
  if (!session->opened()) sessions_.erase(*id);
}

// The session that was unused for the longest time ends.
bool Endpoint::make_room_for_session() {
  auto oldest = sessions_.end();
  Nanos since{0};
  for (auto each = sessions_.begin(); each != sessions_.end(); ++each) {
    const std::optional<Nanos> idle = each->second->idle_since();
    if (!idle || (oldest != sessions_.end() && *idle >= since)) continue;
    oldest = each;
    since = *idle;
  }
  if (oldest == sessions_.end()) return false;
  sessions_.erase(oldest);
  return true;
}

LegacySession* Endpoint::session_of(Connection& connection, const RequestHead& head) {
  const std::string* id = head.field("mcp-session-id");
  if (id == nullptr) {
    connection.answer(no_session(kBadRequest, "The request needs one Mcp-Session-Id"));
    return nullptr;
  }
  if (head.count("mcp-protocol-version") != 0) {
    const std::string* version = head.field("mcp-protocol-version");
    if (version == nullptr || std::find(kLegacyRevisions.begin(), kLegacyRevisions.end(),
                                        *version) == kLegacyRevisions.end()) {
      connection.answer(no_session(kBadRequest, "The MCP-Protocol-Version is none of a session's"));
      return nullptr;
    }
  }
  const auto found = sessions_.find(*id);
  if (found == sessions_.end()) {
    connection.answer(no_session(kNotFound, "There is no such session: initialize a new one"));
    return nullptr;
  }
  return found->second.get();
}

void Endpoint::serve_session(Connection& connection, const RequestHead& head) {
  LegacySession* const session = session_of(connection, head);
  if (session == nullptr) return;
  if (head.method == "DELETE") {
    sessions_.erase(*head.field("mcp-session-id"));
    connection.answer({kOk, {}, {}});
  } else if (!session->listen(connection, head.field("last-event-id"))) {
    connection.answer(no_session(kBadRequest, "The Last-Event-ID is none of this session"));
  }
}

void Endpoint::sweep() {
  const Nanos now = clock_.now();
  if (sessions_.empty() || now < next_sweep_) return;
  next_sweep_ = now + limits_.sweep_time;
  for (auto each = sessions_.begin(); each != sessions_.end();) {
    each->second->tidy(now);
    const std::optional<Nanos> idle = each->second->idle_since();
    if (idle && *idle + limits_.session_time <= now) {
      each = sessions_.erase(each);
    } else {
      ++each;
    }
  }
}

}  // namespace gibbous::mcp::http
