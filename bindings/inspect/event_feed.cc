// See event_feed.h.
#include "bindings/inspect/event_feed.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "bindings/inspect/decision_text.h"
#include "bindings/inspect/event_text.h"
#include "bindings/inspect/journal_query.h"
#include "bindings/json/text.h"

namespace gibbous::inspect {
namespace {

// A read finds all runs that began since the last one, unless there are more of them than this.
constexpr std::size_t kNewestRuns = 256;

// Items are sorted when there are more than are shown by this.
constexpr std::size_t kMoreItems = 1'000;

}  // namespace

EventFeed::EventFeed(JournalReader& reader, FeedFilter filter)
    : reader_(reader), filter_(std::move(filter)) {}

Result<std::vector<RunRecord>> EventFeed::runs_with_news() {
  if (!filter_.run_id.empty()) {
    Result<RunRecord> run = reader_.run(filter_.run_id);
    if (!run) return run.status();
    return std::vector<RunRecord>{std::move(*run)};
  }
  Result<std::vector<RunRecord>> runs =
      reader_.runs(filter_.session, first_ ? kMaxListedRuns : kNewestRuns);
  if (!runs) return runs;
  std::set<std::string> listed;
  for (const RunRecord& run : *runs) listed.insert(run.run_id);
  for (auto each = cursors_.begin(); each != cursors_.end();) {
    const bool is_listed = listed.count(each->first) != 0;
    if (!is_listed && !each->second.active) {
      each = cursors_.erase(each);  // never listed again: the list has only the newest runs
      continue;
    }
    if (!is_listed) {
      Result<RunRecord> run = reader_.run(each->first);
      if (run) runs->push_back(std::move(*run));
    }
    ++each;
  }
  return runs;
}

Result<std::vector<FeedItem>> EventFeed::next() {
  Result<std::vector<RunRecord>> runs = runs_with_news();
  if (!runs) return runs.status();
  std::vector<FeedItem> items;
  if (Status status = read_answers(items); !status) return status;
  first_ = false;
  // Nothing before this is among the newest items. Runs come newest first, so that it is known
  // early.
  std::int64_t oldest = 0;
  for (const RunRecord& run : *runs) {
    Cursor& cursor = cursors_[run.run_id];
    cursor.active = !has_ended(run);
    const bool is_too_old = has_ended(run) && run.finished_at < filter_.since;
    if (is_too_old || run.last_seq <= cursor.since_seq) continue;
    if (has_ended(run) && run.updated_at < oldest) {
      cursor.since_seq = run.last_seq;
      ++left_out_;
      continue;
    }
    if (Status status = read(run, cursor, items); !status) return status;
    if (items.size() > kMaxFeedItems + kMoreItems) {
      sort_and_cut(items);
      oldest = items.front().item.created_at;
    }
  }
  sort_and_cut(items);
  return items;
}

Status EventFeed::read(const RunRecord& run, Cursor& cursor, std::vector<FeedItem>& items) {
  for (;;) {
    Result<ItemPage> page = reader_.items(run.run_id, cursor.since_seq, kMaxPageItems);
    if (!page) return page.status();
    // Read the record again after the items: it says what must be redacted in them.
    Result<RunRecord> now = reader_.run(run.run_id);
    const auto record = std::make_shared<const RunRecord>(now ? std::move(*now) : run);
    const auto facts = std::make_shared<const RunFacts>(facts_of(*record, redactions_));
    cursor.since_seq = page->next_since;
    for (StoredItem& item : page->items) {
      const bool wanted = item.type == ItemType::kEvent || item.type == ItemType::kState;
      if (!wanted) continue;
      const bool repeats = repeats_state(item, cursor.state);
      if (item.type == ItemType::kState) cursor.state = item.payload;
      if (item.created_at < filter_.since) continue;
      items.push_back({record, facts, std::move(item), repeats});
    }
    if (!page->more) return {};
  }
}

Status EventFeed::read_answers(std::vector<FeedItem>& items) {
  const DecisionFilter filter{.above_id = last_decision_,
                              .since = filter_.since,
                              .session = filter_.session,
                              .run = filter_.run_id};
  Result<std::vector<DecisionRecord>> decisions =
      first_ ? reader_.last_decisions(filter, kMaxFeedItems)
             : reader_.decisions(filter, kMaxFeedItems);
  if (!decisions) return decisions.status();
  for (const DecisionRecord& decision : *decisions) {
    last_decision_ = decision.id;
    const Json answer = persons_answer(decision);
    if (answer.is_null()) continue;
    RunRecord of;
    of.run_id = decision.run_id;
    of.client = of.session_id = decision.session_id;
    StoredItem item;
    item.type = ItemType::kEvent;
    item.payload = "ask_answered";
    item.meta = to_text(answer);
    item.created_at = decision.created_at;
    items.push_back({std::make_shared<const RunRecord>(std::move(of)),
                     std::make_shared<const RunFacts>(), std::move(item), false});
  }
  return {};
}

void EventFeed::sort_and_cut(std::vector<FeedItem>& items) {
  std::stable_sort(items.begin(), items.end(), [](const FeedItem& left, const FeedItem& right) {
    return left.item.created_at < right.item.created_at;
  });
  if (items.size() <= kMaxFeedItems) return;
  const std::size_t too_many = items.size() - kMaxFeedItems;
  left_out_ += too_many;
  items.erase(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(too_many));
}

}  // namespace gibbous::inspect
