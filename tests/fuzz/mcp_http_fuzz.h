// What any bytes on a connection of `gibbous mcp --http` must not break: heads, bodies, both eras,
// sessions. Called by the fuzzer (mcp_http_fuzz.cc) and by a test with mutated requests.
#pragma once

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bindings/mcp/http/connection.h"
#include "bindings/mcp/http/endpoint.h"
#include "runtime/base/unique_fd.h"
#include "tests/bindings/mcp/fake_backend.h"

namespace gibbous::mcp::http {

// Its calls end when the test says so.
class QuietBackend final : public DrivenBackend {
 public:
  std::vector<ToolInfo> tools() const override { return fake.tools(); }
  CallId call(CallRequest request, std::function<void(CallResult)> on_done,
              std::function<void(const Progress&)> on_progress) override {
    return fake.call(std::move(request), std::move(on_done), std::move(on_progress));
  }
  bool cancel(CallId call) override { return fake.cancel(call); }
  void list_runs(std::function<void(std::vector<std::string>)> on_done) override {
    fake.list_runs(std::move(on_done));
  }
  Result<std::string> excerpt(std::string_view run, std::size_t tokens) override {
    return fake.excerpt(run, tokens);
  }
  void on_event(std::function<void(const Event&)>) override {}
  void on_ask(std::function<void(AskRequest)>,
              std::function<void(const std::string& id)>) override {}
  bool poll(bool) override { return false; }
  int backend_fd() const override { return -1; }
  std::optional<std::chrono::milliseconds> next_timeout() const override { return std::nullopt; }
  std::string complaint() const override { return {}; }
  void hand_over() override {}

  FakeBackend fake;
};

// One connection in front of an endpoint, without a loop.
class FuzzedConnection final : private ConnectionHost {
 public:
  FuzzedConnection() {
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends.data()) != 0) {
      throw std::runtime_error("no sockets");
    }
    ours_ = UniqueFd(ends[0]);
    ConnectionHost& host = *this;
    connection_ =
        std::make_unique<Connection>(1, UniqueFd(ends[1]), host, limits_, clock_, totals_);
  }

  // Cut into pieces of a length that the input itself chooses.
  void feed(std::string_view bytes) {
    const std::size_t piece = bytes.empty() ? 1 : 1 + static_cast<unsigned char>(bytes.front());
    for (std::size_t at = 0; at < bytes.size() && !connection_->gone(); at += piece) {
      const std::string_view part = bytes.substr(at, piece);
      if (::send(ours_.get(), part.data(), part.size(), MSG_NOSIGNAL) < 0) break;
      constexpr short kEndOfClient = POLLRDHUP;
      connection_->on_events(static_cast<short>(connection_->wanted_events() & ~kEndOfClient),
                             buffer_);
      settle();
      end_calls();
      settle();
    }
    clock_.advance(std::chrono::minutes(1));
    connection_->on_deadline();
    settle();
    endpoint_.shut_down();
    settle();
    connection_.reset();
    if (totals_.body_bytes != 0 || totals_.unsent_bytes != 0) {
      throw std::runtime_error("bytes are counted that nobody holds");
    }
    check_answers();
  }

 private:
  std::optional<Answer> look_at(const Connection&, const RequestHead& head) override {
    return endpoint_.look_at(head);
  }
  void take(Connection& connection, const RequestHead& head, std::string body) override {
    endpoint_.take(connection, head, std::move(body));
  }
  void touched(Connection&) override {}

  void settle() {
    connection_->settle();
    endpoint_.tidy();
    while (true) {
      const ssize_t count = ::recv(ours_.get(), buffer_.data(), buffer_.size(), MSG_DONTWAIT);
      if (count <= 0) return;
      said_.append(buffer_.data(), static_cast<std::size_t>(count));
    }
  }
  void end_calls() {
    for (auto& [id, call] : backend_.fake.calls) {
      if (call.progress) call.progress(Progress{1.5, 2.0, "step"});
      CallResult result;
      result.ok = id % 2 == 0;
      result.text = call.request.arguments;
      result.code = "failed";
      call.done(std::move(result));
    }
    backend_.fake.calls.clear();
  }
  // Nothing of the input can begin a line of a head.
  void check_answers() const {
    constexpr std::string_view kBegin = "HTTP/1.1 ";
    if (!said_.empty() && said_.compare(0, kBegin.size(), kBegin) != 0) {
      throw std::runtime_error("an answer that is none");
    }
    if (said_.find("\nInjected") != std::string::npos) throw std::runtime_error("an injected line");
  }

  QuietBackend backend_;
  ManualClock clock_;
  Limits limits_;
  Totals totals_;
  Endpoint endpoint_{backend_, "fuzz@/w", limits_, clock_, Fixture::with_version({})};
  std::array<char, 65536> buffer_{};
  std::string said_;
  UniqueFd ours_;
  std::unique_ptr<Connection> connection_;
};

// Throws when something that always holds did not.
inline void feed_http_bytes(std::string_view bytes) {
  std::make_unique<FuzzedConnection>()->feed(bytes);
}

}  // namespace gibbous::mcp::http
