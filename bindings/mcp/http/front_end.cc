// See front_end.h.
#include "bindings/mcp/http/front_end.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>

#include "bindings/mcp/messages.h"
#include "runtime/process/ancestry.h"

namespace gibbous::mcp::http {
namespace {

constexpr std::size_t kReadBytes = std::size_t{64} * 1024;
// Listeners and connections are told apart by the number that epoll keeps for them.
constexpr std::uint64_t kFirstConnection = 1000;
constexpr int kEventsAtOnce = 64;
constexpr int kAcceptsAtOnce = 64;

static_assert(EPOLLIN == POLLIN && EPOLLOUT == POLLOUT && EPOLLERR == POLLERR &&
              EPOLLHUP == POLLHUP && EPOLLRDHUP == POLLRDHUP);

Answer turn_away(HttpStatus status, const std::string& message, std::string fields = {}) {
  return {status, error_response(nullptr, Fault{kInvalidRequest, message, nullptr}),
          std::move(fields)};
}

Answer unauthorized() {
  return turn_away(kUnauthorized, "The request needs the server's token: Authorization: Bearer",
                   "WWW-Authenticate: Bearer realm=\"gibbous\"\r\n");
}

bool is_of_this_user(int socket) {
  ucred peer{};
  socklen_t size = sizeof peer;
  if (::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return false;
  return peer.uid == ::geteuid() || peer.uid == 0;
}

}  // namespace

Result<std::unique_ptr<FrontEnd>> FrontEnd::create(RequestHandler& handler, const Limits& limits,
                                                   const Clock& clock) {
  std::unique_ptr<FrontEnd> made(new FrontEnd(handler, limits, clock));
  made->poller_ = UniqueFd(::epoll_create1(EPOLL_CLOEXEC));
  if (!made->poller_) {
    return Status::error("listen_failed", "epoll: " + std::generic_category().message(errno));
  }
  made->buffer_.resize(kReadBytes);
  made->last_id_ = kFirstConnection;
  return made;
}

FrontEnd::~FrontEnd() {
  // The responders are told one by one, and may touch other connections meanwhile.
  while (!connections_.empty()) remove(connections_.begin()->first);
}

Status FrontEnd::listen(Listener listener) {
  epoll_event wanted{};
  wanted.events = EPOLLIN;
  wanted.data.u64 = listeners_.size();
  if (::epoll_ctl(poller_.get(), EPOLL_CTL_ADD, listener.socket.get(), &wanted) != 0) {
    return Status::error("listen_failed", "epoll: " + std::generic_category().message(errno));
  }
  listeners_.push_back(std::move(listener));
  return {};
}

void FrontEnd::watch_listeners(bool wanted) {
  if (listening_ == wanted) return;
  listening_ = wanted;
  for (std::size_t each = 0; each < listeners_.size(); ++each) {
    epoll_event event{};
    if (wanted) event.events = EPOLLIN;
    event.data.u64 = each;
    ::epoll_ctl(poller_.get(), EPOLL_CTL_MOD, listeners_[each].socket.get(), &event);
  }
}

void FrontEnd::work() {
  std::array<epoll_event, kEventsAtOnce> events{};
  const int count = ::epoll_wait(poller_.get(), events.data(), kEventsAtOnce, 0);
  for (int each = 0; each < count; ++each) {
    const epoll_event& event = events[static_cast<std::size_t>(each)];
    if (event.data.u64 < kFirstConnection) {
      if (event.data.u64 < listeners_.size()) accept_some(event.data.u64);
      continue;
    }
    const auto found = connections_.find(event.data.u64);
    if (found == connections_.end()) continue;
    found->second.connection->on_events(static_cast<short>(event.events), buffer_);
  }
  meet_deadlines();
}

void FrontEnd::accept_some(std::size_t listener) {
  for (int each = 0; each < kAcceptsAtOnce; ++each) {
    UniqueFd socket(::accept4(listeners_[listener].socket.get(), nullptr, nullptr,
                              SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (socket) {
      welcome(std::move(socket), listener);
      continue;
    }
    const bool used_up = errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM;
    if (used_up && !make_room()) watch_listeners(false);  // until a connection ends
    if (used_up || errno == EAGAIN || errno == EWOULDBLOCK) return;
  }
}

void FrontEnd::welcome(UniqueFd socket, std::size_t listener) {
  if (listeners_[listener].place) {
    if (!is_of_this_user(socket.get())) return;
  } else {
    const int on = 1;
    ::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  }
  const bool full = connections_.size() >= limits_.connections && !make_room();
  const std::uint64_t id = ++last_id_;
  Entry& entry = connections_[id];
  entry.listener = listener;
  ConnectionHost& host = *this;
  entry.connection =
      std::make_unique<Connection>(id, std::move(socket), host, limits_, clock_, totals_);
  entry.watched = entry.connection->wanted_events();
  epoll_event wanted{};
  wanted.events = static_cast<std::uint16_t>(entry.watched);
  wanted.data.u64 = id;
  if (::epoll_ctl(poller_.get(), EPOLL_CTL_ADD, entry.connection->fd(), &wanted) != 0) {
    entry.connection->drop();
  }
  touched(*entry.connection);
  // Beyond the limit, what the socket takes at once must do.
  if (full) {
    entry.connection->refuse(turn_away(kUnavailable, "Too many connections are open"));
    entry.connection->settle();
    entry.connection->drop();
  }
}

// Ends a connection that waits for a next request: of a handler, or any.
bool FrontEnd::make_room(const RequestHandler* of) {
  for (const auto& [id, entry] : connections_) {
    if (!entry.connection->idle() || (of != nullptr && entry.handler != of)) continue;
    remove(id);
    return true;
  }
  return false;
}

void FrontEnd::assign(Entry& entry, RequestHandler* handler) {
  entry.connection->count_among(nullptr);
  const auto before = assigned_.find(entry.handler);
  if (before != assigned_.end() && --before->second.connections == 0) assigned_.erase(before);
  entry.handler = handler;
  if (handler == nullptr) return;
  Share& share = assigned_[handler];
  ++share.connections;
  share.is_limited = !principals_.empty();
  entry.connection->count_among(&share);
}

// Where several have tokens, none keeps the others out.
bool FrontEnd::has_its_share(const RequestHandler& handler) {
  const Share& share = assigned_[&handler];
  if (!share.is_limited || share.connections <= limits_.connections_of_one) return true;
  return make_room(&handler);
}

std::optional<Answer> FrontEnd::look_at(const Connection& connection, const RequestHead& head) {
  const auto found = connections_.find(connection.id());
  if (found == connections_.end() || found->second.listener >= listeners_.size()) {
    return turn_away(kUnavailable, "The server is about to end");
  }
  Entry& entry = found->second;
  const Listener& listener = listeners_[entry.listener];
  RequestHandler* handler = nullptr;
  assign(entry, handler);
  switch (judge(head, listener.access)) {
    case Access::kGranted:
      handler = &handler_;
      break;
    case Access::kForeignHost:
      return turn_away(kForbidden, "The Host of the request is not a name of this server");
    case Access::kForeignOrigin:
      return turn_away(kForbidden, "Pages of this Origin may not use this server");
    case Access::kUnauthorized:
      handler = principals_.find(bearer_token(head));
      if (handler == nullptr) return unauthorized();
  }
  // What runs could call would start commands outside of their sandboxes, and approve its own.
  if (!entry.is_of_run) entry.is_of_run = is_peer_of_run(connection.fd());
  if (*entry.is_of_run) return turn_away(kForbidden, "Processes of runs may not use this server");
  assign(entry, handler);
  if (!has_its_share(*handler)) {
    assign(entry, nullptr);
    return turn_away(kUnavailable, "Too many connections of this token are open: end some of them");
  }
  return handler->look_at(head);
}

void FrontEnd::take(Connection& connection, const RequestHead& head, std::string body) {
  const auto found = connections_.find(connection.id());
  RequestHandler* const handler = found == connections_.end() ? nullptr : found->second.handler;
  if (handler == nullptr) {
    connection.answer(unauthorized());
  } else {
    handler->take(connection, head, std::move(body));
  }
}

void FrontEnd::end_requests(const RequestHandler& handler) {
  std::vector<std::uint64_t> ended;
  for (const auto& [id, entry] : connections_) {
    if (entry.handler == &handler) ended.push_back(id);
  }
  for (const std::uint64_t id : ended) {
    const auto found = connections_.find(id);
    if (found == connections_.end()) continue;
    assign(found->second, nullptr);
    Connection& connection = *found->second.connection;
    // What was said last may still leave.
    connection.settle();
    if (!connection.idle()) connection.drop();
    settle_one(id);
  }
}

void FrontEnd::touched(Connection& connection) {
  const auto found = connections_.find(connection.id());
  if (found == connections_.end() || std::exchange(found->second.touched, true)) return;
  touched_.push_back(connection.id());
}

void FrontEnd::settle() {
  // Settling may take up a request, and its answer may touch any connection.
  while (!touched_.empty()) {
    for (const std::uint64_t id : std::exchange(touched_, {})) settle_one(id);
  }
}

void FrontEnd::settle_one(std::uint64_t id) {
  const auto found = connections_.find(id);
  if (found == connections_.end()) return;
  Entry& entry = found->second;
  Connection& connection = *entry.connection;
  entry.touched = true;  // what it touches itself needs no further turn
  connection.settle();
  entry.touched = false;
  if (connection.gone()) {
    remove(id);
    return;
  }
  const short wanted = connection.wanted_events();
  if (wanted != entry.watched) {
    epoll_event event{};
    event.events = static_cast<std::uint16_t>(wanted);
    event.data.u64 = id;
    ::epoll_ctl(poller_.get(), EPOLL_CTL_MOD, connection.fd(), &event);
    entry.watched = wanted;
  }
  queue(id, entry);
}

void FrontEnd::remove(std::uint64_t id) {
  auto node = connections_.extract(id);
  if (node.empty()) return;
  assign(node.mapped(), nullptr);
  if (const auto& queued = node.mapped().queued) deadlines_.erase({*queued, id});
  node.mapped().connection.reset();  // tells the responder
  watch_listeners(true);
}

// An entry may be earlier than the deadline; it then moves when its time comes. So a connection
// that is busy does not move it with every request.
void FrontEnd::queue(std::uint64_t id, Entry& entry) {
  const std::optional<Nanos> deadline = entry.connection->deadline();
  if (!deadline || (entry.queued && *entry.queued <= *deadline)) return;
  if (entry.queued) deadlines_.erase({*entry.queued, id});
  entry.queued = deadline;
  deadlines_.insert({*deadline, id});
}

void FrontEnd::meet_deadlines() {
  const Nanos now = clock_.now();
  while (!deadlines_.empty() && deadlines_.begin()->first <= now) {
    const std::uint64_t id = deadlines_.begin()->second;
    deadlines_.erase(deadlines_.begin());
    Entry& entry = connections_.at(id);
    entry.queued.reset();
    const std::optional<Nanos> deadline = entry.connection->deadline();
    if (deadline && *deadline <= now) entry.connection->on_deadline();
    touched(*entry.connection);
    if (entry.connection->deadline() > now) queue(id, entry);
  }
}

std::optional<Nanos> FrontEnd::next_deadline() const {
  if (deadlines_.empty()) return std::nullopt;
  return std::max(deadlines_.begin()->first - clock_.now(), Nanos{0});
}

}  // namespace gibbous::mcp::http
