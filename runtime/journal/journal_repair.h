// Checks and repairs a damaged journal. Both functions read the whole file and wait for the disk:
// seconds for a gigabyte. Any thread, any process; a writer may be running at the same time.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gibbous/status.h"

namespace gibbous {

// Items of a run that are not as they were written.
struct DamagedItems {
  std::string run_id;
  std::uint64_t from = 0;
  std::uint64_t to = 0;
};

struct RepairReport {
  std::uint64_t runs = 0;
  std::uint64_t segments = 0;         // rows of items; a lost one is up to 4 KB of a run's output
  std::uint64_t others = 0;           // decisions, messages, approvals
  std::uint64_t holes = 0;            // places where something could not be read
  std::vector<DamagedItems> damaged;  // a note in the new file takes the place of each
  std::string kept_as;                // the old file, whole; its -wal is next to it
};

// Returns ok when the file is sound. Fails with journal_corrupt and the first damage found, with
// state_dir_missing or journal_missing, or as a reader does.
Status check_journal(const std::string& directory);

// Copies what can be read into a new file, which replaces the old one; the old one stays as
// sessions.db.set-aside-ID. Writers wait meanwhile and then continue in the new file; readers must
// be opened again. Fails with journal_busy (a writer does not release its lock, or another repair
// runs), journal_newer, journal_older (an older program uses the file), journal_foreign,
// journal_full or journal_unusable; the old file is then where it was.
Result<RepairReport> repair_journal(const std::string& directory);

}  // namespace gibbous
