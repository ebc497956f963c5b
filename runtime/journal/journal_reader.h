// JournalReader: what the journal holds, for any process and beside any writer. A connection of its
// own: one thread at a time for each reader, as many readers as wanted. Every call reads one
// moment's state and may wait for the disk (and for a writer that is recovering, a second at most).
//
// Errors of all calls: journal_corrupt, journal_busy, journal_failed, journal_unusable; the message
// names the file and what to do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "gibbous/status.h"
#include "runtime/journal/record.h"
#include "runtime/journal/worker_record.h"

namespace gibbous {

inline constexpr std::size_t kMaxPageItems = 10'000;
inline constexpr std::size_t kDefaultPageBytes = std::size_t{1} << 20;

struct ItemPage {
  std::vector<StoredItem> items;  // by seq; what a note stands for is missing
  std::uint64_t next_since = 0;   // go on from here
  bool more = false;              // there were more at that moment
};

// Which decisions are meant; an empty member leaves its column open.
struct DecisionFilter {
  std::int64_t above_id = 0;
  std::int64_t since = 0;  // Unix milliseconds
  std::string session;
  std::string run;       // its id, or the beginning of it
  std::string rule;      // a glob: "git.*"
  std::string decision;  // allow, ask or deny
};

class JournalReader {
 public:
  // `directory` is the state directory. Fails with state_dir_missing or journal_missing when
  // nothing was ever recorded there, state_dir_unusable, journal_older or journal_newer, or as
  // above.
  static Result<std::unique_ptr<JournalReader>> open(const std::string& directory);
  ~JournalReader();
  JournalReader(const JournalReader&) = delete;
  JournalReader& operator=(const JournalReader&) = delete;

  // Newest first; "" is all sessions. At most `limit`.
  Result<std::vector<RunRecord>> runs(std::string_view session_id, std::size_t limit);
  // Fails with run_not_found, too.
  Result<RunRecord> run(std::string_view run_id);

  // The items with a seq above `since_seq`, at most `limit` (and kMaxPageItems) of them, and no
  // more than about `max_bytes` of text, but one at least. A run that is not known has none.
  Result<ItemPage> items(std::string_view run_id, std::uint64_t since_seq, std::size_t limit,
                         std::size_t max_bytes = kDefaultPageBytes);
  // The last `count` (at most kMaxPageItems) items.
  Result<ItemPage> tail(std::string_view run_id, std::size_t count);

  // What the session's agent has not seen, oldest first, above `since_seq`.
  Result<std::vector<BacklogMessage>> backlog(std::string_view session_id, std::uint64_t since_seq,
                                              std::size_t limit);
  // The first `limit` decisions, oldest first.
  Result<std::vector<DecisionRecord>> decisions(const DecisionFilter& filter, std::size_t limit);
  // The last `limit` of them, oldest first.
  Result<std::vector<DecisionRecord>> last_decisions(const DecisionFilter& filter,
                                                     std::size_t limit);

  // Who shares the journal, the first to come first; some may be dead.
  Result<std::vector<WorkerRecord>> workers();
  // Those that wait for an answer, oldest first: about runs that `owner` executes, or "" for all.
  Result<std::vector<RunRequest>> requests(std::string_view owner, std::size_t limit);
  // Fails with request_not_found, too.
  Result<RunRequest> request(std::int64_t id);
  // Later than `since_ms`, oldest first.
  Result<std::vector<UsageSample>> usage(std::string_view run_id, std::int64_t since_ms,
                                         std::size_t limit);
  // A figure that is another one whenever somebody has committed something since it was asked for
  // last: it costs some microseconds, and no lock.
  Result<std::int64_t> changes();

 private:
  struct Impl;
  explicit JournalReader(std::unique_ptr<Impl> impl);
  Result<std::vector<DecisionRecord>> decisions(const DecisionFilter& filter, std::size_t limit,
                                                const char* order);
  std::unique_ptr<Impl> impl_;
};

}  // namespace gibbous
