// TailStore keeps the end of the output of runs that have reached their limit and go on, and makes
// items of it when their worker has died. Writer thread only.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "gibbous/status.h"
#include "runtime/journal/database.h"
#include "runtime/journal/segment_rows.h"

namespace gibbous {

// Items, encoded as those of a segment.
struct RunTail {
  std::string run_id;
  std::int64_t created_at = 0;
  std::string items;
  std::string data;
  std::int64_t stdout_to = 0;  // how far the streams are recorded with it: see RunRecord
  std::int64_t stderr_to = 0;
};

class TailStore {
 public:
  explicit TailStore(Database& database) : database_(database) {}
  Status prepare();

  // Replaces the tail of a run that this worker executes; of any other run, nothing is kept.
  Status save(const RunTail& tail, std::string_view worker);
  Status drop(std::string_view run_id);
  // Puts the items of the tail behind those of the run, and removes the tail. They do not count for
  // the limit of the run, whose next worker may keep an end, too.
  Status take(std::int64_t number, std::int64_t now);

 private:
  Status add_items(std::int64_t number, const RunTail& tail, std::int64_t now);

  Database& database_;
  Statement save_;
  Statement drop_;
  Statement select_;
  Statement select_run_;
  SegmentRows segments_;
  Statement update_run_;
  Statement delete_;
};

}  // namespace gibbous
