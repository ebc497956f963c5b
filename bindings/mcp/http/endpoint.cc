// See endpoint.h.
#include "bindings/mcp/http/endpoint.h"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <variant>

#include "bindings/json/member.h"
#include "bindings/mcp/http/media_type.h"
#include "bindings/mcp/http/modern_headers.h"
#include "bindings/mcp/messages.h"

namespace gibbous::mcp::http {
namespace {

constexpr const char* kAllowed = "Allow: POST\r\n";
constexpr const char* kAllowedInSessions = "Allow: POST, GET, DELETE\r\n";
constexpr std::string_view kVersionHeader = "mcp-protocol-version";
constexpr std::string_view kSessionHeader = "mcp-session-id";

Answer refusal(HttpStatus status, int code, std::string message, const Json& id = nullptr,
               std::string fields = {}) {
  return {status, error_response(id, Fault{code, std::move(message), nullptr}), std::move(fields)};
}

Answer refusal(const Fault& fault, const Json& id) {
  return {kBadRequest, error_response(id, fault), {}};
}

const Json* version_in_meta(const Request& request) {
  const Json* meta = find_member(request.params, "_meta");
  return meta == nullptr ? nullptr : find_member(*meta, kMetaVersion);
}

bool is_modern_head(const RequestHead& head) {
  const std::string* version = head.field(kVersionHeader);
  return version != nullptr && *version >= kModernRevision;
}

}  // namespace

Endpoint::Endpoint(DrivenBackend& backend, std::string session, const Limits& limits,
                   const Clock& clock, ServerOptions options)
    : backend_(backend),
      session_(std::move(session)),
      limits_(limits),
      clock_(clock),
      options_(std::move(options)),
      tasks_(backend, clock, options_.structured) {}

Endpoint::~Endpoint() {
  for (const auto& [number, exchange] : exchanges_) exchange->end();
}

std::optional<Answer> Endpoint::look_at(const RequestHead& head) {
  if (head.target != kPath) {
    return refusal(kNotFound, kInvalidRequest, std::string("The path of the server is ") + kPath);
  }
  if (head.method != "POST") {
    const bool in_session = head.count(kSessionHeader) != 0;
    if (in_session && head.method == "DELETE") return std::nullopt;
    if (in_session && head.method == "GET") {
      if (accepts(head, kEventsType)) return std::nullopt;
      return refusal(kNotAcceptable, kInvalidRequest,
                     "The stream of a session is text/event-stream: accept it");
    }
    return refusal(kMethodNotAllowed, kInvalidRequest,
                   in_session ? "Sessions have POST, GET and DELETE" : "Send messages with POST",
                   nullptr, in_session ? kAllowedInSessions : kAllowed);
  }
  const std::string* type = head.field("content-type");
  if (type == nullptr || !names_type(*type, kJsonType)) {
    return refusal(kUnsupportedMediaType, kInvalidRequest,
                   "The Content-Type of a message is application/json");
  }
  if (!accepts(head, kJsonType) && !accepts(head, kEventsType)) {
    return refusal(kNotAcceptable, kInvalidRequest,
                   "Answers are application/json or text/event-stream: accept both");
  }
  return std::nullopt;
}

void Endpoint::take(Connection& connection, const RequestHead& head, std::string body) {
  if (head.method != "POST") {
    serve_session(connection, head);
    return;
  }
  const Incoming incoming = read_message(body);
  if (const auto* request = std::get_if<Request>(&incoming)) {
    take_request(connection, head, *request);
  } else if (const auto* wrong = std::get_if<Malformed>(&incoming)) {
    connection.answer(refusal(wrong->fault, wrong->id));
  } else if (head.count(kSessionHeader) != 0) {
    if (LegacySession* session = session_of(connection, head)) session->take(connection, incoming);
  } else if (std::holds_alternative<Notification>(incoming) && is_modern_head(head)) {
    // A client of this revision cancels by closing the stream, and has nothing else to tell.
    connection.answer({kAccepted, {}, {}});
  } else {
    connection.answer(
        refusal(kBadRequest, kInvalidRequest, "The message needs the Mcp-Session-Id of a session"));
  }
}

void Endpoint::take_request(Connection& connection, const RequestHead& head,
                            const Request& request) {
  if (version_in_meta(request) != nullptr) {
    serve_modern(connection, head, request);
  } else if (request.method == "initialize") {
    open_session(connection, head, request);
  } else if (head.count(kSessionHeader) != 0) {
    if (LegacySession* session = session_of(connection, head)) {
      session->serve(connection, accepts(head, kJsonType), accepts(head, kEventsType), request);
    }
  } else {
    connection.answer(refusal(kBadRequest, kInvalidParams,
                              std::string("The request's _meta lacks ") + kMetaVersion +
                                  ", and it has no Mcp-Session-Id of a session",
                              request.id));
  }
}

void Endpoint::serve_modern(Connection& connection, const RequestHead& head,
                            const Request& request) {
  if (auto fault = compare_version(head, *version_in_meta(request))) {
    connection.answer(refusal(*fault, request.id));
    return;
  }
  const std::variant<Envelope, Fault> read = read_envelope(request.params);
  if (const auto* fault = std::get_if<Fault>(&read)) {
    connection.answer(refusal(*fault, request.id));
    return;
  }
  if (auto fault = compare_names(head, request)) {
    connection.answer(refusal(*fault, request.id));
    return;
  }
  const bool takes_body = accepts(head, kJsonType);
  const bool takes_events = accepts(head, kEventsType);
  if (request.method == "subscriptions/listen" && !takes_events) {
    connection.answer(refusal(kNotAcceptable, kInvalidRequest,
                              "A subscription is a text/event-stream: accept it", request.id));
    return;
  }
  if (Exchange* exchange = returned_to(request)) {
    exchange->serve(connection, takes_body, takes_events, request);
    return;
  }
  if (exchanges_.size() >= limits_.exchanges) {
    connection.answer(refusal(kUnavailable, kInternalError,
                              "Too many requests are in progress: wait for some of them",
                              request.id));
    return;
  }
  const std::uint64_t number = ++last_exchange_;
  ServerOptions options = options_;
  options.state_prefix = std::to_string(number) + ".";
  options.tasks = &tasks_;
  options.client = session_;
  auto& exchange = exchanges_[number] =
      std::make_unique<Exchange>(backend_, std::string(), clock_, std::move(options),
                                 [this, number] { resting_.push_back(number); });
  exchange->serve(connection, takes_body, takes_events, request);
}

// The call that waits for the client's answers, if this request continues one.
Exchange* Endpoint::returned_to(const Request& request) {
  const std::string* state = find_text(request.params, "requestState");
  if (state == nullptr) return nullptr;
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(state->data(), state->data() + state->size(), number);
  if (error != std::errc() || end == state->data() + state->size() || *end != '.') return nullptr;
  const auto found = exchanges_.find(number);
  if (found == exchanges_.end() || found->second->busy()) return nullptr;
  return found->second.get();
}

template <typename Visit>
void Endpoint::each_server(const Visit& visit) {
  for (const auto& [number, exchange] : exchanges_) visit(exchange->server(), exchange->backend());
  for (const auto& [id, session] : sessions_) visit(session->server(), session->backend());
}

bool Endpoint::concerns(const std::string& session, const Event& event) const {
  if (event.session.empty()) return true;
  return event.session == (session.empty() ? backend_.session() : session);
}

void Endpoint::on_event(const Event& event) {
  each_server([&](Server& server, const ClientBackend& backend) {
    if (concerns(backend.session(), event)) server.on_event(event);
  });
}

Server* Endpoint::server_of(CallId call) {
  Server* found = nullptr;
  each_server([&](Server& server, const ClientBackend& backend) {
    if (backend.owns(call)) found = &server;
  });
  return found;
}

void Endpoint::on_ask(AskRequest request) {
  if (!options_.asks_client) {
    AskAnswer nobody;
    nobody.no_approver = true;
    request.reply(nobody);
    return;
  }
  if (tasks_.take_ask(request)) return;
  if (Server* asked = server_of(request.call)) asked->on_ask(std::move(request));
}

// Without a client to answer, the request ends unanswered, which the script is told.
void Endpoint::on_input(InputRequest request) {
  if (tasks_.take_input(request)) return;
  if (Server* asked = server_of(request.call)) asked->on_input(std::move(request));
}

void Endpoint::on_withdrawn(const std::string& question) {
  if (tasks_.withdraw(question)) return;
  each_server([&](Server& server, const ClientBackend&) { server.on_withdrawn(question); });
}

void Endpoint::tidy() {
  sweep();
  for (const auto& [number, exchange] : exchanges_) {
    const bool waited = exchange->server().awaits_answers();
    exchange->server().expire();
    if (waited && exchange->over()) resting_.push_back(number);
  }
  for (const auto& [id, session] : sessions_) session->server().expire();
  tasks_.expire();
  for (const std::uint64_t number : std::exchange(resting_, {})) {
    const auto found = exchanges_.find(number);
    if (found != exchanges_.end() && found->second->over()) exchanges_.erase(found);
  }
}

std::optional<Nanos> Endpoint::next_timeout() const {
  std::optional<Nanos> soonest = tasks_.next_timeout();
  const auto add = [&soonest](const std::optional<Nanos>& each) {
    if (each && (!soonest || *each < *soonest)) soonest = each;
  };
  for (const auto& [number, exchange] : exchanges_) add(exchange->server().next_timeout());
  for (const auto& [id, session] : sessions_) add(session->server().next_timeout());
  if (!sessions_.empty()) {
    const Nanos sweep = std::max(next_sweep_ - clock_.now(), Nanos{0});
    if (!soonest || sweep < *soonest) soonest = sweep;
  }
  return soonest;
}

void Endpoint::shut_down() {
  for (const auto& [number, exchange] : exchanges_) exchange->server().shut_down();
  for (const auto& [id, session] : sessions_) session->shut_down();
  tasks_.shut_down();
}

}  // namespace gibbous::mcp::http
