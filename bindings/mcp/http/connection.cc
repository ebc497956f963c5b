// See connection.h.
#include "bindings/mcp/http/connection.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <utility>

namespace gibbous::mcp::http {
namespace {

constexpr std::string_view kHeadEnd = "\r\n\r\n";
constexpr std::string_view kCrLf = "\r\n";
constexpr std::string_view kLastChunk = "0\r\n\r\n";
constexpr std::string_view kInterim = "HTTP/1.1 102 Processing\r\n\r\n";
constexpr std::string_view kComment = ": open\n\n";
constexpr std::size_t kCompactBytes = std::size_t{256} * 1024;
constexpr std::size_t kMaxDrainedBytes = std::size_t{1} * 1024 * 1024;
constexpr short kSocketGone = POLLERR | POLLHUP | POLLNVAL;

std::string status_line(HttpStatus status) {
  return "HTTP/1.1 " + std::to_string(status) + " " + reason(status) + "\r\n";
}

}  // namespace

Connection::Connection(std::uint64_t id, UniqueFd socket, ConnectionHost& host,
                       const Limits& limits, const Clock& clock, Totals& totals)
    : id_(id),
      socket_(std::move(socket)),
      host_(host),
      limits_(limits),
      clock_(clock),
      totals_(totals),
      since_(clock.now()),
      progress_(since_),
      spoke_(since_) {
  plan();
}

Connection::~Connection() {
  hold_body(0);
  sent(pending_bytes());
  if (responder_ != nullptr) std::exchange(responder_, nullptr)->on_gone();
}

short Connection::wanted_events() const {
  // While a request is answered, only the end of the client matters, and that only once.
  const bool reads = state_ != State::kAnswering && !closing_;
  const short input = reads || state_ == State::kDraining ? POLLIN : 0;
  const short end = peer_ended_ ? 0 : POLLRDHUP;
  return static_cast<short>(input | end | (pending_bytes() > 0 ? POLLOUT : 0));
}

void Connection::on_events(short events, std::span<char> buffer) {
  if ((events & kSocketGone) != 0) {
    gone_ = true;
  } else if ((events & POLLIN) != 0 && state_ != State::kAnswering &&
             (!closing_ || state_ == State::kDraining)) {
    read(buffer);
  } else if ((events & POLLRDHUP) != 0) {
    peer_ended_ = true;
  }
  host_.touched(*this);
}

void Connection::read(std::span<char> buffer) {
  const ssize_t count = ::recv(fd(), buffer.data(), buffer.size(), MSG_DONTWAIT);
  if (count < 0) {
    gone_ = gone_ || (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR);
    return;
  }
  if (count == 0) {
    peer_ended_ = true;
    // The client waits for no answer, unless the last one is still on its way.
    gone_ = state_ == State::kDraining || pending_bytes() == 0;
    state_ = State::kAnswering;
    closing_ = true;
    return;
  }
  const auto size = static_cast<std::size_t>(count);
  if (state_ == State::kDraining) {
    drained_ += size;
    gone_ = drained_ > kMaxDrainedBytes;
    return;
  }
  if (state_ == State::kHead && input_.empty()) since_ = clock_.now();
  input_.append(buffer.data(), size);
  process();
}

void Connection::process() {
  if (processing_) return;
  processing_ = true;
  bool more = true;
  while (more && !closing_ && !gone_) {
    switch (state_) {
      case State::kHead:
        more = process_head();
        break;
      case State::kBody:
        more = process_body();
        break;
      case State::kAnswering:
      case State::kDraining:
        more = false;
        break;
    }
  }
  processing_ = false;
  plan();
}

bool Connection::process_head() {
  // An empty line before a request is allowed.
  while (input_.compare(0, kCrLf.size(), kCrLf) == 0) input_.erase(0, kCrLf.size());
  const std::size_t from = scanned_ < kHeadEnd.size() ? 0 : scanned_ - kHeadEnd.size();
  const std::size_t found = input_.find(kHeadEnd, from);
  const std::size_t size = found == std::string::npos ? input_.size() : found + kHeadEnd.size();
  scanned_ = input_.size();
  if (size > limits_.head_bytes) {
    refuse({kHeadTooLarge, {}, {}});
    return false;
  }
  if (found == std::string::npos) return false;
  const HttpStatus status =
      parser_.read_head(std::string_view(input_).substr(0, size), limits_.head_fields);
  input_.erase(0, size);
  scanned_ = 0;
  if (status != kOk) {
    refuse({status, {}, {}});
    return false;
  }
  const RequestHead& head = parser_.head();
  if (std::optional<Answer> refusal = host_.look_at(*this, head)) {
    refuse(std::move(*refusal));
    return false;
  }
  if (parser_.declared_bytes() > limits_.body_bytes) {
    refuse({kContentTooLarge, {}, {}});
    return false;
  }
  if (head.count("expect") != 0) {
    const std::string* expected = head.field("expect");
    if (expected == nullptr || *expected != "100-continue") {
      refuse({kExpectationFailed, {}, {}});
      return false;
    }
    if (parser_.state() == RequestParser::State::kBody) write("HTTP/1.1 100 Continue\r\n\r\n");
  }
  keep_alive_ = head.keep_alive;
  state_ = State::kBody;
  since_ = clock_.now();
  body_read_ = 0;
  return true;
}

bool Connection::process_body() {
  if (parser_.state() == RequestParser::State::kBody) {
    const std::size_t taken = parser_.read_body(input_);
    body_read_ += taken;
    input_.erase(0, taken);
  }
  const std::size_t held = parser_.body().size();
  hold_body(held);
  if (held > limits_.body_bytes || body_read_ > limits_.body_bytes + limits_.chunking_bytes) {
    refuse({kContentTooLarge, {}, {}});
    return false;
  }
  switch (parser_.state()) {
    case RequestParser::State::kHead:
    case RequestParser::State::kFailed:
      refuse({kBadRequest, {}, {}});
      return false;
    case RequestParser::State::kBody:
      if (totals_.body_bytes > limits_.all_body_bytes || has_too_much_body()) {
        refuse({kUnavailable, {}, {}});
      }
      return false;
    case RequestParser::State::kDone:
      break;
  }
  const RequestHead head = std::move(parser_.head());
  std::string body = std::move(parser_.body());
  parser_.reset();
  hold_body(0);
  state_ = State::kAnswering;
  since_ = clock_.now();
  streaming_ = false;
  probed_ = false;
  host_.take(*this, head, std::move(body));
  return true;
}

void Connection::refuse(Answer answer) {
  // What was read of it counts no longer, or those that are read next would be refused for it.
  hold_body(0);
  parser_.reset();
  keep_alive_ = false;
  state_ = State::kAnswering;
  this->answer(answer);
}

void Connection::answer(const Answer& answer) {
  std::string head = status_line(answer.status);
  if (!answer.body.empty()) head += "Content-Type: application/json\r\n";
  head += "Content-Length: " + std::to_string(answer.body.size()) + "\r\n";
  head += "Cache-Control: no-store\r\n";
  if (!keep_alive_) head += "Connection: close\r\n";
  write(head + fields_ + answer.fields + "\r\n");
  write(answer.body);
  finish_answer();
}

void Connection::answer_later(Responder& responder, bool takes_body, bool takes_events,
                              std::string fields) {
  responder_ = &responder;
  takes_body_ = takes_body;
  takes_events_ = takes_events;
  fields_ = std::move(fields);
  spoke_ = clock_.now();
  plan();
  host_.touched(*this);
}

void Connection::begin_events() {
  if (state_ != State::kAnswering || streaming_ || gone_) return;
  streaming_ = true;
  std::string head = status_line(kOk);
  head += "Content-Type: text/event-stream\r\nCache-Control: no-cache, no-transform\r\n";
  head += "X-Accel-Buffering: no\r\nTransfer-Encoding: chunked\r\n";
  if (!keep_alive_) head += "Connection: close\r\n";
  write(head + fields_ + "\r\n");
  const std::string first_id = responder_ == nullptr ? std::string() : responder_->first_event_id();
  if (first_id.empty()) {
    write_chunk(kComment);
  } else {
    // A client that loses the connection before the first message can come back with this id.
    write_chunk("id: " + first_id + "\ndata: \n\n");
  }
}

void Connection::send(std::string_view message, bool ends, HttpStatus status,
                      std::string_view event_id) {
  if (state_ != State::kAnswering || gone_) {
    if (ends) responder_ = nullptr;  // it may be gone before this is
    return;
  }
  if (!streaming_ && ends && takes_body_) {
    responder_ = nullptr;
    answer({status, std::string(message), {}});
    return;
  }
  if (!takes_events_) return;
  begin_events();
  std::string event;
  event.reserve(message.size() + event_id.size() + 32);
  if (!event_id.empty()) event.append("id: ").append(event_id).append("\n");
  event.append("event: message\ndata: ").append(message).append("\n\n");
  write_chunk(event);
  if (ends) end_events();
}

void Connection::end_events() {
  responder_ = nullptr;
  if (state_ != State::kAnswering || gone_) return;
  if (!streaming_) {
    answer({kAccepted, {}, {}});
    return;
  }
  write(kLastChunk);
  finish_answer();
}

// The next request is taken up by settle(), because an answer may come from anywhere.
void Connection::finish_answer() {
  streaming_ = false;
  responder_ = nullptr;
  fields_.clear();
  if (keep_alive_) {
    state_ = State::kHead;
  } else {
    closing_ = true;
  }
  since_ = clock_.now();
  plan();
  host_.touched(*this);
}

// Finds out whether a client that sends no more still waits for the answer.
void Connection::probe() {
  if (!peer_ended_ || state_ != State::kAnswering || responder_ == nullptr) return;
  if (std::exchange(probed_, true)) return;
  // A machine that has gone answers nothing at all. A unix socket knows by itself.
  const auto patience =
      static_cast<unsigned>(std::chrono::duration_cast<Millis>(limits_.read_time).count());
  ::setsockopt(fd(), IPPROTO_TCP, TCP_USER_TIMEOUT, &patience, sizeof patience);
  if (streaming_) {
    write_chunk(kComment);
  } else if (takes_events_) {
    begin_events();
  } else {
    write(kInterim);
    spoke_ = clock_.now();
  }
}

void Connection::write_chunk(std::string_view bytes) {
  constexpr int kHexadecimal = 16;
  std::array<char, 20> digits{};
  const auto size =
      std::to_chars(digits.data(), digits.data() + digits.size(), bytes.size(), kHexadecimal);
  write(std::string_view(digits.data(), static_cast<std::size_t>(size.ptr - digits.data())));
  write(kCrLf);
  write(bytes);
  write(kCrLf);
  spoke_ = clock_.now();
}

void Connection::write(std::string_view bytes) {
  if (gone_ || bytes.empty()) return;
  if (pending_bytes() == 0) progress_ = clock_.now();
  const bool is_much = share_ != nullptr && share_->is_limited &&
                       share_->unsent_bytes + bytes.size() > limits_.unsent_bytes_of_one;
  if (is_much || pending_bytes() + bytes.size() > limits_.unsent_bytes ||
      totals_.unsent_bytes + bytes.size() > limits_.all_unsent_bytes) {
    gone_ = true;  // it does not read
  } else {
    output_.append(bytes);
    totals_.unsent_bytes += bytes.size();
    if (share_ != nullptr) share_->unsent_bytes += bytes.size();
  }
  host_.touched(*this);
}

// They wait no longer.
void Connection::sent(std::size_t bytes) {
  totals_.unsent_bytes -= bytes;
  if (share_ != nullptr) share_->unsent_bytes -= bytes;
}

void Connection::count_among(Share* share) {
  if (share_ != nullptr) {
    share_->unsent_bytes -= pending_bytes();
    share_->body_bytes -= held_body_;
  }
  share_ = share;
  if (share_ == nullptr) return;
  share_->unsent_bytes += pending_bytes();
  share_->body_bytes += held_body_;
}

void Connection::hold_body(std::size_t bytes) {
  totals_.body_bytes += bytes - held_body_;
  if (share_ != nullptr) share_->body_bytes += bytes - held_body_;
  held_body_ = bytes;
}

bool Connection::has_too_much_body() const {
  return share_ != nullptr && share_->is_limited && share_->body_bytes > limits_.body_bytes_of_one;
}

void Connection::settle() {
  if (!gone_) probe();
  if (!gone_) flush();
  if (!gone_ && state_ == State::kHead && !closing_ && !input_.empty()) {
    process();
    if (!gone_) probe();
    if (!gone_) flush();
  }
  if (!gone_) after_flush();
  plan();
}

void Connection::flush() {
  while (pending_bytes() > 0) {
    const ssize_t count =
        ::send(fd(), output_.data() + written_, pending_bytes(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      if (errno != EAGAIN && errno != EWOULDBLOCK) gone_ = true;
      break;
    }
    written_ += static_cast<std::size_t>(count);
    sent(static_cast<std::size_t>(count));
    progress_ = clock_.now();
  }
  if (pending_bytes() == 0) {
    output_ = {};
    written_ = 0;
  } else if (written_ > kCompactBytes && written_ > pending_bytes()) {
    output_.erase(0, written_);
    written_ = 0;
  }
}

// Closing a socket with unread input would take the answer from the client.
void Connection::after_flush() {
  if (!closing_ || state_ == State::kDraining || pending_bytes() > 0) return;
  ::shutdown(fd(), SHUT_WR);
  state_ = State::kDraining;
  since_ = clock_.now();
  input_ = {};
  hold_body(0);
  parser_.reset();
}

void Connection::plan() {
  std::optional<Nanos> soonest;
  const auto add = [&soonest](Nanos at) { soonest = soonest ? std::min(*soonest, at) : at; };
  if (pending_bytes() > 0) add(progress_ + limits_.read_time);
  switch (state_) {
    case State::kHead:
      add(since_ + (input_.empty() ? limits_.idle_time : limits_.head_time));
      break;
    case State::kBody:
      add(since_ + limits_.body_time);
      break;
    case State::kAnswering:
      if (streaming_) {
        add(spoke_ + limits_.keep_alive);
      } else if (takes_events_ && responder_ != nullptr) {
        add(since_ + limits_.stream_after);
      } else if (probed_ && responder_ != nullptr) {
        add(spoke_ + limits_.keep_alive);
      }
      break;
    case State::kDraining:
      add(since_ + limits_.drain_time);
      break;
  }
  deadline_ = soonest;
}

void Connection::on_deadline() {
  const Nanos now = clock_.now();
  if (pending_bytes() > 0 && now >= progress_ + limits_.read_time) {
    gone_ = true;
    return;
  }
  switch (state_) {
    case State::kHead:
    case State::kBody:
      if (state_ == State::kHead && input_.empty()) {
        gone_ = now >= since_ + limits_.idle_time;
      } else if (now >= since_ + (state_ == State::kHead ? limits_.head_time : limits_.body_time)) {
        refuse({kRequestTimeout, {}, {}});
      }
      break;
    case State::kAnswering:
      if (streaming_ && now >= spoke_ + limits_.keep_alive) {
        write_chunk(kComment);
      } else if (!streaming_ && responder_ != nullptr && takes_events_ &&
                 now >= since_ + limits_.stream_after) {
        begin_events();
      } else if (probed_ && !streaming_ && responder_ != nullptr && !takes_events_ &&
                 now >= spoke_ + limits_.keep_alive) {
        write(kInterim);
        spoke_ = now;
      }
      break;
    case State::kDraining:
      gone_ = now >= since_ + limits_.drain_time;
      break;
  }
  plan();
  host_.touched(*this);
}

}  // namespace gibbous::mcp::http
