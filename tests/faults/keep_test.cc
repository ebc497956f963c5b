// Detached runs: they outlive every end of their host, and the next host takes them over under the
// same id, with the output written meanwhile.
#include <filesystem>
#include <optional>

#include "tests/faults/state_host.h"
#include "tests/runtime/journal/desk.h"

namespace gibbous::testing {
namespace {

namespace fs = std::filesystem;

class Host : public StateHost {
 public:
  using StateHost::StateHost;
  // Returns the run as bg_status shows it, once it is known here; null if it never is.
  Json find(const std::string& id) {
    Json found;
    Loop loop;
    loop.until([&] {
      const Json answer = call("bg_status", {{"id", id}});
      if (!answer.contains("result")) return false;
      found = answer["result"]["data"]["processes"][0];
      return true;
    });
    return found;
  }
  std::string output_until(const std::string& id, const std::string& word) {
    std::string output;
    std::int64_t from = 0;
    Loop loop;
    loop.until([&] {
      const Json read = result("bg_output", {{"id", id}, {"stream", "stdout"}, {"from", from}});
      output += read.value("stdout", "");
      from = read.value("next", from);
      return output.find(word) != std::string::npos;
    });
    return output;
  }
  // Returns what the journal has of it, once that ends with `words`.
  std::string recorded_until(const std::string& id, const std::string& words) {
    std::string recorded;
    Loop loop;
    loop.until([&] {
      recorded = result("recorded", {{"id", id}})["stdout"];
      return recorded.ends_with(words);
    });
    return recorded;
  }
};

std::vector<fs::path> controls(const TempDir& state) {
  std::vector<fs::path> found;
  const fs::path directory = fs::path(state.path()) / "keepers";
  if (!fs::exists(directory)) return found;
  for (const auto& entry : fs::directory_iterator(directory)) {
    if (entry.path().extension() == ".sock") found.push_back(entry.path());
  }
  return found;
}

std::string unique_seconds() {
  return "6" + unique_word().substr(1, 6);
}

TEST_CASE("a detached run outlives each end of its host, other runs do not, and is taken over") {
  for (const int signal_number : {0, SIGTERM, SIGKILL, SIGABRT}) {
    DYNAMIC_SECTION("signal " << signal_number) {
      const TempDir state;
      const std::string kept = unique_seconds();
      const std::string other = unique_seconds();
      Json started;
      {
        Host host(state);
        started = host.result("start", {{"command", "echo up; setsid sleep " + kept + " & sleep " +
                                                        kept + " 1; echo over"},
                                        {"keep", true}});
        host.result("start", {{"command", "exec sleep " + other}});
        CHECK(host.output_until(started["id"], "up") == "up\n");
        host.end(signal_number);
      }
      CHECK(gone(other));
      // The shell has the word in its command too, and a process in the middle of exec has no
      // words.
      Loop loop;
      CHECK(loop.until([&] { return processes_with(kept).size() == 3; }));
      CHECK(controls(state).size() == 1);
      Host next(state);
      const Json status = next.find(started["id"]);
      INFO(status.dump());
      REQUIRE(status.is_object());
      CHECK(status["state"] == "running");
      CHECK(status["pid"] == started["pid"]);
      const Json killed = next.result("bg_kill", {{"id", started["id"]}});
      CHECK(killed["survivors"].empty());
      CHECK(gone(kept));
    }
  }
}

TEST_CASE("the first call of the next host knows the runs that earlier ones kept") {
  for (const int signal_number : {0, SIGTERM, SIGKILL}) {
    DYNAMIC_SECTION("signal " << signal_number) {
      const TempDir state;
      std::vector<std::string> kept;
      for (int host_number = 0; host_number < 2; ++host_number) {
        Host host(state);
        const Json listed = host.result("bg_status", Json::object())["processes"];
        CHECK(listed.size() == kept.size());
        kept.push_back(host.result("start", {{"command", "exec sleep 600"}, {"keep", true}})["id"]);
        host.end(signal_number);
      }
      Host last(state);
      const Json listed = last.result("bg_status", Json::object())["processes"];
      CHECK(listed.size() == kept.size());
      for (const std::string& id : kept) last.result("bg_kill", {{"id", id}});
    }
  }
}

TEST_CASE("output that a detached run writes without a host is read by the next host") {
  const TempDir state;
  const TempDir gate;
  const std::string go = gate.path() + "/go";
  std::string id;
  {
    Host host(state);
    id = host.result("start",
                     {{"command", "echo first; until [ -e " + go +
                                      " ]; do sleep 0.02; done; seq 1 30000; echo ready > " + go +
                                      ".done; exec sleep 600"},
                      {"keep", true}})["id"];
    host.output_until(id, "first");
    host.end(SIGKILL);
  }
  std::ofstream(go) << "go";
  Loop loop;
  REQUIRE(loop.until([&] { return fs::exists(go + ".done"); }));  // it did not wait for a reader
  Host next(state);
  REQUIRE(next.find(id).is_object());
  next.output_until(id, "\n30000\n");
  std::string all = "first\n";
  for (int line = 1; line <= 30000; ++line) all += std::to_string(line) + "\n";
  CHECK(next.recorded_until(id, "\n30000\n") == all);
  next.result("bg_kill", {{"id", id}, {"signal", "SIGKILL"}});
}

TEST_CASE("what hosts of a detached run had read and not recorded is recorded once, by the next") {
  const TempDir state;
  const TempDir gate;
  const std::string command = "wait_for() { until [ -e " + gate.path() +
                              "/$1 ]; do sleep 0.02; done; }; echo first; wait_for one; "
                              "echo second; wait_for two; echo third; exec sleep 600";
  std::string id;
  std::optional<Host> host(state);
  id = host->result("start", {{"command", command},
                              {"keep", true},
                              {"watch", {{{"regex", "^second"}, {"event", "seen"}}}}})["id"];
  CHECK(host->recorded_until(id, "first\n") == "first\n");
  {
    Plain plain(state.path() + "/sessions.db");
    REQUIRE(plain.run("BEGIN IMMEDIATE"));
    std::ofstream(gate.path() + "/one") << "go";
    host->output_until(id, "second");
    host->end(SIGKILL);
    host.emplace(state);
    REQUIRE(host->find(id).is_object());
    std::ofstream(gate.path() + "/two") << "go";
    host->output_until(id, "third");
    host->end(SIGKILL);
  }
  host.emplace(state);
  CHECK(host->recorded_until(id, "third\n") == "first\nsecond\nthird\n");
  host->result("bg_kill", {{"id", id}, {"signal", "SIGKILL"}});
  CHECK(host->result("told", {{"id", id}, {"event", "seen"}})["count"] == 1);
}

TEST_CASE(
    "a detached run that is near its limit of output is recorded once, whatever its hosts do") {
  const TempDir state;
  const TempDir gate;
  const std::string go = gate.path() + "/go";
  std::string all;
  for (int line = 100; line < 250; ++line) all += std::to_string(line) + "\n";
  std::optional<Host> host(state);
  const std::string id = host->result(
      "start", {{"command", "seq 100 249; until [ -e " + go + " ]; do sleep 0.02; done; echo last"},
                {"max_output_bytes", 1024},
                {"keep", true}})["id"];
  // The first half of the limit is recorded at once, and the rest at intervals.
  for (const int signal_number : {SIGKILL, SIGTERM, SIGKILL}) {
    Loop loop;
    REQUIRE(loop.until([&] {
      return host->result("recorded", {{"id", id}})["stdout"].get<std::string>().size() >= 512;
    }));
    host->end(signal_number);
    host.emplace(state);
    REQUIRE(host->find(id).is_object());
  }
  std::ofstream(go) << "go";
  CHECK(host->recorded_until(id, "last\n") == all + "last\n");
}

TEST_CASE("a detached run whose host died while it recorded the end is recorded to its end") {
  const TempDir state;
  const TempDir gate;
  const std::string go = gate.path() + "/go";
  std::string id;
  std::optional<Host> host(state);
  id = host->result("start", {{"command", "echo first; until [ -e " + go +
                                              " ]; do sleep 0.02; done; echo last; exit 7"},
                              {"keep", true}})["id"];
  CHECK(host->recorded_until(id, "first\n") == "first\n");
  {
    Plain plain(state.path() + "/sessions.db");
    REQUIRE(plain.run("BEGIN IMMEDIATE"));
    std::ofstream(go) << "go";
    CHECK(host->result("ended", {{"id", id}})["state"] == "failed");
    host->end(SIGKILL);
  }
  host.emplace(state);
  CHECK(host->recorded_until(id, "last\n") == "first\nlast\n");
  CHECK(host->find(id)["exit_code"] == 7);
  host->end(0);
  Loop loop;
  CHECK(loop.until([&] { return controls(state).empty(); }));
}

std::string status_of(const TempDir& state, const std::string& id) {
  Plain plain(state.path() + "/sessions.db");
  const auto rows = plain.rows("SELECT status FROM exec_runs WHERE run_id = '" + id + "'");
  return rows.empty() ? "" : rows.front();
}

TEST_CASE("a run that ended with its host is over for the next one while a detached run goes on") {
  const TempDir state;
  const std::string kept = unique_seconds();
  std::string id;
  std::string other;
  Host host(state);
  id = host.result("start", {{"command", "exec sleep " + kept}, {"keep", true}})["id"];
  other = host.result("start", {{"command", "exec sleep " + unique_seconds()}})["id"];
  Loop loop;
  REQUIRE(loop.until([&] { return status_of(state, other) == "running"; }));
  host.end(SIGKILL);
  Host next(state);
  REQUIRE(next.find(id).is_object());
  CHECK(loop.until([&] { return status_of(state, other) == "lost"; }));
  CHECK(status_of(state, id) == "running");
  next.result("bg_kill", {{"id", id}});
}

TEST_CASE("a detached run is taken over when its host was killed before it recorded its keeper") {
  const TempDir state;
  const TempDir gate;
  const std::string kept = unique_seconds();
  const std::string stubborn = unique_seconds();
  Host host(state);
  const std::string id =
      host.result("start", {{"command", "exec sleep " + kept}, {"keep", true}})["id"];
  // The keeper is busy with this one for a while after the end of its host.
  host.result("start", {{"command", "trap '' TERM; echo on > " + gate.path() + "/on; sleep " +
                                        stubborn + "; sleep " + stubborn}});
  Loop loop;
  REQUIRE(loop.until([&] { return fs::exists(gate.path() + "/on"); }));
  REQUIRE(loop.until([&] { return status_of(state, id) == "running"; }));
  host.end(SIGKILL);
  {
    Plain plain(state.path() + "/sessions.db");
    REQUIRE(plain.run("UPDATE workers SET keeper_pid = 0, keeper_started = 0"));
  }
  Host next(state);
  REQUIRE(next.find(id).is_object());
  CHECK(status_of(state, id) == "running");
  CHECK(next.result("bg_kill", {{"id", id}})["survivors"].empty());
  CHECK(gone(kept));
  CHECK(loop.until([&] { return status_of(state, id) == "killed"; }));
  next.end(0);
}

TEST_CASE("a keeper ends with its last detached run once the host has recorded the end") {
  const TempDir state;
  Host host(state);
  const Json started = host.result("start", {{"command", "echo over"}, {"keep", true}});
  host.result("ended", {{"id", started["id"]}});
  CHECK(host.recorded_until(started["id"], "over\n") == "over\n");
  host.end(0);
  Loop loop;
  CHECK(loop.until([&] { return controls(state).empty(); }));
}

TEST_CASE("a keeper ends with its last detached run when its state directory is gone") {
  std::optional<TempDir> state(std::in_place);
  const TempDir gate;
  const std::string go = gate.path() + "/go";
  pid_t keeper = 0;
  {
    Host host(*state);
    const Json started = host.result(
        "start", {{"command", "until [ -e " + go + " ]; do sleep 0.02; done"}, {"keep", true}});
    keeper = keeper_of(started["pid"].get<pid_t>());
    host.end(SIGKILL);
  }
  REQUIRE(keeper > 0);
  state.reset();
  std::ofstream(go) << "go";
  Loop loop;
  CHECK(loop.until([&] {
    const auto stat = read_stat(keeper);
    return !stat || !stat->alive();
  }));
}

TEST_CASE("the end of a detached run without a host is reported to the next host") {
  const TempDir state;
  const TempDir gate;
  std::string id;
  pid_t pid = 0;
  {
    Host host(state);
    const Json started = host.result(
        "start", {{"command", "until [ -e " + gate.path() +
                                  "/go ]; do sleep 0.02; done; echo last words; exit 7"},
                  {"keep", true}});
    id = started["id"];
    pid = started["pid"];
    host.end(SIGKILL);
  }
  std::ofstream(gate.path() + "/go") << "go";
  Loop loop;
  REQUIRE(loop.until([&] { return !read_stat(pid); }));
  Host next(state);
  REQUIRE(next.find(id).is_object());
  CHECK(next.result("ended", {{"id", id}})["state"] == "failed");
  CHECK(next.find(id)["exit_code"] == 7);
  CHECK(next.output_until(id, "words") == "last words\n");
}

TEST_CASE("a keeper that has a host rejects any other") {
  const TempDir state;
  const std::string kept = unique_seconds();
  Host host(state);
  const Json started = host.result("start", {{"command", "exec sleep " + kept}, {"keep", true}});
  {
    Host second(state);
    second.result("start", {{"command", "true"}});
    const Json answer = second.result("bg_status", Json::object());
    for (const Json& run : answer["processes"]) CHECK(run["id"] != started["id"]);
    second.end(0);
  }
  CHECK(host.find(started["id"])["state"] == "running");
  host.result("bg_kill", {{"id", started["id"]}});
  host.end(0);
  CHECK(gone(kept));
  Loop loop;
  CHECK(loop.until([&] { return controls(state).empty(); }));
}

TEST_CASE("a detached run is handed over again and again") {
  const TempDir state;
  const std::string kept = unique_seconds();
  std::string id;
  {
    Host host(state);
    id = host.result("start", {{"command", "exec sleep " + kept}, {"keep", true}})["id"];
    host.end(SIGKILL);
  }
  for (int turn = 0; turn < 3; ++turn) {
    Host next(state);
    REQUIRE(next.find(id).is_object());
    next.end(turn == 1 ? SIGKILL : 0);
    CHECK(processes_with(kept).size() == 1);
  }
  Host last(state);
  REQUIRE(last.find(id).is_object());
  last.result("bg_kill", {{"id", id}});
  CHECK(gone(kept));
}

TEST_CASE(
    "the SIGKILL of a keeper without a host ends its detached runs, and leaves no control socket "
    "open") {
  const TempDir state;
  const std::string kept = unique_seconds();
  pid_t keeper = 0;
  {
    Host host(state);
    const Json started = host.result("start", {{"command", "exec sleep " + kept}, {"keep", true}});
    keeper = keeper_of(started["pid"].get<pid_t>());
    host.end(SIGKILL);
  }
  REQUIRE(keeper > 0);
  ::kill(keeper, SIGKILL);
  CHECK(gone(kept));
  Host next(state);  // finds the stale control socket
  next.result("bg_status", Json::object());
  CHECK(controls(state).empty());
}

// Returns what a program of the same user receives when it connects and sends a message.
std::string connecting(const fs::path& control_socket, const std::string& message) {
  return "python3 -c \"import socket, struct\n"
         "s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)\n"
         "s.settimeout(5)\n"
         "try:\n"
         "  s.connect('" +
         control_socket.string() +
         "')\n"
         "  s.send(" +
         message +
         ")\n"
         "  print('answered' if s.recv(100) else 'refused')\n"
         "except OSError as error:\n"
         "  print('refused')\n\"";
}

// Version, type, length, run, keeper.
const char* const kHello = "struct.pack('<HHIQI', 2, 1, 20, 0, 0)";
const char* const kKillWithoutHello = "struct.pack('<HHIQiq', 2, 4, 28, 1, 9, 0)";

TEST_CASE("a program in a sandbox cannot connect to the control socket of a keeper") {
  const TempDir state;
  const TempDir own_state;
  const std::string kept = unique_seconds();
  std::string id;
  {
    Host host(state);
    id = host.result("start", {{"command", "exec sleep " + kept}, {"keep", true}})["id"];
    host.end(SIGKILL);
  }
  REQUIRE(controls(state).size() == 1);
  {
    Host other(own_state);
    for (const char* message : {kHello, kKillWithoutHello}) {
      const Json started = other.result(
          "start",
          {{"command", connecting(controls(state)[0], message)}, {"sandbox", "workspace"}});
      CHECK(other.output_until(started["id"], "d\n") == "refused\n");
    }
    // A process without a sandbox that sends something other than hello.
    const Json started =
        other.result("start", {{"command", connecting(controls(state)[0], kKillWithoutHello)}});
    CHECK(other.output_until(started["id"], "d\n") == "refused\n");
    other.end(0);
  }
  CHECK(processes_with(kept).size() == 1);
  Host next(state);
  REQUIRE(next.find(id).is_object());
  next.result("bg_kill", {{"id", id}});
  CHECK(gone(kept));
}

TEST_CASE("SIGTERM ends a keeper without a host, and its detached runs") {
  const TempDir state;
  const std::string kept = unique_seconds();
  pid_t keeper = 0;
  {
    Host host(state);
    const Json started = host.result(
        "start", {{"command", "trap '' TERM; sleep " + kept + "; sleep " + kept}, {"keep", true}});
    keeper = keeper_of(started["pid"].get<pid_t>());
    host.end(SIGKILL);
  }
  ::kill(keeper, SIGTERM);
  CHECK(gone(kept));
  Loop loop;
  CHECK(loop.until([&] { return controls(state).empty(); }));
}

}  // namespace
}  // namespace gibbous::testing
