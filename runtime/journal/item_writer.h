// ItemWriter: from items to segments, within a transaction of the store: gaps become notes, a run
// that has had its share is not kept any further, one that is another worker's is not touched.
// Writer thread only.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "gibbous/status.h"
#include "runtime/journal/batch.h"
#include "runtime/journal/database.h"
#include "runtime/journal/segment.h"
#include "runtime/journal/workers.h"

namespace gibbous {

// Events and state changes are kept so far beyond a run's limit: its end is worth knowing.
inline constexpr std::int64_t kEventReserveBytes = std::int64_t{256} << 10;

class ItemWriter {
 public:
  ItemWriter(Database& database, std::int64_t max_run_bytes, const Workers& workers)
      : database_(database), max_run_bytes_(max_run_bytes), workers_(workers) {}
  Status prepare();

  // After the run's row is there.
  Status open_run(RunSlot slot, const RunRecord& run);
  // A run of earlier batches: what is known about it is what the file says.
  void know(RunSlot slot, const std::string& run_id, std::int64_t attempt);
  Status add(RunSlot slot, const JournalItem& item);
  // Writes what is in memory; the counters of every run that was touched go into `settled`, runs
  // whose items were kept out for the first time into `refused`. Others may write afterwards.
  Status end_batch(std::int64_t now, std::vector<SettledRun>* settled,
                   std::vector<RefusedWrite>* refused);
  void forget(RunSlot slot);

  std::uint64_t stored() const { return stored_; }      // items, in this batch
  std::uint64_t not_kept() const { return not_kept_; }  // items, in this batch

 private:
  struct Run {
    std::string run_id;
    std::int64_t attempt = 1;
    std::uint64_t checked = 0;  // in this batch its row was looked at
    bool loaded = false;
    bool gone = false;     // its row was taken out
    bool refused = false;  // it is not ours, or not this attempt
    bool told = false;     // that it is refused
    bool capped = false;   // a note says so
    bool touched = false;
    bool ended = false;
    std::int64_t number = 0;
    std::int64_t limit = 0;
    std::int64_t output_bytes = 0;
    std::int64_t stored_bytes = 0;
    std::int64_t not_kept = 0;
    std::uint64_t last_stored = 0;
    std::uint64_t last_seen = 0;  // stored or not
    SegmentBuilder segment;
  };

  // Whether the run is (still) ours, and what others have written to it.
  Status check(Run& run);
  Status load(Run& run);
  Status note_gap(Run& run, std::uint64_t next_seq, std::int64_t at);
  Status note_cap(Run& run, const JournalItem& item);
  Status put(Run& run, const JournalItem& item);
  Status write_segment(Run& run);
  Status write_counters(Run& run, std::int64_t now);

  Database& database_;
  std::int64_t max_run_bytes_;
  const Workers& workers_;
  Statement select_run_;
  Statement select_last_;
  Statement insert_segment_;
  Statement update_run_;
  std::unordered_map<RunSlot, Run> runs_;
  std::vector<RunSlot> touched_;
  std::vector<RefusedWrite> refused_;
  std::uint64_t batch_ = 1;
  std::uint64_t stored_ = 0;
  std::uint64_t not_kept_ = 0;
};

}  // namespace gibbous
