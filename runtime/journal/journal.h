// Journal: the durable record, sessions.db in the state directory. Its one writer thread stands
// behind a bounded queue and commits in groups; whoever has something to record never waits for the
// disk. Reading is JournalReader's (journal_reader.h), mending journal_repair.h's.
//
// All methods may be called on any thread, each takes well under a microsecond per 100 bytes;
// create() and the destructor wait for the disk. Callbacks come from the writer thread without any
// lock held, may call everything but the destructor, and must be quick (uv_async_send).
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "gibbous/status.h"
#include "runtime/base/clock.h"
#include "runtime/journal/record.h"
#include "runtime/journal/worker_record.h"

namespace gibbous {

// A writer waits no longer for a group that is open.
inline constexpr Millis kMaxGroupTime{200};

enum class Taken : std::uint8_t {
  kYes,       // it will be stored, in its order
  kFull,      // not taken: on_room says when to try again; left out, it becomes a gap and a note
  kNotKept,   // not taken, and counted: the disk takes nothing and the queue is full
  kWrongUse,  // unknown run, a seq that is not above the last, too long, closed
};

struct JournalOptions {
  std::string directory;  // the state directory, absolute; made (0700) when it is missing
  std::size_t max_queue_bytes = std::size_t{8} << 20;
  std::size_t max_queue_entries = std::size_t{1} << 17;
  Millis commit_delay{5};                                // how long a first entry waits for company
  Millis busy_timeout{5'000};                            // for other processes that write
  Millis retry_interval{5'000};                          // while degraded
  std::int64_t max_run_bytes = std::int64_t{64} << 20;   // kept of one run; 0: no limit
  std::int64_t max_total_bytes = std::int64_t{1} << 30;  // of the file; 0: no limit
  Millis max_age{std::chrono::hours(24 * 30)};           // of ended runs, decisions; 0: no limit
  Millis tidy_interval{60'000};      // at most so often on its own, when runs come and go
  std::int64_t max_pages = 0;        // of the file, refused by SQLite beyond; 0: no limit
  std::function<void()> on_room;     // after a kFull
  std::function<void()> on_durable;  // after each commit
  std::function<void(const Status&)> on_problem;  // once for each outage
  std::function<void()> on_recovered;
  // The fence around a run kept a write out: run_not_owned (the run is another worker's now),
  // run_requeued (this attempt is over), run_ended, run_started. Once for each put_run(), and once
  // for the items that come after it, of which none is kept or becomes durable.
  std::function<void(const std::string& run_id, const Status& why)> on_refused;
  WorkerAlive worker_alive;  // asked by the writer thread; must be quick. Null: all are alive
};

struct JournalStats {
  std::uint64_t commits = 0;
  std::uint64_t durable_items = 0;
  std::uint64_t not_kept = 0;  // entries that were given up, of all runs, in this Journal's life
  std::size_t queued_entries = 0;
  std::size_t queued_bytes = 0;
  bool degraded = false;
  Status problem;  // ok unless degraded
};

using JournalDone = std::function<void(const Status&)>;
template <typename T>
using JournalAnswer = std::function<void(Result<T>)>;

class Journal {
 public:
  // Opens or makes the file and brings it to this version's schema. Fails with state_dir_unusable,
  // journal_newer, journal_foreign, journal_corrupt, journal_busy, journal_readonly, journal_full
  // or journal_unusable; each message names the file and what to do. `clock` must outlive the
  // journal and is read in the caller's threads only.
  static Result<std::unique_ptr<Journal>> create(JournalOptions options, const Clock& clock);
  // Writes what is queued (one attempt), then ends the thread.
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  // A run is new or has changed; the first call in this Journal's life makes it known to append().
  // `on_done` tells when it is on disk, or why the fence has kept it out (on_refused tells both).
  // What has ended stays as it ended: only a put_run() with the same status changes it still.
  Taken put_run(const RunRecord& run, JournalDone on_done = nullptr);
  // What is given from here to end_group() becomes durable at once or not at all, unless the queue
  // is full meanwhile, or the caller takes longer than kMaxGroupTime. Groups do not nest.
  void begin_group();
  void end_group();
  Taken append(std::string_view run_id, const JournalItem& item);
  Taken add_decision(const DecisionRecord& decision);
  Taken add_backlog(const BacklogMessage& message);
  // The session's agent has seen this worker's messages up to and including `through_seq`, and what
  // was taken over before.
  Taken drain_backlog(std::string_view session_id, std::uint64_t through_seq);

  // The queue, in journal_queue.cc. Each is done in its order, in the commits of everything else.
  // What is answered is answered once, after the commit: an outage makes the answer late, and only
  // the end of the journal makes it an error (journal_closed). When it is not taken no answer
  // comes. What only a worker can do fails with worker_unknown before join(), and when this worker
  // was taken for dead and forgotten: it has to join again then, and its runs are others'.
  //
  // This journal's process is a worker from now on; runs that it executes are its own.
  // worker_exists when a living process has the id.
  Taken join(const WorkerRecord& worker, JournalDone on_done);
  Taken heartbeat(const Heartbeat& beat, JournalDone on_done = nullptr);
  // Runs that it has left are orphans.
  Taken leave(JournalDone on_done);
  // The oldest queued runs, at most `most`: the first of each session that has no run of the queue
  // starting or running, unless it is queued for another worker that lives. They are this worker's,
  // "starting", until they end or are queued again; put_run() makes them known to append(), items
  // go on after their last_seq.
  // `except` are ids of runs that are left to others, and with them their sessions.
  Taken claim(std::size_t most, JournalAnswer<std::vector<RunRecord>> on_done,
              std::set<std::string> except = {});
  // The runs that are starting or running and whose owner is dead, or that have none: they are this
  // worker's from now on, and it has to find out what became of them.
  Taken take_orphans(JournalAnswer<std::vector<Orphan>> on_done);
  // A run of this worker's goes back into the queue, with the next attempt; when a kill was asked
  // for it ends as killed instead. run_not_found, run_not_owned, run_ended.
  Taken requeue(std::string_view run_id, JournalAnswer<RunRecord> on_done);
  // Of its own runs and others': a queued one ends as killed with this; the owner of one that goes
  // on finds the request (JournalReader::requests) and answers it. run_not_found, run_ended.
  Taken request_kill(std::string_view run_id, std::string_view signal,
                     JournalAnswer<KillRequest> on_done);
  // request_not_found: there is none with this id that is still open.
  Taken answer(std::int64_t request_id, std::string_view text, JournalDone on_done = nullptr);
  // What dead workers left for the session, oldest first, is this worker's from now on, until it is
  // drained with what it has itself.
  Taken take_backlog(std::string_view session_id,
                     JournalAnswer<std::vector<BacklogMessage>> on_done);
  // Not of runs that are unknown or another worker's. Choose the interval: each sample is a row.
  Taken add_usage(std::string_view run_id, const UsageSample& sample);

  // Up to which seq everything of the run is on disk (or named there in a note). 0: nothing yet, or
  // the run is not known.
  std::uint64_t durable_seq(std::string_view run_id) const;
  // The run's counters are not needed any more; items that are queued are written.
  void forget_run(std::string_view run_id);

  // Tells when all that was taken before is on disk, or why it is not (it is still tried again).
  // Ends the pause between two attempts of a degraded journal.
  void flush(JournalDone on_done);
  // Takes out what is too old or too much, in small steps between commits; tells at its end.
  void tidy(JournalDone on_done);
  // Nothing is taken any more; what is queued is written (one attempt), then tells.
  void close(JournalDone on_done);

  JournalStats stats() const;

 private:
  class Impl;
  explicit Journal(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace gibbous
