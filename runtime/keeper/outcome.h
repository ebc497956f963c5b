// What the keeper reports about a run: how its leader ended, and what a kill achieved. Plain
// values, so that those who read runs need nothing else of the keeper.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <vector>

namespace gibbous {

// Names one run between the library and its keeper. The caller chooses it and never reuses it.
using RunKey = std::uint64_t;

struct ExitStatus {
  int code = 0;    // when signal == 0
  int signal = 0;  // the signal that ended it, or 0
  bool core = false;
  std::chrono::microseconds user{0};
  std::chrono::microseconds system{0};
  std::uint64_t max_rss_kib = 0;
  // How much a detached run had written to each stream by then, since it began; 0 for other runs.
  std::uint64_t out_end = 0;
  std::uint64_t err_end = 0;
  std::string thrown_away;  // SandboxReport::thrown_away
  std::string refused;      // SandboxReport::refused
};

struct KillReport {
  enum class How : std::uint8_t {
    kGone,       // nothing was left to kill
    kSignal,     // all ended by the stop signal, within the grace
    kEscalated,  // SIGKILL was needed
    kSurvivors,  // some could not be killed within the bound
  };
  How how = How::kGone;
  std::uint32_t dead = 0;        // processes of the tree that ended
  std::vector<pid_t> survivors;  // pids that still live, at most kMaxReportedSurvivors
  bool cleanup_failed = false;   // its cleanup command could not be carried out, or not in time
};
const char* to_string(KillReport::How how);

}  // namespace gibbous
