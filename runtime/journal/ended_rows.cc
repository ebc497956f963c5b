#include "runtime/journal/ended_rows.h"

#include <string>
#include <vector>

#include "runtime/journal/run_row.h"

namespace gibbous {
namespace {

constexpr std::int64_t kPageRows = 100;

}  // namespace

Status EndedRows::prepare() {
  return database_.prepare_all({
      {&select_, std::string(kSelectRun) +
                     " INDEXED BY exec_runs_whole WHERE finished_at IS NOT NULL AND redacted = 0"
                     " ORDER BY finished_at DESC LIMIT ?"},
      {&update_,
       "UPDATE exec_runs SET command = ?2, watch_json = nullif(?3, ''),"
       " error_message = nullif(?4, ''), meta_json = nullif(?5, ''), redacted = 1"
       " WHERE run_id = ?1"},
  });
}

Status EndedRows::redact() {
  redacted_ = 0;
  std::vector<RunRecord> page;
  do {
    page.clear();
    if (!redact_) return {};
    select_.with(kPageRows);
    for (;;) {
      const Result<bool> row = select_.step();
      if (!row) return row.status();
      if (!*row) break;
      page.push_back(run_of(select_));
    }
    for (RunRecord& run : page) {
      redact_(run);
      if (Status status = store(run); !status) return status;
    }
    redacted_ += page.size();
  } while (page.size() == kPageRows && redacted_ < kMaxRedactedRows);
  return {};
}

Status EndedRows::store(const RunRecord& run) {
  return update_.with(run.run_id, run.command, run.watch_json, run.error_message, run.meta_json)
      .run();
}

}  // namespace gibbous
