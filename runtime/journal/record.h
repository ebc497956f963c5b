// What the journal holds, as plain data: runs, items, decisions, backlog messages. Times
// are Unix milliseconds, 0 for "not yet". Any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gibbous {

// The numbers are on disk: never change one, add new ones at the end.
enum class ItemType : std::uint8_t { kStdout, kStderr, kTerminal, kEvent, kState, kNote };
const char* to_string(ItemType type);  // "stdout", "stderr", "terminal", "event", ...

inline constexpr std::size_t kMaxItemBytes = std::size_t{1} << 20;  // payload and meta together
inline constexpr std::uint64_t kMaxSeq = 0xFFFF'FFFF;               // of one run

// Borrows its text for the call it is given to.
struct JournalItem {
  std::uint64_t seq = 0;  // from 1 on, in the order of the run; a gap becomes a note
  ItemType type = ItemType::kStdout;
  std::string_view payload;     // bytes; of output, what the child wrote
  std::string_view meta;        // JSON, or ""
  std::int64_t created_at = 0;  // 0: now
};

struct StoredItem {
  std::uint64_t seq = 0;
  ItemType type = ItemType::kStdout;
  std::string payload;
  std::string meta;
  std::int64_t created_at = 0;
};

struct RunRecord {
  std::string run_id;  // 1 to kMaxJournalIdBytes bytes
  std::string session_id;
  std::string status;  // the words of RunState
  std::string command;
  bool background = true;
  bool pty = false;
  std::int64_t timeout_secs = 0;      // 0: no limit
  std::int64_t max_output_bytes = 0;  // of this run in the journal; 0: the journal's own limit
  std::string watch_json;             // the watchers as they were asked for, or ""
  bool has_exit_code = false;
  std::int64_t exit_code = 0;
  std::string error_message;  // why it ended so; see waits_in_host()
  std::int64_t queued_at = 0;
  std::int64_t started_at = 0;
  std::int64_t finished_at = 0;  // when it is set no more items come
  std::string meta_json;         // what the layers above want to find again, or ""
  // Of the last item that there was. A writer may set it with finished_at: what is missing up to it
  // is noted then; at other times, and in what follows, the journal keeps the figures itself.
  std::uint64_t last_seq = 0;
  std::int64_t output_bytes = 0;    // payload of output that was given, kept or not
  std::int64_t stored_bytes = 0;    // payload and meta that are kept
  std::int64_t not_kept_items = 0;  // each of them is named in a note
  std::int64_t updated_at = 0;
  // Whose it is, see Journal::claim. Of a new run: "" is anybody's while it is queued, and this
  // journal's worker's otherwise. Of a known one put_run() leaves it as it is.
  std::string owner;
  // Which execution this is, or will be. put_run() of a run that has been queued again since, and
  // so has a higher one, is refused.
  std::int64_t attempt = 1;
  bool safe_to_repeat = false;  // may be executed again when nobody knows how it ended
};

// A run that its host will start later, and that is no part of the journal's queue: "starting",
// with what it waits for.
bool waits_in_host(const RunRecord& run);
// Its status as people know it: "queued" for such a run.
std::string state_of(const RunRecord& run);
// Completed, failed, killed, timeout, lost: nothing comes after it.
bool is_terminal_status(std::string_view status);

struct DecisionRecord {
  std::int64_t id = 0;  // by the journal, rising
  std::int64_t created_at = 0;
  std::string session_id;
  std::string run_id;  // "" when it was about none
  std::int64_t generation = 0;
  std::string decision;  // allow, ask, deny
  std::string rule;
  std::string record_json;  // all of it, its secrets masked by whoever made it
};

struct BacklogMessage {
  std::string session_id;
  std::uint64_t seq = 0;  // from 1 on, in the order of the session and the worker
  std::string run_id;
  std::string event;
  std::string payload;
  std::int64_t created_at = 0;
};

inline constexpr std::size_t kMaxJournalIdBytes = 256;                     // ids, words
inline constexpr std::size_t kMaxJournalTextBytes = std::size_t{1} << 20;  // one record's texts

}  // namespace gibbous
