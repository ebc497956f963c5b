#include "runtime/journal/segment_check.h"

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

std::string name_of(const DamagedItems& items) {
  return "items " + std::to_string(items.from) + " to " + std::to_string(items.to) + " of run " +
         items.run_id;
}

// Walks over the segments in the order of their runs and finds what is not as it was written.
class Walk {
 public:
  struct Segment {
    std::int64_t id = 0;
    std::int64_t created_at = 0;
    bool is_whole = false;
    bool has_sum = false;
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
    const Result<bool> row = next_.bind(1, segment->id).step();
    if (!row || !*row) return row;
    segment->id = next_.integer(0);
    segment->created_at = next_.integer(1);
    segment->is_whole =
        is_whole_segment(next_) && parse_segment(next_.bytes(2), next_.bytes(3).size(), &entries_);
    segment->has_sum = !next_.is_null(5);
    segment->sum_before = next_.integer(4);
    segment->sum = next_.integer(5);
    const std::uint64_t first = seq_of_segment(segment->id);
    segment->last = segment->is_whole ? last_of_segment(first, entries_, next_.bytes(3)) : first;
    next_.reset();
    return true;
  }

  // Sets `number` to that of the next run that has ended with items and has none.
  Result<bool> next_empty(std::int64_t* number) {
    const Result<bool> row = empty_.bind(1, *number).step();
    if (!row || !*row) return row;
    *number = empty_.integer(0);
    empty_.reset();
    return true;
  }

  Status run_of(std::int64_t number, std::string* run_id, std::uint64_t* last_seq) {
    const Result<bool> row = run_.bind(1, number).step();
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

// Puts notes and new sums into a file.
class Filler {
 public:
  explicit Filler(Database& made) : made_(made) {}

  Status prepare() {
    return made_.prepare_all({
        {&insert_,
         "INSERT INTO run_segments (id, created_at, items, data, sum_before, sum)"
         " VALUES (?, ?, ?, ?, ?, ?)"},
        {&read_, "SELECT items, data FROM run_segments WHERE id = ?"},
        {&seal_, "UPDATE run_segments SET sum_before = ?2, sum = ?3 WHERE id = ?1"},
    });
  }

  Status note(std::int64_t number, std::uint64_t from, std::uint64_t to, std::int64_t at) {
    SegmentBuilder note;
    const std::string text = "items " + std::to_string(from) + " to " + std::to_string(to) +
                             " were damaged, and are lost";
    const std::string meta = range_meta(from, to);
    note.add({from, ItemType::kNote, text, meta, at});
    note.finish();
    const std::int64_t id = segment_id(number, from);
    const std::int64_t before =
        std::exchange(sum_, segment_sum(id, note.created_at(), note.items(), note.data(), sum_));
    return insert_.bind(1, id)
        .bind(2, note.created_at())
        .bind(3, note.items())
        .bind_blob(4, note.data())
        .bind(5, before)
        .bind(6, sum_)
        .run();
  }

  // Makes a segment follow the one before it.
  Status seal(const Walk::Segment& segment) {
    if (!segment.has_sum || segment.sum_before == sum_) {
      sum_ = segment.has_sum ? segment.sum : 0;
      return {};
    }
    const Result<bool> row = read_.bind(1, segment.id).step();
    if (!row) return row.status();
    const std::int64_t before = sum_;
    sum_ = segment_sum(segment.id, segment.created_at, read_.bytes(0), read_.bytes(1), before);
    read_.reset();
    return seal_.bind(1, segment.id).bind(2, before).bind(3, sum_).run();
  }

  void begin_run() { sum_ = 0; }

 private:
  Database& made_;
  Statement insert_;
  Statement read_;
  Statement seal_;
  std::int64_t sum_ = 0;  // of the segment before
};

}  // namespace

bool is_whole_segment(const Statement& row) {
  return row.is_null(5) || segment_sum(row.integer(0), row.integer(1), row.bytes(2), row.bytes(3),
                                       row.integer(4)) == row.integer(5);
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
    const bool is_linked =
        !before.is_whole || !before.has_sum || !segment.has_sum || before.sum == segment.sum_before;
    if (is_linked) return {};
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

namespace {

class HoleFiller {
 public:
  HoleFiller(Database& made, RepairReport* report) : walk_(made), filler_(made), report_(report) {}

  Status prepare() {
    Status status = walk_.prepare();
    return status ? filler_.prepare() : status;
  }

  Status fill_all() {
    Walk::Segment segment;
    for (;;) {
      const std::int64_t at = segment.created_at;
      const Result<bool> more = walk_.next(&segment);
      if (!more) return more.status();
      if (!*more) return end_run(at);
      if (segment.id >> kSeqBits != number_) {
        Status status = end_run(at);
        if (status) status = begin_run(segment.id >> kSeqBits);
        if (!status) return status;
      }
      Status status = fill_to(seq_of_segment(segment.id) - 1, segment.created_at);
      if (status) status = filler_.seal(segment);
      if (!status) return status;
      expected_ = segment.last + 1;
    }
  }

  // Runs of which nothing is left.
  Status fill_empty() {
    for (std::int64_t number = 0;;) {
      const Result<bool> more = walk_.next_empty(&number);
      if (!more || !*more) return more.status();
      Status status = begin_run(number);
      if (status) status = end_run(0);
      number_ = 0;
      if (!status) return status;
    }
  }

 private:
  Status begin_run(std::int64_t number) {
    number_ = number;
    expected_ = 1;
    filler_.begin_run();
    return walk_.run_of(number, &run_id_, &last_seq_);
  }
  Status end_run(std::int64_t at) { return number_ == 0 ? Status() : fill_to(last_seq_, at); }
  Status fill_to(std::uint64_t to, std::int64_t at) {
    if (to < expected_) return {};
    report_->damaged.push_back({run_id_, expected_, to});
    return filler_.note(number_, expected_, to, at);
  }

  Walk walk_;
  Filler filler_;
  RepairReport* report_;
  std::int64_t number_ = 0;
  std::string run_id_;
  std::uint64_t last_seq_ = 0;  // 0: unknown
  std::uint64_t expected_ = 1;  // seq
};

}  // namespace

Status fill_holes(Database& made, RepairReport* report) {
  HoleFiller filler(made, report);
  Status status = filler.prepare();
  if (status) status = made.execute("BEGIN IMMEDIATE");
  if (status) status = filler.fill_empty();
  if (status) status = filler.fill_all();
  return status ? made.execute("COMMIT") : status;
}

}  // namespace gibbous
