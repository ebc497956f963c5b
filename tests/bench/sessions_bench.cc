// Many sessions at once: servers with a run each that share one state directory, and one server
// with many runs. What they cost while they are idle, and how fast the others answer when half of
// them are killed.
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <memory>
#include <thread>

#include "tests/bench/harness.h"
#include "tests/bench/peer.h"

namespace gibbous::bench {
namespace {

namespace fs = std::filesystem;

constexpr const char* kIdle = R"("name":"bg_start","arguments":{"command":"exec sleep 600"})";
constexpr const char* kStatus = R"("name":"bg_status","arguments":{})";

class Place {
 public:
  Place() : path_(fs::temp_directory_path() / ("gibbous-sessions-" + std::to_string(::getpid()))) {
    fs::create_directories(path_);
    std::ofstream(path_ / "gibbous.lua") << "return { limits = { max_concurrent = 10000 } }\n";
  }
  ~Place() { fs::remove_all(path_); }
  std::unique_ptr<Peer> server(const std::string& session) const {
    return std::make_unique<Peer>(std::vector<std::string>{
        "mcp", "--mode", "dangerous", "--state", (path_ / "state").string(), "--config",
        (path_ / "gibbous.lua").string(), "--session", session});
  }

 private:
  fs::path path_;
};

double call(Peer& peer, const std::string& tool) {
  static int id = 0;
  const std::string request = mcp_request(++id, "tools/call", tool);
  const std::string key = "\"id\":" + std::to_string(id) + ",";
  return timed([&] {
    peer.send(request);
    peer.receive_with(key);
  });
}

double median_call(std::vector<std::unique_ptr<Peer>>& peers, const std::string& tool) {
  std::vector<double> millis;
  for (std::size_t i = 0; i < std::min<std::size_t>(peers.size(), 20); ++i) {
    millis.push_back(call(*peers[i], tool));
  }
  return median(millis);
}

double cpu_of(const std::vector<std::unique_ptr<Peer>>& peers) {
  double ticks = 0;
  for (const auto& peer : peers) {
    std::ifstream file("/proc/" + std::to_string(peer->pid()) + "/stat");
    std::string word;
    constexpr int kUser = 14;
    constexpr int kSystem = 15;
    for (int field = 1; field <= kSystem && file >> word; ++field) {
      if (field >= kUser) ticks += std::stod(word);
    }
  }
  return ticks / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

void bench_list(Report& report) {
  const Place place;
  const auto server = place.server("list");
  constexpr Amount<int> kRuns{1000, 50};
  for (int i = 0; i < kRuns; ++i) call(*server, kIdle);
  call(*server, kStatus);
  constexpr double kMaxMillis = 20;
  report.add(
      {"bg_status of 1,000 idle runs", "ms", call(*server, kStatus), {}, "", {}, kMaxMillis});
}

}  // namespace

void bench_sessions(Report& report) {
  report.section("Sessions with one idle run each, one state directory");
  constexpr Amount<int> kSessions{200, 6};
  const Place place;
  std::vector<std::unique_ptr<Peer>> peers;
  peers.push_back(place.server("s0"));
  call(*peers.front(), kIdle);
  const double start_alone = median(
      {call(*peers.front(), kIdle), call(*peers.front(), kIdle), call(*peers.front(), kIdle)});
  for (int i = 1; i < kSessions; ++i) {
    peers.push_back(place.server("s" + std::to_string(i)));
    call(*peers.back(), kIdle);
  }
  const Amount<std::chrono::milliseconds> settle{std::chrono::seconds(15),
                                                 std::chrono::milliseconds(100)};
  const Amount<std::chrono::milliseconds> idle{std::chrono::seconds(30),
                                               std::chrono::milliseconds(200)};
  std::this_thread::sleep_for(std::chrono::milliseconds(settle));
  const double before = cpu_of(peers);
  std::this_thread::sleep_for(std::chrono::milliseconds(idle));
  const double seconds = std::chrono::duration<double>(std::chrono::milliseconds(idle)).count();
  constexpr double kMaxPercent = 2;
  report.add({"200 idle sessions, all hosts together",
              "% of a core",
              (cpu_of(peers) - before) / seconds * 100,
              {},
              "",
              {},
              kMaxPercent});
  constexpr double kMaxRatio = 1.5;
  report.add({"a start among 200 sessions",
              "ms",
              median_call(peers, kIdle),
              start_alone,
              "a start alone",
              {},
              kMaxRatio});

  const double calm = median_call(peers, kStatus);
  std::vector<std::unique_ptr<Peer>> rest;
  for (std::size_t i = 0; i < peers.size(); ++i) {
    if (i % 2 == 0) {
      ::kill(peers[i]->pid(), SIGKILL);
    } else {
      rest.push_back(std::move(peers[i]));
    }
  }
  report.add({"a call while half of the hosts are killed",
              "ms",
              median_call(rest, kStatus),
              calm,
              "a call before",
              {},
              {}});
  bench_list(report);
}

}  // namespace gibbous::bench
