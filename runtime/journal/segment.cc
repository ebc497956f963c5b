#include "runtime/journal/segment.h"

#include <xxhash.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>

namespace gibbous {
namespace {

constexpr std::size_t kMostEntryBytes = 48;  // five numbers, their commas and brackets
constexpr std::size_t kFields = 5;

class Scanner {
 public:
  explicit Scanner(std::string_view text) : at_(text.data()), end_(at_ + text.size()) {}

  bool take(char c) {
    if (at_ == end_ || *at_ != c) return false;
    ++at_;
    return true;
  }
  bool number(std::int64_t* value) {
    const std::from_chars_result result = std::from_chars(at_, end_, *value);
    at_ = result.ptr;
    return result.ec == std::errc();
  }
  bool at_end() const { return at_ == end_; }

 private:
  const char* at_;
  const char* end_;
};

bool is_inside(const std::array<std::int64_t, kFields>& fields, std::size_t data_bytes) {
  std::size_t end = 0;
  for (std::size_t i = 2; i < kFields; ++i) {
    if (fields[i] < 0 || static_cast<std::size_t>(fields[i]) > data_bytes) return false;
    end += static_cast<std::size_t>(fields[i]);
  }
  return end <= data_bytes && fields[0] >= 0 &&
         fields[0] <= static_cast<std::int64_t>(ItemType::kNote);
}

}  // namespace

const char* to_string(ItemType type) {
  switch (type) {
    case ItemType::kStdout:
      return "stdout";
    case ItemType::kStderr:
      return "stderr";
    case ItemType::kTerminal:
      return "terminal";
    case ItemType::kEvent:
      return "event";
    case ItemType::kState:
      return "state";
    case ItemType::kNote:
      return "note";
  }
  return "note";
}

bool SegmentBuilder::takes(std::uint64_t seq, std::size_t bytes) const {
  if (count_ == 0) return true;
  return seq == first_seq_ + count_ &&
         data_.size() + items_.size() + bytes + kMostEntryBytes <= kSegmentBytes;
}

void SegmentBuilder::add(const JournalItem& item) {
  if (count_ == 0) {
    first_seq_ = item.seq;
    created_at_ = item.created_at;
  }
  std::array<char, kMostEntryBytes + kMostEntryBytes> text;
  char* at = text.data();
  char* const end = at + text.size();
  *at++ = count_ == 0 ? '[' : ',';
  *at++ = '[';
  const auto put = [&](auto value, char behind) {
    at = std::to_chars(at, end, value).ptr;
    *at++ = behind;
  };
  put(static_cast<unsigned>(item.type), ',');
  put(item.created_at - created_at_, ',');
  put(data_.size(), ',');
  put(item.payload.size(), ',');
  put(item.meta.size(), ']');
  items_.append(text.data(), static_cast<std::size_t>(at - text.data()));
  data_.append(item.payload).append(item.meta);
  ++count_;
}

void SegmentBuilder::clear() {
  count_ = 0;
  items_.clear();
  data_.clear();
}

std::int64_t segment_sum(std::int64_t id, std::int64_t created_at, std::string_view items,
                         std::string_view data, std::int64_t sum_before) {
  const std::array<std::int64_t, 2> numbers = {id, created_at};
  XXH64_hash_t sum = static_cast<XXH64_hash_t>(sum_before);
  sum = XXH3_64bits_withSeed(numbers.data(), sizeof(numbers), sum);
  sum = XXH3_64bits_withSeed(items.data(), items.size(), sum);
  sum = XXH3_64bits_withSeed(data.data(), data.size(), sum);
  return static_cast<std::int64_t>(sum);
}

std::string range_meta(std::uint64_t from, std::uint64_t to) {
  return "{\"from\":" + std::to_string(from) + ",\"to\":" + std::to_string(to) + "}";
}

bool parse_segment(std::string_view items, std::size_t data_bytes,
                   std::vector<SegmentEntry>* entries) {
  entries->clear();
  Scanner scanner(items);
  if (!scanner.take('[')) return false;
  do {
    std::array<std::int64_t, kFields> fields{};
    if (!scanner.take('[')) return false;
    for (std::size_t i = 0; i < kFields; ++i) {
      if (!scanner.number(&fields[i]) || !scanner.take(i + 1 < kFields ? ',' : ']')) return false;
    }
    if (!is_inside(fields, data_bytes)) return false;
    entries->push_back({static_cast<ItemType>(fields[0]), fields[1],
                        static_cast<std::size_t>(fields[2]), static_cast<std::size_t>(fields[3]),
                        static_cast<std::size_t>(fields[4])});
  } while (scanner.take(','));
  return scanner.take(']') && scanner.at_end();
}

std::uint64_t last_of_segment(std::uint64_t first_seq, const std::vector<SegmentEntry>& entries,
                              std::string_view data) {
  const std::uint64_t last = first_seq + entries.size() - 1;
  const SegmentEntry& entry = entries.back();
  if (entry.type != ItemType::kNote) return last;
  const std::string meta(data.substr(entry.begin + entry.payload_bytes, entry.meta_bytes));
  const std::string begin = "{\"from\":" + std::to_string(last) + ",\"to\":";
  if (meta.compare(0, begin.size(), begin) != 0) return last;
  return std::clamp<std::uint64_t>(std::strtoull(meta.c_str() + begin.size(), nullptr, 10), last,
                                   kMaxSeq);
}

}  // namespace gibbous
