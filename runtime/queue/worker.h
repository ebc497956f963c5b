// Worker makes this process one of those that share the journal's queue. It joins the queue, claims
// queued runs and has them executed, settles what dead workers left, and carries out kills that
// other processes request. It shares the journal of a Recording, which it must outlive. Loop thread
// only.
//
// What happens to a run that a dead worker had started: either that worker's keeper still has it
// (this worker adopts it, and it goes on), or that keeper is gone, and the record that it left says
// how the run ended. A run that ended by itself has that end. One that its keeper ended, or that
// has no record, is queued again when it may be repeated, and is lost otherwise.
//
// It claims runs of its own workspace, and of clients that it serves: those that called here and,
// where it owns no session itself, those that no process owns. So a command never runs in another
// project's directory or under its policy. It joins before anything is written, so that every run
// has an owner. A process that ends soon (`gibbous call`) joins and records, and claims nothing.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/journal/journal.h"
#include "runtime/journal/journal_reader.h"
#include "runtime/keeper/end_record.h"
#include "runtime/queue/left_behind.h"
#include "runtime/queue/news.h"
#include "runtime/queue/news_sources.h"
#include "runtime/queue/queued_starts.h"
#include "runtime/queue/usage_sampler.h"
#include "runtime/recording/recording.h"
#include "runtime/runs/runs.h"

struct uv_loop_s;

namespace gibbous {

// The defaults are documented in docs/configuration.md.
struct QueueLimits {
  std::int64_t max_attempts = 5;  // of a run whose end is unknown again and again; 0: no limit
  // Runs in progress of all that share the journal, before those that are queued wait; 0: no limit.
  std::size_t max_in_all = 0;
  std::map<std::string, std::size_t> max_of_label = {};  // the same of one label
};

struct WorkerOptions {
  bool claim = true;          // execute queued runs of served clients in the workspace
  bool for_all = false;       // execute those of every client and workspace
  bool for_unclaimed = true;  // and those whose client is a name that a host gave
  std::string workspace;
  bool adopt = true;     // take over what earlier hosts left, and settle it
  bool requeue = false;  // also runs that are not marked as safe to repeat
  QueueLimits limits = {};
  // Reads from a run's record who its processes were; unset: it is not known.
  std::function<RunProcesses(const RunRecord&)> processes_of = {};
  Nanos slow_look{30'000'000'000};  // the interval between looks that no notice asked for
};

class Worker final : private RunsObserver {
 public:
  // Sets the hooks of `recording` that a worker needs. Its journal uses is_alive() for other
  // workers. Make the worker before the recording opens the journal.
  Worker(uv_loop_s* loop, const Clock& clock, Runs& runs, Recording& recording,
         WorkerOptions options);
  ~Worker() override;
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  // Starts a claimed run: its RunSpec::id is the record's. A host that cannot start it calls
  // fail().
  std::function<void(const RunRecord&)> execute;
  // A run was settled: `lost`, or `queued` again. Its record is in the journal.
  std::function<void(const RunRecord&)> on_settled;
  // Another process left messages for this claimed session, which this one serves: it has settled
  // runs of it.
  std::function<void(const std::string& session)> on_mail;

  const std::string& id() const { return id_; }
  // Returns nothing for a worker that cannot be seen from here.
  static std::optional<bool> is_alive(const WorkerRecord& worker);

  // Call when the journal is open and nothing was recorded in it yet.
  void start(Journal& journal);
  // Takes over what earlier hosts left, with or without a journal.
  void adopt();
  // Call before the journal is closed. Queued runs stay queued for the next worker.
  void stop();

  // Executes queued runs of this client from now on.
  void serve(const std::string& client);
  bool serves(const std::string& client) const { return served_.contains(client); }
  // Queues a run; `on_done` comes when that is on disk, or after about a second with the reason why
  // it is not: then the run never starts. Opens the journal when needed. Sets the record's owner,
  // state and times.
  void enqueue(RunRecord run, const std::function<void(const Status&)>& on_done);
  // Withdraws the run unless it is on disk already. Its `on_done` no longer comes.
  void cancel_enqueue(const std::string& run_id);
  // Returns what this process may claim, and when, as of now.
  ClaimScope scope() const;
  // Returns what a run that waits for a place waits for, for people.
  std::string describe_waiting(const QueuePlace& place) const;
  // Whether another process queued the run, and it waits or this one has started it.
  bool is_inherited(const RunRecord& run) const;
  // A claimed run could not be started.
  void fail(const std::string& run_id, const Status& why);
  // Puts a claimed run that this process may not start back into the queue, for other workers, with
  // the reason. Returns false when runs of its session were queued here: they would wait behind it
  // for ever.
  bool decline(const std::string& run_id, std::string_view why);
  // The same for a run that only a newer program can start, whichever worker queued it: later runs
  // of its queue wait behind it.
  void leave_to_others(const std::string& run_id, std::string_view why);
  // Calls `changed` from the loop whenever runs may have moved on in the queue, until
  // remove_queue_listener() with the returned number: after a claim, a start, an end, and each
  // change that another process committed.
  int add_queue_listener(std::function<void()> changed);
  void remove_queue_listener(int listener);
  // Kills a run that is not in this process's table: a queued one ends now; for one in progress
  // elsewhere, its owner gets a request.
  void request_kill(const std::string& run_id, const std::string& signal,
                    std::function<void(Result<KillRequest>)> on_done);
  // Takes over what dead workers left in the session's backlog.
  void take_backlog(const std::string& session,
                    std::function<void(Result<std::vector<BacklogMessage>>)> on_done);
  // An adopted run appeared; it waits for Recorder::resume, which this calls now or once it has the
  // record. Returns false when it does neither.
  bool resume(const std::string& run_id);

 private:
  void on_queued(Run& run) override;
  void on_state(Run& run) override;

  template <typename T>
  JournalAnswer<T> mailed(std::function<void(Result<T>)> then);
  void recover_if_needed();
  void recover(const std::vector<std::string>& dead);
  void on_orphans(Result<std::vector<Orphan>> orphans);
  void on_adopted();
  void settle();
  struct Known;
  void look_up_known(std::vector<std::string> ids,
                     std::function<void(const std::vector<Known>&)> then);
  // Gets the records of runs that this process has, and whose records others have.
  void seek_wanted();
  bool is_foreign(const std::string& run_id, const Result<RunRecord>& row);
  void look_after_released();
  // Returns whether a keeper that another process has, or that this one cannot reach yet, may have
  // the run.
  bool may_be_with_keeper(const Orphan& orphan, const Result<EndRecord>& record) const;
  void release(const Orphan& orphan);
  // At the next tick.
  void look_again(const Orphan& orphan);
  bool may_repeat(const RunRecord& run) const;
  // Settles runs that no keeper has. Those that a keeper may have are released.
  struct Found {
    Orphan orphan;
    Runs::KeeperPlace keeper;  // before its record was read
  };
  void settle_by_records(std::vector<Found> orphans);
  Runs::KeeperPlace keeper_place(const WorkerRecord& was) const;
  std::uint32_t lost_keeper(const Found& found, std::vector<ProcessIdentity>& leaders) const;
  void settle_one(const Found& found, const Result<EndRecord>& read, const LeftBehind& left);
  void give_end(const Orphan& orphan, const EndRecord& record);
  // `how` is the sentence that says that its processes were ended.
  void lose(const Orphan& orphan, const std::string& how, const EndRecord* record);
  void requeue(const Orphan& orphan, const std::string& how);
  // `record` is null when its keeper left none.
  void put_end(const Orphan& orphan, RunRecord run, const EndRecord* record);
  void drop_record(const std::string& run_id);
  void drop_stale_records();
  void claim();
  void on_claimed(Result<std::vector<RunRecord>> claimed);
  void beat();
  void open_sources();
  void look();
  NewsQuestion question() const;
  void on_news(const QueueNews& news);
  // Returns those that were not known to be dead, and remembers them.
  std::vector<std::string> note_dead(const std::vector<std::string>& dead);
  void carry_out(const RunRequest& request);
  void notify_queue_listeners();
  bool is_busy() const;
  void tick();
  Nanos look_interval() const;
  Nanos next_tick() const;
  void arm();
  void note_queue(const QueueNews& news);

  const Clock& clock_;
  Runs& runs_;
  Recording& recording_;
  Recorder& recorder_;
  WorkerOptions options_;
  std::string id_;
  std::string boot_id_;
  Journal* journal_ = nullptr;
  int alarm_ = 0;  // the next tick
  bool stopped_ = false;
  NewsSources sources_;
  UsageSampler sampler_;
  std::set<std::string> known_dead_;  // workers whose runs were taken
  QueuedStarts starts_;
  std::int64_t seen_changes_ = -1;
  enum class Adoption : std::uint8_t { kNone, kConnecting, kDone };
  Adoption adoption_ = Adoption::kNone;
  bool orphans_known_ = false;
  bool looking_ = false;
  bool look_again_ = false;
  bool request_waits_ = false;  // a request is about a run that is not here yet
  bool recovering_ = false;
  bool claiming_ = false;
  bool claim_again_ = false;
  bool lacks_place_ = false;            // a run waits for a place that it shares with other clients
  std::optional<Nanos> patience_ends_;  // then this worker takes a place before others
  std::map<std::string, Nanos> waited_;  // runs that other workers may start, and since when
  Nanos attempt_at_ = Nanos::max();      // then it claims what others had the time to take
  pid_t notified_keeper_ = 0;
  Nanos beaten_{0};
  Nanos looked_{0};
  Nanos opened_sources_{0};
  std::int64_t lease_end_ = 0;    // wall time of the earliest to be examined; 0: none
  std::set<std::string> queued_;  // runs of the table that wait to be started
  struct Waiting {
    Orphan orphan;
    Nanos since{0};
  };
  std::map<std::string, Waiting> orphans_;    // to be settled
  std::map<std::string, Nanos> wanted_;       // runs that this process has, without their records
  std::map<std::string, Orphan> released_;    // runs whose keeper has another host
  Nanos adopted_at_{0};                       // the last attempt to get those
  std::map<std::string, RunRecord> claimed_;  // records whose run has not been seen yet
  std::set<std::int64_t> requests_;           // the ones being carried out
  std::set<std::string> served_;              // clients
  std::set<std::string> queued_here_;         // clients
  std::set<std::string> enqueued_;            // runs
  std::set<std::string> inherited_;           // runs of other processes that this one has claimed
  std::set<std::string> declined_;            // runs
  std::map<int, std::function<void()>> queue_listeners_;
  int last_listener_ = 0;
  // Expires with this object.
  std::shared_ptr<const int> lifetime_ = std::make_shared<const int>(0);
};

template <typename T>
JournalAnswer<T> Worker::mailed(std::function<void(Result<T>)> then) {
  // The writer may answer when this is gone: a disk that hangs at the end is waited for only so
  // long.
  return [this, then = std::move(then), post = recording_.mailbox().poster(),
          alive = std::weak_ptr<const int>(lifetime_)](Result<T> answer) {
    post([this, then, alive, answer = std::make_shared<Result<T>>(std::move(answer))] {
      if (alive.lock() && journal_ != nullptr) then(std::move(*answer));
    });
  };
}

}  // namespace gibbous
