// Sandboxed runs of a session share one network: what listens in it serves the other runs and this
// machine, and it leads to nothing but the ports that are named.
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <optional>
#include <string>
#include <thread>

#include "runtime/base/unique_fd.h"
#include "runtime/process/proc.h"
#include "runtime/sandbox/sandbox.h"
#include "tests/support/catch.h"
#include "tests/support/host.h"
#include "tests/support/loop.h"

namespace gibbous {
namespace {

using testing::auto_mode;
using testing::Host;
using testing::TempDir;

sockaddr_in loopback(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  return address;
}

UniqueFd listen_on(int port, int* chosen = nullptr) {
  UniqueFd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address = loopback(port);
  socklen_t size = sizeof address;
  const auto* any = reinterpret_cast<const sockaddr*>(&address);
  if (::bind(fd.get(), any, size) != 0 || ::listen(fd.get(), 8) != 0) return {};
  ::getsockname(fd.get(), reinterpret_cast<sockaddr*>(&address), &size);
  if (chosen != nullptr) *chosen = ntohs(address.sin_port);
  return fd;
}

int free_port() {
  int port = 0;
  REQUIRE(listen_on(0, &port));
  return port;
}

// Sends `text`, ends its own half, and returns all that comes; nothing when no process listens.
std::optional<std::string> talk(int port, const std::string& text) {
  const UniqueFd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const sockaddr_in address = loopback(port);
  if (::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    return std::nullopt;
  }
  std::thread writer([&] {
    for (std::size_t at = 0; at < text.size();) {
      const ssize_t sent = ::send(fd.get(), text.data() + at, text.size() - at, MSG_NOSIGNAL);
      if (sent <= 0) break;
      at += static_cast<std::size_t>(sent);
    }
    ::shutdown(fd.get(), SHUT_WR);
  });
  std::string answer;
  std::array<char, 65536> bytes;
  for (ssize_t got = 0; (got = ::recv(fd.get(), bytes.data(), bytes.size(), 0)) > 0;) {
    answer.append(bytes.data(), static_cast<std::size_t>(got));
  }
  writer.join();
  return answer;
}

// Answers with what it got, reversed.
std::string server(int port) {
  return "exec python3 -c '\nimport socket\ns=socket.socket()\n"
         "s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)\n"
         "s.bind((\"127.0.0.1\", " +
         std::to_string(port) +
         "))\ns.listen()\nwhile True:\n  c, _ = s.accept()\n  got = b\"\"\n"
         "  while True:\n    more = c.recv(65536)\n    if not more: break\n    got += more\n"
         "  c.sendall(got[::-1])\n  c.close()\n'";
}

std::string client(int port) {
  return "python3 -c '\nimport socket\nc=socket.create_connection((\"127.0.0.1\", " +
         std::to_string(port) +
         "), 5)\nc.sendall(b\"abc\")\nc.shutdown(socket.SHUT_WR)\nprint(c.recv(99).decode())'";
}

struct Place {
  explicit Place(const std::string& sandbox = "{ network = 'loopback' }") {
    options = auto_mode();
    options.mode = "dangerous";
    options.workspace = dir.path();
    options.config_file = config.write("gibbous.lua", "return { sandbox = " + sandbox + " }\n");
  }
  TempDir dir;
  TempDir config;
  RuntimeOptions options;
};

bool not_tested() {
  if (probe_sandbox_support().network_namespaces) return false;
  WARN("not tested: no network namespaces here");
  return true;
}

std::string start_server(Host& host, int port, const std::string& session) {
  const Json until = {{"port", port}, {"timeout", 20000}};
  const Json data = host.data("bg_start", {{"command", server(port)}, {"until", until}}, session);
  INFO(data.dump());
  REQUIRE(data["until"]["outcome"] == "ready");
  return data["id"];
}

std::string output_of(Host& host, const std::string& command, const std::string& session) {
  const Json data =
      host.data("bg_start", {{"command", command}, {"until", {{"exit", true}}}}, session);
  const Json output = host.data("bg_output", {{"id", data["id"]}}, session);
  return output["stdout"].get<std::string>() + output["stderr"].get<std::string>();
}

TEST_CASE("session network: a server serves other runs of the session and this machine") {
  if (not_tested()) return;
  Place place;
  Host host(place.options);
  const int port = free_port();
  const std::string id = start_server(host, port, "a");
  // It was said to be ready, so it can be reached.
  CHECK(talk(port, "hello") == "olleh");
  CHECK(output_of(host, client(port), "a") == "cba\n");
  // Everything arrives, in both directions, and the end of each.
  std::string much(std::size_t{3} << 20, 'x');
  for (std::size_t at = 0; at < much.size(); ++at) much[at] = static_cast<char>('a' + at % 23);
  const auto back = talk(port, much);
  REQUIRE(back);
  CHECK(std::string(back->rbegin(), back->rend()) == much);
  (void)host.data("bg_kill", {{"id", id}}, "a");
  CHECK(host.until([&] { return !talk(port, ""); }));
}

TEST_CASE("session network: a URL of a run is answered through this machine") {
  if (not_tested()) return;
  Place place;
  Host host(place.options);
  const std::string port = std::to_string(free_port());
  const std::string url = "http://127.0.0.1:" + port + "/";
  const Json data = host.data("bg_start",
                              {{"command", "exec python3 -m http.server --bind 127.0.0.1 " + port},
                               {"until", {{"http", url}, {"timeout", 20000}}}},
                              "a");
  INFO(data.dump());
  CHECK(data["until"]["outcome"] == "ready");
}

TEST_CASE("session network: another session, and what is not named, cannot be reached") {
  if (not_tested()) return;
  Place place;
  Host host(place.options);
  const int port = free_port();
  (void)start_server(host, port, "a");
  int outside = 0;
  const UniqueFd listener = listen_on(0, &outside);
  CHECK(output_of(host, client(outside), "a").find("refused") != std::string::npos);
  CHECK(output_of(host, client(port), "b").find("refused") != std::string::npos);
}

TEST_CASE("session network: ports of this machine that are named can be reached") {
  if (not_tested()) return;
  int outside = 0;
  const UniqueFd listener = listen_on(0, &outside);
  Place place("{ network = 'loopback', host_ports = { " + std::to_string(outside) + " } }");
  Host host(place.options);
  std::thread server([&] {
    const UniqueFd from(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
    (void)!::write(from.get(), "database\n", 9);
  });
  const std::string said = output_of(host, client(outside), "a");
  if (said.find("database") == std::string::npos) (void)talk(outside, "");  // lets the thread end
  server.join();
  CHECK(said.find("database\n") != std::string::npos);
}

TEST_CASE("session network: a port that is taken here stays so, and nobody is told it is ready") {
  if (not_tested()) return;
  Place place;
  Host host(place.options);
  int taken = 0;
  const UniqueFd listener = listen_on(0, &taken);
  const Json until = {{"port", taken}, {"timeout", 1500}};
  const Json data = host.data("bg_start", {{"command", server(taken)}, {"until", until}}, "a");
  INFO(data.dump());
  CHECK(data["until"]["outcome"] != "ready");
}

TEST_CASE("session network: nothing that connects it is left after the last run") {
  if (not_tested()) return;
  Place place;
  Host host(place.options);
  const std::string word = testing::unique_word();
  const Json data = host.data("bg_start", {{"command", "exec sleep 100; : " + word}}, "a");
  const pid_t leader = data["pid"].get<pid_t>();
  const pid_t keeper = read_stat(leader)->parent;
  const auto below = [&] {
    std::vector<pid_t> children;
    append_children(keeper, children);
    std::size_t found = 0;
    for (const pid_t pid : children) {
      std::array<char, 32> comm{};
      if (read_proc_file(pid, "comm", comm)) {
        found += std::string(comm.data()).rfind("gibbous-forward", 0) == 0 ? 1 : 0;
      }
    }
    return found;
  };
  REQUIRE(host.until([&] { return below() == 1; }));
  (void)host.data("bg_kill", {{"id", data["id"]}}, "a");
  CHECK(host.until([&] { return below() == 0; }));
}

}  // namespace
}  // namespace gibbous
