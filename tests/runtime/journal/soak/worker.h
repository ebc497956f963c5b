// One worker of the soak: shares the journal with others, queues runs, claims and "executes" them,
// settles the runs of the dead, asks for kills and answers them, until it is killed itself. A
// process of its own; never returns before it is done.
#pragma once

#include <cstdint>
#include <string>

namespace gibbous::soak {

enum class Life : std::uint8_t {
  kWork,   // for ever
  kDrain,  // queues nothing, and ends when nothing is left to do
};

struct WorkerPlan {
  std::string directory;  // of the journal and of the ledger
  std::string name;       // never used twice
  std::uint32_t seed = 1;
  Life life = Life::kWork;
  // Each worker says that it is of another boot, so that leases decide who is dead; the supervisor
  // stops and continues them.
  bool by_lease = false;
};

inline constexpr const char* kStateName = "/state";
inline constexpr const char* kLedgerName = "/ledger";

int work(const WorkerPlan& plan);

}  // namespace gibbous::soak
