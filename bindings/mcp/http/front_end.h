// FrontEnd: accepts connections on listening sockets, lets in who may come in, and passes whole
// requests to a handler. It has no loop of its own: the transport waits for its descriptor and
// calls it. Loop thread only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "bindings/mcp/http/access.h"
#include "bindings/mcp/http/connection.h"
#include "bindings/mcp/http/limits.h"
#include "bindings/mcp/http/principals.h"
#include "bindings/mcp/http/unix_listener.h"
#include "gibbous/status.h"
#include "runtime/base/clock.h"
#include "runtime/base/unique_fd.h"

namespace gibbous::mcp::http {

class RequestHandler {
 public:
  virtual ~RequestHandler() = default;
  // As of ConnectionHost.
  virtual std::optional<Answer> look_at(const RequestHead& head) = 0;
  virtual void take(Connection& connection, const RequestHead& head, std::string body) = 0;
};

// A listening socket that does not block.
struct Listener {
  UniqueFd socket;
  AccessRules access;
  std::unique_ptr<UnixPlace> place;  // of a unix socket, which is for programs of this user
};

class FrontEnd final : private ConnectionHost {
 public:
  // The arguments must outlive the front end. `handler` takes the requests of those that have the
  // token of the listener, or need none. Fails when there are no descriptors left.
  static Result<std::unique_ptr<FrontEnd>> create(RequestHandler& handler, const Limits& limits,
                                                  const Clock& clock);
  ~FrontEnd() override;
  FrontEnd(const FrontEnd&) = delete;
  FrontEnd& operator=(const FrontEnd&) = delete;

  Status listen(Listener listener);
  // Readable when work() has something to do.
  int fd() const { return poller_.get(); }
  // Reads, accepts, and looks after deadlines that have come. Never waits.
  void work();
  // Writes what can be written. Call it after everything that may have answered a request.
  void settle();
  std::optional<Nanos> next_deadline() const;
  // No new connections, and no new requests.
  void stop_listening() { listeners_.clear(); }

  // Those that have tokens of their own.
  Principals& principals() { return principals_; }
  // Ends every request of a handler that is being read or answered, with its connection. The
  // responders are told.
  void end_requests(const RequestHandler& handler);

  std::size_t connections() const { return connections_.size(); }
  std::size_t unsent_bytes() const { return totals_.unsent_bytes; }
  std::size_t body_bytes() const { return totals_.body_bytes; }

 private:
  struct Entry {
    std::unique_ptr<Connection> connection;
    std::size_t listener = 0;
    std::optional<bool> is_of_run;      // the peer; once a request was granted
    RequestHandler* handler = nullptr;  // of the request that was looked at; set by assign()
    short watched = 0;
    bool touched = false;
    std::optional<Nanos> queued;  // in deadlines_
  };

  FrontEnd(RequestHandler& handler, const Limits& limits, const Clock& clock)
      : handler_(handler), limits_(limits), clock_(clock) {}

  std::optional<Answer> look_at(const Connection& connection, const RequestHead& head) override;
  void take(Connection& connection, const RequestHead& head, std::string body) override;
  void touched(Connection& connection) override;

  void accept_some(std::size_t listener);
  void welcome(UniqueFd socket, std::size_t listener);
  bool make_room(const RequestHandler* of = nullptr);
  void assign(Entry& entry, RequestHandler* handler);
  bool has_its_share(const RequestHandler& handler);
  void watch_listeners(bool wanted);
  void settle_one(std::uint64_t id);
  void remove(std::uint64_t id);
  void queue(std::uint64_t id, Entry& entry);
  void meet_deadlines();

  RequestHandler& handler_;
  Principals principals_;
  const Limits& limits_;
  const Clock& clock_;
  UniqueFd poller_;  // epoll
  std::vector<Listener> listeners_;
  bool listening_ = true;
  Totals totals_;
  std::uint64_t last_id_ = 0;
  std::set<std::pair<Nanos, std::uint64_t>> deadlines_;
  std::vector<std::uint64_t> touched_;
  std::vector<char> buffer_;
  std::unordered_map<std::uint64_t, Entry> connections_;
  std::unordered_map<const RequestHandler*, Share> assigned_;
};

}  // namespace gibbous::mcp::http
