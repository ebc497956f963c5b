// EndRecord: how a run ended whose host may not have seen it, as its keeper leaves it for the
// process that settles the run. Each is a small file in the directory of the control sockets. The
// keeper writes it, the library reads and removes it. Waits for the disk. Any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gibbous/status.h"
#include "runtime/keeper/outcome.h"
#include "runtime/process/proc.h"
#include "runtime/process/tree_limits.h"

namespace gibbous {

enum class EndCause : std::uint8_t {
  kItself,   // neither Gibbous nor the end of the host ended it
  kKill,     // a kill that its host had requested
  kLimit,    // one of the limits that the keeper enforces
  kHostEnd,  // the keeper ended it because its host was gone, or because the keeper had to stop
};

struct EndRecord {
  std::string run_id;
  // Each start of a run has another host or another keeper, so these say which one it is about.
  ProcessIdentity host;  // that started the keeper; pid 0 when it could not be seen
  ProcessIdentity keeper;
  ProcessIdentity leader;  // of the run
  EndCause cause = EndCause::kItself;
  bool after_host = false;            // the host was gone when the keeper noticed this end
  ExitStatus exit;                    // of the leader
  int kill_signal = 0;                // of kKill: the first signal
  std::optional<LimitReached> limit;  // of kLimit
  std::int64_t started_at = 0;        // Unix milliseconds
  std::int64_t ended_at = 0;
  std::uint64_t dropped_bytes = 0;  // output that the keeper read, or left unread, without a host
  // A detached run: its keeper may still hold it for the next host. Records of an older keeper do
  // not say, and count as such. Then `dropped_bytes` does not have what `exit` says was written.
  bool detached = true;
  bool ends_known =
      true;  // the ends of its output in `exit`; false for a record of an older keeper
};

inline constexpr std::size_t kMaxEndRecordBytes = 1024;
inline constexpr std::size_t kMaxRecordedIdBytes = 64;

// Returns whether a run with this id can have a record: 1 to kMaxRecordedIdBytes letters, digits,
// '-' and '_'.
bool can_have_end_record(std::string_view run_id);

// The text of the file. parse_end_record() refuses everything that to_text() does not write; its
// message says what is wrong.
std::string to_text(const EndRecord& record);
Result<EndRecord> parse_end_record(std::string_view text);

// Writes the record, in the place of an earlier one of this run. Makes the directory (0700), but
// not its parents. Never follows a link.
Status write_end_record(const std::string& directory, const EndRecord& record);
// Fails with end_record_missing, or with end_record_unusable: it is a link, not this user's,
// writable for others, too large, of another version, or about another run.
Result<EndRecord> read_end_record(const std::string& directory, const std::string& run_id);
// Also removes what a keeper did not finish to write. Does nothing when there is no record.
void remove_end_record(const std::string& directory, const std::string& run_id);
// Returns the ids of the runs that have records, at most `most`, in no order.
std::vector<std::string> list_end_records(const std::string& directory, std::size_t most);

}  // namespace gibbous
