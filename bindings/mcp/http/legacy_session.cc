// See legacy_session.h.
#include "bindings/mcp/http/legacy_session.h"

#include <utility>
#include <variant>

#include "bindings/json/member.h"
#include "bindings/mcp/messages.h"

namespace gibbous::mcp::http {
namespace {

// Clients of earlier revisions take an empty event for a message.
constexpr std::string_view kFirstWithEmptyEvents = "2025-11-25";

}  // namespace

LegacySession::LegacySession(ToolsBackend& backend, std::string name, const Clock& clock,
                             const Limits& limits, ServerOptions options,
                             std::size_t& total_history)
    : clock_(clock),
      backend_(backend, std::move(name)),
      history_(limits, total_history),
      used_(clock.now()),
      server_(backend_, *this, clock, std::move(options)) {}

LegacySession::~LegacySession() {
  shut_down();
  backend_.end();
}

void LegacySession::shut_down() {
  ending_ = true;
  server_.shut_down();
  for (const auto& [key, stream] : waiting_) end_stream(*stream, kUnavailable);
  end_stream(own_, kOk);
}

void LegacySession::Stream::on_gone() {
  began = began || connection->streams();
  connection = nullptr;
  session.used_ = session.clock_.now();
}

std::string LegacySession::Stream::first_event_id() {
  began = true;
  return session.first_ids_ ? session.history_.end_of(number).text() : std::string();
}

void LegacySession::attach(Stream& stream, Connection& connection) {
  end_stream(stream, kAccepted);
  stream.connection = &connection;
}

void LegacySession::end_stream(Stream& stream, HttpStatus unbegun) {
  Connection* const connection = std::exchange(stream.connection, nullptr);
  if (connection == nullptr) return;
  if (connection->streams() || connection->gone()) {
    connection->end_events();
  } else {
    connection->answer({unbegun, {}, {}});
  }
}

void LegacySession::serve(Connection& connection, bool takes_body, bool takes_events,
                          const Request& request, std::string fields) {
  used_ = clock_.now();
  const std::string key = id_key(request.id);
  if (waiting_.count(key) != 0) {
    const Fault fault{kInvalidRequest, "A request with this id is still in progress",
                      Json{{"id", request.id}}};
    connection.answer({kBadRequest, error_response(nullptr, fault), {}});
    return;
  }
  if (request.method == "initialize") {
    const std::string* version = find_text(request.params, "protocolVersion");
    first_ids_ = version != nullptr && negotiate_legacy(*version) >= kFirstWithEmptyEvents;
  }
  auto& stream = waiting_[key] = std::make_unique<Stream>(*this, ++last_stream_);
  stream->takes_body = takes_body;
  stream->takes_events = takes_events;
  stream->connection = &connection;
  connection.answer_later(*stream, takes_body, takes_events, std::move(fields));
  server_.handle(request);
}

void LegacySession::take(Connection& connection, const Incoming& message) {
  used_ = clock_.now();
  server_.handle(message);
  connection.answer({kAccepted, {}, {}});
  const auto* notification = std::get_if<Notification>(&message);
  if (notification == nullptr || notification->method != "notifications/cancelled") return;
  // Nothing more is sent for the request, so its stream is over.
  const Json* id = find_member(notification->params, "requestId");
  auto cancelled =
      id != nullptr && is_id(*id) ? waiting_.extract(id_key(*id)) : decltype(waiting_)::node_type();
  if (!cancelled.empty()) end_stream(*cancelled.mapped(), kAccepted);
}

bool LegacySession::listen(Connection& connection, const std::string* last_event) {
  used_ = clock_.now();
  EventId after{0, own_sent_};
  if (last_event != nullptr) {
    const std::optional<EventId> given = EventId::parse(*last_event);
    if (!given || given->stream > last_stream_ || !history_.knows(*given)) return false;
    after = *given;
  }
  Stream* stream = after.stream == 0 ? &own_ : nullptr;
  for (const auto& [key, waiting] : waiting_) {
    if (waiting->number == after.stream) stream = waiting.get();
  }
  Stream over(*this, after.stream);  // its request was answered: only what was missed is left
  const bool goes_on = stream != nullptr;
  if (!goes_on) stream = &over;
  attach(*stream, connection);
  stream->takes_body = false;
  stream->takes_events = true;
  connection.answer_later(*stream, false, true);
  connection.begin_events();
  replay(*stream, after);
  if (!goes_on) end_stream(*stream, kOk);
  return true;
}

void LegacySession::replay(Stream& stream, const EventId& after) {
  history_.each_after(after, [&](const EventId& id, const std::string& message) {
    if (stream.connection == nullptr) return;
    stream.connection->send(message, false, kOk, id.text());
    if (id.stream == 0) own_sent_ = id.number;
  });
}

void LegacySession::send_about(std::string message, const About& about) {
  if (ending_) return;
  if (about.request != nullptr) {
    const auto found = waiting_.find(id_key(*about.request));
    if (found != waiting_.end()) {
      Stream& stream = *found->second;
      // Without a result, only the first request of a session ends it.
      opened_ = opened_ || (about.ends && about.error == 0);
      const bool sent = send_on(stream, message, about.ends);
      if (about.ends) waiting_.erase(found);
      if (sent || about.ends) return;
    } else if (about.ends) {
      return;  // it was cancelled
    }
  }
  send_on(own_, message, false);
}

// Returns false when no connection took it.
bool LegacySession::send_on(Stream& stream, const std::string& message, bool ends) {
  Connection* const connection = stream.connection;
  const bool as_body = connection != nullptr && !connection->streams() && ends && stream.takes_body;
  if (as_body || (connection != nullptr && !stream.takes_events)) {
    if (ends) stream.connection = nullptr;
    connection->send(message, ends);
    return true;
  }
  // The client knows no id of a stream that had not begun, and so cannot take it up.
  const bool may_come_back = connection != nullptr || stream.began || stream.number == 0;
  if (!may_come_back) return false;
  const EventId id = history_.add(stream.number, message, clock_.now());
  if (connection == nullptr) return false;
  if (ends) stream.connection = nullptr;
  stream.began = true;
  if (stream.number == 0) own_sent_ = id.number;
  connection->send(message, ends, kOk, id.text());
  return true;
}

bool LegacySession::congested() const {
  if (own_.connection != nullptr && own_.connection->congested()) return true;
  for (const auto& [key, stream] : waiting_) {
    if (stream->connection != nullptr && stream->connection->congested()) return true;
  }
  return false;
}

std::optional<Nanos> LegacySession::idle_since() const {
  if (!waiting_.empty() || own_.connection != nullptr) return std::nullopt;
  return used_;
}

}  // namespace gibbous::mcp::http
