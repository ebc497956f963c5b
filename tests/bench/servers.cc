// See servers.h.
#include "tests/bench/servers.h"

#include <sys/resource.h>
#include <unistd.h>

#include <fstream>
#include <iterator>

#include "tests/bench/harness.h"

namespace gibbous::bench {
namespace {

namespace fs = std::filesystem;

fs::path of_process(pid_t pid) {
  return "/proc/" + std::to_string(pid);
}

double cpu_seconds_of(pid_t pid) {
  std::ifstream file(of_process(pid) / "stat");
  std::string word;
  double ticks = 0;
  constexpr int kUser = 14;
  constexpr int kSystem = 15;
  for (int field = 1; field <= kSystem && file >> word; ++field) {
    if (field >= kUser) ticks += std::stod(word);
  }
  return ticks / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

std::int64_t wakeups_of(pid_t pid) {
  std::int64_t count = 0;
  for (const auto& thread : fs::directory_iterator(of_process(pid) / "task")) {
    std::ifstream file(thread.path() / "status");
    for (std::string word; file >> word;) {
      std::int64_t value = 0;
      if (word == "voluntary_ctxt_switches:" && file >> value) count += value;
    }
  }
  return count;
}

// Zero without one.
pid_t keeper_of(pid_t host) {
  std::ifstream file(of_process(host) / "task" / std::to_string(host) / "children");
  for (pid_t child = 0; file >> child;) {
    std::string name;
    std::getline(std::ifstream(of_process(child) / "comm"), name);
    if (name == "gibbous-keeper") return child;
  }
  return 0;
}

int next_id() {
  static int id = 0;
  return ++id;
}

std::string answer_of(Peer& peer, const std::string& tool) {
  const int id = next_id();
  peer.send(mcp_request(id, "tools/call", tool));
  return peer.receive_with("\"id\":" + std::to_string(id) + ",");
}

}  // namespace

Place::Place()
    : path_(fs::temp_directory_path() / ("gibbous-sessions-" + std::to_string(::getpid()))) {
  fs::create_directories(path_);
  std::ofstream(path_ / "gibbous.lua") << "return { limits = { max_concurrent = 10000 } }\n";
}

Place::~Place() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

std::unique_ptr<Peer> Place::server(const std::string& session) const {
  return std::make_unique<Peer>(
      std::vector<std::string>{"mcp", "--mode", "dangerous", "--state", state(), "--config",
                               (path_ / "gibbous.lua").string(), "--session", session});
}

double call_tool(Peer& peer, const std::string& tool) {
  return timed([&] { answer_of(peer, tool); });
}

bool has_running(Peer& peer) {
  return answer_of(peer, kStatus).find("running") != std::string::npos;
}

Cost cost_of(pid_t host) {
  Cost cost{cpu_seconds_of(host), wakeups_of(host)};
  if (const pid_t keeper = keeper_of(host); keeper != 0) {
    cost.cpu_seconds += cpu_seconds_of(keeper);
    cost.wakeups += wakeups_of(keeper);
  }
  return cost;
}

void allow_many_files() {
  rlimit files{};
  ::getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &files);
}

}  // namespace gibbous::bench
