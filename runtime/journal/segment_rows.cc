#include "runtime/journal/segment_rows.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "runtime/journal/schema.h"
#include "runtime/journal/segment.h"

namespace gibbous {
namespace {

constexpr std::size_t kMaxNamed = 20;  // holes in a message

// Items of a run that are not as they were written.
struct DamagedItems {
  std::string run_id;
  std::uint64_t from = 0;
  std::uint64_t to = 0;
};

std::string name_of(const DamagedItems& items) {
  return "items " + std::to_string(items.from) + " to " + std::to_string(items.to) + " of run " +
         items.run_id;
}

// Walks over the segments in the order of their runs and finds what is not as it was written.
class Walk {
 public:
  struct Segment {
    std::int64_t id = 0;
    bool is_whole = false;
    std::int64_t sum_before = 0;
    std::int64_t sum = 0;
    std::uint64_t last = 0;  // seq; of a damaged one: its first
  };

  explicit Walk(Database& database) : database_(database) {}

  Status prepare() {
    return database_.prepare_all({
        {&next_, "SELECT " + std::string(kSegmentColumns) +
                     " FROM run_segments WHERE id > ? ORDER BY id LIMIT 1"},
        // The last items of a run that goes on may be missing because they were not kept.
        {&run_,
         "SELECT run_id, iif(finished_at IS NULL, 0, last_seq) FROM exec_runs WHERE number = ?"},
        {&empty_,
         "SELECT number FROM exec_runs WHERE number > ? AND finished_at IS NOT NULL"
         " AND last_seq > 0 AND NOT EXISTS (SELECT 1 FROM run_segments"
         " WHERE id BETWEEN number << 32 AND number << 32 | 4294967295) LIMIT 1"},
    });
  }

  // Sets `found` to false at the end.
  Result<bool> next(Segment* segment) {
    const Result<bool> row = next_.with(segment->id).step();
    if (!row || !*row) return row;
    segment->id = next_.integer(0);
    segment->is_whole =
        is_whole_segment(next_) && parse_segment(next_.bytes(2), next_.bytes(3).size(), &entries_);
    segment->sum_before = next_.integer(4);
    segment->sum = next_.integer(5);
    const std::uint64_t first = seq_of_segment(segment->id);
    segment->last = segment->is_whole ? last_of_segment(first, entries_, next_.bytes(3)) : first;
    next_.reset();
    return true;
  }

  // Sets `number` to that of the next run that has ended with items and has none.
  Result<bool> next_empty(std::int64_t* number) {
    const Result<bool> row = empty_.with(*number).step();
    if (!row || !*row) return row;
    *number = empty_.integer(0);
    empty_.reset();
    return true;
  }

  Status run_of(std::int64_t number, std::string* run_id, std::uint64_t* last_seq) {
    const Result<bool> row = run_.with(number).step();
    if (!row) return row.status();
    *run_id = *row ? run_.text(0) : "lost-" + std::to_string(number);
    *last_seq = *row ? static_cast<std::uint64_t>(run_.integer(1)) : 0;
    run_.reset();
    return {};
  }

 private:
  Database& database_;
  Statement next_;
  Statement run_;
  Statement empty_;
  std::vector<SegmentEntry> entries_;
};

}  // namespace

Status SegmentRows::prepare(Database& database) {
  return database.prepare_all({
      {&select_last_,
       "SELECT id, json_array_length(items), sum FROM run_segments"
       " WHERE id >= ? AND id < ? ORDER BY id DESC LIMIT 1"},
      {&insert_,
       "INSERT INTO run_segments (id, created_at, items, data, sum_before, sum)"
       " VALUES (?, ?, ?, ?, ?, ?)"},
  });
}

Result<SegmentRows::End> SegmentRows::end_of(std::int64_t number) {
  select_last_.with(segment_id(number, 0), segment_id(number + 1, 0));
  const Result<bool> last = select_last_.step();
  if (!last) return last.status();
  if (!*last) return End();
  const std::uint64_t first = seq_of_segment(select_last_.integer(0));
  const End end{first + static_cast<std::uint64_t>(select_last_.integer(1)) - 1,
                select_last_.integer(2)};
  select_last_.reset();
  return end;
}

Status SegmentRows::write(std::int64_t number, SegmentBuilder& segment, std::int64_t* sum) {
  if (segment.empty()) return {};
  segment.finish();
  const std::int64_t id = segment_id(number, segment.first_seq());
  const std::int64_t before = *sum;
  *sum = segment_sum(id, segment.created_at(), segment.items(), segment.data(), before);
  insert_.with(id, segment.created_at(), segment.items(), Blob{segment.data()}, before, *sum);
  const Status status = insert_.run();
  segment.clear();
  return status;
}

bool is_whole_segment(const Statement& row) {
  return segment_sum(row.integer(0), row.integer(1), row.bytes(2), row.bytes(3), row.integer(4)) ==
         row.integer(5);
}

namespace {

// Collects what is damaged or missing, up to kMaxNamed places.
class Check {
 public:
  explicit Check(Database& database) : walk_(database) {}

  Status run() {
    Status status = walk_.prepare();
    Walk::Segment segment;
    for (Walk::Segment before; status && found_.size() < kMaxNamed; before = segment) {
      const Result<bool> more = walk_.next(&segment);
      if (!more) return more.status();
      if (!*more || segment.id >> kSeqBits != before.id >> kSeqBits) status = end_run(before);
      if (!*more) break;
      if (status) status = look_at(segment, before);
    }
    return status ? find_empty() : status;
  }

  std::string names() const {
    std::string names;
    for (const DamagedItems& items : found_) names += (names.empty() ? "" : ", ") + name_of(items);
    return names;
  }

 private:
  Status look_at(const Walk::Segment& segment, const Walk::Segment& before) {
    const std::int64_t number = segment.id >> kSeqBits;
    const std::uint64_t first = seq_of_segment(segment.id);
    if (!segment.is_whole) return add(number, first, segment.last);
    // Retention removes runs from their beginning, so that it may be missing.
    if (before.id >> kSeqBits != number) return {};
    if (!before.is_whole || before.sum == segment.sum_before) return {};
    const std::uint64_t from = std::min(before.last + 1, first);
    return add(number, from, std::max(first - 1, from));
  }

  // A run that has ended has items up to its last_seq.
  Status end_run(const Walk::Segment& last) {
    if (last.id == 0 || !last.is_whole) return {};
    std::string id;
    std::uint64_t last_seq = 0;
    const std::int64_t number = last.id >> kSeqBits;
    if (Status status = walk_.run_of(number, &id, &last_seq); !status) return status;
    return last_seq > last.last ? add(number, last.last + 1, last_seq) : Status();
  }

  Status find_empty() {
    std::int64_t number = 0;
    while (found_.size() < kMaxNamed) {
      const Result<bool> more = walk_.next_empty(&number);
      if (!more || !*more) return more.status();
      std::string id;
      std::uint64_t last_seq = 0;
      Status status = walk_.run_of(number, &id, &last_seq);
      if (status) status = add(number, 1, last_seq);
      if (!status) return status;
    }
    return {};
  }

  Status add(std::int64_t number, std::uint64_t from, std::uint64_t to) {
    DamagedItems items;
    std::uint64_t ignored = 0;
    Status status = walk_.run_of(number, &items.run_id, &ignored);
    items.from = from;
    items.to = to;
    found_.push_back(std::move(items));
    return status;
  }

  Walk walk_;
  std::vector<DamagedItems> found_;
};

}  // namespace

Status check_segments(Database& database) {
  Check check(database);
  if (Status status = check.run(); !status) return status;
  const std::string names = check.names();
  return names.empty() ? Status()
                       : corrupt_error(database.path(), names + " are damaged or missing");
}

}  // namespace gibbous
