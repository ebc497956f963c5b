// port, http, file and timer, with real servers.
#include <sys/stat.h>
#include <unistd.h>
#include <uv.h>

#include <array>
#include <fstream>

#include "tests/runtime/wait/harness.h"

namespace gibbous {
namespace {

using namespace testing;  // NOLINT: the vocabulary of these tests

struct ListenerCase {
  const char* kind;     // of fixture_listener
  const char* host;     // that is waited for
  const char* address;  // that is reported
};

TEST_CASE("port fires for a listening socket, not for a bound one") {
  for (const ListenerCase& each :
       {ListenerCase{"v4", "", "127.0.0.1"}, ListenerCase{"v4", "127.0.0.1", "127.0.0.1"},
        ListenerCase{"v4", "localhost", "127.0.0.1"}, ListenerCase{"any4", "", "0.0.0.0"},
        ListenerCase{"any4", "127.0.0.5", "0.0.0.0"}, ListenerCase{"any4", "0.0.0.0", "0.0.0.0"},
        ListenerCase{"v6", "", "::1"}, ListenerCase{"v6", "::1", "::1"},
        ListenerCase{"v6", "::", "::1"}, ListenerCase{"any6", "", "::"},
        ListenerCase{"any6", "127.0.0.1", "::"}, ListenerCase{"any6", "::1", "::"},
        ListenerCase{"other4", "", "127.0.0.2"},
        ListenerCase{"other4", "127.0.0.2", "127.0.0.2"}}) {
    CAPTURE(each.kind, each.host);
    House house;
    Run& run = house.program("listener", {each.kind});
    const int port = house.number_after(run, "bound");
    std::optional<WaitResult> result;
    house.begin({{on_port(port, each.host, run.id())}, false, std::nullopt}, result);
    house.loop.run_for(Millis{60});
    REQUIRE_FALSE(result.has_value());
    house.say(run, "listen\n");
    REQUIRE(house.loop.until([&] { return result.has_value(); }));
    CHECK(result->end == WaitEnd::kFired);
    CHECK(result->fired.at(0).address == each.address);
    CHECK(result->fired.at(0).pid == run.pid());
    // It listens already.
    CHECK(house.wait(on_port(port, each.host)).fired.at(0).address == each.address);
  }
}

TEST_CASE("a port that another run has is an obstacle at once, unless the run has it as well") {
  House house;
  Run& other = house.program("listener", {"v4"});
  const int port = house.number_after(other, "bound");
  house.say(other, "listen\n");
  house.number_after(other, "listening");
  Run& mine = house.program("listener", {"v6", std::to_string(port)});
  house.number_after(mine, "bound");
  const WaitResult early = house.wait(on_port(port, "", mine.id()));
  CHECK(early.end == WaitEnd::kImpossible);
  CHECK(early.run == mine.id());
  CHECK(early.obstacle == "port " + std::to_string(port) + " is that of fixture_listene (pid " +
                              std::to_string(other.pid()) + "), not of run " + mine.id());
  CHECK(early.message == early.obstacle);
  house.say(mine, "listen\n");
  house.number_after(mine, "listening");
  const WaitResult own = house.wait(on_port(port, "", mine.id()));
  REQUIRE(own.end == WaitEnd::kFired);
  CHECK(own.fired.at(0).address == "::1");
  CHECK(own.fired.at(0).pid == mine.pid());
  // Without a run, every listener will do.
  CHECK(house.wait(on_port(port, "")).end == WaitEnd::kFired);
}

TEST_CASE("a port in a network of the run's own is the run's, whatever listens outside") {
  House house;
  Run& may = house.sh("unshare -rn true");
  house.wait(on_exit(may));
  if (may.state() != RunState::kCompleted) return;  // this kernel lets users make no networks
  Run& other = house.program("listener", {"v4"});
  const int port = house.number_after(other, "bound");
  house.say(other, "listen\n");
  house.number_after(other, "listening");
  RunSpec spec;
  spec.argv = {"unshare", "-rn", fixture("listener"), "any4", std::to_string(port)};
  spec.stdin_pipe = true;
  Run& mine = house.start(std::move(spec));
  house.number_after(mine, "bound");
  CHECK(house.wait(on_port(port, "", mine.id()), Millis{60}).end == WaitEnd::kTimeout);
  house.say(mine, "listen\n");
  const WaitResult own = house.wait(on_port(port, "", mine.id()));
  REQUIRE(own.end == WaitEnd::kFired);
  CHECK(own.fired.at(0).address == "0.0.0.0");
  CHECK(own.fired.at(0).pid == mine.pid());
}

TEST_CASE("a port outside counts for a run of which only a part has a network of its own") {
  House house;
  Run& run = house.sh("unshare -rn sleep 600 & exec " + fixture("listener") + " v4");
  const int port = house.number_after(run, "bound");
  house.say(run, "listen\n");
  const WaitResult result = house.wait(on_port(port, "", run.id()));
  REQUIRE(result.end == WaitEnd::kFired);
  CHECK(result.fired.at(0).pid == run.pid());
  house.runs->kill(run, SIGKILL, std::nullopt, nullptr);
}

TEST_CASE("port of one address is not satisfied by another") {
  House house;
  Run& run = house.program("listener", {"v4"});
  const int port = house.number_after(run, "bound");
  house.say(run, "listen\n");
  house.number_after(run, "listening");
  const WaitResult v6 = house.wait(on_port(port, "::1"), Millis{60});
  CHECK(v6.end == WaitEnd::kTimeout);
  CHECK(v6.message ==
        "timed out after 0.1s before port " + std::to_string(port) + " of ::1 was listening");
  CHECK(house.wait(on_port(port, "127.0.0.2"), Millis{60}).end == WaitEnd::kTimeout);
}

TEST_CASE("the pid of a port is the listener's, not its shell's") {
  House house;
  Run& run = house.sh(fixture("listener") + " any4; true");
  const int port = house.number_after(run, "bound");
  house.say(run, "listen\n");
  const WaitResult result = house.wait(on_port(port, "", run.id()));
  REQUIRE(result.end == WaitEnd::kFired);
  CHECK(result.fired[0].pid > 0);
  CHECK(result.fired[0].pid != run.pid());
  // Also without the run as a hint.
  CHECK(house.wait(on_port(port)).fired.at(0).pid == result.fired[0].pid);
}

TEST_CASE("port fails at once when its run ends before it listens") {
  House house;
  Run& run = house.sh("read line; echo Error: cannot bind >&2; exit 1");
  std::optional<WaitResult> result;
  house.begin({{on_port(1, "", run.id())}, false, Millis{20'000}}, result);
  house.say(run, "go\n");
  REQUIRE(house.loop.until([&] { return result.has_value(); }));
  CHECK(result->end == WaitEnd::kImpossible);
  CHECK(result->message == "run " + run.id() + " ended (exit code 1) before port 1 was listening");
  CHECK(result->tail == "Error: cannot bind");
  CHECK(result->run == run.id());
  // The same when it has ended before the wait.
  CHECK(house.wait(on_port(1, "", run.id())).end == WaitEnd::kImpossible);
}

TEST_CASE("port waits on while a process of the run that was left behind may open it") {
  House house;
  const TempDir directory;
  const std::string gate = directory.path() + "/gate";
  REQUIRE(::mkfifo(gate.c_str(), 0600) == 0);
  // The shell is gone at once; the listener waits in vain for the gate.
  Run& run = house.sh(fixture("listener") + " v4 <>" + gate + " & exit 0");
  const int port = house.number_after(run, "bound");
  house.until_ended(run);
  std::optional<WaitResult> result;
  house.begin({{on_port(port, "", run.id())}, false, std::nullopt}, result);
  house.loop.run_for(Millis{100});
  CHECK_FALSE(result.has_value());
  house.kill(run);
  REQUIRE(house.loop.until([&] { return result.has_value(); }));
  CHECK(result->end == WaitEnd::kImpossible);
}

TEST_CASE("wrong ports and hosts are refused") {
  House house;
  CHECK(house.refused(on_port(0)).message() ==
        "condition 1 (port): port: expected a number from 1 to 65535, got 0");
  CHECK(house.refused(on_port(65536)).code() == "invalid_arguments");
  CHECK(has(house.refused(on_port(80, "a b")).message(), "host"));
  CHECK(has(house.refused(on_port(80, "http://a")).message(), "host"));
}

TEST_CASE("the error of a wait names a host that cannot be resolved") {
  House house;
  const WaitResult result = house.wait(on_port(80, "no-such-host.invalid"), Millis{1'000});
  CHECK(result.end == WaitEnd::kTimeout);
  CHECK(has(result.message, "port 80 of no-such-host.invalid was listening"));
}

TEST_CASE("http fires when the status is the wanted one") {
  House house;
  Run& server = house.program("http_server", {"503", "0", "404", "200"});
  const std::string url =
      "http://127.0.0.1:" + std::to_string(house.number_after(server, "port")) + "/health?x=1";
  const WaitResult result = house.wait(on_http(url, 0, server.id()));
  REQUIRE(result.end == WaitEnd::kFired);
  CHECK(result.fired[0].status == 200);
  CHECK(result.fired[0].address == "127.0.0.1");
  CHECK(house.wait(on_regex(server, "^GET /health\\?x=1 HTTP/1.1$")).end == WaitEnd::kFired);
  house.kill(server);
}

TEST_CASE("http waits for exactly the requested status") {
  House house;
  Run& server = house.program("http_server", {"200", "200", "404"});
  const std::string url = "http://localhost:" + std::to_string(house.number_after(server, "port"));
  const WaitResult result = house.wait(on_http(url, 404));
  REQUIRE(result.end == WaitEnd::kFired);
  CHECK(result.fired[0].status == 404);
  house.kill(server);
}

TEST_CASE("http reports the last answer when the wait fails") {
  House house;
  Run& server = house.program("http_server", {"500"});
  const std::string url =
      "http://localhost:" + std::to_string(house.number_after(server, "port")) + "/";
  const WaitResult result = house.wait(on_http(url), Millis{300});
  CHECK(result.end == WaitEnd::kTimeout);
  CHECK(result.message == "timed out after 0.3s before " + url +
                              " answered with a status from 200 to 399 (last: status 500)");
  house.kill(server);
}

TEST_CASE("http fails when its run ends, after one last try") {
  House house;
  Run& run = house.sh("exit 7");
  const WaitResult result = house.wait(on_http("http://127.0.0.1:1/", 204, run.id()));
  CHECK(result.end == WaitEnd::kImpossible);
  CHECK(has(result.message,
            "ended (exit code 7) before http://127.0.0.1:1/ answered with status 204"));
  CHECK(has(result.message, "connection refused"));
}

TEST_CASE("http gives up on a server that never answers when the wait is cancelled or times out") {
  House house;
  Run& server = house.program("http_server", {"-1"});
  const std::string url =
      "http://localhost:" + std::to_string(house.number_after(server, "port")) + "/";
  CHECK(house.wait(on_http(url), Millis{100}).end == WaitEnd::kTimeout);
  std::optional<WaitResult> result;
  Wait* wait = house.begin({{on_http(url)}, false, std::nullopt}, result);
  house.wait(on_regex(server, "GET"));
  wait->cancel();
  house.loop.run_for(Millis{20});
  CHECK_FALSE(result.has_value());
  house.kill(server);
}

// A web server of OpenSSL with a certificate of its own.
Run& secure_server(House& house, const std::string& directory, const std::string& address,
                   const std::string& options) {
  return house.sh("cd " + directory +
                  " && openssl req -x509 -newkey rsa:2048 -nodes -keyout key -out cert -days 2 "
                  "-subj /CN=localhost 2> /dev/null && exec openssl s_server -key key -cert cert "
                  "-www -accept " +
                  address + ":0 " + options);
}

TEST_CASE("https fires for a server of this machine that has signed its own certificate") {
  House house;
  const TempDir directory;
  Run& server = secure_server(house, directory.path(), "127.0.0.1", "");
  const WaitResult up = house.wait(on_regex(server, "^ACCEPT .*:(\\d+)$"));
  REQUIRE(up.end == WaitEnd::kFired);
  const std::string port = up.fired[0].captures[0];
  for (const std::string host : {"localhost", "127.0.0.1"}) {
    const std::string url = "https://" + host + ":" + port + "/";
    const WaitResult result = house.wait(on_http(url, 0, server.id()));
    REQUIRE(result.end == WaitEnd::kFired);
    CHECK(result.fired[0].status == 200);
  }
  house.kill(server);
}

TEST_CASE("https says why a server cannot be asked") {
  House house;
  // It answers at once that this is no HTTP.
  Run& server = house.sh("exec python3 -u -m http.server 0 2> /dev/null");
  const WaitResult up = house.wait(on_regex(server, " port (\\d+) "));
  REQUIRE(up.end == WaitEnd::kFired);
  const std::string url = "https://127.0.0.1:" + up.fired[0].captures[0] + "/";
  const WaitResult result = house.wait(on_http(url), Millis{2'000});
  CHECK(result.end == WaitEnd::kTimeout);
  CHECK(has(result.seen, "TLS: "));
  house.kill(server);
}

// Returns an address of this machine that is no loopback address; "" where it has none.
std::string own_address() {
  uv_interface_address_t* interfaces = nullptr;
  int count = 0;
  std::string found;
  if (uv_interface_addresses(&interfaces, &count) != 0) return found;
  for (int i = 0; i < count; ++i) {
    std::array<char, 64> text{};
    if (interfaces[i].is_internal != 0 || interfaces[i].address.address4.sin_family != AF_INET) {
      continue;
    }
    if (uv_ip4_name(&interfaces[i].address.address4, text.data(), text.size()) == 0) {
      found = text.data();
    }
  }
  uv_free_interface_addresses(interfaces, count);
  return found;
}

TEST_CASE("https trusts no unknown certificate of another address") {
  const std::string address = own_address();
  if (address.empty()) return;  // this machine has no network
  House house;
  const TempDir directory;
  Run& server = secure_server(house, directory.path(), address, "");
  const WaitResult up = house.wait(on_regex(server, "^ACCEPT .*:(\\d+)$"));
  REQUIRE(up.end == WaitEnd::kFired);
  const std::string url = "https://" + address + ":" + up.fired[0].captures[0] + "/";
  const WaitResult result = house.wait(on_http(url), Millis{1'000});
  CHECK(result.end == WaitEnd::kTimeout);
  CHECK(has(result.message, "Certificate verification failed"));
  house.kill(server);
}

TEST_CASE("invalid URLs are refused") {
  House house;
  CHECK(has(house.refused(on_http("ftp://localhost/")).message(),
            "condition 1 (http): url: expected http://host[:port]/path or https://"));
  CHECK(has(house.refused(on_http("http://localhost/", 99)).message(), "status"));
}

TEST_CASE("file fires when the path appears and when it is gone") {
  House house;
  const TempDir directory;
  const std::string path = directory.path() + "/ready";
  std::optional<WaitResult> appears;
  std::optional<WaitResult> vanishes;
  CHECK(house.wait(on_file(path, true)).end == WaitEnd::kFired);
  house.begin({{on_file(path)}, false, std::nullopt}, appears);
  house.loop.run_for(Millis{50});
  CHECK_FALSE(appears.has_value());
  std::ofstream(path) << "x";
  REQUIRE(house.loop.until([&] { return appears.has_value(); }));
  CHECK(appears->end == WaitEnd::kFired);
  house.begin({{on_file(path, true)}, false, std::nullopt}, vanishes);
  house.loop.run_for(Millis{50});
  CHECK_FALSE(vanishes.has_value());
  ::unlink(path.c_str());
  REQUIRE(house.loop.until([&] { return vanishes.has_value(); }));
  CHECK(vanishes->end == WaitEnd::kFired);
}

TEST_CASE("a file that a run creates just before its end is found") {
  House house;
  const TempDir directory;
  for (int round = 0; round < 10; ++round) {
    const std::string path = directory.path() + "/made" + std::to_string(round);
    Run& run = house.sh("touch " + path);
    CHECK(house.wait(on_file(path, false, run.id())).end == WaitEnd::kFired);
  }
  Run& idle = house.sh("true");
  const WaitResult never = house.wait(on_file(directory.path() + "/never", false, idle.id()));
  CHECK(never.end == WaitEnd::kImpossible);
  CHECK(has(never.message, "/never existed"));
}

TEST_CASE("file takes absolute paths only") {
  House house;
  CHECK(has(house.refused(on_file("ready")).message(), "path: expected an absolute path"));
  CHECK(house.refused(on_file("")).code() == "invalid_arguments");
}

TEST_CASE("timer fires after its time, not before") {
  House house;
  constexpr Millis kTime{80};
  const Nanos before = house.clock.now();
  const WaitResult result = house.wait(on_timer(kTime));
  CHECK(result.end == WaitEnd::kFired);
  CHECK(house.clock.now() - before >= kTime);
  CHECK(result.elapsed >= kTime);
  CHECK(house.refused(on_timer(Millis{-1})).code() == "invalid_arguments");
}

}  // namespace
}  // namespace gibbous
