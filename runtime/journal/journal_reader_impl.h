// JournalReader::Impl holds the connection and turns rows into records. Internal; one thread at a
// time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/journal/database.h"
#include "runtime/journal/journal_reader.h"
#include "runtime/journal/segment.h"

namespace gibbous {

struct JournalReader::Impl {
  explicit Impl(std::unique_ptr<Database> opened) : database(std::move(opened)) {}
  Status prepare();
  // Returns the run's number, or 0 when there is none.
  Result<std::int64_t> number_of(std::string_view run_id);
  // Returns the key of the segment that holds `seq`, or of the first one after it.
  Result<std::int64_t> segment_at(std::int64_t number, std::uint64_t seq);
  // Returns true when the current row of `rows` (kSegmentColumns) is as it was written, and sets
  // `entries`.
  bool is_whole(const Statement& rows);
  // Returns the last seq of the segment with this key, whatever its row says.
  Result<std::uint64_t> end_of_segment(std::int64_t id);
  Status add_damage(bool whole, ItemPage* page);
  // The last item of a run that has ended, and when it ended; 0 for one that goes on.
  struct End {
    std::uint64_t last_seq = 0;
    std::int64_t at = 0;
  };
  Result<End> end_of_run(std::int64_t number);
  // Adds a note when items above `covered` up to the end are missing.
  static void add_missing_end(std::uint64_t covered, const End& end, std::size_t limit,
                              ItemPage* page);
  // Adds the items of the current segment; returns false when the page is full.
  bool add_items(std::uint64_t since_seq, std::size_t limit, std::size_t max_bytes,
                 std::size_t* bytes, ItemPage* page);
  Result<ItemPage> page(std::int64_t number, std::uint64_t since_seq, std::size_t limit,
                        std::size_t max_bytes);

  std::unique_ptr<Database> database;
  Statement select_number;
  Statement select_start;
  Statement select_segments;
  Statement select_last;
  Statement select_end;
  Statement select_run;
  Statement select_changes;
  Statement select_ended;
  std::vector<SegmentEntry> entries;
};

inline std::int64_t as_limit(std::size_t limit) {
  return static_cast<std::int64_t>(
      std::min<std::size_t>(limit, std::numeric_limits<std::int32_t>::max()));
}

// Returns all rows of a statement whose parameters are bound.
template <typename Row>
Result<std::vector<Row>> all(Statement& statement, Row (*read)(const Statement&)) {
  std::vector<Row> rows;
  for (;;) {
    const Result<bool> row = statement.step();
    if (!row) return row.status();
    if (!*row) return rows;
    rows.push_back(read(statement));
  }
}

}  // namespace gibbous
