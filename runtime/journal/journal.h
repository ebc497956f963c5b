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
#include <string>
#include <string_view>

#include "gibbous/status.h"
#include "runtime/base/clock.h"
#include "runtime/journal/record.h"

namespace gibbous {

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
  Taken put_run(const RunRecord& run);
  Taken append(std::string_view run_id, const JournalItem& item);
  Taken add_decision(const DecisionRecord& decision);
  Taken add_backlog(const BacklogMessage& message);
  // The session's agent has seen its messages up to and including `through_seq`.
  Taken drain_backlog(std::string_view session_id, std::uint64_t through_seq);
  // The same id again replaces it: with revoked_at set, it is revoked.
  Taken put_approval(const ApprovalRecord& approval);

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
