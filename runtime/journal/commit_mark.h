// CommitMark: the newest item that was acknowledged as recorded, in a small file beside the
// journal. A journal that ends before it has lost what was committed: its write-ahead log was cut
// or removed while no process had it open, or an older copy was put in its place. Without such a
// file, or when it is older than the journal, nothing is noticed. Waits for the disk; any thread.
//
// The mark is not synced: an older one says nothing. A counter in the journal would find every lost
// commit, and cost a page in each. Retention and withdrawn runs clear it, because a run that is
// gone may be why it does not match.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "gibbous/status.h"
#include "runtime/base/unique_fd.h"
#include "runtime/journal/database.h"

namespace gibbous {

struct CommitMark {
  std::int64_t number = 0;  // of the run
  std::string run_id;
  std::uint64_t seq = 0;
};

// Opened without following a link; a failure costs the mark, and nothing else.
class CommitMarkFile {
 public:
  // `make`: for writing, created when it is missing.
  static CommitMarkFile open(const std::string& directory, bool make);
  // Nothing when there is none, or none that can be trusted.
  std::optional<CommitMark> read() const;
  void write(const CommitMark& mark) const;
  void clear() const;

 private:
  UniqueFd file_;
};

// Whether a file is new: a mark beside it is about another one.
Result<bool> is_without_runs(Database& database);
// Fails with journal_cut, which names what is missing, when the journal ends before the mark.
Status compare_with_mark(Database& database, const CommitMark& mark);
// Makes a run that ends before the mark end with it, so that its readers see a note about the items
// that are missing.
Status note_missing_items(Database& database, const CommitMark& mark);

}  // namespace gibbous
