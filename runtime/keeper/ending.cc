// The server notices when the last child is gone; this file only ends the processes.
#include "runtime/keeper/ending.h"

#include <algorithm>
#include <csignal>
#include <vector>

namespace gibbous::keeper {
namespace {

constexpr Millis kBound{3'000};  // from the first SIGKILL until it gives up
constexpr Millis kFirstPause{1};
constexpr Millis kMaxPause{50};
// Within one round: while the number of processes grows, they are killed without a pause.
constexpr int kMaxRounds = 50;

}  // namespace

Ending::Ending(ProcessTable& table, Millis grace, Time now)
    : process_table_(table), due_(now + grace) {
  process_table_.rescan();
  const std::vector<pid_t> members = process_table_.all_members();
  process_table_.signal_all(members, SIGTERM);
  process_table_.signal_all(members, SIGCONT);
}

bool Ending::round(Time now) {
  if (!killing_) {
    killing_ = true;
    bound_ = now + kBound;
    backoff_ = kFirstPause;
  } else if (now >= bound_) {
    return false;
  }
  std::size_t before = 0;
  for (int pass = 0; pass < kMaxRounds; ++pass) {
    process_table_.rescan();
    const std::vector<pid_t> members = process_table_.all_members();
    process_table_.signal_all(members, SIGKILL);
    if (members.size() <= before) break;
    if (before != 0) process_table_.halt(nullptr);  // it goes on growing
    before = members.size();
  }
  due_ = now + backoff_;
  backoff_ = std::min(backoff_ * 2, kMaxPause);
  return true;
}

}  // namespace gibbous::keeper
