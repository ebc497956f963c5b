// Addresses, the kernel's list of listeners, and connecting, with sockets of this process.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <optional>
#include <string>

#include "runtime/base/open_handles.h"
#include "runtime/base/unique_fd.h"
#include "runtime/wait/address.h"
#include "runtime/wait/connect_probe.h"
#include "runtime/wait/sock_diag.h"
#include "runtime/wait/socket_owner.h"
#include "tests/support/catch.h"
#include "tests/support/loop.h"

namespace gibbous {
namespace {

using testing::Loop;

struct BoundSocket {
  UniqueFd fd;
  int port = 0;
};

BoundSocket bind_loopback() {
  BoundSocket socket{UniqueFd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)), 0};
  sockaddr_storage address{};
  Address::loopback_v4().fill(address, 0);
  socklen_t size = sizeof(sockaddr_in);
  REQUIRE(::bind(socket.fd.get(), reinterpret_cast<sockaddr*>(&address), size) == 0);
  ::getsockname(socket.fd.get(), reinterpret_cast<sockaddr*>(&address), &size);
  socket.port = ntohs(reinterpret_cast<sockaddr_in*>(&address)->sin_port);
  return socket;
}

// The environment of a probe, and its orderly end.
class Probes {
 public:
  ~Probes() {
    bool closed = false;
    handles.opened();
    handles.when_none([&] { closed = true; });
    deadlines.close([this] { handles.closed(); });
    CHECK(loop.until([&] { return closed; }));
  }

  Loop loop;
  SystemClock clock;
  OpenHandles handles;
  Deadlines deadlines{loop.get(), clock};
  ProbeContext context{loop.get(), clock, deadlines, handles};
};

TEST_CASE("addresses are parsed and printed, and IPv4-mapped IPv6 is IPv4") {
  for (const std::string text : {"127.0.0.1", "0.0.0.0", "::1", "::", "2001:db8::5"}) {
    const auto address = Address::parse(text);
    REQUIRE(address);
    CHECK(address->text() == text);
  }
  CHECK(Address::parse("::ffff:127.0.0.1") == Address::loopback_v4());
  CHECK(Address::parse("::1%lo")->scope != 0);
  for (const std::string text : {"", "localhost", "1.2.3", "1.2.3.4.5", "::g", "::1%nonesuch"}) {
    CHECK_FALSE(Address::parse(text));
  }
}

TEST_CASE("loopback and unspecified addresses are local, and those of other machines are not") {
  CHECK(Address::loopback_v4().is_loopback());
  CHECK(Address::parse("127.9.9.9")->is_loopback());
  CHECK(Address::loopback_v6().is_loopback());
  CHECK_FALSE(Address::parse("128.0.0.1")->is_loopback());
  CHECK(Address::parse("::")->is_unspecified());
  CHECK(Address::parse("0.0.0.0")->is_local());
  CHECK_FALSE(Address::parse("192.0.2.1")->is_local());    // TEST-NET-1
  CHECK_FALSE(Address::parse("2001:db8::1")->is_local());  // documentation
}

TEST_CASE("the kernel distinguishes a listener from a bound socket and names its owner") {
  auto diag = SockDiag::open();
  REQUIRE(diag.ok());
  const BoundSocket socket = bind_loopback();
  auto before = diag->find(Address::loopback_v4(), socket.port);
  REQUIRE(before.ok());
  CHECK_FALSE(before->has_value());
  REQUIRE(::listen(socket.fd.get(), 1) == 0);
  auto listening = diag->find(Address::loopback_v4(), socket.port);
  REQUIRE(listening.ok());
  REQUIRE(listening->has_value());
  CHECK((*listening)->address == Address::loopback_v4());
  struct stat status {};
  ::fstat(socket.fd.get(), &status);
  CHECK((*listening)->inode == status.st_ino);
  CHECK((*listening)->user == ::getuid());
  CHECK(find_socket_owner((*listening)->inode, ::getpid()) == ::getpid());
  CHECK(find_socket_owner(0, ::getpid()) == 0);
  auto all = diag->list(socket.port);
  REQUIRE(all.ok());
  CHECK(all->size() == 1);
}

TEST_CASE("a connect probe succeeds with a listener") {
  Probes probes;
  const BoundSocket socket = bind_loopback();
  std::optional<ConnectProbe::Reached> reached;
  ConnectProbe probe(probes.context, "", socket.port, [&](const auto& result) {
    REQUIRE(result.has_value());
    reached = result;
  });
  probe.start();
  REQUIRE(probes.loop.until([&] { return !probe.trouble().empty(); }));
  CHECK(probe.trouble() == "connection refused");
  CHECK_FALSE(reached.has_value());
  REQUIRE(::listen(socket.fd.get(), 1) == 0);
  REQUIRE(probes.loop.until([&] { return reached.has_value(); }));
  CHECK(reached->address == Address::loopback_v4());
}

TEST_CASE("a connect probe that must finish tries once more and reports") {
  Probes probes;
  const BoundSocket socket = bind_loopback();
  bool answered = false;
  ConnectProbe probe(probes.context, "127.0.0.1", socket.port, [&](const auto& result) {
    CHECK_FALSE(result.has_value());
    answered = true;
  });
  probe.start();
  REQUIRE(probes.loop.until([&] { return !probe.trouble().empty(); }));
  probe.finish();
  CHECK_FALSE(answered);
  REQUIRE(probes.loop.until([&] { return answered; }));
}

TEST_CASE("a connect probe never mistakes itself for a server") {
  // With many tries on a port of the ephemeral range, some would connect to themselves.
  Probes probes;
  int port = 0;
  {
    const BoundSocket free_again = bind_loopback();
    port = free_again.port;
  }
  constexpr int kTries = 2000;
  for (int i = 0; i < kTries; ++i) {
    bool answered = false;
    ConnectProbe probe(probes.context, "127.0.0.1", port, [&](const auto& result) {
      CHECK_FALSE(result.has_value());
      answered = true;
    });
    probe.finish();
    REQUIRE(probes.loop.until([&] { return answered; }));
  }
}

TEST_CASE("a probe that is destroyed in any state leaves nothing behind") {
  Probes probes;
  const BoundSocket socket = bind_loopback();
  REQUIRE(::listen(socket.fd.get(), 1) == 0);
  for (int turns = 0; turns < 6; ++turns) {
    for (const std::string host : {"127.0.0.1", "no-such-host.invalid"}) {
      ConnectProbe probe(probes.context, host, socket.port, [](const auto&) {});
      probe.start();
      for (int turn = 0; turn < turns; ++turn) uv_run(probes.loop.get(), UV_RUN_NOWAIT);
    }
  }
}

}  // namespace
}  // namespace gibbous
