#include "runtime/journal/journal_reader.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "runtime/journal/backlog.h"
#include "runtime/journal/journal_reader_impl.h"
#include "runtime/journal/place.h"
#include "runtime/journal/run_row.h"
#include "runtime/journal/schema.h"
#include "runtime/journal/segment_rows.h"

namespace gibbous {
namespace {

StoredItem damage_note(std::uint64_t from, std::uint64_t to, std::int64_t at) {
  return {
      from, ItemType::kNote,
      "items " + std::to_string(from) + " to " + std::to_string(to) + " are damaged in the journal",
      range_meta(from, to), at};
}

DecisionRecord decision_of(const Statement& row) {
  return {row.integer(0), row.integer(1), row.text(2), row.text(3),
          row.integer(4), row.text(5),    row.text(6), row.text(7)};
}

HostCallRecord host_call_of(const Statement& row) {
  return {row.text(0),    row.text(1),    row.text(2), row.text(3),    row.text(4),
          row.integer(5), row.integer(6), row.text(7), row.integer(8), row.integer(9)};
}

}  // namespace

Status JournalReader::Impl::prepare() {
  return database->prepare_all({
      {&select_number, "SELECT number FROM exec_runs WHERE run_id = ?"},
      {&select_start, "SELECT max(id) FROM run_segments WHERE id BETWEEN ? AND ?"},
      {&select_segments, "SELECT " + std::string(kSegmentColumns) +
                             " FROM run_segments WHERE id >= ? AND id < ? ORDER BY id"},
      {&select_last, "SELECT " + std::string(kSegmentColumns) +
                         " FROM run_segments WHERE id >= ? AND id < ? ORDER BY id DESC"},
      {&select_end,
       "SELECT coalesce((SELECT min(id) - 1 FROM run_segments WHERE id > ?1 AND id < ?2),"
       " (SELECT last_seq FROM exec_runs WHERE number = ?1 >> 32))"},
      {&select_run, std::string(kSelectRun) + " WHERE run_id = ?"},
      {&select_changes, "PRAGMA data_version"},
      {&select_ended,
       "SELECT last_seq, finished_at FROM exec_runs WHERE number = ? AND finished_at IS NOT NULL"},
  });
}

Result<std::int64_t> JournalReader::Impl::number_of(std::string_view run_id) {
  const Result<bool> row = select_number.with(run_id).step();
  if (!row) return row.status();
  const std::int64_t number = *row ? select_number.integer(0) : 0;
  select_number.reset();
  return number;
}

Result<std::int64_t> JournalReader::Impl::segment_at(std::int64_t number, std::uint64_t seq) {
  const std::int64_t begin = segment_id(number, 0);
  select_start.with(begin, segment_id(number, std::min(seq, kMaxSeq)));
  const Result<bool> row = select_start.step();
  if (!row) return row.status();
  const std::int64_t id = select_start.is_null(0) ? begin : select_start.integer(0);
  select_start.reset();
  return id;
}

bool JournalReader::Impl::is_whole(const Statement& rows) {
  return is_whole_segment(rows) && parse_segment(rows.bytes(2), rows.bytes(3).size(), &entries);
}

Result<std::uint64_t> JournalReader::Impl::end_of_segment(std::int64_t id) {
  select_end.with(id, segment_id((id >> kSeqBits) + 1, 0));
  const Result<bool> row = select_end.step();
  if (!row) return row.status();
  const std::uint64_t end = *row ? seq_of_segment(select_end.integer(0)) : 0;
  select_end.reset();
  return std::max(end, seq_of_segment(id));
}

// A note takes the place of a damaged segment, and of those that are missing before a whole one.
Status JournalReader::Impl::add_damage(bool whole, ItemPage* page) {
  const std::int64_t id = select_segments.integer(0);
  const std::uint64_t first = seq_of_segment(id);
  const Result<std::uint64_t> end = whole ? first - 1 : end_of_segment(id);
  if (!end || *end <= page->next_since) return end.status();
  const std::uint64_t from = page->next_since + 1;
  page->items.push_back(
      damage_note(whole ? from : std::max(from, first), *end, select_segments.integer(1)));
  page->next_since = *end;
  return {};
}

Result<JournalReader::Impl::End> JournalReader::Impl::end_of_run(std::int64_t number) {
  const Result<bool> row = select_ended.with(number).step();
  if (!row || !*row) return row ? Result<End>(End()) : row.status();
  const std::int64_t last = std::clamp<std::int64_t>(select_ended.integer(0), 0, kMaxSeq);
  const End end{static_cast<std::uint64_t>(last), select_ended.integer(1)};
  select_ended.reset();
  return end;
}

void JournalReader::Impl::add_missing_end(std::uint64_t covered, const End& end, std::size_t limit,
                                          ItemPage* page) {
  const std::uint64_t from = std::max(covered, page->next_since) + 1;
  if (end.last_seq < from) return;
  page->more = page->items.size() >= limit;
  if (page->more) return;
  page->items.push_back(damage_note(from, end.last_seq, end.at));
  page->next_since = end.last_seq;
}

Result<ItemPage> JournalReader::Impl::page(std::int64_t number, std::uint64_t since_seq,
                                           std::size_t limit, std::size_t max_bytes) {
  ItemPage page;
  page.next_since = since_seq;
  limit = std::min(limit, kMaxPageItems);
  const Result<std::int64_t> start = segment_at(number, since_seq + 1);
  if (!start) return start.status();
  // Read this first: a run that goes on gets more items meanwhile.
  const Result<End> end = end_of_run(number);
  if (!end) return end.status();
  select_segments.with(*start, segment_id(number + 1, 0));
  std::size_t bytes = 0;
  std::int64_t sum_before = 0;
  std::uint64_t covered = 0;  // seq
  for (bool is_first = true;; is_first = false) {
    const Result<bool> row = select_segments.step();
    if (!row) return row.status();
    if (!*row) {
      add_missing_end(covered, *end, limit, &page);
      return page;
    }
    const bool whole = is_whole(select_segments);
    const bool follows = is_first || select_segments.integer(4) == sum_before;
    sum_before = select_segments.integer(5);
    if (whole) {
      covered = last_of_segment(seq_of_segment(select_segments.integer(0)), entries,
                                select_segments.bytes(3));
    }
    if ((!whole || !follows) && page.items.size() < limit) {
      if (Status status = add_damage(whole, &page); !status) {
        select_segments.reset();
        return status;
      }
    }
    if (!whole && page.items.size() < limit) continue;
    if (!add_items(since_seq, limit, max_bytes, &bytes, &page)) {
      page.more = true;
      select_segments.reset();
      return page;
    }
  }
}

bool JournalReader::Impl::add_items(std::uint64_t since_seq, std::size_t limit,
                                    std::size_t max_bytes, std::size_t* bytes, ItemPage* page) {
  if (page->items.size() >= limit) return false;
  const std::string_view data = select_segments.bytes(3);
  const std::int64_t created_at = select_segments.integer(1);
  std::uint64_t seq = seq_of_segment(select_segments.integer(0));
  for (const SegmentEntry& entry : entries) {
    const std::uint64_t this_seq = seq++;
    if (this_seq <= since_seq) continue;
    const std::size_t size = entry.payload_bytes + entry.meta_bytes;
    if (page->items.size() >= limit || (!page->items.empty() && *bytes + size > max_bytes)) {
      return false;
    }
    *bytes += size;
    page->items.push_back(
        {this_seq, entry.type, std::string(data.substr(entry.begin, entry.payload_bytes)),
         std::string(data.substr(entry.begin + entry.payload_bytes, entry.meta_bytes)),
         created_at + entry.delay});
    page->next_since = this_seq;
  }
  return true;
}

JournalReader::JournalReader(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
JournalReader::~JournalReader() = default;

Result<std::unique_ptr<JournalReader>> JournalReader::open(const std::string& directory,
                                                           Millis patience) {
  Result<std::unique_ptr<Database>> database = open_for_reading(directory, patience);
  if (!database) return database.status();
  auto impl = std::make_unique<Impl>(std::move(*database));
  if (Status status = impl->prepare(); !status) return status;
  return std::unique_ptr<JournalReader>(new JournalReader(std::move(impl)));
}

void JournalReader::set_patience(Millis patience) {
  impl_->database->set_busy_timeout(patience);
}

bool JournalReader::is_current() const {
  return impl_->database->is_current() && check_version(*impl_->database);
}

Result<std::vector<RunRecord>> JournalReader::runs(std::string_view session_id, std::size_t limit) {
  std::string sql(kSelectRun);
  sql += session_id.empty() ? " WHERE ?1 = ''" : " WHERE (client = ?1 OR session_id = ?1)";
  sql += " ORDER BY number DESC LIMIT ?2";
  Result<Statement> statement = impl_->database->prepare(sql.c_str());
  if (!statement) return statement.status();
  statement->with(session_id, as_limit(limit));
  return all<RunRecord>(*statement, run_of);
}

Result<std::vector<RunRecord>> JournalReader::queued_runs(std::string_view session_id,
                                                          std::size_t limit) {
  const std::string sql =
      std::string(kSelectRun) +
      " INDEXED BY exec_runs_queued WHERE status = 'queued'"
      " AND (?1 = '' OR client = ?1 OR session_id = ?1) ORDER BY number DESC LIMIT ?2";
  Result<Statement> statement = impl_->database->prepare(sql.c_str());
  if (!statement) return statement.status();
  statement->with(session_id, as_limit(limit));
  return all<RunRecord>(*statement, run_of);
}

Result<RunRecord> JournalReader::run(std::string_view run_id) {
  const Result<bool> row = impl_->select_run.with(run_id).step();
  if (!row) return row.status();
  if (!*row) {
    return Status::error("run_not_found", "the journal holds no run " + std::string(run_id));
  }
  RunRecord run = run_of(impl_->select_run);
  impl_->select_run.reset();
  return run;
}

Result<RunRecord> JournalReader::run_of_request(std::string_view client,
                                                std::string_view request_id) {
  const std::string sql =
      std::string(kSelectRun) + " WHERE client = ?1 AND request_id = ?2 LIMIT 1";
  Result<Statement> statement = impl_->database->prepare(sql.c_str());
  if (!statement) return statement.status();
  const Result<bool> row = statement->with(client, request_id).step();
  if (!row) return row.status();
  if (*row) return run_of(*statement);
  return Status::error("run_not_found",
                       "the journal holds no run with request_id " + std::string(request_id));
}

Result<ItemPage> JournalReader::items(std::string_view run_id, std::uint64_t since_seq,
                                      std::size_t limit, std::size_t max_bytes) {
  const Result<std::int64_t> number = impl_->number_of(run_id);
  if (!number) return number.status();
  if (*number != 0 && since_seq < kMaxSeq) return impl_->page(*number, since_seq, limit, max_bytes);
  ItemPage none;
  none.next_since = since_seq;
  return none;
}

Result<ItemPage> JournalReader::tail(std::string_view run_id, std::size_t count) {
  const Result<std::int64_t> number = impl_->number_of(run_id);
  if (!number) return number.status();
  if (*number == 0) return ItemPage();
  count = std::min(count, kMaxPageItems);
  std::uint64_t since = 0;
  std::size_t found = 0;
  Statement& last = impl_->select_last;
  last.with(segment_id(*number, 0), segment_id(*number + 1, 0));
  while (found < count) {
    const Result<bool> row = last.step();
    if (!row) return row.status();
    if (!*row) break;
    // A note takes the place of a damaged segment.
    found += impl_->is_whole(last) ? impl_->entries.size() : 1;
    const std::uint64_t first = seq_of_segment(last.integer(0));
    since = first - 1 + (found > count ? found - count : 0);
  }
  last.reset();
  if (count == 0) return ItemPage();
  return impl_->page(*number, since, kMaxPageItems, std::numeric_limits<std::size_t>::max());
}

Result<std::vector<BacklogMessage>> JournalReader::backlog(std::string_view session_id,
                                                           std::uint64_t since_seq,
                                                           std::size_t limit) {
  Result<Statement> statement = impl_->database->prepare(
      "SELECT session_id, seq, run_id, event, payload, created_at, for_agent FROM backlog_messages"
      " WHERE session_id = ? AND seq > ? ORDER BY created_at, seq LIMIT ?");
  if (!statement) return statement.status();
  statement->with(session_id, static_cast<std::int64_t>(std::min(since_seq, kMaxSeq)),
                  as_limit(limit));
  return all<BacklogMessage>(*statement, message_of);
}

Result<std::vector<DecisionRecord>> JournalReader::decisions(const DecisionFilter& filter,
                                                             std::size_t limit, const char* order) {
  const std::string sql =
      std::string(
          "SELECT id, created_at, session_id, run_id, generation, decision, rule, record_json"
          " FROM decisions WHERE id > ?1 AND created_at >= ?2 AND (?3 = '' OR session_id = ?3)"
          " AND substr(run_id, 1, length(?4)) = ?4 AND (?5 = '' OR rule GLOB ?5)"
          " AND (?6 = '' OR decision = ?6) ORDER BY id ") +
      order + " LIMIT ?7";
  Result<Statement> statement = impl_->database->prepare(sql.c_str());
  if (!statement) return statement.status();
  statement->with(filter.above_id, filter.since, filter.session, filter.run, filter.rule,
                  filter.decision, as_limit(limit));
  return all<DecisionRecord>(*statement, decision_of);
}

Result<std::vector<DecisionRecord>> JournalReader::decisions(const DecisionFilter& filter,
                                                             std::size_t limit) {
  return decisions(filter, limit, "ASC");
}

Result<std::vector<DecisionRecord>> JournalReader::last_decisions(const DecisionFilter& filter,
                                                                  std::size_t limit) {
  auto found = decisions(filter, limit, "DESC");
  if (found) std::reverse(found->begin(), found->end());
  return found;
}

Result<std::vector<HostCallRecord>> JournalReader::host_calls(std::string_view session,
                                                              CallsThat which, std::size_t limit) {
  const std::string sql =
      std::string(
          "SELECT call_id, session_id, workspace, tool, outcome, pid, pid_started, pid_space,"
          " started_at, finished_at FROM host_calls WHERE ") +
      (which == CallsThat::kGoOn ? "finished_at IS NULL" : "finished_at IS NOT NULL") +
      " AND (?1 = '' OR session_id = ?1) ORDER BY id DESC LIMIT ?2";
  Result<Statement> statement = impl_->database->prepare(sql.c_str());
  if (!statement) return statement.status();
  statement->with(session, as_limit(limit));
  return all<HostCallRecord>(*statement, host_call_of);
}

}  // namespace gibbous
