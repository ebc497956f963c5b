// See log_start.h.
#include "bindings/inspect/log_start.h"

#include <algorithm>

#include "runtime/output/newlines.h"

namespace gibbous::inspect {
namespace {

constexpr std::uint64_t kFirstWindow = 256;  // items
constexpr std::uint64_t kWindowGrowth = 8;

// Counts the lines of output above `since_seq`.
Result<std::uint64_t> count_lines(JournalReader& reader, const RunRecord& run,
                                  std::uint64_t since_seq, LogStreams streams) {
  std::uint64_t lines = 0;
  bool in_line = false;
  for (;;) {
    const Result<ItemPage> page = reader.items(run.run_id, since_seq, kMaxPageItems);
    if (!page) return page.status();
    for (const StoredItem& item : page->items) {
      if (!is_output(item.type, streams) || item.payload.empty()) continue;
      lines += count_newlines(item.payload.data(), item.payload.size());
      in_line = item.payload.back() != '\n';
    }
    if (!page->more) return lines + (in_line ? 1 : 0);
    since_seq = page->next_since;
  }
}

}  // namespace

Result<LogStart> start_at_time(JournalReader& reader, const RunRecord& run, std::int64_t at) {
  // The wanted item lies above `low` and not above `high`.
  std::uint64_t low = 0;
  std::uint64_t high = kMaxSeq;
  while (low < high) {
    const std::uint64_t middle = low + (high - low) / 2;
    const Result<ItemPage> page = reader.items(run.run_id, middle, 1);
    if (!page) return page.status();
    if (!page->items.empty() && page->items.front().created_at < at) {
      low = std::min(page->items.front().seq, high);
    } else {
      high = middle;
    }
  }
  return LogStart{.since_seq = low};
}

Result<LogStart> start_of_tail(JournalReader& reader, const RunRecord& run, std::uint64_t lines,
                               LogStreams streams) {
  for (std::uint64_t window = kFirstWindow;; window *= kWindowGrowth) {
    const std::uint64_t since = run.last_seq > window ? run.last_seq - window : 0;
    const Result<std::uint64_t> found = count_lines(reader, run, since, streams);
    if (!found) return found.status();
    // The first line of a window may begin before the window.
    if (*found > lines || since == 0) {
      return LogStart{.since_seq = since, .skip_lines = *found > lines ? *found - lines : 0};
    }
  }
}

}  // namespace gibbous::inspect
