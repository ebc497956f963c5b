// Requests of callers to the table of runs. runs_lifecycle.cc has how runs begin and end.
#include "runtime/runs/runs.h"

#include <signal.h>

#include <algorithm>
#include <utility>

#include "runtime/base/nearest.h"
#include "runtime/base/random_id.h"
#include "runtime/process/signals.h"
#include "runtime/runs/describe.h"
#include "runtime/runs/log_place.h"
#include "runtime/runs/path_lookups.h"
#include "runtime/runs/runs_entry.h"

namespace gibbous {
namespace {

Status too_many_queued(const RunLimits& limits) {
  return Status::error("too_many_runs", "Max queued processes (" +
                                            std::to_string(limits.max_queued) +
                                            ") reached. Wait for some to end first.");
}

}  // namespace

Result<std::unique_ptr<Runs>> Runs::create(uv_loop_s* loop, const Clock& clock,
                                           RunsOptions options) {
  std::unique_ptr<Runs> runs(new Runs(loop, clock, std::move(options)));
  if (Status status = runs->init(); !status) return status;
  return runs;
}

void Runs::later(std::function<void()> work) {
  deadlines_->defer(std::move(work));
}

Deadlines::Token Runs::after(Nanos delay, std::function<void()> work) {
  return deadlines_->after(delay, std::move(work));
}

void Runs::set_quota(std::size_t bytes, Nanos until) {
  turn_end_ = until;
  ingest_->set_quota(bytes, until);
}

bool Runs::has_time() {
  return turn_end_ == kNoTurnEnd || SystemClock().now() < turn_end_;
}

bool Runs::has_more() const {
  return ingest_ && ingest_->has_more();
}

pid_t Runs::keeper_pid() const {
  return keeper_ ? keeper_->keeper_pid() : 0;
}

namespace {

Status wrong(std::string message) {
  return Status::error("invalid_arguments", std::move(message));
}

bool has_nul(const std::string& text) {
  return text.find('\0') != std::string::npos;
}

}  // namespace

Status check_words(const RunSpec& spec) {
  if (spec.argv.empty() == spec.command.empty()) {
    return wrong(spec.argv.empty() ? "command: expected a command line, got nothing"
                                   : "argv and command: expected one of them, got both");
  }
  if (has_nul(spec.command)) return wrong("command: a NUL byte cannot be part of a command");
  if (has_nul(spec.label) || has_nul(spec.session)) {
    return wrong("label: a NUL byte cannot be part of a label or a session");
  }
  if (has_nul(spec.cwd)) return wrong("cwd: a NUL byte cannot be part of a path");
  if (!spec.argv.empty() && spec.argv.front().empty()) {
    return wrong("argv[1]: expected a program, got an empty string");
  }
  for (std::size_t i = 0; i < spec.argv.size(); ++i) {
    if (has_nul(spec.argv[i])) {
      return wrong("argv[" + std::to_string(i + 1) + "]: a NUL byte cannot be part of an argument");
    }
  }
  for (const auto& [name, value] : spec.secret_env) {
    if (has_nul(value)) return wrong("env." + name + ": a NUL byte cannot be part of a value");
  }
  for (const auto& [name, value] : spec.env) {
    if (name.empty() || has_nul(name) || name.find('=') != std::string::npos) {
      return wrong("env: \"" + name + "\" is not the name of a variable");
    }
    if (has_nul(value)) return wrong("env." + name + ": a NUL byte cannot be part of a value");
  }
  return {};
}

Status Runs::check(const RunSpec& spec) const {
  if (Status good = check_words(spec); !good) return good;
  if (spec.keep && options_.keep_directory.empty()) {
    return wrong("keep: there is no state directory to find the run again");
  }
  if (spec.terminal && !is_terminal_size(spec.terminal->size)) {
    return wrong("pty: the size of the terminal is out of range");
  }
  if (spec.terminal && (spec.terminal->term.empty() || has_nul(spec.terminal->term))) {
    return wrong("pty.term: expected the name of a kind of terminal, such as xterm-256color");
  }
  if (spec.keep && !spec.secret_env.empty()) {
    return wrong(
        "on_host_death: a run with secrets cannot outlive Gibbous: the next host would not "
        "know what to hide in its output");
  }
  if (spec.keep && spec.execution) {
    return wrong("on_host_death: executor " + spec.execution->executor + " cannot keep a run");
  }
  if (spec.logs.size() > kMaxLogs) {
    return wrong("log: expected at most " + std::to_string(kMaxLogs) + " files");
  }
  if (spec.reserved && reserved_entry(spec.id) == nullptr) {
    return Status::error("start_failed", "The run was killed before it started.");
  }
  if (by_id_.count(spec.id) != 0 && reserved_entry(spec.id) == nullptr)
    return wrong("id: \"" + spec.id + "\" belongs to another run");
  const std::string& workspace = log_workspace(spec, options_.workspace);
  for (const LogSpec& log : spec.logs) {
    const auto sink = place_log(log, workspace, options_.temp_directory);
    if (!sink) return wrong("log: " + sink.status().message());
    if (Status status = gibbous::check(*sink); !status) return wrong("log: " + status.message());
    if (sink->directory != options_.temp_directory) continue;
    if (Status status = make_temp_directory(sink->directory); !status) return status;
  }
  return {};
}

Runs::Entry* Runs::reserved_entry(const std::string& id) const {
  const auto found = by_id_.find(id);
  return found != by_id_.end() && found->second->reserved ? found->second : nullptr;
}

std::unique_ptr<Runs::Entry> Runs::make_entry(const std::string& id) {
  auto entry = std::make_unique<Entry>();
  Run& run = entry->run;
  run.id_ = id;
  while (run.id_.empty() || (id.empty() && by_id_.count(run.id_) != 0)) run.id_ = random_id();
  run.key_ = ++last_key_;
  run.created_wall_ = clock_.wall();
  const RunLimits& limits = options_.limits;
  for (Stream& stream : run.streams_) stream = Stream(limits.max_buffer_bytes, limits.head_bytes);
  return entry;
}

void Runs::take_spec(Run& run, RunSpec spec) const {
  run.command_text_ = spec.argv.empty() ? spec.command : quote_argv(spec.argv);
  run.spec_ = std::move(spec);
  if (auto& sandbox = run.spec_.sandbox; sandbox && sandbox->own_temporary) {
    sandbox->temporary_group = temporary_group(run.spec_.session);
  }
  if (const Millis configured = options_.limits.default_timeout; !run.spec_.timeout) {
    const bool usual = configured < Millis{0};
    run.limited_by_call_ = usual && !run.spec_.usual_timeout;
    run.spec_.timeout = !usual                                   ? configured
                        : run.spec_.usual_timeout.value_or(true) ? kUsualTimeout
                                                                 : Millis{0};
  }
  if (run.spec_.says_when_ready) run.readiness_ = Readiness::kPending;
  run.spec_.limits = strictest(run.spec_.limits, options_.limits.run);
  for (LogSpec& log : run.spec_.logs) log.path = log_path_of(std::move(log.path), run.id_);
}

Run& Runs::add_entry(std::unique_ptr<Entry> entry) {
  Run& run = entry->run;
  by_key_[run.key_] = entry.get();
  by_id_[run.id_] = entry.get();
  entries_.push_back(std::move(entry));
  return run;
}

std::size_t Runs::queued() const {
  return static_cast<std::size_t>(
      std::count_if(entries_.begin(), entries_.end(),
                    [](const auto& entry) { return entry->run.state_ == RunState::kQueued; }));
}

Result<Run*> Runs::start(RunSpec spec, std::function<void(Run&, Status)> on_ready) {
  if (closing_) return Status::error("shutdown", "The runtime is shutting down.");
  if (Status status = check(spec); !status) return status;
  Entry* const reserved = reserved_entry(spec.id);
  const RunLimits& limits = options_.limits;
  const bool full = needs_place(spec) && is_full(owner_of(spec));
  if (full && !spec.queue_when_full) return too_many_runs(owner_of(spec));
  if (full && reserved == nullptr && queued() >= limits.max_queued) return too_many_queued(limits);

  std::unique_ptr<Entry> made = reserved == nullptr ? make_entry(spec.id) : nullptr;
  Entry& entry = reserved == nullptr ? *made : *reserved;
  if (reserved != nullptr) {
    spec.restart_of = entry.run.spec_.restart_of;
    spec.restarts = entry.run.spec_.restarts;
  }
  take_spec(entry.run, std::move(spec));
  entry.keeper = keeper_.get();
  if (full) {
    entry.run.reason_ = "it waits for a place";
    queue_.push_back(&entry);
  } else if (Status status = launch(entry); !status) {
    return status;
  }
  entry.on_ready = std::move(on_ready);
  entry.reserved = false;
  Run& run = made ? add_entry(std::move(made)) : entry.run;
  if (full) notify_queued(run);
  return &run;
}

void Runs::notify_queued(const Run& run) {
  deadlines_->defer([this, key = run.key_] {
    Entry* entry = entry_of(key);
    if (entry == nullptr || entry->run.state_ != RunState::kQueued) return;
    each_observer(entry->run, [entry](RunsObserver& observer) { observer.on_queued(entry->run); });
  });
}

Result<Run*> Runs::reserve(RunSpec spec, std::string reason) {
  if (closing_) return Status::error("shutdown", "The runtime is shutting down.");
  if (Status status = check(spec); !status) return status;
  // A restarted run was already counted.
  const bool another = spec.restart_of.empty();
  if (another && queued() >= options_.limits.max_queued) return too_many_queued(options_.limits);
  auto made = make_entry(spec.id);
  made->reserved = true;
  made->keeper = keeper_.get();
  made->run.reason_ = std::move(reason);
  take_spec(made->run, std::move(spec));
  Run& run = add_entry(std::move(made));
  if (Run* before = find(run.spec_.restart_of)) before->next_ = run.id_;
  notify_queued(run);
  return &run;
}

void Runs::refuse(Run& run, std::string reason) {
  Entry& entry = entry_of(run);
  if (!std::exchange(entry.reserved, false)) return;
  finish(entry, RunState::kFailed, std::move(reason));
}

void Runs::set_readiness(Run& run, Readiness readiness, std::string note) {
  run.readiness_ = readiness;
  run.readiness_note_ = std::move(note);
  each_observer(run, [&run](RunsObserver& observer) { observer.on_readiness(run); });
}

Run& Runs::newest(Run& run) {
  Run* last = &run;
  while (Run* next = find(last->next_)) last = next;
  return *last;
}

void Runs::kill_queued(Entry& entry) {
  std::erase(queue_, &entry);
  entry.reserved = false;
  finish(entry, RunState::kKilled, "killed before it started");
  if (auto ready = std::exchange(entry.on_ready, nullptr)) {
    deadlines_->defer([&run = entry.run, ready = std::move(ready)] {
      ready(run, Status::error("start_failed", "The run was killed before it started."));
    });
  }
}

void Runs::kill(Run& asked, int signal_number, std::optional<Millis> grace,
                std::function<void(Run&, const KillReport&)> on_done) {
  if (closing_) return;
  Run& run = newest(asked);
  Entry& entry = entry_of(run);
  entry.kill_asked = true;
  if (run.state_ == RunState::kQueued) kill_queued(entry);
  // Only the keeper knows what a leader has left behind, and reports it a little after the exit.
  if (run.ended() && (run.pid_ == 0 || run.state_ == RunState::kLost)) {
    if (on_done) {
      ++entry.answers_due;  // prevents forgetting the run until then
      deadlines_->defer([&entry, on_done = std::move(on_done)] {
        --entry.answers_due;
        on_done(entry.run, KillReport{});
      });
    }
    return;
  }
  if (!run.ended() && !entry.exit && entry.verdict == RunState::kRunning) {
    entry.verdict = RunState::kKilled;
    entry.kill_signal = signal_number;
    entry.verdict_reason = "killed with " + signal_name(signal_number);
  }
  entry.kill_waiters.push_back(std::move(on_done));
  kill_processes(entry, signal_number, grace.value_or(options_.limits.kill_grace));
}

void Runs::signal(Run& run, int signal_number) {
  if (closing_ || run.pid_ == 0 || (run.ended() && run.left_behind_ == 0)) return;
  signal_processes(entry_of(run), signal_number);
}

void Runs::write(Run& run, std::string bytes, std::function<void(Status)> on_done) {
  Entry& entry = entry_of(run);
  auto answer = [this, on_done = std::move(on_done)](Status status) {
    deadlines_->defer([on_done, status = std::move(status)] { on_done(status); });
  };
  if (entry.fake && run.stdin_open_) {
    entry.fake->typed += bytes;
    answer(Status());
    return;
  }
  if (!entry.stdin_writer) {
    answer(
        Status::error("stdin_closed", run.spec_.stdin_pipe
                                          ? "The run's stdin is closed: the run is not running."
                                          : "The run has no stdin: start it with stdin = 'pipe'."));
    return;
  }
  if (run.spec_.terminal) {
    constexpr char kInterrupt = '\x03';
    const bool interrupts = bytes.find(kInterrupt) != std::string::npos;
    entry.outlived_interrupt = entry.interrupted && !interrupts;
    entry.interrupted = entry.interrupted || interrupts;
  }
  entry.stdin_writer->write(std::move(bytes), std::move(answer));
}

void Runs::hold(Run& run, bool held) {
  for (const StreamTap& tap : entry_of(run).taps) {
    if (tap.reader != nullptr) tap.reader->hold(held);
  }
}

void Runs::close_stdin(Run& run) {
  Entry& entry = entry_of(run);
  if (run.spec_.terminal) return;  // the terminal is its output as well
  if (entry.fake) run.stdin_open_ = false;
  if (entry.stdin_writer) entry.stdin_writer->close_after_queued();
}

Run* Runs::find(std::string_view id) {
  const auto found = by_id_.find(std::string(id));
  return found == by_id_.end() ? nullptr : &found->second->run;
}

std::string Runs::nearest(std::string_view id) const {
  std::vector<std::string> ids;
  for (const auto& entry : entries_) ids.push_back(entry->run.id_);
  return nearest_name(id, ids);
}

std::vector<Run*> Runs::list() {
  std::vector<Run*> runs;
  runs.reserve(entries_.size());
  for (const auto& entry : entries_) {
    if (!entry->run.spec_.internal) runs.push_back(&entry->run);
  }
  return runs;
}

std::size_t Runs::active() const {
  return active_;
}

void Runs::add_observer(RunsObserver* observer) {
  observers_.push_back(observer);
}

void Runs::remove_observer(RunsObserver* observer) {
  std::replace(observers_.begin(), observers_.end(), observer, static_cast<RunsObserver*>(nullptr));
}

Runs::Entry& Runs::entry_of(Run& run) {
  return *by_key_.at(run.key_);  // only Runs makes runs
}

void Runs::hand_over() {
  if (closing_) return;
  // Their ends are given to the journal, which is closed only afterwards.
  for (const auto& entry : entries_) {
    const bool ended = entry->run.spec_.keep && entry->run.ended() && !entry->fake;
    if (ended) entry->keeper->recorded(entry->run.key_, 0, 0, true);
  }
  keeper_->shutdown(options_.limits.timeout_grace);
  for (const auto& adopted : adopted_) {
    adopted->client->shutdown(options_.limits.timeout_grace);
  }
}

void Runs::close(std::function<void()> on_closed) {
  hand_over();
  closing_ = true;
  observers_.clear();
  for (const auto& entry : entries_) {
    entry->stdin_writer.reset();
    entry->on_ready = nullptr;
    entry->kill_waiters.clear();
    for (StreamTap& tap : entry->taps) tap.reader = nullptr;  // Ingest closes its readers
  }
  open_parts_ = 4;
  for (const auto& entry : entries_) open_parts_ += static_cast<int>(entry->open_logs);
  part_closed_ = [this, on_closed = std::move(on_closed)] {
    // The logs are written, or given up.
    if (--open_parts_ == 0) disk_->close(on_closed);
  };
  for (const auto& adopted : adopted_) open_parts_ += adopted->closed ? 0 : 1;
  keeper_->close(part_closed_);
  // A client that is closing already calls part_closed_ as well.
  for (const auto& adopted : adopted_) adopted->client->close(part_closed_);
  ingest_->close(part_closed_);
  paths_->close(part_closed_);
  deadlines_->close(part_closed_);
  for (const auto& entry : entries_) finish_logs(*entry);
}

}  // namespace gibbous
