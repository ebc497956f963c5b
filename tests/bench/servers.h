// Servers (`gibbous mcp`) that share a state directory, the calls that the benchmarks make of them,
// and what they cost.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "tests/bench/peer.h"

namespace gibbous::bench {

constexpr const char* kIdle =
    R"("name":"bg_start","arguments":{"command":"exec sleep 3600","timeout":0})";
constexpr const char* kStatus = R"("name":"bg_status","arguments":{})";

// A state directory with a configuration that allows 10,000 runs; removed at the end.
class Place {
 public:
  Place();
  ~Place();
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;
  std::string state() const { return (path_ / "state").string(); }
  std::unique_ptr<Peer> server(const std::string& session) const;

 private:
  std::filesystem::path path_;
};

// Calls a tool and waits for the answer; milliseconds.
double call_tool(Peer& peer, const std::string& tool);
// Returns true when the server has a run that goes on.
bool has_running(Peer& peer);

// What a process and its keeper have used since they began.
struct Cost {
  double cpu_seconds = 0;
  std::int64_t wakeups = 0;  // voluntary context switches of all their threads
};
Cost cost_of(pid_t host);

// Raises this process's limit of open files as far as it may.
void allow_many_files();

}  // namespace gibbous::bench
