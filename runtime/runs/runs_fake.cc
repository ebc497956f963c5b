// Runs without processes: a test of scripts prints for them and ends them. They share every step of
// Runs but the keeper's: what it would report is reported here, from the loop.
#include <signal.h>

#include <string>
#include <utility>

#include "runtime/runs/runs_entry.h"

namespace gibbous {
namespace {

// No process has such a number: it is above the kernel's largest.
constexpr pid_t kFirstFakePid = 1 << 30;
constexpr RunKey kFakePids = 1 << 20;

}  // namespace

bool Runs::is_fake(Run& run) {
  return entry_of(run).fake != nullptr;
}

void Runs::launch_fake(Entry& entry) {
  deadlines_->defer([this, key = entry.run.key_] {
    Entry* found = entry_of(key);
    if (found == nullptr || found->run.ended()) return;
    Run& run = found->run;
    Started started;
    started.pid = kFirstFakePid + static_cast<pid_t>(key % kFakePids);
    run.stdin_open_ = run.spec_.stdin_pipe || run.spec_.terminal.has_value();
    on_started(key, std::move(started));
  });
}

void Runs::print_fake(Run& asked, StreamId stream, std::string bytes) {
  deadlines_->defer([this, key = asked.key_, stream, bytes = std::move(bytes)] {
    Entry* entry = entry_of(key);
    if (entry == nullptr || entry->exit || entry->run.state_ != RunState::kRunning) return;
    const RunSpec& spec = entry->run.spec_;
    const bool one_stream = spec.merge_stderr || spec.terminal.has_value();
    const auto index = static_cast<std::size_t>(one_stream ? StreamId::kStdout : stream);
    Stream& into = entry->run.streams_[index];
    const Offset from = into.end();
    into.append(bytes);
    entry->taps[index].on_bytes(into, from);
  });
}

void Runs::end_fake(Run& run, ExitStatus status) {
  deadlines_->defer(
      [this, key = run.key_, status] { exit_fake(key, status, KillReport::How::kGone); });
}

std::string Runs::take_typed(Run& run) {
  Entry& entry = entry_of(run);
  return entry.fake ? std::exchange(entry.fake->typed, "") : "";
}

// Answers the callers that wait for a kill, whichever way the run ended.
void Runs::exit_fake(RunKey key, ExitStatus status, KillReport::How how) {
  Entry* entry = entry_of(key);
  if (entry == nullptr) return;
  if (!entry->exit && !entry->run.ended()) {
    for (Stream& stream : entry->run.streams_) stream.set_ended();
    on_exited(key, status);
  }
  KillReport report;
  report.how = how;
  report.dead = how == KillReport::How::kGone ? 0 : 1;
  const std::size_t waiting = entry->kill_waiters.size();
  for (std::size_t i = 0; i < waiting; ++i) on_killed(key, report);
}

void Runs::kill_processes(Entry& entry, int signal_number, Millis grace) {
  if (!entry.fake) {
    entry.keeper->kill(entry.run.key_, signal_number, grace);
    return;
  }
  const bool insists = entry.fake->stubborn && signal_number != SIGKILL;
  const auto delay = insists ? std::chrono::duration_cast<Nanos>(grace) : Nanos{0};
  ExitStatus status;
  status.signal = insists ? SIGKILL : signal_number;
  deadlines_->after(delay, [this, key = entry.run.key_, status, insists] {
    exit_fake(key, status, insists ? KillReport::How::kEscalated : KillReport::How::kSignal);
  });
}

void Runs::signal_processes(Entry& entry, int signal_number) {
  if (!entry.fake) {
    entry.keeper->signal(entry.run.key_, signal_number);
    return;
  }
  if (entry.fake->stubborn && signal_number != SIGKILL) return;
  ExitStatus status;
  status.signal = signal_number;
  end_fake(entry.run, status);
}

}  // namespace gibbous
