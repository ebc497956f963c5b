// Connection: one client of the HTTP transport. It reads requests within limits, one at a time, and
// writes their answers: one body, or a stream of events (SSE). It knows nothing of MCP. The front
// end owns it, watches its socket and its deadline, and settles it after each change. Loop thread
// only.
//
// A client that sends no more may wait for its answer, or be gone: TCP tells the same of both. What
// is written to one that is gone ends the connection, so something is written at once: the
// beginning of the stream, a comment in it, or, where the client takes no stream, an interim
// response.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "bindings/mcp/http/http_status.h"
#include "bindings/mcp/http/limits.h"
#include "bindings/mcp/http/request_parser.h"
#include "runtime/base/clock.h"
#include "runtime/base/unique_fd.h"

namespace gibbous::mcp::http {

// One whole answer.
struct Answer {
  HttpStatus status = kOk;
  std::string body;    // JSON; "" for none
  std::string fields;  // further ones, each with its line end
};

// What all connections hold together.
struct Totals {
  std::size_t body_bytes = 0;
  std::size_t unsent_bytes = 0;
};

// What the connections of one token hold.
struct Share {
  std::size_t connections = 0;
  std::size_t body_bytes = 0;
  std::size_t unsent_bytes = 0;
  bool is_limited = false;  // others have tokens, too
};

class Connection;

// What answers a request. It is told when the client has gone before the answer was complete.
class Responder {
 public:
  virtual ~Responder() = default;
  virtual void on_gone() = 0;
  // The id of an empty event at the beginning of the stream; "" for none.
  virtual std::string first_event_id() { return {}; }
};

class ConnectionHost {
 public:
  virtual ~ConnectionHost() = default;
  // Refuses a request before its body is read, or does not.
  virtual std::optional<Answer> look_at(const Connection& connection, const RequestHead& head) = 0;
  // Takes a whole request: answer() or answer_later() must follow before this returns.
  virtual void take(Connection& connection, const RequestHead& head, std::string body) = 0;
  // The connection must be settled before the loop sleeps.
  virtual void touched(Connection& connection) = 0;
};

class Connection {
 public:
  // `socket` does not block. The others must outlive the connection.
  Connection(std::uint64_t id, UniqueFd socket, ConnectionHost& host, const Limits& limits,
             const Clock& clock, Totals& totals);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  std::uint64_t id() const { return id_; }
  int fd() const { return socket_.get(); }

  // For the front end: what poll(2) should wait for, and what to do about what it found. `buffer`
  // is scratch space.
  short wanted_events() const;
  void on_events(short events, std::span<char> buffer);
  // Writes what can be written and takes up the next request that was read.
  void settle();
  std::optional<Nanos> deadline() const { return deadline_; }
  void on_deadline();
  // The socket is to be closed, and the connection destroyed.
  bool gone() const { return gone_; }
  // Between two requests: it may be closed at any time.
  bool idle() const { return state_ == State::kHead && input_.empty() && pending_bytes() == 0; }
  void refuse(Answer answer);  // and closes
  void drop() { gone_ = true; }
  // Whose body and unsent bytes it counts among; it must outlive the connection, or the next one
  // given. Null: none.
  void count_among(Share* share);
  std::size_t pending_bytes() const { return output_.size() - written_; }

  // For the responder of the request that was taken.
  void answer(const Answer& answer);
  // The answer comes later, in messages; `fields` are added to its head.
  void answer_later(Responder& responder, bool takes_body, bool takes_events,
                    std::string fields = {});
  // One message of JSON. The last one `ends` the answer, and its status counts when it is the only
  // one. `event_id`: "" for none.
  void send(std::string_view message, bool ends, HttpStatus status = kOk,
            std::string_view event_id = {});
  // Begins the stream at once, or ends it without a last message.
  void begin_events();
  void end_events();
  bool streams() const { return state_ == State::kAnswering && streaming_; }
  bool congested() const { return pending_bytes() > limits_.congested_bytes; }

 private:
  enum class State { kHead, kBody, kAnswering, kDraining };

  void read(std::span<char> buffer);
  void process();
  bool process_head();
  bool process_body();
  void finish_answer();
  void hold_body(std::size_t bytes);
  bool has_too_much_body() const;
  void write(std::string_view bytes);
  void sent(std::size_t bytes);
  void write_chunk(std::string_view bytes);
  void flush();
  void after_flush();
  void plan();
  void probe();

  const std::uint64_t id_;
  UniqueFd socket_;
  ConnectionHost& host_;
  const Limits& limits_;
  const Clock& clock_;
  Totals& totals_;
  Share* share_ = nullptr;

  State state_ = State::kHead;
  std::string input_;
  std::size_t scanned_ = 0;  // of the input: no end of the head is there
  std::size_t body_read_ = 0;
  std::size_t held_body_ = 0;  // as counted in totals_ and share_; see hold_body()
  RequestParser parser_;
  std::string output_;
  std::size_t written_ = 0;

  Responder* responder_ = nullptr;
  bool processing_ = false;
  bool keep_alive_ = false;
  bool takes_body_ = true;
  bool takes_events_ = true;
  bool streaming_ = false;
  bool closing_ = false;  // after the output
  bool gone_ = false;
  bool peer_ended_ = false;  // it sends nothing more than what was not read yet
  bool probed_ = false;      // since it ended, and the request was taken
  std::string fields_;
  std::size_t drained_ = 0;
  Nanos since_;     // the state began
  Nanos progress_;  // something was written, or the output was empty
  Nanos spoke_;     // something was sent in the stream
  std::optional<Nanos> deadline_;
};

}  // namespace gibbous::mcp::http
