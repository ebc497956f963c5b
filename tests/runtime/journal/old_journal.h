// Files of every earlier version, as the journal of that time wrote them (old/README.md).
#pragma once

#include <string>

#include "runtime/journal/place.h"
#include "tests/runtime/journal/desk.h"
#include "tests/support/source.h"

namespace gibbous::testing {

struct OldJournal {
  const char* name;      // of the file in old/
  int version;           // its user_version
  bool has_runs = true;  // else it was made and never used
  bool has_queue = true;
  bool has_request_ids = false;
  bool has_priorities = false;
  bool has_host_calls = false;
};

inline constexpr OldJournal kOldJournals[] = {
    {"version-1", 1, false, false},
    {"version-2", 2, true, false},
    {"version-3-first", 3},
    {"version-3", 3},
    {"version-4", 4},
    {"version-5", 5},
    {"version-6-first", 6},
    {"version-7", 7, true, true, true},
    {"version-6-sums", 6, true, true, true},
    {"version-6", 6, true, true, true, true},
    {"version-8", 8, true, true, true, true},
    {"version-9", 9, true, true, true, true, true},
};

// Makes the file in `directory`, which must not have one.
inline void make_old_journal(const std::string& directory, const std::string& name) {
  const std::string sql = source_text("tests/runtime/journal/old/" + name + ".sql");
  REQUIRE_FALSE(sql.empty());
  REQUIRE(check_place(directory, true));
  REQUIRE(Plain(journal_path(directory)).run(sql));
}

}  // namespace gibbous::testing
