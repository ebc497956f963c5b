// Looking over and mending a journal that is damaged. Both read the whole file and wait for the
// disk: seconds for a gigabyte. Any thread, any process; a writer may be running beside them.
#pragma once

#include <cstdint>
#include <string>

#include "gibbous/status.h"

namespace gibbous {

struct RepairReport {
  std::uint64_t runs = 0;
  std::uint64_t segments = 0;  // rows of items; a lost one is up to 4 KB of a run's output
  std::uint64_t others = 0;    // decisions, messages, approvals
  std::uint64_t holes = 0;     // places where something could not be read
  std::string kept_as;         // the old file, whole; its -wal lies beside it
};

// Ok: the file is as it should be. Fails with journal_corrupt and the first thing that was found,
// state_dir_missing or journal_missing, or as a reader does.
Status check_journal(const std::string& directory);

// What can be read is copied into a new file, which takes the old one's place; the old one is kept
// as sessions.db.set-aside-ID. Writers wait meanwhile, and then go on in the new file by
// themselves; readers have to be opened again. Fails with journal_busy (a writer does not let go,
// or another repair runs), journal_newer, journal_foreign, journal_full or journal_unusable: the
// old file is where it was then.
Result<RepairReport> repair_journal(const std::string& directory);

}  // namespace gibbous
