#include "runtime/watch/run_watchers.h"

#include <uv.h>

#include <algorithm>
#include <utility>

#include "runtime/terminal/screen.h"

namespace gibbous {
namespace {

constexpr Nanos kNever = Nanos::max();

WatchStream watch_stream(StreamId id) {
  return id == StreamId::kStdout ? WatchStream::kStdout : WatchStream::kStderr;
}

}  // namespace

// Watchers that were added together. Matches are collected while the set works, because a listener
// may add watchers or forget the run.
struct RunWatchers::Set final : WatchSink {
  Set(std::shared_ptr<const WatchPatterns> patterns, WatchRates rates, TokenBucket* all_runs,
      const Clock& clock_in, const std::vector<std::size_t>& fired_in)
      : limiter(patterns->size(), rates, all_runs),
        clock(clock_in),
        fired(patterns->size()),
        set(patterns, this) {
    for (const std::size_t index : fired_in) {
      if (index < fired.size()) fired[index] = true;
    }
  }

  bool wants(std::size_t watcher) override {
    const bool once = set.patterns().spec(watcher).once;
    if (once && fired[watcher]) return false;
    return limiter.admit(watcher, once, clock.now());
  }
  void on_match(WatchMatch match) override {
    fired[match.watcher] = true;
    matches.push_back(std::move(match));
  }

  WatchLimiter limiter;
  const Clock& clock;
  std::vector<bool> fired;
  std::vector<WatchMatch> matches;
  std::array<Offset, kStreams> next{};
  WatchSet set;
};

RunWatchers::RunWatchers(uv_loop_s* loop, const Clock& clock, Runs& runs,
                         WatchersListener& listener, WatchersOptions options)
    : clock_(clock),
      runs_(runs),
      listener_(listener),
      options_(options),
      all_runs_(options.all_runs),
      timer_(new uv_timer_t) {
  uv_timer_init(loop, timer_);
  timer_->data = this;
  uv_unref(reinterpret_cast<uv_handle_t*>(timer_));
  runs_.add_observer(this);
}

RunWatchers::~RunWatchers() {
  runs_.remove_observer(this);
  uv_close(reinterpret_cast<uv_handle_t*>(timer_),
           [](uv_handle_t* handle) noexcept { delete reinterpret_cast<uv_timer_t*>(handle); });
}

Status RunWatchers::add(Run& run, std::shared_ptr<const WatchPatterns> patterns,
                        const std::vector<std::size_t>& fired,
                        const std::array<Offset, kStreams>& from) {
  Watched& watched = watched_[run.id()];
  watched.run = &run;
  if (watched.sets.size() >= kMaxWatchSets) {
    return Status::error("too_many_watchers", "watch: the run has watchers of " +
                                                  std::to_string(kMaxWatchSets) +
                                                  " kinds already; give them in one list");
  }
  watched.sets.push_back(
      std::make_unique<Set>(std::move(patterns), options_.rates, &all_runs_, clock_, fired));
  Set& set = *watched.sets.back();
  for (std::size_t i = 0; i < kStreams; ++i) {
    const auto id = static_cast<StreamId>(i);
    if (from[i] > 0) {
      set.set.skip_to(watch_stream(id), from[i], run.stream(id).line_at(from[i]).value_or(0));
      set.next[i] = from[i];
    }
    feed(set, run, id);
  }
  watched.ended = {};
  watched.prompt_at = clock_.now() + kPromptQuiet;
  if (has_screen(watched)) watched.pace.wrote(clock_.now());
  if (run.ended()) end_streams(watched, run.drained());
  arm();
  return {};
}

// Feeds the set output that it has not seen. Its matches are reported later.
void RunWatchers::feed(Set& set, const Run& run, StreamId id) {
  const Stream& stream = run.stream(id);
  Offset& next = set.next[static_cast<std::size_t>(id)];
  while (next < stream.end()) {
    Offset first = next;
    const std::vector<std::string_view> views = stream.views(next, &first);
    if (views.empty()) break;
    if (first > next) {
      set.set.skip_to(watch_stream(id), first, stream.line_at(first).value_or(0));
      next = first;
    }
    // Bytes between the kept first bytes of the stream and its newest ones may be gone.
    const Offset whole_until = next < stream.head_end() && stream.begin() > stream.head_end()
                                   ? stream.head_end()
                                   : stream.end();
    for (const std::string_view view : views) {
      if (next >= whole_until) break;
      const std::string_view part = view.substr(0, whole_until - next);
      set.set.feed(watch_stream(id), next, part);
      next += part.size();
    }
  }
}

void RunWatchers::on_output(Run& run, StreamId stream, Offset) {
  const auto found = watched_.find(run.id());
  if (found == watched_.end()) return;
  Watched& watched = found->second;
  bool any = false;
  for (const auto& set : watched.sets) {
    if (set->set.spent()) continue;
    feed(*set, run, stream);
    any = any || !set->matches.empty();
  }
  const bool shows = has_screen(watched);
  const bool armed = watched.prompt_at != Nanos{0} && (!shows || watched.pace.next());
  const Nanos now = clock_.now();
  watched.prompt_at = now + kPromptQuiet;
  if (shows) watched.pace.wrote(now);
  if (any) summarise(watched, false);
  if (!armed) arm();
}

void RunWatchers::on_state(Run& run) {
  const auto found = watched_.find(run.id());
  if (found != watched_.end() && run.ended()) end_streams(found->second, run.drained());
}

void RunWatchers::on_drain(Run& run) {
  const auto found = watched_.find(run.id());
  if (found != watched_.end() && run.ended()) end_streams(found->second, run.drained());
}

void RunWatchers::on_forget(Run& run) {
  watched_.erase(run.id());
}

// Ends the streams that have ended, or with `all` every one: the run's output is complete or given
// up.
void RunWatchers::end_streams(Watched& watched, bool all) {
  for (std::size_t i = 0; i < kStreams; ++i) {
    const auto id = static_cast<StreamId>(i);
    if (watched.ended[i] || !(all || watched.run->stream(id).ended())) continue;
    watched.ended[i] = watched.run->stream(id).ended();
    for (const auto& set : watched.sets) {
      feed(*set, *watched.run, id);
      if (watched.ended[i]) {
        set->set.end(watch_stream(id));
      } else {
        set->set.flush_partial(watch_stream(id));
      }
    }
  }
  look(watched, ScreenLook::kSettled);
  summarise(watched, all);
}

bool RunWatchers::has_screen(const Watched& watched) {
  return watched.run->screen() != nullptr &&
         std::any_of(watched.sets.begin(), watched.sets.end(),
                     [](const auto& set) { return set->set.wants_screen(); });
}

void RunWatchers::look(Watched& watched, ScreenLook look) {
  Screen* screen = watched.run->screen();
  if (screen == nullptr) return;
  const Nanos begin = clock_.now();
  for (const auto& set : watched.sets) set->set.look(*screen, look);
  watched.pace.looked(begin, clock_.now());
}

// Reports what was collected. The listener may add watchers; it does not forget runs.
void RunWatchers::summarise(Watched& watched, bool finish) {
  for (std::size_t i = 0; i < watched.sets.size(); ++i) {
    for (WatchMatch& match : std::exchange(watched.sets[i]->matches, {})) {
      listener_.on_match(*watched.run, i, std::move(match));
    }
    WatchLimiter& limiter = watched.sets[i]->limiter;
    const auto summary = finish ? limiter.finish() : limiter.summary(clock_.now());
    if (summary) {
      listener_.on_suppressed(*watched.run, i, watched.sets[i]->set.patterns(), *summary);
    }
  }
}

void RunWatchers::on_timer() {
  const Nanos now = clock_.now();
  std::vector<std::string> ids;
  for (const auto& [id, watched] : watched_) ids.push_back(id);
  for (const std::string& id : ids) {
    const auto found = watched_.find(id);
    if (found == watched_.end()) continue;
    Watched& watched = found->second;
    if (watched.prompt_at != Nanos{0} && watched.prompt_at <= now) {
      watched.prompt_at = Nanos{0};
      for (const auto& set : watched.sets) {
        for (std::size_t i = 0; i < kStreams; ++i) {
          set->set.flush_partial(watch_stream(static_cast<StreamId>(i)));
        }
      }
    }
    if (const auto due = watched.pace.take(now)) look(watched, *due);
    summarise(watched, false);
  }
  arm();
}

void RunWatchers::arm() {
  Nanos next = kNever;
  for (const auto& [id, watched] : watched_) {
    if (watched.prompt_at != Nanos{0}) next = std::min(next, watched.prompt_at);
    if (const auto at = watched.pace.next()) next = std::min(next, *at);
    for (const auto& set : watched.sets) {
      if (const auto at = set->limiter.next_summary_at()) next = std::min(next, *at);
    }
  }
  if (next == kNever) return;
  const auto wait = std::chrono::ceil<Millis>(std::max(next - clock_.now(), Nanos{0}));
  uv_timer_start(
      timer_,
      [](uv_timer_t* timer) noexcept { static_cast<RunWatchers*>(timer->data)->on_timer(); },
      static_cast<std::uint64_t>(wait.count()), 0);
}

}  // namespace gibbous
