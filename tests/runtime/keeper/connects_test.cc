// Connects and sends of a run in the network `checked` are decided by its keeper: to the machine's
// loopback only where a run of its session listens, to link-local addresses never.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <string>
#include <vector>

#include "runtime/sandbox/sandbox.h"
#include "tests/runtime/keeper/harness.h"

namespace gibbous {
namespace {

using testing::Harness;
using testing::TempDir;

constexpr const char* kSession = "0123456789abcdef01234567";
const std::vector<std::string> kSends = {"sendto", "sendmsg", "sendmmsg", "connected"};

// A server of no session: it is in this process.
class Server {
 public:
  explicit Server(const char* address = "127.0.0.1", int type = SOCK_STREAM, int backlog = 1024) {
    const bool is_v4 = std::string(address).find(':') == std::string::npos;
    sockaddr_storage any{};
    auto& v4 = reinterpret_cast<sockaddr_in&>(any);
    auto& v6 = reinterpret_cast<sockaddr_in6&>(any);
    any.ss_family = is_v4 ? AF_INET : AF_INET6;
    void* const into = is_v4 ? static_cast<void*>(&v4.sin_addr) : &v6.sin6_addr;
    (void)::inet_pton(any.ss_family, address, into);
    socklen_t size = is_v4 ? sizeof v4 : sizeof v6;
    fd_.reset(::socket(any.ss_family, type | SOCK_CLOEXEC, 0));
    if (::bind(fd_.get(), reinterpret_cast<sockaddr*>(&any), size) != 0) return;
    if (type == SOCK_STREAM) (void)::listen(fd_.get(), backlog);
    (void)::getsockname(fd_.get(), reinterpret_cast<sockaddr*>(&any), &size);
    port_ = ntohs(v4.sin_port);
  }
  std::string port() const { return std::to_string(port_); }
  // Fills the queue, so that a client that connects waits.
  void fill() {
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    to.sin_port = htons(static_cast<in_port_t>(port_));
    constexpr int kEnough = 8;
    for (int i = 0; i < kEnough; ++i) {
      waiting_.emplace_back(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
      (void)::connect(waiting_.back().get(), reinterpret_cast<sockaddr*>(&to), sizeof to);
    }
  }

 private:
  UniqueFd fd_;
  int port_ = 0;
  std::vector<UniqueFd> waiting_;
};

class Session {
 public:
  Session() {
    tested = can_confine() && probe_sandbox_support().listeners;
    if (!tested) WARN("not tested: nobody can decide about system calls here");
  }

  static StartRequest request(const std::vector<std::string>& way, const std::string& ports,
                              const std::string& session = kSession) {
    StartRequest request;
    request.argv = {testing::fixture("connects")};
    request.argv.insert(request.argv.end(), way.begin(), way.end());
    request.env = {"PATH=/usr/bin:/bin"};
    request.cwd = "/";
    request.err = StdioKind::kStdout;
    SandboxSpec& spec = request.sandbox.emplace();
    spec.profile = "test";
    spec.network = SandboxNetwork::kChecked;
    spec.read = {"/"};
    spec.network_group = ports + "/s";
    spec.temporary_group = session;
    return request;
  }
  // What the program says.
  std::string run(const std::vector<std::string>& way, const std::string& ports = "",
                  const std::string& session = kSession) {
    const RunKey key = harness.start_running(request(way, ports, session));
    std::string output = harness.read_all(key);
    REQUIRE(harness.wait_exit(key));
    refused = harness.run(key).exits.front().refused;
    return output;
  }
  // Returns the port of a server that is a run of the session.
  std::string serve(const char* address, const char* way = "serve") {
    const std::string line =
        harness.read_lines(harness.start_running(request({way, address}, "")), 1);
    return line.substr(0, line.find('\n'));
  }

  Harness harness;
  bool tested = false;
  std::string refused;  // to the last one
};

TEST_CASE("connects: a service on this machine's loopback is refused, whatever it is called") {
  Session session;
  if (!session.tested) return;
  const Server server("0.0.0.0");
  for (const char* address :
       {"127.0.0.1", "127.1.2.3", "0.0.0.0", "::ffff:127.0.0.1", "::ffff:0.0.0.0"}) {
    for (const char* way : {"tcp", "nonblocking"}) {
      INFO(way << " " << address);
      CHECK(session.run({way, address, server.port()}) == "refused EACCES\n");
    }
  }
  CHECK(session.run({"tcp", "127.0.0.1", server.port()}) == "refused EACCES\n");
  CHECK(session.refused == "127.0.0.1:" + server.port());
  const Server v6("::1");
  for (const char* address : {"::1", "::"}) {
    if (v6.port() != "0") CHECK(session.run({"tcp", address, v6.port()}) == "refused EACCES\n");
  }
}

TEST_CASE("connects: datagrams to a service on this machine's loopback are refused") {
  Session session;
  if (!session.tested) return;
  const Server server("127.0.0.1", SOCK_DGRAM);
  for (const std::string& way : kSends) {
    INFO(way);
    CHECK(session.run({way, "127.0.0.1", server.port()}) == "refused EACCES\n");
    CHECK(session.run({way, "127.0.0.1", server.port()}, server.port()) == "reached\n");
    const std::string own = session.serve("127.0.0.1", "receive");
    CHECK(session.run({way, "127.0.0.1", own}) == "reached\n");
  }
  CHECK(session.run({"v4-on-v6", "127.0.0.1", server.port()}) == "refused EACCES\n");
}

TEST_CASE("connects: link-local addresses and those of clouds are refused, named ports or not") {
  Session session;
  if (!session.tested) return;
  for (const char* address : {"169.254.169.254", "::ffff:169.254.169.254", "fe80::1",
                              "fd00:ec2::254", "100.100.100.200", "224.0.0.251", "ff02::fb"}) {
    for (const char* way : {"tcp", "sendto", "sendmsg", "connected"}) {
      INFO(way << " " << address);
      CHECK(session.run({way, address, "80"}, "80") == "refused EACCES\n");
    }
  }
  session.run({"tcp", "fe80::1", "80"});
  CHECK(session.refused == "[fe80::1]:80");
}

TEST_CASE("connects: a server of the session is reached, and by no other session") {
  Session session;
  if (!session.tested) return;
  for (const char* address : {"127.0.0.1", "0.0.0.0"}) {
    const std::string port = session.serve(address);
    for (const char* way : {"tcp", "nonblocking"}) {
      CHECK(session.run({way, "127.0.0.1", port}) == "reached\n");
    }
    CHECK(session.run({"tcp", "0.0.0.0", port}) == "reached\n");
    CHECK(session.run({"tcp", "127.0.0.1", port}, "", "89abcdef0123456789abcdef") ==
          "refused EACCES\n");
  }
  // One that listens at the same port of another address opens nothing.
  const Server server;
  const RunKey key =
      session.harness.start_running(Session::request({"serve", "127.0.0.2", server.port()}, ""));
  CHECK(session.harness.read_lines(key, 1) == server.port() + "\n");
  CHECK(session.run({"tcp", "127.0.0.2", server.port()}) == "reached\n");
  CHECK(session.run({"tcp", "127.0.0.1", server.port()}) == "refused EACCES\n");
}

TEST_CASE("connects: a named port is reached, and where nobody listens, that is said") {
  Session session;
  if (!session.tested) return;
  const Server server;
  CHECK(session.run({"tcp", "127.0.0.1", server.port()}, "1,2," + server.port()) == "reached\n");
  std::string free;
  {
    const Server gone;
    free = gone.port();
  }
  CHECK(session.run({"tcp", "127.0.0.1", free}) == "refused ECONNREFUSED\n");
  CHECK(session.refused.empty());
}

TEST_CASE("connects: other calls and protocols that connect are refused") {
  Session session;
  if (!session.tested) return;
  const Server server;
  CHECK(session.run({"fast-open", "127.0.0.1", server.port()}, server.port()) ==
        "refused EOPNOTSUPP\n");
  CHECK(session.run({"protocols"}) == "refused EPERM\n");
}

TEST_CASE("connects: unix sockets are connected, and carry descriptors, as before") {
  Session session;
  if (!session.tested) return;
  TempDir dir;
  const std::string path = dir.path() + "/socket";
  const UniqueFd listener(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  REQUIRE(::bind(listener.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
  REQUIRE(::listen(listener.get(), 1) == 0);
  StartRequest request = Session::request({"unix", path}, "");
  request.sandbox->shown = {dir.path()};
  CHECK(session.harness.read_all(session.harness.start_running(request)) == "reached\n");
  CHECK(session.run({"unix", path + "s"}) == "refused ENOENT\n");
}

TEST_CASE("connects: what another thread writes during a connect changes nothing") {
  Session session;
  if (!session.tested) return;
  const Server allowed;
  const Server other;
  CHECK(session.run({"swap-memory", "127.0.0.1", allowed.port(), other.port(), "500"},
                    allowed.port()) == "escaped 0 reached some\n");
}

TEST_CASE("connects: a descriptor that another thread exchanges connects to no service") {
  Session session;
  constexpr std::uint32_t kAbiConnect = 4;
  if (!session.tested || probe_sandbox_support().landlock_abi < kAbiConnect) return;
  const Server server;
  CHECK(session.run({"swap-descriptor", "127.0.0.1", server.port(), "300"}) == "escaped 0\n");
}

TEST_CASE("connects: many processes connect at once, die and stop in it, and the rest succeed") {
  Session session;
  if (!session.tested) return;
  const std::string port = session.serve("127.0.0.1");
  CHECK(session.run({"crowd", "127.0.0.1", port, "100"}) == "failed 0\n");
  CHECK(session.run({"tcp", "127.0.0.1", port}) == "reached\n");
}

TEST_CASE("connects: those that block hold up no other, nor a signal, nor the end of the run") {
  Session session;
  if (!session.tested) return;
  Server full("127.0.0.1", SOCK_STREAM, 0);
  full.fill();
  const Server open;
  const std::string ports = full.port() + "," + open.port();
  CHECK(session.run({"blocked", "127.0.0.1", full.port(), open.port(), "20"}, ports) ==
        "reached\n");
  CHECK(session.run({"interrupted", "127.0.0.1", full.port()}, ports) == "refused EINTR\n");
  CHECK(session.run({"interrupted", "127.0.0.1", full.port(), "1"}, ports) == "waited\n");
  const RunKey key =
      session.harness.start_running(Session::request({"tcp", "127.0.0.1", full.port()}, ports));
  session.harness.client().kill(key, SIGKILL, Millis{0});
  CHECK(session.harness.wait_report(key));
}

}  // namespace
}  // namespace gibbous
