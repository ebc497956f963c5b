// The warden: a small process that stands above the keeper, and ends what is left below it when the
// keeper cannot. It is the keeper's parent and a subreaper, so that what loses the keeper becomes
// its own child. It looks at nothing while both live: it wakes when the keeper ends or is stopped,
// or its host ends. Keeper only.
//
//   keeper stopped                     continues it
//   keeper ended by itself             nothing is left; the warden ends
//   keeper killed                      ends all runs, but not kept ones; ends
//   host gone, keeper works on it      waits for the keeper, which says how long that takes
//   host gone, keeper does nothing     continues it when it is stopped; after a while kills it
//
// Above it stands a second one, which watches the warden as the warden watches the keeper: a daemon
// that stops its parent again and again stops the warden once the keeper is gone, and the second
// one, whose child that daemon is not, ends it meanwhile. When the warden is killed, the keeper
// becomes the second one's child, which guards it from then on.
//
// Their name says nothing of Gibbous, so that killing by name misses them. What stops both and the
// keeper as well is ended by the lookout (lookout.h).
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
  void set_second(pid_t pid) { second_ = pid; }
  pid_t second() const { return second_; }
  void set_process(pid_t pid) { process_ = pid; }
  // Returns true while the keeper itself is a living child of `parent`.
  bool has_keeper_below(pid_t parent) const;
  pid_t process() const { return process_; }
  // The host knows the keeper. Until then, what ends what it has started ends all.
  void set_greeted();
  bool greeted() const { return greeted_; }
  // The host; 0: it is gone.
  void set_host(pid_t pid);
  pid_t host() const { return host_; }
  // By which the keeper wakes the lookout; -1: there is none.
  void set_voice(int descriptor) { voice_ = descriptor; }
  int voice() const { return voice_; }
  // The keeper has left nothing.
  void set_done() { done_ = true; }
  bool is_done() const { return done_; }
  // The number, in marks, of the run that was ended because it stopped those who guard it; 0: no
  // run is known that did.
  void set_culprit(std::uint32_t run) { culprit_ = run; }
  bool is_culprit(std::uint32_t run) const { return run != 0 && culprit_ == run; }
  // Until then the keeper needs no help; Time::max(): it serves kept runs alone.
  void set_patience(Time until) { patience_ = until.time_since_epoch().count(); }
  // At least until `least`.
  Time patience(Time least) const;
  // A run that outlives its host: its numbers, in marks and of its control group (0: none).
  struct alignas(std::uint64_t) KeptRun {
    std::uint32_t run = 0;
    std::uint32_t group = 0;
  };
  void set_kept(const std::vector<KeptRun>& runs);
  void add_kept(KeptRun run);
  bool is_kept(std::uint32_t run) const;
  // Returns whether the process belongs to such a run, and cannot have made that up: its control
  // group counts before its marks.
  bool spares(pid_t pid) const;

 private:
  static constexpr std::size_t kMostKept = 900;
  void wake_lookout() const;

  std::atomic<std::uint32_t> keeper_{0};
  std::atomic<pid_t> warden_{0};
  std::atomic<pid_t> second_{0};
  std::atomic<pid_t> process_{0};
  std::atomic<pid_t> host_{0};
  std::atomic<int> voice_{-1};
  std::atomic<std::uint32_t> culprit_{0};
  std::atomic<bool> greeted_{false};
  std::atomic<bool> done_{false};
  std::atomic<Time::rep> patience_{0};
  struct Kept {
    std::atomic<std::size_t> count{0};  // above kMostKept: all count as kept
    std::array<std::atomic<KeptRun>, kMostKept> runs{};
  };
  template <typename Is>
  bool any_kept(Is is) const;
  std::array<Kept, 2> kept_{};  // one is changed while the other counts
  std::atomic<std::size_t> current_{0};
};

// Runs until there is nothing to guard any more. `host`: pidfd, or unset. `name`: the memory of
// this process's first argument, which `ps` shows.
void guard(pid_t keeper, const UniqueFd& host, const WardenPage& page, std::span<char> name);
// The same for the second one.
void guard_warden(pid_t warden, const UniqueFd& host, const WardenPage& page, std::span<char> name);

}  // namespace gibbous::keeper
