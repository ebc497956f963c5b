// EventFeed: the events and state changes of many runs, as they come, in the order of time. Each
// look reads what the journal has taken in since the last one: one query for the newest runs, one
// for each older one that has not ended, and the new items of those that have any. One thread at a
// time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "runtime/journal/journal_reader.h"

namespace gibbous::inspect {

struct FeedFilter {
  std::string session;     // "": of all
  std::string run_id;      // "": of all
  std::int64_t since = 0;  // Unix milliseconds: nothing that is older
};

struct FeedItem {
  std::string run_id;
  std::string session_id;
  StoredItem item;  // kEvent or kState
};

// What one look gives at most; older ones are left out and counted.
inline constexpr std::size_t kMaxFeedItems = 10'000;

class EventFeed {
 public:
  // `reader` must outlive this.
  EventFeed(JournalReader& reader, FeedFilter filter);

  // What is new; the first look gives what there is.
  Result<std::vector<FeedItem>> next();
  std::uint64_t left_out() const { return left_out_; }

 private:
  struct Cursor {
    std::uint64_t since_seq = 0;
    bool active = true;
  };
  Result<std::vector<RunRecord>> runs_with_news();
  Status read(const RunRecord& run, Cursor& cursor, std::vector<FeedItem>& items);
  void sort_and_cut(std::vector<FeedItem>& items);

  JournalReader& reader_;
  FeedFilter filter_;
  std::map<std::string, Cursor> cursors_;
  bool first_ = true;
  std::uint64_t left_out_ = 0;
};

}  // namespace gibbous::inspect
