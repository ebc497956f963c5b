// ItemWriter turns items into segments, within a transaction of the store. It notes gaps, stops
// keeping the items of a run that has reached its limit, and leaves runs of other workers alone.
// Writer thread only.
//
// The caller numbers the items of a run from 1, so that numbers hold whether there is a journal or
// not. A note in the place of the first missing one names those that the queue, the disk or the
// run's share had no room for.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "gibbous/status.h"
#include "runtime/journal/batch.h"
#include "runtime/journal/commit_mark.h"
#include "runtime/journal/database.h"
#include "runtime/journal/segment_rows.h"
#include "runtime/journal/workers.h"

namespace gibbous {

// Events, state changes and notes up to this do not count, because they say how the run ended.
inline constexpr std::int64_t kEventReserveBytes = std::int64_t{256} << 10;

// Changes of a terminal's size up to this do not count: they are no output.
inline constexpr std::int64_t kSizeReserveBytes = std::int64_t{256} << 10;

class ItemWriter {
 public:
  ItemWriter(Database& database, std::int64_t max_run_bytes, const Workers& workers)
      : database_(database), max_run_bytes_(max_run_bytes), workers_(workers) {}
  Status prepare();

  // Call after the run's row is written.
  Status open_run(RunSlot slot, const RunRecord& run);
  // Registers a run of earlier batches; what is known about it comes from the file.
  void know(RunSlot slot, const std::string& run_id, std::int64_t attempt);
  Status add(RunSlot slot, const JournalItem& item);
  // Writes what is in memory. Adds the counters of each changed run to `settled`, and runs whose
  // items were rejected for the first time to `refused`. Other workers may write afterwards.
  Status end_batch(std::int64_t now, std::vector<SettledRun>* settled,
                   std::vector<RefusedWrite>* refused);
  void forget(RunSlot slot);

  // Returns the last item of one of the runs that the batch has changed, once; number 0: there is
  // none.
  CommitMark take_newest() { return std::exchange(newest_, {}); }
  std::uint64_t stored() const { return stored_; }      // items, in this batch
  std::uint64_t not_kept() const { return not_kept_; }  // items, in this batch

 private:
  struct Run {
    std::string run_id;
    std::int64_t attempt = 1;
    std::uint64_t checked = 0;  // whether this batch has read its row
    bool loaded = false;
    bool gone = false;      // whether its row was deleted
    bool refused = false;   // whether it belongs to another worker or attempt
    bool reported = false;  // whether the rejection was reported
    bool capped = false;    // whether a note says so
    bool touched = false;
    bool ended = false;
    std::int64_t number = 0;
    std::int64_t limit = 0;
    std::int64_t output_bytes = 0;
    std::int64_t stored_bytes = 0;
    std::int64_t size_bytes = 0;   // of changes of its terminal's size that do not count
    std::int64_t event_bytes = 0;  // of other items that are no output and do not count
    std::int64_t not_kept = 0;
    std::int64_t stdout_to = 0;
    std::int64_t stderr_to = 0;
    std::uint64_t last_stored = 0;
    std::uint64_t last_seen = 0;  // stored or not
    std::int64_t last_sum = 0;    // of the last segment
    SegmentBuilder segment;
  };

  // Checks whether the run still belongs to this worker, and reads what others wrote to it.
  Status check(Run& run);
  Status load(Run& run);
  static std::int64_t* counter_of(Run& run, const JournalItem& item, std::int64_t bytes);
  Status note_gap(Run& run, std::uint64_t next_seq, std::int64_t at);
  Status note_cap(Run& run, const JournalItem& item);
  Status put(Run& run, const JournalItem& item);
  Status write_counters(Run& run, std::int64_t now);

  Database& database_;
  std::int64_t max_run_bytes_;
  const Workers& workers_;
  Statement select_run_;
  SegmentRows segments_;
  Statement update_run_;
  std::unordered_map<RunSlot, Run> runs_;
  std::vector<RunSlot> touched_;
  std::vector<RefusedWrite> refused_;
  CommitMark newest_;
  std::uint64_t batch_ = 1;
  std::uint64_t stored_ = 0;
  std::uint64_t not_kept_ = 0;
};

}  // namespace gibbous
