// A run in the network of its session reaches what the session's runs in the machine's network
// listen on, and those reach what listens in it; no other server is reached. Tried as root, and
// without its rights.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <memory>
#include <string>
#include <vector>

#include "runtime/sandbox/sandbox.h"
#include "tests/runtime/keeper/each_user.h"
#include "tests/runtime/keeper/harness.h"

namespace gibbous::testing {
namespace {

constexpr const char* kSession = "0123456789abcdef01234567";
constexpr const char* kOther = "89abcdef0123456789abcdef";
constexpr const char* kReached = "reached\n";
constexpr auto kOwn = SandboxNetwork::kLoopback;
constexpr auto kMachine = SandboxNetwork::kChecked;

sockaddr_in loopback(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<in_port_t>(port));
  return address;
}

// Whether this process, which is no run, is answered at 127.0.0.1.
bool is_answered_outside(int port) {
  const UniqueFd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const sockaddr_in to = loopback(port);
  char byte = 0;
  return ::connect(fd.get(), reinterpret_cast<const sockaddr*>(&to), sizeof to) == 0 &&
         ::recv(fd.get(), &byte, 1, 0) == 1;
}

// A server of this process, at a port that another one may just have had.
UniqueFd listen_outside(int port) {
  UniqueFd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const sockaddr_in at = loopback(port);
  const int yes = 1;
  ::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  const bool listens = ::bind(fd.get(), reinterpret_cast<const sockaddr*>(&at), sizeof at) == 0 &&
                       ::listen(fd.get(), 64) == 0;
  return listens ? std::move(fd) : UniqueFd();
}

int port_of(const UniqueFd& listener) {
  sockaddr_in at{};
  socklen_t size = sizeof at;
  ::getsockname(listener.get(), reinterpret_cast<sockaddr*>(&at), &size);
  return ntohs(at.sin_port);
}

bool not_tested() {
  const SandboxSupport support = probe_sandbox_support();
  if (can_confine() && support.listeners && support.network_namespaces) return false;
  WARN("not tested: no network namespaces, or nobody can decide about system calls here");
  return true;
}

struct Session {
  RunKey start(const std::vector<std::string>& way, SandboxNetwork network,
               const std::string& session = kSession) {
    StartRequest request;
    request.argv = {fixture("connects")};
    request.argv.insert(request.argv.end(), way.begin(), way.end());
    request.env = {"PATH=/usr/bin:/bin"};
    request.cwd = "/";
    request.in = StdioKind::kPipe;
    SandboxSpec& spec = request.sandbox.emplace();
    spec.profile = "test";
    spec.network = network;
    spec.read = {"/"};
    spec.network_group = "/" + session;
    spec.temporary_group = session;
    return harness.start_running(request);
  }
  // `port`: becomes that of the server.
  RunKey serve(const char* address, SandboxNetwork network, int* port) {
    const RunKey key = start({"serve", address, std::to_string(*port)}, network);
    *port = std::atoi(harness.read_lines(key, 1).c_str());
    return key;
  }
  // What the run says that asks once more.
  std::string ask(RunKey key) {
    RunRecord& run = harness.run(key);
    const std::size_t before = run.output.size();
    const std::size_t lines = lines_of(run.output).size();
    (void)!::write(run.in.get(), "\n", 1);
    return harness.read_lines(key, lines + 1).substr(before);
  }
  // What a new run says that asks once.
  std::string ask(const char* address, int port, SandboxNetwork network,
                  const std::string& session = kSession) {
    const RunKey key = start({"ask", address, std::to_string(port)}, network, session);
    std::string said = ask(key);
    harness.run(key).in.reset();
    CHECK(harness.wait_exit(key));
    return said;
  }
  bool comes(const std::function<bool()>& condition) { return harness.wait_for(condition); }
  void end(RunKey key) {
    harness.client().kill(key, SIGKILL, Millis{0});
    CHECK(harness.wait_report(key));
  }

  Harness harness;
};

TEST_CASE("session ports: a run finds the servers of its session on this machine when it starts") {
  if (not_tested()) return;
  as_each_user([]() -> std::string {
    Session session;
    for (const char* address : {"127.0.0.1", "0.0.0.0", "::1", "::"}) {
      int port = 0;
      (void)session.serve(address, kMachine, &port);
      if (port == 0) continue;  // no IPv6 here
      // Each asker asks once, in a network as young as itself. On a slow machine, the start of one
      // may have waited its moment in vain.
      for (const char* to : {"127.0.0.1", "::1"}) {
        const auto asked = [&] { return session.ask(to, port, kOwn) == kReached; };
        if (!session.comes(asked)) return std::string(to) + " does not lead to " + address;
      }
      if (session.ask("127.0.0.1", port, kOwn, kOther) != "refused ECONNREFUSED\n") {
        return "another session reaches " + std::string(address);
      }
    }
    return "";
  });
}

TEST_CASE("session ports: a server that starts later is found, and one that is gone is not") {
  if (not_tested()) return;
  as_each_user([]() -> std::string {
    Session session;
    int port = port_of(listen_outside(0));
    const RunKey asker = session.start({"ask", "127.0.0.1", std::to_string(port)}, kOwn);
    if (session.ask(asker) != "refused ECONNREFUSED\n") return "somebody answers";
    const RunKey server = session.serve("127.0.0.1", kMachine, &port);
    if (!session.comes([&] { return session.ask(asker) == kReached; })) return "not found";
    if (!is_answered_outside(port)) return "this machine's programs are not answered";
    session.end(server);
    const auto gone = [&] { return session.ask(asker) == "refused ECONNREFUSED\n"; };
    return session.comes(gone) ? "" : "the port is still open";
  });
}

TEST_CASE("session ports: a server of nobody's is not reached, nor one that took the port") {
  if (not_tested()) return;
  as_each_user([]() -> std::string {
    Session session;
    UniqueFd others = listen_outside(0);
    const int taken = port_of(others);
    if (session.ask("127.0.0.1", taken, kOwn) != "refused ECONNREFUSED\n") return "another's";
    int port = 0;
    const RunKey server = session.serve("127.0.0.1", kMachine, &port);
    const RunKey asker = session.start({"ask", "127.0.0.1", std::to_string(port)}, kOwn);
    if (!session.comes([&] { return session.ask(asker) == kReached; })) return "not reached";
    session.end(server);
    others = listen_outside(port);
    if (!others) return "cannot take the port";
    // The first connects come before the keeper has seen the change.
    const auto closed = [&] { return session.ask(asker) == "refused ECONNREFUSED\n"; };
    if (!session.comes(closed)) return "the port is still open";
    ::fcntl(others.get(), F_SETFL, O_NONBLOCK);
    const UniqueFd reached(::accept4(others.get(), nullptr, nullptr, SOCK_CLOEXEC));
    return reached ? "it was reached" : "";
  });
}

TEST_CASE("session ports: what listens in the network serves the session's runs and the machine") {
  if (not_tested()) return;
  as_each_user([]() -> std::string {
    Session session;
    const RunKey other = session.start({"ask", "127.0.0.1", "1"}, kOwn);  // holds the network
    int port = 0;
    const RunKey server = session.serve("127.0.0.1", kOwn, &port);
    if (!session.comes([&] { return is_answered_outside(port); })) return "not from outside";
    if (session.ask("127.0.0.1", port, kOwn) != kReached) return "not inside";
    if (session.ask("127.0.0.1", port, kMachine) != kReached) return "not from the session";
    if (session.ask("127.0.0.1", port, kMachine, kOther) != "refused EACCES\n") return "another";
    if (session.ask("127.0.0.1", port, kOwn, kOther) != "refused ECONNREFUSED\n") return "others";
    session.end(server);
    // Neither side holds the port open for the other.
    if (!session.comes([&] { return listen_outside(port).get() >= 0; })) return "open outside";
    const auto gone = [&] {
      return session.ask("127.0.0.1", port, kOwn) == "refused ECONNREFUSED\n";
    };
    if (!session.comes(gone)) return "open inside";
    session.end(other);
    return "";
  });
}

}  // namespace
}  // namespace gibbous::testing
