// A segment is one row of run_segments with some consecutive items of a run (schema.cc documents
// it). Pure, any thread.
//
// A row for each item would cost five times as much; up to 4 KB of items make a row, one row a
// page. Its key is `number << 32 | first seq`: items of a run lie together and in order, and need
// no second index. Its XXH3 sum has the sum before it as the seed, so a row is checked by itself,
// and one that is missing or older breaks the chain.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/journal/record.h"

namespace gibbous {

// One row then fits one page of the database: 4096 bytes, less what SQLite and the other columns
// need.
inline constexpr std::size_t kSegmentBytes = 4000;

class SegmentBuilder {
 public:
  bool empty() const { return count_ == 0; }
  std::uint64_t first_seq() const { return first_seq_; }
  std::int64_t created_at() const { return created_at_; }
  std::string_view items() const { return items_; }
  std::string_view data() const { return data_; }
  std::string take_data() { return std::move(data_); }  // before clear()
  // Makes room for items with this many bytes in all.
  void reserve(std::size_t bytes) { data_.reserve(bytes); }

  // Returns true when the item may be added: it is the next one, and there is room (always for a
  // first one).
  bool takes(std::uint64_t seq, std::size_t bytes) const;
  void add(const JournalItem& item);
  void finish() { items_ += ']'; }  // before items() is stored
  void clear();

 private:
  std::uint64_t first_seq_ = 0;
  std::int64_t created_at_ = 0;
  std::size_t count_ = 0;
  std::string items_;
  std::string data_;
};

// One entry of a segment's `items`.
struct SegmentEntry {
  ItemType type = ItemType::kNote;
  std::int64_t delay = 0;  // milliseconds after the segment's created_at
  std::size_t begin = 0;
  std::size_t payload_bytes = 0;
  std::size_t meta_bytes = 0;
};

// Returns the sum of a segment, which covers the sum of the one before it in its run (0: none).
std::int64_t segment_sum(std::int64_t id, std::int64_t created_at, std::string_view items,
                         std::string_view data, std::int64_t sum_before);

// Returns the range of missing items that a note stands for, as the note's meta.
std::string range_meta(std::uint64_t from, std::uint64_t to);

// Returns false when the text is damaged or names bytes beyond `data_bytes`.
bool parse_segment(std::string_view items, std::size_t data_bytes,
                   std::vector<SegmentEntry>* entries);

// Returns the seq up to which a segment stands for its run's items: that of its last entry, or of
// the last item that a note there stands for.
std::uint64_t last_of_segment(std::uint64_t first_seq, const std::vector<SegmentEntry>& entries,
                              std::string_view data);

}  // namespace gibbous
