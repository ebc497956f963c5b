// The copies in which a run changes what it likes (layers.h): what it has changed, and how much
// they hold. For prepare.cc and the keeper.
#pragma once

#include <cstdint>
#include <string>

#include "runtime/sandbox/temporary.h"

namespace gibbous {

// Notes how much the disk has before the run writes to its copies. They may hold `limit` bytes (0:
// no limit), and no more than half of what is free.
void begin_copies(RunCopies& copies, std::uint64_t limit);

// Returns a sentence such as "changes were thrown away: 2 files (a.txt, out/b.o)"; "" when nothing
// was changed. Looks at some thousand names at most, and follows no link.
std::string describe_changes(const RunCopies& copies);

struct CopiesLook {
  bool measure = false;     // note_copy_bytes() is due, for a later look
  std::uint64_t taken = 0;  // 0: not too much
};
// To be called again and again while the run lives. Too much is: the copies hold more than their
// limit, or the disk has less than a quarter of what was free, whatever has taken it.
CopiesLook look_at_copies(RunCopies& copies);
// May take as long as the copies have files.
void note_copy_bytes(const std::string& directory);

}  // namespace gibbous
