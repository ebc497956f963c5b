// The bound always holds: a process in an uninterruptible wait is reported as a survivor.
#include "runtime/keeper/kill_job.h"

#include <algorithm>
#include <csignal>
#include <utility>

namespace gibbous::keeper {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kKillBound{2'000};  // from the first SIGKILL to the report
constexpr milliseconds kFirstBackoff{1};
constexpr milliseconds kMaxBackoff{50};
// Within one round: as long as new processes keep appearing, they are killed without a pause.
constexpr int kMaxPasses = 50;

}  // namespace

void Killer::begin(KeeperRun& run, int signal_number, Millis grace, Time now, bool reported) {
  const Time due = now + grace;
  if (!run.job) {
    run.job = std::make_unique<KillJob>();
    run.job->due = due;
    run.job->reports = reported ? 1 : 0;
  } else {
    run.job->reports += reported ? 1 : 0;
    if (!run.job->killing) run.job->due = std::min(run.job->due, due);
  }
  if (run.empty()) {
    check(run);
    return;
  }
  if (run.job->killing) return;
  if (signal_number == SIGKILL) {
    start_killing(run, now);
    return;
  }
  if (run.job->signal_number != signal_number) {
    run.job->signal_number = signal_number;
    send(run, signal_number);
  }
  if (run.job->due <= now) tick(run, now);
}

void Killer::send(KeeperRun& run, int signal_number) {
  const std::vector<pid_t> members = process_table_.members(run);
  run.job->seen.insert(members.begin(), members.end());
  process_table_.signal(run, members, signal_number);
  if (signal_number != SIGKILL && signal_number != SIGSTOP) {
    process_table_.signal(run, members, SIGCONT);
  }
}

void Killer::tick(KeeperRun& run, Time now) {
  KillJob& job = *run.job;
  if (run.empty()) {
    check(run);
  } else if (now < job.due) {
    return;
  } else if (!job.killing) {
    job.escalated = true;
    start_killing(run, now);
  } else if (now < job.bound) {
    kill_round(run, now);
  } else {
    std::vector<pid_t> survivors = ProcessTable::alive(process_table_.members(run));
    job.seen.insert(survivors.begin(), survivors.end());
    finish(run, KillReport::How::kSurvivors, std::move(survivors));
  }
}

void Killer::start_killing(KeeperRun& run, Time now) {
  KillJob& job = *run.job;
  job.killing = true;
  job.backoff = kFirstBackoff;
  kill_round(run, now);
  job.bound = std::chrono::steady_clock::now() + kKillBound;
}

void Killer::kill_round(KeeperRun& run, Time now) {
  KillJob& job = *run.job;
  std::size_t known = 0;
  int passes = 0;
  do {
    // A tree that has grown twice goes on growing.
    if (passes == 2) process_table_.halt(&run);
    if (passes > 0) process_table_.rescan();
    known = job.seen.size();
    send(run, SIGKILL);
    // A lone leader needs no second look: its reaping reveals what it forked meanwhile.
  } while (job.seen.size() > std::max<std::size_t>(known, 1) && ++passes < kMaxPasses);
  job.due = now + job.backoff;
  job.backoff = std::min(job.backoff * 2, kMaxBackoff);
}

void Killer::check(KeeperRun& run) {
  const KillJob& job = *run.job;
  if (!run.empty()) return;
  if (job.seen.empty()) {
    finish(run, KillReport::How::kGone, {});
  } else {
    finish(run, job.escalated ? KillReport::How::kEscalated : KillReport::How::kSignal, {});
  }
}

void Killer::finish(KeeperRun& run, KillReport::How how, std::vector<pid_t> survivors) {
  const std::unique_ptr<KillJob> job = std::move(run.job);
  KillReport report;
  report.how = how;
  report.dead = static_cast<std::uint32_t>(job->seen.size() - survivors.size());
  report.survivors = std::move(survivors);
  const std::vector<pid_t> strangers = process_table_.strangers(&run);
  report.survivors.insert(report.survivors.end(), strangers.begin(), strangers.end());
  report_(run, report, job->reports);
}

}  // namespace gibbous::keeper
