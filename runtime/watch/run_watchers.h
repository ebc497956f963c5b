// RunWatchers: the watchers of all runs of one runtime. Feeds them what runs write, ends them with
// the streams, makes them look for prompts when a run has been silent for a moment and at terminals
// at the pace of screen_pace.h, and passes on as many matches as the rates allow. Notifies its
// owner, which makes the events. Loop thread only.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "runtime/base/clock.h"
#include "runtime/runs/runs.h"
#include "runtime/watch/screen_pace.h"
#include "runtime/watch/watch_limiter.h"
#include "runtime/watch/watch_set.h"

struct uv_loop_s;
struct uv_timer_s;

namespace gibbous {

// After this long without output, an unfinished line is examined: it may be a prompt.
inline constexpr Millis kPromptQuiet{150};
inline constexpr std::size_t kMaxWatchSets = 16;  // of one run

struct WatchersOptions {
  WatchRates rates;
  WatchRate all_runs{200, std::chrono::milliseconds(20)};
};

class WatchersListener {
 public:
  virtual ~WatchersListener() = default;
  // Called from the loop, or from within RunWatchers::add. `set` counts a run's sets from 0.
  virtual void on_match(Run& run, std::size_t set, WatchMatch match) = 0;
  // Reports how many matches of the set were left out.
  virtual void on_suppressed(Run& run, std::size_t set, const WatchPatterns& patterns,
                             const SuppressedSummary& summary) = 0;
};

class RunWatchers final : private RunsObserver {
 public:
  RunWatchers(uv_loop_s* loop, const Clock& clock, Runs& runs, WatchersListener& listener,
              WatchersOptions options = {});
  ~RunWatchers() override;
  RunWatchers(const RunWatchers&) = delete;
  RunWatchers& operator=(const RunWatchers&) = delete;

  // Examines the run's kept output first, from `from` on, and soon what its terminal shows.
  // `fired` has the indexes of `once` watchers that have had their match. Fails with
  // too_many_watchers. Screen watchers of a run without a terminal never match; callers must refuse
  // them.
  Status add(Run& run, std::shared_ptr<const WatchPatterns> patterns,
             const std::vector<std::size_t>& fired = {},
             const std::array<Offset, kStreams>& from = {});
  // A test has moved the clock.
  void clock_moved() { arm(); }

 private:
  struct Set;
  struct Watched {
    Run* run = nullptr;
    std::vector<std::unique_ptr<Set>> sets;
    std::array<bool, kStreams> ended{};
    Nanos prompt_at{0};  // 0: no prompt to look for
    ScreenPace pace;
  };

  void on_output(Run& run, StreamId stream, Offset from) override;
  void on_state(Run& run) override;
  void on_drain(Run& run) override;
  void on_forget(Run& run) override;

  void feed(Set& set, const Run& run, StreamId stream);
  void end_streams(Watched& watched, bool all);
  static bool has_screen(const Watched& watched);
  void look(Watched& watched, ScreenLook look);
  void summarise(Watched& watched, bool finish);
  void on_timer();
  void arm();

  const Clock& clock_;
  Runs& runs_;
  WatchersListener& listener_;
  WatchersOptions options_;
  TokenBucket all_runs_;
  uv_timer_s* timer_;  // its close callback frees it
  std::map<std::string, Watched, std::less<>> watched_;
};

}  // namespace gibbous
