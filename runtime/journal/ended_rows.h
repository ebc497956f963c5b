// EndedRows redacts the rows of runs that have ended, whichever statement ended them: while a run
// is queued or goes on, its row must say how it is started, whole. Writer thread only (and
// kill_request.cc).
//
// A partial index holds the rows that are still whole, so it is one search when there is none.
// secure_delete overwrites what a row was, and the log is emptied after a second without work.
#pragma once

#include <cstddef>

#include "gibbous/status.h"
#include "runtime/journal/database.h"
#include "runtime/journal/record.h"

namespace gibbous {

class EndedRows {
 public:
  // Without `redact`, the rows stay as they are.
  EndedRows(Database& database, RedactRun redact)
      : database_(database), redact_(std::move(redact)) {}
  Status prepare();

  // Redacts what is not redacted yet, the newest ends first, at most kMaxRedactedRows. Belongs into
  // the transaction that ends the runs.
  Status redact();
  // Returns how many rows the last redact() changed.
  std::size_t redacted() const { return redacted_; }

 private:
  Status store(const RunRecord& run);

  Database& database_;
  RedactRun redact_;
  Statement select_;
  Statement update_;
  std::size_t redacted_ = 0;
};

// A file of an earlier version has many such rows; the later batches redact the others.
inline constexpr std::size_t kMaxRedactedRows = 2'000;

}  // namespace gibbous
