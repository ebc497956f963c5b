// See live.h.
#include "bindings/inspect/live.h"

#include <sys/stat.h>

#include <map>
#include <utility>

#include "bindings/inspect/figures.h"
#include "bindings/inspect/journal_query.h"
#include "bindings/stdio/question_text.h"
#include "runtime/process/pid_space.h"
#include "runtime/process/proc.h"
#include "runtime/process/tree.h"

namespace gibbous::inspect {
namespace {

constexpr std::size_t kMaxWhyBytes = 200;

using MarkKey = std::pair<std::uint32_t, std::uint32_t>;
using ProcessesByMark = std::map<MarkKey, std::vector<pid_t>>;

MarkKey key_of(const Mark& mark) {
  return {mark.keeper, mark.run};
}

bool is_looked_for(const LiveRun& run) {
  return !has_ended(run.record) && run.record.started_at != 0;
}

// Adds the processes whose marks are keys already.
void find_processes(ProcessesByMark& processes) {
  if (processes.empty()) return;
  std::vector<pid_t> pids;
  (void)list_numbers("/proc", pids);
  for (const pid_t pid : pids) {
    const auto marks = read_marks(pid);
    if (!marks) continue;
    for (const auto& mark : {marks->outer, marks->inner}) {
      if (!mark) continue;
      const auto found = processes.find(key_of(*mark));
      if (found != processes.end()) found->second.push_back(pid);
    }
  }
}

bool leader_is_there(const RunFacts& facts) {
  if (facts.pid == 0) return false;
  const auto stat = read_stat(facts.pid);
  return stat && stat->alive() && (facts.pid_started == 0 || stat->start_time == facts.pid_started);
}

// The pipe or socket on the leader's stdin stands for the stdin of the run.
void add_stdin(pid_t leader, UsageQuestion& question) {
  struct stat file {};
  const std::string path = "/proc/" + std::to_string(leader) + "/fd/0";
  if (::stat(path.c_str(), &file) != 0) return;
  if (!S_ISFIFO(file.st_mode) && !S_ISSOCK(file.st_mode)) return;
  question.stdin_inode = file.st_ino;
  question.stdin_device = file.st_dev;
}

void look_at_one(LiveRun& run, std::vector<pid_t> pids, ProcessTree& tree) {
  const bool leader = leader_is_there(run.facts);
  if (pids.empty() && leader) pids = tree.with_descendants({run.facts.pid});
  if (pids.empty() && !run.facts.mark && run.facts.pid == 0) return;
  UsageQuestion question{.pids = pids, .ports = true, .waiting = true};
  if (leader) add_stdin(run.facts.pid, question);
  run.usage = read_usage(question);
  run.presence = run.usage.processes > 0 ? Presence::kThere : Presence::kGone;
}

}  // namespace

std::vector<LiveRun> look_at(std::vector<RunRecord> records) {
  std::vector<LiveRun> runs;
  ProcessesByMark processes;
  Redactions redactions;
  for (RunRecord& record : records) {
    LiveRun run{.record = std::move(record), .facts = {}, .presence = {}, .usage = {}};
    run.facts = facts_of(run.record, redactions);
    if (is_looked_for(run) && run.facts.mark) processes[key_of(*run.facts.mark)];
    runs.push_back(std::move(run));
  }
  find_processes(processes);
  ProcessTree tree;
  (void)tree.own_children();  // makes the one scan of /proc
  for (LiveRun& run : runs) {
    if (!is_looked_for(run)) continue;
    std::vector<pid_t> pids;
    if (run.facts.mark) pids = processes[key_of(*run.facts.mark)];
    look_at_one(run, std::move(pids), tree);
  }
  return runs;
}

Result<std::vector<LiveRun>> live_runs(JournalReader& reader, const std::string& session) {
  Result<std::vector<RunRecord>> records = active_runs(reader, session);
  if (!records) return records.status();
  std::vector<LiveRun> runs = look_at(std::move(*records));
  for (LiveRun& run : runs) {
    if (waits_in_host(run.record) && !host_lives(reader, run.record))
      run.presence = Presence::kGone;
    if (run.presence != Presence::kGone) continue;
    Result<RunRecord> now = reader.run(run.record.run_id);
    if (!now || !has_ended(*now)) continue;
    run.record = std::move(*now);
    run.facts = facts_of(run.record);
    run.presence = Presence::kUnknown;
  }
  return runs;
}

bool host_lives(JournalReader& reader, const RunRecord& run) {
  const auto workers = reader.workers();
  if (!workers) return true;
  for (const WorkerRecord& worker : *workers) {
    if (worker.worker_id != run.owner) continue;
    const std::optional<bool> alive =
        is_process_alive(worker.boot_id, worker.pid, worker.pid_started);
    return alive ? *alive : lease_holds(worker, unix_millis());
  }
  return false;
}

std::string state_text(const LiveRun& run) {
  if (run.presence == Presence::kGone) return state_of(run.record) + "? (host gone)";
  const bool is_declined = run.record.status == "queued" && !run.record.error_message.empty();
  if (waits_in_host(run.record) || is_declined) {
    return state_of(run.record) + " (" +
           stdio::printable(run.facts.redaction.redact(run.record.error_message), kMaxWhyBytes) +
           ")";
  }
  return run.waits_for_input() ? run.record.status + ", waits for input" : run.record.status;
}

}  // namespace gibbous::inspect
