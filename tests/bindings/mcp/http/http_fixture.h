// The HTTP transport with a fake runtime, real sockets and a clock that the tests advance, all on
// one thread: whatever a client waits for, the server works until it has come.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "bindings/mcp/http/tcp_address.h"
#include "bindings/mcp/http/transport.h"
#include "runtime/base/unique_fd.h"
#include "tests/bindings/mcp/fake_backend.h"

namespace gibbous::mcp::http {

constexpr const char* kToken = "a-token-that-is-long-enough";

// Its calls end when the test says so; those of "echo", at the next poll.
class DrivenFakeRuntime final : public DrivenBackend {
 public:
  DrivenFakeRuntime() : wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) { fake.add("never"); }

  std::vector<ToolInfo> tools() const override { return fake.tools(); }
  CallId call(CallRequest request, std::function<void(CallResult)> on_done,
              std::function<void(const Progress&)> on_progress) override {
    const bool ends = request.tool == "echo";
    const CallId id = fake.call(std::move(request), std::move(on_done), std::move(on_progress));
    if (ends) due_.push_back(id);
    return id;
  }
  bool cancel(CallId call) override { return fake.cancel(call); }
  void list_runs(std::function<void(std::vector<std::string>)> on_done) override {
    fake.list_runs(std::move(on_done));
  }
  void list_runs_of(const std::string& session,
                    std::function<void(std::vector<std::string>)> on_done) override {
    listed_session = session;
    fake.list_runs(std::move(on_done));
  }
  Result<std::string> excerpt(std::string_view run, std::size_t budget_tokens) override {
    return fake.excerpt(run, budget_tokens);
  }
  bool has_run(std::string_view run, const std::string& session) const override {
    const auto found = owners.find(std::string(run));
    return found == owners.end() || found->second == session;
  }
  void end_session(const std::string& session) override { ended_sessions.push_back(session); }
  void on_event(std::function<void(const Event&)> handler) override {
    event_handler = std::move(handler);
  }
  void on_ask(std::function<void(AskRequest)> handler,
              std::function<void(const std::string& id)> on_withdrawn) override {
    ask_handler = std::move(handler);
    withdrawn_handler = std::move(on_withdrawn);
  }
  bool poll(bool) override {
    for (const CallId id : std::exchange(due_, {})) fake.finish_text(id, answer);
    return false;
  }
  int backend_fd() const override { return wake_.get(); }
  std::optional<std::chrono::milliseconds> next_timeout() const override { return std::nullopt; }
  std::string complaint() const override { return {}; }
  std::string session() const override { return "owned@/w"; }
  void hand_over() override { handed_over = true; }

  FakeBackend fake;
  std::function<void(const Event&)> event_handler;
  std::function<void(AskRequest)> ask_handler;
  std::function<void(const std::string&)> withdrawn_handler;
  std::string answer = "answer";
  std::string listed_session;
  std::map<std::string, std::string> owners;  // the session of a run; others are everybody's
  std::vector<std::string> ended_sessions;
  bool handed_over = false;

 private:
  UniqueFd wake_;
  std::vector<CallId> due_;
};

// What a server said to one request.
struct Heard {
  int status = 0;
  std::map<std::string, std::string> fields;  // names in small letters
  std::string body;                           // without chunks
  bool whole = false;

  Json json() const { return Json::parse(body); }
  // The messages of a stream of events.
  std::vector<Json> events() const {
    std::vector<Json> messages;
    for (const std::string& data : event_data()) {
      if (!data.empty()) messages.push_back(Json::parse(data));
    }
    return messages;
  }
  std::vector<std::string> event_data() const { return after_lines("data: "); }
  std::vector<std::string> event_ids() const { return after_lines("id: "); }

 private:
  std::vector<std::string> after_lines(const std::string& begin) const {
    std::vector<std::string> found;
    std::size_t at = 0;
    while (at < body.size()) {
      const std::size_t end = body.find('\n', at);
      if (end == std::string::npos) break;
      const std::string line = body.substr(at, end - at);
      if (line.compare(0, begin.size(), begin) == 0) found.push_back(line.substr(begin.size()));
      at = end + 1;
    }
    return found;
  }
};

// Reads one answer from the front of the bytes; `used` is set when it is whole.
inline std::optional<Heard> read_answer(const std::string& bytes, std::size_t* used) {
  const std::size_t end = bytes.find("\r\n\r\n");
  if (end == std::string::npos) return std::nullopt;
  Heard heard;
  const std::string head = bytes.substr(0, end + 2);
  heard.status = std::atoi(head.c_str() + std::string("HTTP/1.1 ").size());
  std::size_t at = head.find("\r\n") + 2;
  while (at < head.size()) {
    const std::size_t line_end = head.find("\r\n", at);
    const std::size_t colon = head.find(": ", at);
    std::string name = head.substr(at, colon - at);
    for (char& letter : name) letter = static_cast<char>(std::tolower(letter));
    heard.fields[name] = head.substr(colon + 2, line_end - colon - 2);
    at = line_end + 2;
  }
  std::size_t rest = end + 4;
  if (heard.fields.count("transfer-encoding") == 0) {
    const auto length = heard.fields.find("content-length");
    const std::size_t size = length == heard.fields.end() ? 0 : std::stoul(length->second);
    heard.body = bytes.substr(rest, size);
    heard.whole = heard.body.size() == size;
    *used = rest + size;
    return heard;
  }
  while (true) {
    const std::size_t line_end = bytes.find("\r\n", rest);
    if (line_end == std::string::npos) return heard;
    const std::size_t size = std::stoul(bytes.substr(rest, line_end - rest), nullptr, 16);
    if (bytes.size() < line_end + 2 + size + 2) return heard;
    rest = line_end + 2 + size + 2;
    if (size == 0) {
      heard.whole = true;
      *used = rest;
      return heard;
    }
    heard.body += bytes.substr(line_end + 2, size);
  }
}

class HttpFixture {
 public:
  explicit HttpFixture(const Limits& limits = {}, AccessRules access = with_token()) {
    ::signal(SIGPIPE, SIG_IGN);
    HttpOptions options;
    options.limits = limits;
    options.session = "owned@/w";
    Listener listener;
    listener.socket = std::move(*TcpAddress::parse("127.0.0.1:0")->listen());
    listener.access = std::move(access);
    address = TcpAddress::of(listener.socket);
    options.listeners.push_back(std::move(listener));
    stop_ = UniqueFd(::eventfd(0, EFD_CLOEXEC));
    options.stop_fd = stop_.get();
    transport = std::move(*Transport::create(runtime, std::move(options), clock, "1.2.3"));
  }

  static AccessRules with_token() {
    AccessRules rules;
    rules.token = kToken;
    return rules;
  }

  void work() { transport->turn(std::chrono::milliseconds(0)); }
  // Works until `look` is true; fails in the end.
  void until(const std::function<bool()>& look) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!look()) {
      if (std::chrono::steady_clock::now() > deadline) throw std::runtime_error("never came");
      transport->turn(std::chrono::milliseconds(1));
    }
  }
  void pass(Nanos time) {
    clock.advance(time);
    work();
    work();
  }
  int port() const { return std::atoi(address.c_str() + address.rfind(':') + 1); }

  DrivenFakeRuntime runtime;
  ManualClock clock;
  std::string address;
  std::unique_ptr<Transport> transport;

 private:
  UniqueFd stop_;
};

// A client on one connection.
class HttpClient {
 public:
  explicit HttpClient(HttpFixture& served) : served_(served) {
    socket_ = UniqueFd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in place{};
    place.sin_family = AF_INET;
    place.sin_port = htons(static_cast<std::uint16_t>(served.port()));
    place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::connect(socket_.get(), reinterpret_cast<sockaddr*>(&place), sizeof place) != 0) {
      throw std::runtime_error("cannot connect");
    }
  }

  void write(const std::string& bytes) {
    std::size_t written = 0;
    served_.until([&] {
      const ssize_t count = ::send(socket_.get(), bytes.data() + written, bytes.size() - written,
                                   MSG_DONTWAIT | MSG_NOSIGNAL);
      if (count > 0) written += static_cast<std::size_t>(count);
      return written == bytes.size() || (count < 0 && errno != EAGAIN);
    });
  }
  // The next whole answer.
  Heard hear() {
    return hear_until([](const Heard& heard) { return heard.whole; });
  }
  // What has come of it once it is as `enough` wants it. Only a whole answer is taken away.
  Heard hear_until(const std::function<bool(const Heard&)>& enough) {
    std::optional<Heard> heard;
    std::size_t used = 0;
    served_.until([&] {
      read();
      heard = read_answer(unread_, &used);
      return (heard && enough(*heard)) || closed_;
    });
    if (!heard) throw std::runtime_error("closed without an answer");
    if (heard->whole) unread_.erase(0, used);
    return *heard;
  }
  Heard hear_events(std::size_t count) {
    return hear_until([count](const Heard& heard) { return heard.events().size() >= count; });
  }
  void until_closed() {
    served_.until([this] {
      read();
      return closed_;
    });
  }
  bool has_answer() {
    served_.work();
    read();
    return !unread_.empty();
  }
  void close() { socket_.reset(); }
  void end_writing() { ::shutdown(socket_.get(), SHUT_WR); }

  // A POST with what every client sends; `fields` are added, or take the place of one.
  static std::string post(const std::string& body, std::map<std::string, std::string> fields = {}) {
    std::map<std::string, std::string> all = {
        {"Host", "127.0.0.1"},
        {"Authorization", std::string("Bearer ") + kToken},
        {"Content-Type", "application/json"},
        {"Accept", "application/json, text/event-stream"},
        {"Content-Length", std::to_string(body.size())},
    };
    for (auto& [name, value] : fields) all[name] = value;
    return request("POST", all) + body;
  }
  static std::string request(const std::string& method,
                             const std::map<std::string, std::string>& fields) {
    std::string text = method + " /mcp HTTP/1.1\r\n";
    for (const auto& [name, value] : fields) {
      if (!value.empty()) text += name + ": " + value + "\r\n";
    }
    return text + "\r\n";
  }
  // A modern request with the headers that it needs.
  static std::string modern(const Json& message, std::map<std::string, std::string> fields = {}) {
    std::map<std::string, std::string> all = {{"MCP-Protocol-Version", "2026-07-28"},
                                              {"Mcp-Method", message.value("method", "")}};
    const Json params = message.value("params", Json::object());
    for (const char* name : {"name", "uri", "taskId"}) {
      if (params.contains(name)) all["Mcp-Name"] = params[name];
    }
    for (auto& [name, value] : fields) all[name] = value;
    return post(message.dump(), all);
  }
  // Messages of a client with a handshake.
  static std::string legacy(const Json& message, const std::string& session) {
    return post(message.dump(), {{"Mcp-Session-Id", session}});
  }
  static std::string initialize(const std::string& version = "2025-11-25",
                                const Json& capabilities = Json::object()) {
    return legacy(Fixture::request("init", "initialize",
                                   Json{{"protocolVersion", version},
                                        {"capabilities", capabilities},
                                        {"clientInfo", {{"name", "test"}, {"version", "1"}}}}),
                  "");
  }
  static std::string in_session(const std::string& method, const std::string& session,
                                const std::string& last_event = "") {
    return request(method, {{"Host", "localhost"},
                            {"Authorization", std::string("Bearer ") + kToken},
                            {"Accept", "text/event-stream"},
                            {"Mcp-Session-Id", session},
                            {"Last-Event-ID", last_event}});
  }
  // Shakes hands and returns the id of the session.
  std::string handshake(const std::string& version = "2025-11-25",
                        const Json& capabilities = Json::object()) {
    const std::string session = ask(initialize(version, capabilities)).fields.at("mcp-session-id");
    ask(legacy(Fixture::notification("notifications/initialized"), session));
    return session;
  }
  Heard ask(const std::string& bytes) {
    write(bytes);
    return hear();
  }

 private:
  void read() {
    std::array<char, 65536> buffer;
    while (!closed_) {
      const ssize_t count = ::recv(socket_.get(), buffer.data(), buffer.size(), MSG_DONTWAIT);
      if (count > 0) {
        unread_.append(buffer.data(), static_cast<std::size_t>(count));
        continue;
      }
      closed_ = count == 0 || (errno != EAGAIN && errno != EINTR);
      return;
    }
  }

  HttpFixture& served_;
  UniqueFd socket_;
  std::string unread_;
  bool closed_ = false;
};

inline Json call_of(const Json& id, const std::string& tool) {
  return Fixture::modern(id, "tools/call", Json{{"name", tool}});
}

}  // namespace gibbous::mcp::http
