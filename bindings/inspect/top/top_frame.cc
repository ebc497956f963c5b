// The rows of the screen: totals, the list or a log, the keys.
#include <algorithm>
#include <cmath>
#include <string_view>

#include "bindings/inspect/figures.h"
#include "bindings/inspect/run_text.h"
#include "bindings/inspect/top/top.h"
#include "bindings/stdio/question_text.h"
#include "runtime/output/text.h"
#include "runtime/output/utf8.h"

namespace gibbous::top {
namespace {

constexpr std::string_view kBold = "\x1b[1m";
constexpr std::string_view kDim = "\x1b[2m";
constexpr std::string_view kInverse = "\x1b[7m";
constexpr std::string_view kRed = "\x1b[31m";
constexpr std::string_view kYellow = "\x1b[33m";
constexpr std::string_view kReset = "\x1b[0m";
constexpr std::size_t kColumnGap = 2;
constexpr std::size_t kMaxNameBytes = 64;
constexpr std::size_t kMaxTitleBytes = 200;
// The sums above, the keys below; the headings of the list, the title of the log.
constexpr std::size_t kOtherLines = 3;
constexpr const char* kUnknown = "-";

std::size_t columns_of(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return !is_utf8_continuation(c); }));
}

std::string processor_text(double percent) {
  return percent < 0 ? kUnknown : std::to_string(std::lround(percent)) + "%";
}

// Cells under one another; the last column goes on to the end of the line.
std::vector<std::string> aligned(const std::vector<std::vector<std::string>>& table) {
  std::vector<std::size_t> widths(table.front().size());
  for (const auto& row : table) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], columns_of(row[i]));
    }
  }
  std::vector<std::string> lines;
  for (const auto& row : table) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      line += row[i];
      if (i + 1 < row.size()) line.append(widths[i] - columns_of(row[i]) + kColumnGap, ' ');
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

std::string_view colour_of(const inspect::LiveRun& run) {
  if (run.presence == inspect::Presence::kGone) return kRed;
  return run.waits_for_input() ? kYellow : std::string_view();
}

}  // namespace

std::vector<std::string> Top::frame(const ScreenSize& size, const inspect::OutputTail* log) const {
  const std::size_t rows = size.rows - std::min(size.rows, kOtherLines);
  std::vector<std::string> lines = {summary()};
  const auto middle = log_run_.empty() ? list_lines(rows) : log_lines(rows, log);
  lines.insert(lines.end(), middle.begin(), middle.end());
  lines.resize(std::max<std::size_t>(size.rows, 2) - 1);
  lines.push_back(last_line());
  return lines;
}

std::string Top::summary() const {
  double processor = 0;
  std::uint64_t memory = 0;
  std::size_t waiting = 0;
  for (const Row& row : rows_) {
    processor += std::max(row.processor, 0.0);
    memory += row.run.usage.rss_bytes;
    waiting += row.run.waits_for_input() ? 1 : 0;
  }
  const std::size_t count = rows_.size();
  return std::string(kBold) + "gibbous top" + std::string(kReset) + "  " +
         inspect::time_text(now_).substr(0, std::string_view("15:04:05").size()) + "  " +
         std::to_string(count) + (count == 1 ? " run" : " runs") +
         (waiting > 0 ? ", " + std::to_string(waiting) + " waiting for input" : "") + "  CPU " +
         processor_text(processor) + "  MEM " + inspect::bytes_text(memory);
}

std::string Top::last_line() const {
  if (!asking_.empty()) {
    return std::string(kBold) + "kill " + stdio::printable(asking_, kMaxNameBytes) +
           " and everything that it started? [y/N]";
  }
  if (!message_.empty()) return std::string(kYellow) + stdio::printable(message_, kMaxTitleBytes);
  return std::string(kDim) + (log_run_.empty()
                                  ? "up/down select   enter log   k kill   sort: c processor  m "
                                    "memory  a age  n name   q quit"
                                  : "q back to the list");
}

std::vector<std::string> Top::cells(const Row& row) const {
  const inspect::LiveRun& run = row.run;
  const bool there = run.presence == inspect::Presence::kThere;
  return {stdio::printable(run.record.run_id, kMaxNameBytes),
          inspect::state_text(run),
          stdio::printable(session_name(run.record), kMaxNameBytes),
          inspect::duration_text(now_ - inspect::beginning_of(run.record)),
          processor_text(row.processor),
          there ? inspect::bytes_text(run.usage.rss_bytes) : kUnknown,
          inspect::ports_text(run.usage),
          inspect::title_of(run.record, run.facts)};
}

std::vector<std::string> Top::list_lines(std::size_t rows) const {
  if (rows_.empty()) return {"", "no runs"};
  std::vector<std::vector<std::string>> table = {
      {"ID", "STATE", "SESSION", sort_by_ == SortBy::kAge ? "AGE*" : "AGE",
       sort_by_ == SortBy::kProcessor ? "CPU*" : "CPU",
       sort_by_ == SortBy::kMemory ? "MEM*" : "MEM", "PORTS",
       sort_by_ == SortBy::kName ? "COMMAND*" : "COMMAND"}};
  // As far down as it must be for the selected one to be seen.
  const std::size_t place = selected();
  const std::size_t first = rows > 0 && place >= rows ? place - rows + 1 : 0;
  for (std::size_t i = first; i < rows_.size() && i < first + rows; ++i) {
    table.push_back(cells(rows_[i]));
  }
  std::vector<std::string> lines = aligned(table);
  lines.front().insert(0, kBold);
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const std::size_t row = first + i - 1;
    lines[i].insert(0, row == place ? kInverse : colour_of(rows_[row].run));
  }
  return lines;
}

std::vector<std::string> Top::log_lines(std::size_t rows, const inspect::OutputTail* log) const {
  std::vector<std::string> lines = {std::string(kBold) + "log of " +
                                    stdio::printable(log_run_, kMaxNameBytes)};
  if (log == nullptr) return lines;
  const auto shown = [](const std::string& raw) {
    std::string text = clean(raw);
    std::replace(text.begin(), text.end(), '\t', ' ');
    return text;
  };
  const bool has_open = !log->open_line().empty();
  const auto& all = log->lines();
  const std::size_t room = rows - std::min<std::size_t>(rows, has_open ? 1 : 0);
  for (std::size_t i = all.size() - std::min(all.size(), room); i < all.size(); ++i) {
    const bool is_note = all[i].kind == inspect::OutputLine::Kind::kNote;
    lines.push_back(is_note ? std::string(kDim) +
                                  "[gibbous: " + stdio::printable(all[i].text, kMaxTitleBytes) + "]"
                            : shown(all[i].text));
  }
  if (has_open) lines.push_back(shown(log->open_line()));
  return lines;
}

}  // namespace gibbous::top
