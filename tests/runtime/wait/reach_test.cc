// Conditions about ports that lead to a run elsewhere.
#include "runtime/wait/reach.h"

#include <string>

#include "tests/runtime/wait/harness.h"

using namespace gibbous;
using namespace gibbous::testing;

namespace {

// Returns a run whose port 3000 is `host` here.
Run& mapped_run(House& house, int host, const std::string& address = "") {
  RunSpec spec;
  spec.command = "cat";
  spec.stdin_pipe = true;
  Execution& execution = spec.execution.emplace();
  execution.executor = "elsewhere";
  execution.argv = {"/bin/cat"};
  execution.cwd = "/";
  execution.ports = {{3000, host}};
  execution.address = address;
  return house.start(std::move(spec));
}

Condition reached(House& house, Condition condition) {
  WaitSpec spec{{std::move(condition)}, false, std::nullopt};
  reach(*house.runs, &spec);
  return spec.conditions.at(0);
}

}  // namespace

TEST_CASE("a wait for a port of a run looks where it is mapped") {
  House house;
  const std::string run = mapped_run(house, 40'001).id();
  for (const std::string host : {"", "localhost", "127.0.0.1", "::1"}) {
    const Condition port = reached(house, on_port(3000, host, run));
    CHECK(port.port == 40'001);
    CHECK(port.mapped_from == 3000);
    CHECK(port.host == "127.0.0.1");
  }
}

TEST_CASE("a URL of a run is requested where its port is mapped, and keeps its path") {
  House house;
  const std::string run = mapped_run(house, 40'001).id();
  for (const std::string host : {"localhost", "127.0.0.1", "[::1]"}) {
    const std::string url = "http://" + host + ":3000/health?x=1";
    const Condition http = reached(house, on_http(url, 0, run));
    CHECK(http.url == url);
    CHECK(http.mapped_url == "http://127.0.0.1:40001/health?x=1");
  }
}

TEST_CASE("ports of an engine elsewhere are reached at its address") {
  House house;
  const std::string run = mapped_run(house, 80, "fd00::5").id();
  CHECK(reached(house, on_port(3000, "", run)).host == "fd00::5");
  CHECK(reached(house, on_http("http://localhost:3000", 0, run)).mapped_url == "http://[fd00::5]/");
}

TEST_CASE("a condition without a mapped port of the run stays unchanged") {
  House house;
  const std::string run = mapped_run(house, 40'001).id();
  CHECK(reached(house, on_port(3001, "", run)).mapped_from == 0);
  CHECK(reached(house, on_port(3000, "192.0.2.1", run)).mapped_from == 0);
  CHECK(reached(house, on_port(3000)).mapped_from == 0);
  for (const std::string url :
       {"http://localhost:3001/", "http://192.0.2.1:3000/", "http://a.test:3000/", "no url"}) {
    CHECK(reached(house, on_http(url, 0, run)).mapped_url.empty());
  }
  CHECK(reached(house, on_http("http://localhost:3000/")).mapped_url.empty());
  const std::string here = house.sh("cat").id();
  CHECK(reached(house, on_http("http://localhost:3000/", 0, here)).mapped_url.empty());
}

TEST_CASE("a mapped URL fires when its server answers, and a failed wait names both") {
  House house;
  Run& server = house.program("http_server", {"200", "503"});
  const int port = house.number_after(server, "port");
  const std::string run = mapped_run(house, port).id();
  const Condition http = reached(house, on_http("http://localhost:3000/", 0, run));
  const WaitResult good = house.wait(http);
  REQUIRE(good.end == WaitEnd::kFired);
  CHECK(good.fired.at(0).status == 200);
  const WaitResult bad = house.wait(http, Millis{300});
  CHECK(bad.end == WaitEnd::kTimeout);
  CHECK(has(bad.message, "http://localhost:3000/, asked as http://127.0.0.1:" +
                             std::to_string(port) + "/, answered with a status"));
}
