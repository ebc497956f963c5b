// JournalReader reads what the journal holds, from any process and alongside any writer. It has a
// connection of its own: one thread at a time may use a reader, and there may be any number of
// readers. Each call reads a snapshot and may wait for the disk (and up to a second for a writer
// that is recovering).
//
// Every call may fail with journal_corrupt, journal_busy, journal_failed or journal_unusable; the
// message names the file and what to do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gibbous/status.h"
#include "runtime/base/clock.h"
#include "runtime/journal/queue_choice.h"
#include "runtime/journal/record.h"
#include "runtime/journal/worker_record.h"

namespace gibbous {

inline constexpr std::size_t kMaxPageItems = 10'000;
inline constexpr Millis kReaderPatience{1'000};
inline constexpr std::size_t kDefaultPageBytes = std::size_t{1} << 20;

struct ItemPage {
  std::vector<StoredItem> items;  // by seq; items that a note stands for are missing
  std::uint64_t next_since = 0;   // go on from here
  bool more = false;              // whether there were more at that moment
};

// A run and its place in the queue of its session.
struct QueuePlace {
  RunRecord run;
  std::optional<RunRecord> before;  // while it is queued: the run of its session that comes first
  std::optional<PlaceOf> lacks;     // when it is the first of its session: a place of this
  std::size_t ahead = 0;            // runs that wait for a place, too, and get it first
};

// Selects decisions; an empty member matches all.
struct DecisionFilter {
  std::int64_t above_id = 0;
  std::int64_t since = 0;  // Unix milliseconds
  std::string session;
  std::string run;       // its id, or a prefix of it
  std::string rule;      // a glob: "git.*"
  std::string decision;  // allow, ask or deny
};

class JournalReader {
 public:
  // `directory` is the state directory. Fails with state_dir_missing or journal_missing when
  // nothing was ever recorded there, with state_dir_unusable, journal_older or journal_newer, or as
  // above.
  static Result<std::unique_ptr<JournalReader>> open(const std::string& directory,
                                                     Millis patience = kReaderPatience);
  ~JournalReader();
  JournalReader(const JournalReader&) = delete;
  JournalReader& operator=(const JournalReader&) = delete;

  // How long a later call waits for another process that locks readers out.
  void set_patience(Millis patience);
  // Returns false when the file was removed or replaced since it was opened, or is now of another
  // version.
  bool is_current() const;

  // Returns at most `limit` runs, newest first; "" means all sessions.
  Result<std::vector<RunRecord>> runs(std::string_view session_id, std::size_t limit);
  // The same, of those that are queued.
  Result<std::vector<RunRecord>> queued_runs(std::string_view session_id, std::size_t limit);
  // Also fails with run_not_found.
  Result<RunRecord> run(std::string_view run_id);
  // Returns the run that a client started with this request_id. Also fails with run_not_found.
  Result<RunRecord> run_of_request(std::string_view client, std::string_view request_id);

  // Returns the items with a seq above `since_seq`: at most `limit` (and kMaxPageItems), and at
  // most about `max_bytes` of text, but always one. An unknown run has none.
  Result<ItemPage> items(std::string_view run_id, std::uint64_t since_seq, std::size_t limit,
                         std::size_t max_bytes = kDefaultPageBytes);
  // Returns the last `count` items (at most kMaxPageItems).
  Result<ItemPage> tail(std::string_view run_id, std::size_t count);

  // Returns the messages above `since_seq` that the session's agent has not seen, oldest first.
  Result<std::vector<BacklogMessage>> backlog(std::string_view session_id, std::uint64_t since_seq,
                                              std::size_t limit);
  // Returns the first `limit` decisions, oldest first.
  Result<std::vector<DecisionRecord>> decisions(const DecisionFilter& filter, std::size_t limit);
  // Returns the last `limit` decisions, oldest first.
  Result<std::vector<DecisionRecord>> last_decisions(const DecisionFilter& filter,
                                                     std::size_t limit);

  // Returns calls of hosts' tools, newest first; "" means every session. A call that goes on
  // according to its record may have ended with its process.
  enum class CallsThat : std::uint8_t { kGoOn, kHaveEnded };
  Result<std::vector<HostCallRecord>> host_calls(std::string_view session, CallsThat which,
                                                 std::size_t limit);

  // Fails with run_not_found, too. Places are those of `scope`.
  Result<QueuePlace> queue_place(std::string_view run_id, const ClaimScope& scope = {});
  // Returns the workers that share the journal in the order they joined; some may be dead.
  Result<std::vector<WorkerRecord>> workers();
  // Returns the workers with another boot_id; some may be dead.
  Result<std::vector<WorkerRecord>> workers_elsewhere(std::string_view boot_id);
  // Returns the worker with this boot_id that comes after this one in the order of the ids; after
  // the last one comes the first again. A worker alone comes after itself. Also fails with
  // worker_not_found when there is none.
  Result<WorkerRecord> next_worker(std::string_view worker_id, std::string_view boot_id);
  // Returns the owners of the runs in progress of this client.
  Result<std::vector<WorkerRecord>> owners(std::string_view client);
  // Returns true if a run in progress has no owner among the workers.
  Result<bool> has_ownerless();
  // Whether other workers have messages for the session.
  Result<bool> has_messages(std::string_view session_id, std::string_view worker_id);
  // Returns the runs of this scope that may start now, the best first. The owner of one may be
  // another living worker, which Journal::claim() checks.
  Result<QueueChoices> queue_choices(const ClaimScope& scope, std::size_t most);
  // Returns open requests about runs that `owner` executes ("" for all), oldest first.
  Result<std::vector<RunRequest>> requests(std::string_view owner, std::size_t limit);
  // Also fails with request_not_found.
  Result<RunRequest> request(std::int64_t id);
  // Returns samples later than `since_ms`, oldest first.
  Result<std::vector<UsageSample>> usage(std::string_view run_id, std::int64_t since_ms,
                                         std::size_t limit);
  // Returns a number that changes whenever another connection has committed since the last call.
  // Costs a few microseconds and takes no lock. Also fails with journal_newer, when a newer program
  // has migrated the file meanwhile.
  Result<std::int64_t> changes();

 private:
  struct Impl;
  explicit JournalReader(std::unique_ptr<Impl> impl);
  Result<std::vector<DecisionRecord>> decisions(const DecisionFilter& filter, std::size_t limit,
                                                const char* order);
  std::unique_ptr<Impl> impl_;
};

}  // namespace gibbous
