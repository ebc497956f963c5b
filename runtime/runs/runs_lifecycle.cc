// How runs begin and end. runs.cc has the requests of callers.
#include "runtime/runs/runs_entry.h"

#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "runtime/base/random_id.h"
#include "runtime/keeper/control_socket.h"
#include "runtime/process/signals.h"
#include "runtime/runs/describe.h"
#include "runtime/runs/log_place.h"
#include "runtime/runs/path_lookups.h"

namespace gibbous {
namespace {

// A shell exits with this plus the signal's number when a signal ended its child.
constexpr int kShellSignalBase = 128;
constexpr Millis kMaskPatience{50};  // before what may be the beginning of a secret is shown
constexpr Millis kLateTurn{1};
constexpr RunKey kKeyBase = 0x7fffffff'00000000;

bool can_be_read(int descriptor) {
  pollfd watched{descriptor, POLLIN, 0};
  return ::poll(&watched, 1, 0) > 0 && (watched.revents & POLLIN) != 0;
}

}  // namespace

Runs::Runs(uv_loop_s* loop, const Clock& clock, RunsOptions options)
    : loop_(loop), clock_(clock), options_(std::move(options)) {
  // Detached runs keep their keys.
  last_key_ = random_bits() & kKeyBase;
}

Runs::~Runs() = default;

Status Runs::init() {
  auto keeper = KeeperClient::create(loop_, {options_.keeper_path, options_.open_files}, *this);
  if (!keeper) return keeper.status();
  keeper_ = std::move(keeper.value());
  ingest_ = Ingest::create(loop_);
  deadlines_ = std::make_unique<Deadlines>(loop_, clock_);
  disk_ = std::make_unique<DiskThreads>(loop_);
  paths_ = std::make_unique<PathLookups>(loop_, *deadlines_, options_.keeper_path);
  return {};
}

Status Runs::launch(Entry& entry) {
  Run& run = entry.run;
  if (run.spec_.keep) {
    if (auto made = open_control_directory(options_.keep_directory, true); !made) {
      return Status::error("start_failed", "keep: " + made.status().message());
    }
  }
  const Play play = plays_ ? plays_(run) : Play::kNo;
  if (play != Play::kNo) {
    entry.fake = std::make_unique<Entry::Fake>();
    entry.fake->stubborn = play == Play::kStubborn;
    launch_fake(entry);
  } else if (Status status = keeper_->start(run.key_, request_for(entry)); !status) {
    return status;
  }
  run.state_ = RunState::kStarting;
  run.reason_.clear();
  take_place(entry);
  return {};
}

void Runs::launch_queued() {
  while (!closing_) {
    const auto next = std::find_if(queue_.begin(), queue_.end(), [this](const Entry* entry) {
      return !is_full(owner_of(entry->run.spec_));
    });
    if (next == queue_.end()) return;
    Entry& entry = **next;
    queue_.erase(next);
    if (const Status status = launch(entry); !status) {
      finish(entry, RunState::kFailed, status.message());
      if (auto ready = std::exchange(entry.on_ready, nullptr)) ready(entry.run, status);
    }
  }
}

void Runs::on_started(RunKey key, Started started) {
  Entry* entry = entry_of(key);
  if (entry == nullptr) return;
  Run& run = entry->run;
  run.pid_ = started.pid;
  run.keeper_number_ = keeper_ ? keeper_->keeper_number() : 0;
  run.state_ = RunState::kRunning;
  run.started_ = run.last_output_ = clock_.now();
  entry->cpu_share.begin(run.started_);
  run.output_rate_.start(run.started_);
  run.in_force_ = started.in_force;
  run.sandbox_report_ = std::move(started.sandbox);
  if (const auto& sandbox = run.spec_.sandbox) {
    auto& unprotected = run.sandbox_report_.unprotected;
    unprotected.insert(unprotected.end(), sandbox->gaps.begin(), sandbox->gaps.end());
  }
  run.started_wall_ = clock_.wall();
  if (started.in) {
    run.stdin_open_ = true;
    entry->stdin_writer =
        std::make_unique<StdinWriter>(loop_, std::move(started.in), /*terminal=*/false,
                                      [entry] { entry->run.stdin_open_ = false; });
  }
  if (run.spec_.terminal) open_terminal(*entry, started);
  open_logs(*entry);
  read_stream(*entry, StreamId::kStdout, std::move(started.out));
  read_stream(*entry, StreamId::kStderr, std::move(started.err));
  watch_time(*entry);
  watch_idle(*entry);
  notify_state(*entry);
  if (auto ready = std::exchange(entry->on_ready, nullptr)) ready(run, Status());
}

void Runs::read_stream(Entry& entry, StreamId id, UniqueFd fd) {
  StreamTap& tap = entry.taps[static_cast<std::size_t>(id)];
  Stream& stream = entry.run.streams_[static_cast<std::size_t>(id)];
  if (entry.fake) {
    tap.attach(this, &entry, id);
    return;
  }
  if (!fd) {
    stream.set_ended();
    return;
  }
  if (!entry.run.spec_.secret_env.empty()) {
    std::vector<std::string> values;
    for (const auto& [name, value] : entry.run.spec_.secret_env) values.push_back(value);
    stream.mask(values);
  }
  tap.attach(this, &entry, id);
  tap.descriptor = fd.get();
  tap.reader = ingest_->read(std::move(fd), stream, tap);
}

void Runs::on_start_failed(RunKey key, StartFailure failure) {
  Entry* entry = entry_of(key);
  if (entry == nullptr) return;
  std::string message = "Could not start ";
  if (failure.step == StartStep::kChdir) {
    message += entry->run.command_text_ + " in " + request_for(*entry).cwd;
  } else {
    message += request_for(*entry).argv.front();
    if (const auto& execution = entry->run.spec_.execution) {
      message += " of executor " + execution->executor;
    }
  }
  if (failure.detail.empty()) {
    message += std::string(": ") + to_string(failure.step) + ": " + std::strerror(failure.error);
  } else {
    message += ": " + failure.detail;
  }
  leave_place(*entry);
  const bool was_killed = entry->verdict == RunState::kKilled;
  finish(*entry, was_killed ? RunState::kKilled : RunState::kFailed, message);
  if (auto ready = std::exchange(entry->on_ready, nullptr)) {
    ready(entry->run, Status::error("start_failed", message));
  }
  for (const auto& on_done : std::exchange(entry->kill_waiters, {})) {
    if (on_done) on_done(entry->run, KillReport{});
  }
  launch_queued();
}

void Runs::on_exited(RunKey key, ExitStatus status) {
  Entry* entry = entry_of(key);
  if (entry == nullptr || entry->exit || entry->run.ended()) return;
  entry->exit = status;
  entry->run.sandbox_report_.thrown_away = status.thrown_away;
  entry->run.sandbox_report_.refused = status.refused;
  deadlines_->cancel(entry->timeout);
  deadlines_->cancel(entry->idle);
  const std::uint64_t file_limit = entry->run.spec_.limits.file_size_bytes;
  if (file_limit != 0 && (status.signal == SIGXFSZ || status.code == kShellSignalBase + SIGXFSZ)) {
    note_limit(*entry, {LimitKind::kFileSize, file_limit, file_limit});
  }
  // Everything the leader wrote before it exited is in the pipes now, and must be read before its
  // exit is reported. Later output of other processes does not delay it.
  for (std::size_t i = 0; i < kStreams; ++i) {
    StreamTap& tap = entry->taps[i];
    int waiting = 0;
    if (tap.reader != nullptr && ::ioctl(tap.descriptor, FIONREAD, &waiting) == 0) {
      const Stream& stream = entry->run.streams_[i];
      tap.settled_at = stream.end() + stream.held() + static_cast<Offset>(std::max(waiting, 0));
    }
    // What a detached run wrote comes through the keeper, which may still have some of it.
    const std::uint64_t written = i == 0 ? status.out_end : status.err_end;
    const auto origin = static_cast<std::uint64_t>(entry->run.origins_[i]);
    if (tap.reader != nullptr && written > origin) {
      tap.settled_at = std::max<Offset>(tap.settled_at, written - origin);
    }
  }
  entry->drain =
      deadlines_->after(options_.limits.drain_limit, [this, entry] { on_drain_limit(*entry); });
  if (settled(*entry)) finish_exited(*entry);
}

// A host that stood still for a while, on a busy machine or for its own reasons, comes here before
// it reads again. What the leader wrote is there to be read, so it gets some turns for that.
void Runs::on_drain_limit(Entry& entry) {
  constexpr int kTurnsForOutput = 100;
  constexpr int kTurnsForEnds = 10;  // of streams that no process holds any more
  entry.drain = 0;
  const bool unread = !entry.run.ended() && !settled(entry);
  // An end without the output before it would hide why it came.
  if (unread) hold(entry.run, false);
  if (entry.late_turns++ < (unread ? kTurnsForOutput : kTurnsForEnds)) {
    entry.drain = deadlines_->after(kLateTurn, [this, &entry] { on_drain_limit(entry); });
    return;
  }
  if (!entry.run.ended()) finish_exited(entry);
  entry.run.output_incomplete_ = true;
  update_drained(entry);
}

void Runs::open_logs(Entry& entry) {
  Run& run = entry.run;
  const std::string& workspace = log_workspace(run.spec_, options_.workspace);
  for (const LogSpec& spec : run.spec_.logs) {
    auto tap = std::make_unique<LogTap>(*this, entry, spec);
    auto place = place_log(spec, workspace, options_.temp_directory);
    if (!place) continue;  // check() has reported that
    FileSinkSpec sink = std::move(*place);
    if (const std::uint64_t most = run.spec_.limits.log_bytes; most != 0) {
      sink.max_bytes =
          std::clamp(most / spec.files / run.spec_.logs.size(), kMinSinkBytes, sink.max_bytes);
    }
    std::vector<FileSinkSource> sources;
    for (const StreamId id : {StreamId::kStdout, StreamId::kStderr}) {
      const auto index = static_cast<std::size_t>(id);
      if (spec.stream && *spec.stream != id) continue;
      tap->sources[index] = sources.size();
      sources.push_back({&run.streams_[index], to_string(id)});
    }
    auto made = FileSink::create(*disk_, clock_, sink, std::move(sources), *tap);
    if (!made) continue;  // check() has reported that
    tap->sink = std::move(*made);
    run.logs_.push_back(tap->sink.get());
    entry.logs.push_back(std::move(tap));
    ++entry.open_logs;
  }
}

void Runs::notify_logs(Entry& entry, StreamId id) {
  for (const auto& log : entry.logs) {
    if (const auto source = log->sources[static_cast<std::size_t>(id)]) log->sink->notify(*source);
  }
}

void Runs::finish_logs(Entry& entry) {
  if (std::exchange(entry.logs_finishing, true)) return;
  for (const auto& log : entry.logs) {
    log->sink->finish([this, &entry, &tap = *log] { log_finished(entry, tap); });
  }
}

void Runs::log_finished(Entry& entry, const LogTap& log) {
  --entry.open_logs;
  const FileSinkStatus& status = log.sink->status();
  if (closing_ && !status.error.empty()) {
    unwritten_logs_.push_back(log.spec().path + ": " + std::to_string(status.lost_bytes) +
                              " bytes were not written: " + status.error);
  }
  if (closing_ && part_closed_) part_closed_();
}

void Runs::LogTap::on_sink_error(const std::string& message) {
  owner_.each_observer(
      entry_.run, [&](RunsObserver& observer) { observer.on_log(entry_.run, spec_, message); });
}

void Runs::LogTap::on_sink_recovered() {
  owner_.each_observer(entry_.run,
                       [&](RunsObserver& observer) { observer.on_log(entry_.run, spec_, ""); });
}

void Runs::LogTap::on_sink_progress() {
  owner_.each_observer(entry_.run,
                       [&](RunsObserver& observer) { observer.on_log_progress(entry_.run); });
}

bool Runs::settled(const Entry& entry) const {
  for (std::size_t i = 0; i < kStreams; ++i) {
    const Stream& stream = entry.run.streams_[i];
    if (stream.ended()) continue;
    // It is unknown how much a terminal holds, but not whether it holds something.
    const bool is_terminal = entry.run.screen_ && !entry.terminal;
    const bool more = is_terminal ? can_be_read(entry.taps[i].descriptor)
                                  : stream.end() < entry.taps[i].settled_at;
    if (more) return false;
  }
  return true;
}

void Runs::finish_exited(Entry& entry) {
  Run& run = entry.run;
  if (ask_at_end(entry)) return;
  run.exit_status_ = entry.exit;
  leave_place(entry);
  if (entry.verdict == RunState::kRunning) {
    // Its executor may know better why.
    const std::string& why = entry.verdict_reason;
    // Interpreters that have handled <C-c> end with its signal when they exit (Python does).
    const bool exited = entry.exit->signal == SIGINT && entry.outlived_interrupt;
    const std::string how =
        exited ? "exited, after a <C-c> that it handled" : describe_exit(*entry.exit);
    finish(entry, exited ? RunState::kCompleted : state_of_exit(*entry.exit),
           why.empty() ? how : why);
  } else {
    const bool insisted =
        entry.kill_signal != 0 && entry.kill_signal != SIGKILL && entry.exit->signal == SIGKILL;
    finish(entry, entry.verdict,
           insisted ? "killed with SIGKILL, after " + signal_name(entry.kill_signal)
                    : entry.verdict_reason);
  }
  update_drained(entry);
  launch_queued();
}

void Runs::finish(Entry& entry, RunState state, std::string reason) {
  Run& run = entry.run;
  deadlines_->cancel(entry.timeout);
  deadlines_->cancel(entry.idle);
  run.state_ = state;
  run.ended_by_itself_ =
      !entry.kill_asked && (entry.verdict == RunState::kRunning || run.limit_reached_);
  run.reason_ = std::move(reason);
  if (run.readiness_ == Readiness::kPending && state != RunState::kCompleted) {
    run.readiness_ = Readiness::kFailed;
    run.readiness_note_ = "it ended before it was ready: " + run.reason_;
  }
  run.ended_ = clock_.now();
  run.ended_wall_ = clock_.wall();
  entry.stdin_writer.reset();
  run.stdin_open_ = false;
  if (run.pid_ == 0) {
    for (Stream& stream : run.streams_) stream.set_ended();
    run.drained_ = true;
  }
  watch_left_behind(entry);
  notify_state(entry);
  forget_oldest();
}

void Runs::update_drained(Entry& entry) {
  Run& run = entry.run;
  if (!run.ended()) return;
  const bool all_ended = run.streams_[0].ended() && run.streams_[1].ended();
  if (all_ended) {
    run.output_incomplete_ = false;
    deadlines_->cancel(entry.drain);
  }
  const bool drained = all_ended || run.output_incomplete_;
  if (drained) run.drained_ = true;
  // A process that holds a pipe open may still write: the log continues until it is done.
  if (all_ended) finish_logs(entry);
  if (drained) each_observer(run, [&run](RunsObserver& observer) { observer.on_drain(run); });
}

void Runs::StreamTap::on_bytes(Stream& stream, Offset from) {
  Run& run = entry_->run;
  owner_->deadlines_->cancel(release);
  if (stream.held() > 0) {
    release = owner_->deadlines_->after(kMaskPatience, [this, &stream] {
      const Offset at = stream.end();
      stream.release();
      on_bytes(stream, at);
    });
  }
  if (stream.end() == from) return;
  run.last_output_ = owner_->clock_.now();
  run.output_times_[static_cast<std::size_t>(id_)].add(stream.end(), run.last_output_);
  run.arrivals_.note(static_cast<std::size_t>(id_), stream, from);
  owner_->show(*entry_, from);
  owner_->count_output(*entry_, stream.end() - from);
  owner_->notify_logs(*entry_, id_);
  owner_->each_observer(run, [&](RunsObserver& observer) { observer.on_output(run, id_, from); });
  if (entry_->exit && !run.ended() && owner_->settled(*entry_)) owner_->finish_exited(*entry_);
}

void Runs::StreamTap::on_end(Stream& stream, int error) {
  (void)error;
  owner_->deadlines_->cancel(release);
  const Offset held_from = stream.end();
  stream.set_ended();
  entry_->run.arrivals_.note(static_cast<std::size_t>(id_), stream, held_from);
  owner_->notify_logs(*entry_, id_);
  reader->close();
  reader = nullptr;
  descriptor = -1;
  if (id_ == StreamId::kStdout) entry_->terminal.reset();
  if (entry_->exit && !entry_->run.ended() && owner_->settled(*entry_)) {
    owner_->finish_exited(*entry_);
  } else {
    owner_->update_drained(*entry_);
  }
}

void Runs::on_left(RunKey key, std::uint32_t alive) {
  Entry* entry = entry_of(key);
  if (entry == nullptr) return;
  entry->run.left_behind_ = alive;
  each_observer(entry->run, [entry](RunsObserver& observer) { observer.on_drain(entry->run); });
}

void Runs::on_killed(RunKey key, KillReport report) {
  Entry* entry = entry_of(key);
  if (entry == nullptr) return;
  // The end is known even if the last output is unread, and the caller of kill does not wait for
  // that.
  if (entry->exit && !entry->run.ended()) finish_exited(*entry);
  entry->run.kill_report_ = report;
  // When its own have ended, those are processes of which the keeper does not know whose they are.
  const bool ended = report.how != KillReport::How::kSurvivors;
  entry->run.left_behind_ = ended ? 0 : static_cast<std::uint32_t>(report.survivors.size());
  if (entry->kill_waiters.empty()) return;
  const auto on_done = std::move(entry->kill_waiters.front());
  entry->kill_waiters.pop_front();
  if (on_done) on_done(entry->run, report);
}

void Runs::on_keeper_lost(std::vector<RunKey> keys, std::string reason) {
  for (const RunKey key : keys) {
    Entry* entry = entry_of(key);
    if (entry == nullptr) continue;
    entry->run.left_behind_ = 0;
    if (!entry->run.ended()) {
      leave_place(*entry);
      finish(*entry, RunState::kLost, reason);
      carry_out_cleanup(*entry);
      update_drained(*entry);
    }
    if (auto ready = std::exchange(entry->on_ready, nullptr)) {
      ready(entry->run, Status::error("start_failed", reason));
    }
    KillReport report;
    report.how = KillReport::How::kEscalated;
    for (const auto& on_done : std::exchange(entry->kill_waiters, {})) {
      if (on_done) on_done(entry->run, report);
    }
  }
  every_observer([&reason](RunsObserver& observer) { observer.on_keeper_lost(reason); });
  launch_queued();
}

void Runs::usage(Run& run, std::function<void(Run&, const std::optional<RunUsage>&)> on_usage) {
  Entry& entry = entry_of(run);
  if (closing_) return;
  if (entry.fake) {
    deadlines_->defer([&run, on_usage = std::move(on_usage)] { on_usage(run, std::nullopt); });
    return;
  }
  ++entry.questions;
  entry.keeper->usage(run.key_, [this, &entry, on_usage = std::move(on_usage)](
                                    const std::optional<TreeUsage>& tree) {
    --entry.questions;
    if (!tree) {
      on_usage(entry.run, std::nullopt);
      return;
    }
    RunUsage usage{*tree, 0};
    usage.cpu_percent = entry.cpu_share.percent(tree->cpu, clock_.now());
    on_usage(entry.run, usage);
  });
}

std::size_t Runs::ended_runs() const {
  return static_cast<std::size_t>(std::count_if(
      entries_.begin(), entries_.end(), [](const auto& entry) { return entry->run.ended(); }));
}

void Runs::forget_oldest() {
  const std::size_t ended = ended_runs();
  // Runs are forgotten from the loop's next turn, because an observer of this end may still look at
  // them.
  if (ended <= options_.limits.max_ended) return;
  deadlines_->defer([this] {
    std::size_t left = ended_runs();
    for (auto it = entries_.begin(); it != entries_.end() && left > options_.limits.max_ended;) {
      Entry& entry = **it;
      // A run whose processes live on is not forgotten: it is the only handle on them.
      const bool done = entry.run.ended() && entry.run.drained_ && entry.run.left_behind_ == 0 &&
                        entry.kill_waiters.empty() && entry.answers_due == 0 &&
                        entry.questions == 0 && !(entry.logs_finishing && entry.open_logs > 0) &&
                        !entry.on_ready && !leads_to_others(entry.run);
      if (!done) {
        ++it;
        continue;
      }
      release(entry);
      it = entries_.erase(it);
      --left;
    }
  });
}

// Returns the id by which callers know a service while it continues as another run.
bool Runs::leads_to_others(Run& run) {
  return run.spec_.restart_of.empty() && !newest(run).ended();
}

void Runs::release(Entry& entry) {
  if (!entry.run.spec_.restart_of.empty()) {
    for (const auto& each : entries_) {
      if (each->run.next_ == entry.run.id_) each->run.next_ = entry.run.next_;
    }
  }
  each_observer(entry.run, [&entry](RunsObserver& observer) { observer.on_forget(entry.run); });
  deadlines_->cancel(entry.timeout);
  deadlines_->cancel(entry.drain);
  deadlines_->cancel(entry.idle);
  deadlines_->cancel(entry.left);
  for (StreamTap& tap : entry.taps) {
    deadlines_->cancel(tap.release);
    if (tap.reader != nullptr) std::exchange(tap.reader, nullptr)->close();
  }
  if (!entry.fake) entry.keeper->forget(entry.run.key_);
  by_key_.erase(entry.run.key_);
  by_id_.erase(entry.run.id_);
}

void Runs::notify_state(Entry& entry) {
  each_observer(entry.run, [&entry](RunsObserver& observer) { observer.on_state(entry.run); });
}

void Runs::each_observer(const Run& run, const std::function<void(RunsObserver&)>& tell) {
  const bool internal = run.spec_.internal;
  ++notifying_;
  every_observer([&tell, internal](RunsObserver& observer) {
    if (!internal || observer.hears_internal()) tell(observer);
  });
  if (--notifying_ > 0) return;
  every_observer([](RunsObserver& observer) { observer.on_batch_end(); });
}

void Runs::every_observer(const std::function<void(RunsObserver&)>& tell) {
  // By index: an observer may add or remove observers.
  for (std::size_t i = 0; i < observers_.size(); ++i) {
    if (observers_[i] != nullptr) tell(*observers_[i]);
  }
}

Runs::Entry* Runs::entry_of(RunKey key) {
  const auto found = by_key_.find(key);
  return found == by_key_.end() ? nullptr : found->second;
}

}  // namespace gibbous
