// The supervisor of the soak: keeps some workers going, kills them at random moments (at their
// start, while they recover, while they write, all at once), and lets a last one finish what is
// left. One thread; the process holds no SQLite connection, for its children are forks of it.
#pragma once

#include <cstdint>
#include <string>

namespace gibbous::soak {

struct SoakPlan {
  std::string directory;
  std::uint64_t kills = 200;
  std::uint32_t workers = 5;
  std::uint32_t seed = 1;
  bool by_lease = false;
};

struct SoakTally {
  std::uint64_t kills = 0;
  std::uint64_t at_once = 0;  // times that all were killed together
  std::uint64_t stops = 0;
  double seconds = 0;
  bool finished = false;  // nothing was left to do, and no worker ended by itself
};

SoakTally run_soak(const SoakPlan& plan);

}  // namespace gibbous::soak
