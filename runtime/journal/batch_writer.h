// BatchWriter writes a batch as one transaction. Writer thread only.
//
// A commit is synced before it is acknowledged, and what was queued meanwhile shares it. After an
// error the thread drops the connection, keeps the entries that it has taken, and writes them again
// at intervals through a new one, which also finds a file that was replaced.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gibbous/status.h"
#include "runtime/journal/batch.h"
#include "runtime/journal/commit_mark.h"
#include "runtime/journal/database.h"
#include "runtime/journal/ended_rows.h"
#include "runtime/journal/item_writer.h"
#include "runtime/journal/queue.h"
#include "runtime/journal/workers.h"

namespace gibbous {

struct BatchLimits {
  std::int64_t max_run_bytes = 0;
  std::int64_t max_pages = 0;
};

struct Applied {
  bool done = false;  // committed
  std::vector<SettledRun> settled;
  std::uint64_t stored = 0;    // items
  std::uint64_t not_kept = 0;  // items
  std::vector<RefusedWrite> refused;
  QueueChanges changes;
};

class BatchWriter {
 public:
  static Result<std::unique_ptr<BatchWriter>> create(std::unique_ptr<Database> database,
                                                     const BatchLimits& limits, WorkerAlive alive,
                                                     RedactRun redact);

  // Writes all of the batch or none of it. After an error, discard the store: a new one reads the
  // state from the file.
  Status apply(const Batch& batch, std::int64_t now, Applied* applied);
  // Returns the runs that later batches refer to by slot; a new store needs them again.
  void know(RunSlot slot, const std::string& run_id, std::int64_t attempt);
  // Returns journal_cut when the file lacks what was committed (commit_mark.h). The first batch
  // puts a note about it.
  Status lost() const { return lost_; }
  // Before runs are removed.
  void forget_mark() { mark_file_.clear(); }
  Workers& workers() { return workers_; }
  EndedRows& ended() { return ended_; }
  Database& database() { return *database_; }

 private:
  BatchWriter(std::unique_ptr<Database> database, const BatchLimits& limits, WorkerAlive alive,
              RedactRun redact);
  Status prepare(const BatchLimits& limits);
  Status look_at_mark();
  void note_commit();
  Status write_all(const Batch& batch, std::int64_t now, Applied* applied);
  Status write(const QueuedRun& run);
  Status write(const ForgottenRun& run);
  Status write(const DecisionRecord& decision);
  Status write(const HostCallRecord& call);
  Status write(const BacklogMessage& message);
  Status write(const DrainedBacklog& drained);
  Status write(const QueuedUsage& usage);
  Status write(const RunTail& tail);
  Status write(const QueuedOperation& operation);
  // Returns why the run must not be written like this, or ok.
  Status look_at_fence(const RunRecord& run, Status* why);
  Status look_for_request(const RunRecord& run, Status* why);
  Status remove_withdrawn(const QueuedRun& queued);
  Status refuse(const QueuedRun& queued, const Status& why);
  Status put(const RunRecord& run);
  Status write_out_items();

  std::unique_ptr<Database> database_;  // before the statements, which must go first
  Workers workers_;
  Queue queue_;
  ItemWriter items_;
  EndedRows ended_;
  Statement put_run_;
  Statement add_decision_;
  Statement put_call_;
  Statement select_request_;
  Statement delete_segments_;
  Statement delete_run_;
  CommitMarkFile mark_file_;
  Status lost_;
  std::optional<CommitMark> missing_;  // until a batch has noted that
  bool withdrew_ = false;
  std::vector<RunSlot> forgotten_;
  // These refer to the batch being written.
  std::int64_t now_ = 0;
  std::size_t record_ = 0;
  Applied* applied_ = nullptr;
};

}  // namespace gibbous
