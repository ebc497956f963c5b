// `gibbous mcp --http` as a raw client meets it: calls on a kept connection, a thousand idle
// clients, one that never reads; and the servers of others from npm, where they are installed.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "runtime/base/unique_fd.h"
#include "tests/bench/harness.h"
#include "tests/bench/peer.h"
#include "tests/bench/servers.h"

namespace gibbous::bench {
namespace {

namespace fs = std::filesystem;

constexpr Amount<int> kCalls{2000, 50};
constexpr Amount<int> kClients{1000, 50};
constexpr const char* kToken = "a-token-of-the-benchmark";

[[noreturn]] void give_up(const char* why) {
  std::fprintf(stderr, "%s\n", why);
  std::exit(1);
}

sockaddr_in loopback(int port) {
  sockaddr_in place{};
  place.sin_family = AF_INET;
  place.sin_port = htons(static_cast<std::uint16_t>(port));
  place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return place;
}

int free_port() {
  const UniqueFd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in place = loopback(0);
  socklen_t size = sizeof place;
  if (::bind(socket.get(), reinterpret_cast<sockaddr*>(&place), size) != 0 ||
      ::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&place), &size) != 0) {
    give_up("no free port");
  }
  return ntohs(place.sin_port);
}

// A connection that is kept. Its bytes are HTTP/1.1.
class HttpClient {
 public:
  // Waits for the server to listen.
  explicit HttpClient(int port) {
    constexpr int kPatienceMillis = 20'000;
    const sockaddr_in place = loopback(port);
    for (int waited = 0; waited < kPatienceMillis; ++waited) {
      socket_ = UniqueFd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
      if (::connect(socket_.get(), reinterpret_cast<const sockaddr*>(&place), sizeof place) == 0) {
        const int on = 1;
        ::setsockopt(socket_.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        return;
      }
      ::poll(nullptr, 0, 1);
    }
    give_up("the server does not listen");
  }

  int fd() const { return socket_.get(); }
  void send(const std::string& text) {
    std::size_t sent = 0;
    while (sent < text.size()) {
      const ssize_t count =
          ::send(socket_.get(), text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
      if (count <= 0) give_up("the server does not take a request");
      sent += static_cast<std::size_t>(count);
    }
  }
  // One whole answer, with its head; its body may be in chunks.
  std::string receive() {
    const std::size_t head = until("\r\n\r\n", 0);
    const std::size_t length = buffer_.find("ontent-Length: ");
    const std::size_t alike = buffer_.find("ontent-length: ");
    const std::size_t field = std::min(length, alike);
    std::size_t end = 0;
    if (field < head) {
      constexpr std::size_t kNameBytes = 15;
      end = head + std::strtoul(buffer_.c_str() + field + kNameBytes, nullptr, 10);
      while (buffer_.size() < end) read();
    } else if (buffer_.find("hunked") < head) {
      end = until("\r\n0\r\n\r\n", head - 2);
    } else {
      end = head;
    }
    std::string answer = buffer_.substr(0, end);
    buffer_.erase(0, end);
    return answer;
  }
  // What has come once it holds `part`; for streams.
  void until_seen(const std::string& part) { until(part, 0); }

 private:
  std::size_t until(const std::string& part, std::size_t from) {
    for (;;) {
      const std::size_t at = buffer_.find(part, from);
      if (at != std::string::npos) return at + part.size();
      read();
    }
  }
  void read() {
    constexpr std::size_t kReadBytes = std::size_t{64} << 10;
    char bytes[kReadBytes];
    const ssize_t count = ::recv(socket_.get(), bytes, sizeof bytes, 0);
    if (count <= 0) give_up("the server closed a connection");
    buffer_.append(bytes, static_cast<std::size_t>(count));
  }

  UniqueFd socket_;
  std::string buffer_;
};

std::string request(const std::string& method, const std::string& fields,
                    const std::string& body = {}) {
  return method + " /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer " + kToken +
         "\r\nAccept: application/json, text/event-stream\r\n" + fields +
         (body.empty() ? "\r\n"
                       : "Content-Type: application/json\r\nContent-Length: " +
                             std::to_string(body.size()) + "\r\n\r\n") +
         body;
}

std::string modern(int id, const std::string& message) {
  return request("POST",
                 "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: echo\r\n",
                 mcp_request(id, "tools/call",
                             R"("name":"echo","arguments":{"message":")" + message + R"("})"));
}

std::string legacy_call(int id) {
  return R"({"jsonrpc":"2.0","id":)" + std::to_string(id) +
         R"(,"method":"tools/call","params":{"name":"echo","arguments":{"message":"hi"}}})";
}

constexpr const char* kInitialize =
    R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25",)"
    R"("capabilities":{},"clientInfo":{"name":"bench","version":"1"}}})";
constexpr const char* kInitialized = R"({"jsonrpc":"2.0","method":"notifications/initialized"})";

std::string field_of(const std::string& answer, const std::string& name) {
  const std::size_t at = answer.find(name + ": ");
  if (at == std::string::npos) give_up("the server opens no session");
  const std::size_t from = at + name.size() + 2;
  return answer.substr(from, answer.find('\r', from) - from);
}

// The server with one trivial tool. Ends with this.
class Server {
 public:
  Server() : port_(free_port()) {
    fs::create_directories(place_);
    std::ofstream(place_ / "init.lua") << R"(
local echo = tool {
  name = 'echo',
  description = 'Gives back its message.',
  permission = 'read',
  input = schema.object { message = schema.string {} },
  run = function(args) return args.message end,
}
return { toolsets = { require 'toolsets.bg', { name = 'bench', tools = { echo } } } }
)";
    std::ofstream(place_ / "token") << kToken << "\n";
    fs::permissions(place_ / "token", fs::perms::owner_read | fs::perms::owner_write);
    peer_ = std::make_unique<Peer>(std::vector<std::string>{
        "mcp", "--mode", "auto", "--scripts", place_.string(), "--state",
        (place_ / "state").string(), "--http", "127.0.0.1:" + std::to_string(port_), "--token-file",
        (place_ / "token").string()});
  }
  ~Server() {
    ::kill(peer_->pid(), SIGTERM);
    peer_.reset();
    std::error_code ignored;
    fs::remove_all(place_, ignored);
  }
  int port() const { return port_; }
  std::string scripts() const { return place_.string(); }
  double rss_kib() const { return status_kib(peer_->pid(), "VmRSS:"); }

 private:
  const fs::path place_ =
      fs::temp_directory_path() / ("gibbous-http-bench-" + std::to_string(::getpid()));
  const int port_;
  std::unique_ptr<Peer> peer_;
};

std::vector<double> round_trips(HttpClient& client,
                                const std::function<std::string(int)>& request_of) {
  std::vector<double> millis;
  for (int id = 1; id <= kCalls; ++id) {
    const std::string text = request_of(id);
    millis.push_back(timed([&] {
      client.send(text);
      client.receive();
    }));
  }
  return millis;
}

// A client of an earlier revision, with the stream of its session open.
std::unique_ptr<HttpClient> idle_client(int port) {
  auto client = std::make_unique<HttpClient>(port);
  client->send(request("POST", "", kInitialize));
  const std::string session = field_of(client->receive(), "Mcp-Session-Id");
  client->send(request("POST", "Mcp-Session-Id: " + session + "\r\n", kInitialized));
  client->receive();
  client->send(request("GET", "Mcp-Session-Id: " + session + "\r\n"));
  client->until_seen("\r\n\r\n");
  return client;
}

void bench_idle_clients(Report& report) {
  const Server server;
  std::vector<std::unique_ptr<HttpClient>> clients;
  constexpr int kWarmUp = 20;
  while (clients.size() < kWarmUp) clients.push_back(idle_client(server.port()));
  const double before = server.rss_kib();
  for (int each = 0; each < kClients; ++each) clients.push_back(idle_client(server.port()));
  constexpr double kMaxKib = 20;
  report.add({"RSS of an idle client with an open stream",
              "KiB",
              (server.rss_kib() - before) / kClients,
              {},
              "",
              {},
              kMaxKib});
}

// It goes on sending as long as the server takes anything.
void bench_deaf_client(Report& report) {
  constexpr std::size_t kMessageBytes = std::size_t{256} << 10;
  constexpr int kPatienceMillis = 500;
  const Server server;
  HttpClient client(server.port());
  client.send(modern(0, "hi"));
  client.receive();
  const double before = server.rss_kib();
  std::string text;
  std::size_t sent = 0;
  for (int id = 1; id <= kCalls; ++id) {
    text += modern(id, std::string(kMessageBytes, 'x'));
    while (sent < text.size()) {
      pollfd entry{client.fd(), POLLOUT, 0};
      if (::poll(&entry, 1, kPatienceMillis) <= 0) break;
      const ssize_t count =
          ::send(client.fd(), text.data() + sent, text.size() - sent, MSG_DONTWAIT | MSG_NOSIGNAL);
      if (count <= 0) break;
      sent += static_cast<std::size_t>(count);
    }
    if (sent < text.size()) break;
    text.clear();
    sent = 0;
  }
  constexpr double kMaxKib = 16 * 1024;
  report.add({"RSS that a client costs that never reads",
              "KiB",
              server.rss_kib() - before,
              {},
              "",
              {},
              kMaxKib});
}

// A server from npm, beside build/bench; "" when it is not installed.
std::string from_npm(const std::string& script) {
  const char* given = std::getenv("GIBBOUS_BENCH_NODE");
  const std::string directory = given != nullptr ? given : program_directory() + "/../bench_node";
  const std::string path = directory + "/node_modules/" + script;
  return fs::exists(path) ? path : "";
}

// Shakes hands and calls a tool again and again.
double median_over_stdio(Peer& peer, int count, const std::string& tool) {
  peer.send(kInitialize);
  peer.receive_with("\"id\":0");
  peer.send(kInitialized);
  std::vector<double> millis;
  for (int id = 1; id <= count; ++id) {
    const std::string line = R"({"jsonrpc":"2.0","id":)" + std::to_string(id) +
                             R"(,"method":"tools/call","params":{)" + tool + "}}";
    millis.push_back(timed([&] {
      peer.send(line);
      peer.receive_with("\"id\":" + std::to_string(id));
    }));
  }
  return median(std::move(millis));
}

void bench_others(Report& report, double stdio, double http) {
  const std::string everything = from_npm("@modelcontextprotocol/server-everything/dist/index.js");
  const std::string commander = from_npm("@wonderwhy-er/desktop-commander/dist/index.js");
  if (everything.empty() && commander.empty()) {
    report.note("no servers from npm in build/bench_node (README.md): not compared");
    return;
  }
  constexpr const char* kEcho = R"("name":"echo","arguments":{"message":"hi"})";
  if (!everything.empty()) {
    {
      Peer peer("/usr/bin/env", {"node", everything, "stdio"});
      const double theirs = median_over_stdio(peer, kCalls, kEcho);
      report.add({"echo over stdio, p50", "ms", stdio, theirs, "server-everything", {}, 1});
      ::kill(peer.pid(), SIGKILL);
    }
    const int port = free_port();
    Peer peer("/usr/bin/env",
              {"PORT=" + std::to_string(port), "node", everything, "streamableHttp"});
    HttpClient client(port);
    client.send(request("POST", "", kInitialize));
    const std::string session = field_of(client.receive(), "mcp-session-id");
    const std::string fields =
        "mcp-session-id: " + session + "\r\nmcp-protocol-version: 2025-11-25\r\n";
    client.send(request("POST", fields, kInitialized));
    client.receive();
    const double theirs = median(
        round_trips(client, [&](int id) { return request("POST", fields, legacy_call(id)); }));
    report.add({"echo over HTTP, p50", "ms", http, theirs, "server-everything", {}, 1});
    ::kill(peer.pid(), SIGKILL);
  }
  if (!commander.empty()) {
    constexpr Amount<int> kSlowCalls{40, 3};
    Peer peer("/usr/bin/env", {"node", commander});
    const double theirs =
        median_over_stdio(peer, kSlowCalls, R"("name":"list_sessions","arguments":{})");
    report.add(
        {"its cheapest tool over stdio, p50", "ms", stdio, theirs, "Desktop Commander", {}, 1});
    ::kill(peer.pid(), SIGKILL);
  }
}

}  // namespace

void bench_http(Report& report) {
  report.section("MCP over HTTP (raw client)");
  allow_many_files();
  double http = 0;
  double stdio = 0;
  {
    const Server server;
    HttpClient client(server.port());
    const std::vector<double> calls = round_trips(client, [](int id) { return modern(id, "hi"); });
    http = median(calls);
    constexpr double kMaxMillis = 0.15;
    report.add({"tools/call on a kept connection, p50", "ms", http, {}, "", {}, kMaxMillis});
    report.add(
        {"tools/call on a kept connection, p99", "ms", percentile(calls, 0.99), {}, "", {}, {}});
    Peer peer({"mcp", "--mode", "auto", "--scripts", server.scripts(), "--state",
               server.scripts() + "/stdio"});
    stdio = median_over_stdio(peer, kCalls, R"("name":"echo","arguments":{"message":"hi"})");
    report.add({"the same over stdio with a handshake, p50", "ms", stdio, {}, "", {}, 0.05});
  }
  bench_idle_clients(report);
  bench_deaf_client(report);
  bench_others(report, stdio, http);
}

}  // namespace gibbous::bench
