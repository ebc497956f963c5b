// Journal is the durable record: sessions.db in the state directory. Its single writer thread reads
// a bounded queue and commits in groups, so that callers never wait for the disk. JournalReader
// (journal_reader.h) reads it.
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
#include "runtime/journal/run_ticket.h"
#include "runtime/journal/worker_record.h"

namespace gibbous {

// The writer waits at most this long for a group that is open.
inline constexpr Millis kMaxGroupTime{200};

enum class Taken : std::uint8_t {
  kYes,   // it will be stored, in its order
  kFull,  // not taken: on_room says when to try again; an entry left out becomes a gap and a note
  kNotKept,   // not taken, and counted: the disk takes nothing and the queue is full
  kWrongUse,  // unknown run, a seq that is not above the last, too long, closed
};

struct JournalOptions {
  std::string directory;  // the state directory, absolute; made (0700) when it is missing
  std::size_t max_queue_bytes = std::size_t{8} << 20;
  std::size_t max_queue_entries = std::size_t{1} << 17;
  Millis commit_delay{5};        // how long a first entry waits for others to join its commit
  Millis busy_timeout{5'000};    // for other processes that write
  Millis retry_interval{5'000};  // while degraded
  std::int64_t max_run_bytes = std::int64_t{64} << 20;   // kept of one run; 0: no limit
  std::int64_t max_total_bytes = std::int64_t{1} << 30;  // of the whole file; 0: no limit
  Millis max_age{std::chrono::hours(24 * 30)};           // of ended runs, decisions; 0: no limit
  Millis queue_ttl{std::chrono::hours(24 * 7)};          // of what is queued; 0: no limit
  Millis tidy_interval{60'000};  // the least time between two tidies that the journal starts itself
  bool wal = true;  // false: a rollback journal, as on file systems where WAL does not work
  std::int64_t max_pages = 0;                     // of the file, enforced by SQLite; 0: no limit
  std::function<void()> on_room;                  // after a kFull
  std::function<void()> on_durable;               // after each commit
  std::function<void(const Status&)> on_problem;  // once for each outage
  std::function<void()> on_recovered;
  // create() is about to make a file where there is none; on its thread, and before it does.
  std::function<void()> on_new;
  // The file that was opened lacks what was committed before: journal_cut, with what is missing, or
  // journal_set_aside, with the name that a file of an older version has now.
  // May come from within create(), too.
  std::function<void(const Status&)> on_lost;
  // Reports that the fence around a run rejected a write: run_not_owned (the run now belongs to
  // another worker), run_requeued (this attempt is over), run_ended or run_started. Called once for
  // each put_run(), and once for the items that follow it; none of those items is kept or becomes
  // durable.
  std::function<void(const std::string& run_id, const Status& why)> on_refused;
  // Called after a commit that changed something in the queue; other processes got a notice of it.
  std::function<void()> on_queue_changed;
  // Called on the writer thread; must be quick. Null: all workers with this one's boot_id are
  // alive.
  WorkerAlive worker_alive;
  // Called on the writer thread for each run that has ended, in the transaction that ends it. Null:
  // the rows stay as they are.
  RedactRun redact_ended;
};

struct JournalStats {
  std::uint64_t commits = 0;
  std::uint64_t durable_items = 0;
  std::uint64_t not_kept = 0;  // entries that were given up, of all runs, in this Journal's life
  std::size_t queued_entries = 0;
  std::size_t queued_bytes = 0;
  std::size_t unwritten_entries = 0;  // queued, or in the writer's hands
  bool degraded = false;
  Status problem;  // ok unless degraded
};

using JournalDone = std::function<void(const Status&)>;
template <typename T>
using JournalAnswer = std::function<void(Result<T>)>;

class Journal {
 public:
  // Opens or makes the file. Fails with state_dir_unusable, journal_newer, journal_older (runs in
  // it go on, or an older program uses it), journal_foreign, journal_corrupt, journal_busy,
  // journal_readonly, journal_full or journal_unusable; each message names the file and what to do.
  // `clock` must outlive the journal and is read in the caller's threads only.
  static Result<std::unique_ptr<Journal>> create(JournalOptions options, const Clock& clock);
  // Writes what is queued (one attempt), then ends the thread; after give_up(), waits for nothing.
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  // Records a run that is new or has changed; the first call in this Journal's life makes the run
  // known to append(). `on_done` comes when the record is on disk, or with the reason why the fence
  // rejected it (which on_refused reports too). An ended run stays as it ended: only a put_run()
  // with the same status still changes it. A new run whose request_id another run of its client has
  // is rejected with request_repeated. With a ticket, the caller may withdraw the run and its items
  // until the writer commits them; `on_done` then comes with run_withdrawn.
  Taken put_run(const RunRecord& run, JournalDone on_done = nullptr,
                std::shared_ptr<RunTicket> ticket = nullptr);
  // Everything given from here to end_group() becomes durable at once or not at all, unless the
  // queue fills up meanwhile or the caller takes longer than kMaxGroupTime. Groups do not nest.
  void begin_group();
  void end_group();
  Taken append(std::string_view run_id, const JournalItem& item);
  // Keeps these items of a run in progress, instead of those of an earlier call, for a worker that
  // takes the run over when this one has died: they then follow the items that were appended. The
  // end of the run drops them. Their seq is not used; at most kMaxTailBytes together.
  // The streams are recorded up to `stdout_to` and `stderr_to` with it (RunRecord).
  Taken save_tail(std::string_view run_id, const std::vector<StoredItem>& items,
                  std::int64_t stdout_to = 0, std::int64_t stderr_to = 0);
  Taken add_decision(const DecisionRecord& decision);
  // Records a call that has begun, or its end.
  Taken put_call(const HostCallRecord& call);
  Taken add_backlog(const BacklogMessage& message);
  // Removes this worker's messages up to and including `through_seq`, and the messages it took over
  // earlier: the session's agent has seen them.
  Taken drain_backlog(std::string_view session_id, std::uint64_t through_seq);

  // The queue, in journal_queue.cc. The journal carries out each operation in order, in the same
  // commits as other entries. Each answer comes once, after the commit: an outage delays the
  // answer, and only the end of the journal turns it into an error (journal_closed). An operation
  // that is not taken gets no answer. Operations of workers fail with worker_unknown before join(),
  // and after others considered this worker dead and forgot it: it must then join again, and its
  // runs belong to others.
  //
  // Registers this journal's process as a worker; the runs that it executes belong to it. Fails
  // with worker_exists when a living process has the id.
  Taken join(const WorkerRecord& worker, JournalDone on_done);
  Taken heartbeat(const Heartbeat& beat, JournalDone on_done = nullptr);
  // Removes this worker; its runs become orphans.
  Taken leave(JournalDone on_done);
  // Claims the oldest queued runs, at most `most`: the first run of each queue in the scope that
  // has no queued run starting or running, unless it is queued for another living worker. Claimed
  // runs belong to this worker, as "starting", until they end or are queued again. put_run() makes
  // them known to append(), and items continue after their last_seq.
  Taken claim(std::size_t most, JournalAnswer<std::vector<RunRecord>> on_done,
              ClaimScope scope = {});
  // Takes over the runs that are starting or running and have a dead owner or none; with `of`, only
  // those of these workers. From now on they belong to this worker, which must find out what became
  // of them.
  Taken take_orphans(JournalAnswer<std::vector<Orphan>> on_done, std::set<std::string> of = {});
  // Gives back a run that take_orphans() took and that another process executes: it has no owner
  // until that one takes it over. Fails with run_not_owned.
  Taken release(std::string_view run_id, JournalDone on_done);
  // Puts one of this worker's runs back into the queue with the next attempt; a run with an open
  // kill request ends as killed instead. It keeps its queued_at unless it had started. `why`
  // becomes the error_message of the queued run, until a worker claims it. Fails with
  // run_not_found, run_not_owned or run_ended.
  Taken requeue(std::string_view run_id, JournalAnswer<RunRecord> on_done,
                std::string_view why = "");
  // Requests a kill, of this worker's runs or others'. A queued run ends as killed at once; the
  // owner of a run that goes on finds the request (JournalReader::requests) and answers it. Fails
  // with run_not_found or run_ended.
  Taken request_kill(std::string_view run_id, std::string_view signal,
                     JournalAnswer<KillRequest> on_done);
  // Fails with request_not_found when no open request has this id.
  Taken answer(std::int64_t request_id, std::string_view text, JournalDone on_done = nullptr);
  // Takes over what dead workers left for the session, oldest first, until the session is drained.
  Taken take_backlog(std::string_view session_id,
                     JournalAnswer<std::vector<BacklogMessage>> on_done);
  // Ignores runs that are unknown or belong to another worker. Each sample is a row, so choose the
  // interval with care.
  Taken add_usage(std::string_view run_id, const UsageSample& sample);

  // Returns the seq up to which everything of the run is on disk, or named there in a note; 0 when
  // nothing is yet, or the run is unknown.
  std::uint64_t durable_seq(std::string_view run_id) const;
  // Frees the run's counters; items that are queued are still written.
  void forget_run(std::string_view run_id);

  // Calls back when everything taken so far is on disk, or with the reason why it is not (the
  // journal still retries). Ends the pause between two attempts of a degraded journal.
  void flush(JournalDone on_done);
  // Removes what is too old or too much, in small steps between commits, and calls back at its end.
  void tidy(JournalDone on_done);
  // Takes no further entries, writes what is queued (one attempt), then calls back.
  void close(JournalDone on_done);
  // The same, waiting for the thread. False when the disk has not answered in time: close again, or
  // give up.
  bool end(Millis patience);
  // For a thread that hangs at the disk: every callback of an entry that is still due comes now,
  // with `why`, and none after that. The thread and what it uses live on until the disk answers;
  // it then writes what it can. The callbacks of the options may still come, so they must own what
  // they use.
  void give_up(const Status& why);

  JournalStats stats() const;

 private:
  class Impl;
  explicit Journal(std::shared_ptr<Impl> impl);
  std::shared_ptr<Impl> impl_;
  bool given_up_ = false;
};

}  // namespace gibbous
