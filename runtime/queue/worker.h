// Worker: this process as one of those that share the journal's queue. Joins it, claims queued runs
// and has them executed, settles what dead workers left, and carries out kills that other processes
// ask for. It shares the journal of a Recording, which it must outlive. Loop thread only.
//
// The truth about a run that a dead worker had started: its keeper still has it (it is adopted, and
// goes on), or its keeper has ended its processes and nobody knows how far they came. Then it is
// queued again when it may be repeated, and is lost otherwise; not before that keeper is gone.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "runtime/journal/journal.h"
#include "runtime/journal/journal_reader.h"
#include "runtime/recording/recording.h"
#include "runtime/runs/runs.h"

struct uv_loop_s;
struct uv_timer_s;

namespace gibbous {

struct WorkerOptions {
  bool claim = true;     // execute queued runs
  bool adopt = true;     // take over what earlier hosts kept, and settle what they left
  bool requeue = false;  // also runs that are not marked as safe to repeat
};

// What another process has changed since it was looked for last.
struct QueueNews {
  std::int64_t changes = 0;
  bool changed = false;
  std::vector<RunRequest> requests;   // about runs of this worker
  std::vector<WorkerRecord> workers;  // all
};

class Worker final : private RunsObserver {
 public:
  // Sets the hooks of `recording` that are for a worker. Its journal asks is_alive() about others.
  Worker(uv_loop_s* loop, const Clock& clock, Runs& runs, Recording& recording,
         WorkerOptions options);
  ~Worker() override;
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  // Starts a run that was claimed: its RunSpec::id is the record's. Whoever cannot calls fail().
  std::function<void(const RunRecord&)> execute;
  // A run was settled: `lost`, or `queued` again. Its record is the journal's.
  std::function<void(const RunRecord&)> on_settled;

  const std::string& id() const { return id_; }
  static bool is_alive(const WorkerRecord& worker);

  // The journal is open; nothing was recorded in it yet.
  void start(Journal& journal);
  // Takes over what earlier hosts kept, with or without a journal.
  void adopt();
  // Before it is closed. What is queued stays so for the next worker.
  void stop();

  // Queues a run; `on_done` comes when that is on disk. Its owner, state and times are set here.
  void enqueue(RunRecord run, const std::function<void(const Status&)>& on_done);
  // A claimed run could not be started.
  void fail(const std::string& run_id, const Status& why);
  // A claimed run that this process may not start goes back into the queue, for others. False when
  // runs of its session were queued here: they would wait for ever behind it.
  bool decline(const std::string& run_id);
  // Of a run that is not in this process's table: one that is queued ends now, of one that goes on
  // elsewhere its owner is asked.
  void request_kill(const std::string& run_id, const std::string& signal,
                    std::function<void(Result<KillRequest>)> on_done);
  // What dead workers left in the session's backlog.
  void take_backlog(const std::string& session,
                    std::function<void(Result<std::vector<BacklogMessage>>)> on_done);
  // An adopted run was seen; it waits for Recorder::resume. False: nobody wrote of it.
  bool resume(const std::string& run_id);

 private:
  void on_queued(Run& run) override;
  void on_state(Run& run) override;

  template <typename T>
  JournalAnswer<T> mailed(std::function<void(Result<T>)> then);
  JournalDone mailed_done(std::function<void(const Status&)> then);
  void recover();
  void on_orphans(Result<std::vector<Orphan>> orphans);
  void on_adopted();
  void settle();
  void lose(const Orphan& orphan);
  void requeue(const Orphan& orphan);
  void claim();
  void on_claimed(Result<std::vector<RunRecord>> claimed);
  void beat();
  void tick();
  void on_news(const QueueNews& news);
  void carry_out(const RunRequest& request);
  void sample_usage();
  void arm();
  std::size_t free_places() const;

  uv_loop_s* loop_;
  const Clock& clock_;
  Runs& runs_;
  Recording& recording_;
  Recorder& recorder_;
  WorkerOptions options_;
  std::string id_;
  std::string boot_id_;
  Journal* journal_ = nullptr;
  uv_timer_s* timer_;  // freed in its close callback
  std::int64_t seen_changes_ = -1;
  enum class Adoption : std::uint8_t { kNone, kConnecting, kDone };
  Adoption adoption_ = Adoption::kNone;
  bool orphans_known_ = false;
  bool looking_ = false;
  bool recovering_ = false;
  bool claiming_ = false;
  bool claim_again_ = false;
  pid_t notified_keeper_ = 0;
  Nanos beaten_{0};
  Nanos looked_{0};
  std::map<std::string, Nanos> sample_at_;  // of runs that run
  std::set<std::string> queued_;            // runs of the table that wait to be started
  std::map<std::string, Orphan> orphans_;   // to be settled
  Nanos orphans_since_{0};
  std::map<std::string, RunRecord> claimed_;  // whose run has not been seen yet
  std::set<std::int64_t> requests_;           // that are being carried out
  std::set<std::string> queued_here_;         // sessions
  std::set<std::string> declined_;            // runs
};

}  // namespace gibbous
