// What the journal holds, as plain data: runs, items, decisions, calls, backlog
// messages. Times are Unix milliseconds, 0 for "not yet". Any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace gibbous {

// These numbers are on disk: never change one, add new ones at the end.
enum class ItemType : std::uint8_t { kStdout, kStderr, kTerminal, kEvent, kState, kNote };
const char* to_string(ItemType type);  // "stdout", "stderr", "terminal", "event", ...

inline constexpr std::size_t kMaxItemBytes = std::size_t{1} << 20;  // payload and meta together
inline constexpr std::size_t kMaxTailBytes = std::size_t{1} << 20;  // of a run in progress
inline constexpr std::uint64_t kMaxSeq = 0xFFFF'FFFF;               // of one run

// Borrows its text for the duration of the call.
struct JournalItem {
  std::uint64_t seq = 0;  // from 1 on, in the order of the run; a gap becomes a note
  ItemType type = ItemType::kStdout;
  std::string_view payload;     // bytes; of output, what the child wrote
  std::string_view meta;        // JSON, or ""
  std::int64_t created_at = 0;  // 0: now
  // How far stdout (or the terminal) and stderr are recorded once this item is: see RunRecord.
  std::int64_t stdout_to = 0;  // 0: as before
  std::int64_t stderr_to = 0;
};

struct StoredItem {
  std::uint64_t seq = 0;
  ItemType type = ItemType::kStdout;
  std::string payload;
  std::string meta;
  std::int64_t created_at = 0;
};

struct RunRecord {
  std::string run_id;      // 1 to kMaxJournalIdBytes bytes
  std::string client;      // the session of the caller
  std::string session_id;  // the queue inside it: the client itself, or a name that it gave
  std::string workspace;   // of the host; only hosts of this workspace and client execute it
  std::string status;      // the words of RunState
  std::string command;
  bool background = true;
  bool pty = false;
  std::int64_t timeout_secs = 0;      // 0: no limit
  std::int64_t max_output_bytes = 0;  // of this run in the journal; 0: the journal's own limit
  std::string watch_json;             // the watchers as they were asked for, or ""
  bool has_exit_code = false;
  std::int64_t exit_code = 0;
  // Why it ended that way, or why the last worker that claimed a queued run did not start it; see
  // waits_in_host().
  std::string error_message;
  std::int64_t queued_at = 0;
  std::int64_t started_at = 0;
  std::int64_t finished_at = 0;  // once it is set, no more items come
  std::string meta_json;         // for the layers above, or ""
  // The number of the last item. A writer may set it together with finished_at: missing items up to
  // it are then noted. At other times the journal keeps this and the following figures itself.
  std::uint64_t last_seq = 0;
  std::int64_t output_bytes = 0;    // payload given, whether kept or not
  std::int64_t stored_bytes = 0;    // what is kept and counts for the limit (item_writer.h)
  std::int64_t not_kept_items = 0;  // each of them is named in a note
  // How far stdout (or the terminal) and stderr are recorded, in bytes since this attempt began:
  // what is kept of them, and what a note says is missing. The next host of a detached run goes on
  // there.
  std::int64_t stdout_to = 0;
  std::int64_t stderr_to = 0;
  std::int64_t updated_at = 0;
  // The owner, see Journal::claim. For a new run, "" means any worker while it is queued, and this
  // journal's worker otherwise. For a known run, put_run() does not change it.
  std::string owner;
  // The number of this execution, or of the next one. put_run() of a run that was queued again
  // since, and so has a higher attempt, is rejected.
  std::int64_t attempt = 1;
  bool safe_to_repeat = false;  // may be executed again when its end is unknown
  std::int64_t priority = 0;    // in the queue: higher ones first
  // So often it is executed at most, when its end is unknown again and again; 0: no limit.
  std::int64_t max_attempts = 0;
  std::string request_id;  // of a client: one run has it; "" or 1 to kMaxJournalIdBytes bytes
};

// Makes the row of a run that has ended as it is kept: without secrets, and without what only a
// start needs. May change command, watch_json, error_message and meta_json. Any thread.
using RedactRun = std::function<void(RunRecord& run)>;

// How many runs may go on at the same time, all that were started in the background; 0: no limit.
struct QueuePlaces {
  std::size_t of_client = 0;
  std::size_t of_machine = 0;  // of all that share the journal
  std::map<std::string, std::size_t> of_label = {};
  std::map<std::string, std::size_t> taken = {};  // by client, in this process
  // True when those that come first have had the time to take a shared place, and did not: their
  // hosts are gone, or stopped.
  bool patient = false;
};

// The queued runs that a worker may claim.
struct ClaimScope {
  bool all = true;        // of every workspace and client; else of these:
  bool unclaimed = true;  // clients that no process owns: without an @ in their name
  std::string workspace = "";
  std::set<std::string> clients = {};
  std::set<std::string> except = {};   // runs that are left, with their queues, to other workers
  std::set<std::string> overdue = {};  // runs that the worker which queued them did not start
  QueuePlaces places = {};

  // Returns whether runs of this client are in it, if their workspace is.
  bool includes(const std::string& client) const;
};

// Returns true when the run's host will start it later, outside the journal's queue: its status is
// "starting", and error_message says what it waits for.
bool waits_in_host(const RunRecord& run);
// Returns the session as people see it: the client, and the queue inside it when its name differs.
std::string session_name(const RunRecord& run);
// Returns the status as people see it: "queued" for a run that waits in its host.
std::string state_of(const RunRecord& run);
// Returns true for the final statuses: completed, failed, killed, timeout and lost.
bool is_terminal_status(std::string_view status);

// The member "version" of record_json. A record without it has the first version.
inline constexpr std::int64_t kDecisionVersion = 1;

struct DecisionRecord {
  std::int64_t id = 0;  // assigned by the journal, rising
  std::int64_t created_at = 0;
  std::string session_id;
  std::string run_id;  // "" when it concerned no run
  std::int64_t generation = 0;
  std::string decision;  // allow, ask, deny
  std::string rule;
  std::string record_json;  // the whole record; its writer has redacted the secrets
};

// A call of a tool that the host carries out itself: it has no run. The process is named so that
// others can see whether the call still goes on.
struct HostCallRecord {
  std::string call_id;  // 1 to kMaxJournalIdBytes bytes
  std::string session_id;
  std::string workspace;
  std::string tool;
  std::string outcome;  // "" while it goes on; then "ok", or the code of its error
  std::int64_t pid = 0;
  std::int64_t pid_started = 0;  // as /proc/PID/stat gives it
  std::string pid_space;         // pid_space()
  std::int64_t started_at = 0;
  std::int64_t finished_at = 0;
};

struct BacklogMessage {
  std::string session_id;
  std::uint64_t seq = 0;  // from 1 on, in the order of the session and the worker
  std::string run_id;
  std::string event;
  std::string payload;
  std::int64_t created_at = 0;
  bool for_agent = true;   // false: only for the program that hosts the agent
  bool elsewhere = false;  // another process may have the session, and is told of the message
};

inline constexpr std::size_t kMaxJournalIdBytes = 256;                     // ids, words
inline constexpr std::size_t kMaxJournalTextBytes = std::size_t{1} << 20;  // one record's texts

}  // namespace gibbous
