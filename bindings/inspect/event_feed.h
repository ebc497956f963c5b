// EventFeed: the events and state changes of many runs, and what people answered to the policy, in
// chronological order. Each call reads what the journal has recorded since the last one, with one
// query for the newest runs, one for each older run that has not ended, and one for the new items
// of each run that may have some among the newest. One thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "bindings/inspect/run_facts.h"
#include "runtime/journal/journal_reader.h"

namespace gibbous::inspect {

struct FeedFilter {
  std::string session;     // "": of all sessions
  std::string run_id;      // "": of all runs
  std::int64_t since = 0;  // Unix milliseconds
};

struct FeedItem {
  std::shared_ptr<const RunRecord> run;
  std::shared_ptr<const RunFacts> facts;
  StoredItem item;       // kEvent or kState
  bool repeats = false;  // the run's previous change of state said the same
};

// One call returns at most this many items; older ones are dropped and counted.
inline constexpr std::size_t kMaxFeedItems = 10'000;

class EventFeed {
 public:
  // `reader` must outlive this.
  EventFeed(JournalReader& reader, FeedFilter filter);

  // The new items. The first call returns all of them.
  Result<std::vector<FeedItem>> next();
  // At least so many items or runs were older than what was returned.
  std::uint64_t left_out() const { return left_out_; }

 private:
  struct Cursor {
    std::uint64_t since_seq = 0;
    bool active = true;
    std::string state;  // the one of the last change
  };
  Result<std::vector<RunRecord>> runs_with_news();
  Status read(const RunRecord& run, Cursor& cursor, std::vector<FeedItem>& items);
  Status read_answers(std::vector<FeedItem>& items);
  void sort_and_cut(std::vector<FeedItem>& items);

  JournalReader& reader_;
  FeedFilter filter_;
  std::map<std::string, Cursor> cursors_;
  std::int64_t last_decision_ = 0;
  Redactions redactions_;
  bool first_ = true;
  std::uint64_t left_out_ = 0;
};

}  // namespace gibbous::inspect
