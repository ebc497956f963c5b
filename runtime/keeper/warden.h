// The warden: a small process that stands above the keeper, and ends what is left below it when the
// keeper cannot. It is the keeper's parent and a subreaper, so that what loses the keeper becomes
// its own child. It looks at nothing while both live: it wakes when the keeper ends or is stopped,
// or its host ends. Keeper only.
//
//   keeper stopped                     continues it
//   keeper ended by itself             nothing is left; the warden ends
//   keeper killed                      ends all runs, but not detached ones; ends
//   host gone, keeper works on it      waits for the keeper, which says how long that takes
//   host gone, keeper does nothing     continues it when it is stopped; after a while kills it
//
// Its name says nothing of Gibbous, so that killing by name misses it.
#pragma once

#include <sys/types.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/base/unique_fd.h"
#include "runtime/keeper/kill_job.h"

namespace gibbous::keeper {

// What the keeper tells its warden, in memory that both share.
class WardenPage {
 public:
  // Shared with the children that are forked from now on; null when there is no memory.
  static WardenPage* map();

  // The keeper's number in marks.
  void set_keeper(std::uint32_t number) { keeper_ = number; }
  std::uint32_t keeper() const { return keeper_; }
  void set_warden(pid_t pid) { warden_ = pid; }
  pid_t warden() const { return warden_; }
  // Until then the keeper needs no help; Time::max(): it serves detached runs alone.
  void set_patience(Time until) { patience_ = until.time_since_epoch().count(); }
  // At least until `least`.
  Time patience(Time least) const;
  // A run that outlives its host: its numbers, in marks and of its control group (0: none).
  struct alignas(std::uint64_t) DetachedRun {
    std::uint32_t run = 0;
    std::uint32_t group = 0;
  };
  void set_detached(const std::vector<DetachedRun>& runs);
  void add_detached(DetachedRun run);
  // Returns whether the process belongs to such a run, and cannot have made that up: its control
  // group counts before its marks.
  bool spares(pid_t pid) const;

 private:
  static constexpr std::size_t kMostDetached = 900;

  std::atomic<std::uint32_t> keeper_{0};
  std::atomic<pid_t> warden_{0};
  std::atomic<Time::rep> patience_{0};
  struct Detached {
    std::atomic<std::size_t> count{0};  // above kMostDetached: all count as detached
    std::array<std::atomic<DetachedRun>, kMostDetached> runs{};
  };
  template <typename Is>
  bool any_detached(Is is) const;
  std::array<Detached, 2> detached_{};  // one is changed while the other counts
  std::atomic<std::size_t> current_{0};
};

// Runs until there is nothing to guard any more. `host`: pidfd, or unset. `name`: the memory of
// this process's first argument, which `ps` shows.
void guard(pid_t keeper, const UniqueFd& host, const WardenPage& page, std::span<char> name);

}  // namespace gibbous::keeper
