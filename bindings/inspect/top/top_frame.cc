// The rows of the screen: totals, the list or a log, the keys.
#include <algorithm>
#include <cmath>
#include <string_view>

#include "bindings/inspect/figures.h"
#include "bindings/inspect/run_text.h"
#include "bindings/inspect/table.h"
#include "bindings/inspect/top/top.h"
#include "bindings/stdio/question_text.h"
#include "runtime/output/utf8.h"

namespace gibbous::top {
namespace {

constexpr std::string_view kBold = "\x1b[1m";
constexpr std::string_view kDim = "\x1b[2m";
constexpr std::string_view kInverse = "\x1b[7m";
constexpr std::string_view kRed = "\x1b[31m";
constexpr std::string_view kYellow = "\x1b[33m";
constexpr std::string_view kReset = "\x1b[0m";
constexpr std::size_t kMaxNameBytes = 64;
constexpr std::size_t kMaxTitleBytes = 200;
// The rows between the totals and the keys; with fewer, the list is alone.
constexpr std::size_t kLeastSplitRows = 10;
constexpr std::size_t kMaxQuestionRows = 3;
constexpr const char* kRule = "─";
constexpr std::size_t kRuleBefore = 2;
constexpr const char* kUnknown = "-";

std::string processor_text(double percent) {
  return percent < 0 ? kUnknown : std::to_string(std::lround(percent)) + "%";
}

std::string_view colour_of(const inspect::LiveRun& run) {
  if (run.presence == inspect::Presence::kGone) return kRed;
  return run.waits_for_input() ? kYellow : std::string_view();
}

}  // namespace

std::vector<std::string> Top::frame(const ScreenSize& size,
                                    const inspect::OutputTail* output) const {
  const std::size_t middle = size.rows - std::min<std::size_t>(size.rows, 2);
  std::vector<std::string> lines = {summary()};
  const auto add = [&lines](const std::vector<std::string>& more) {
    lines.insert(lines.end(), more.begin(), more.end());
  };
  // The oldest questions, above everything: an agent waits.
  const std::vector<std::string> waiting =
      log_run_.empty() ? questions_.brief(std::min(kMaxQuestionRows, size.rows / 4), now_)
                       : std::vector<std::string>();
  const std::size_t room = middle - std::min(middle, waiting.size());
  if (!questions_.is_shown()) {
    for (const std::string& each : waiting) lines.push_back(std::string(kYellow) + each);
  }
  if (questions_.is_shown()) {
    add(questions_.whole(middle, size.columns, now_));
  } else if (!log_run_.empty()) {
    lines.push_back(output_title(size.columns));
    add(output_lines(middle - std::min<std::size_t>(middle, 1), output));
  } else if (room < kLeastSplitRows || rows_.empty()) {
    add(list_lines(room - std::min<std::size_t>(room, 1), size.columns));
  } else {
    const std::size_t runs = std::min(rows_.size(), room / 2 - 1);
    add(list_lines(runs, size.columns));
    lines.push_back(output_title(size.columns));
    add(output_lines(room - runs - 2, output));
  }
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
         (questions_.count() > 0 ? ", " + std::to_string(questions_.count()) +
                                       (questions_.count() == 1 ? " question" : " questions")
                                 : "") +
         (waiting > 0 ? ", " + std::to_string(waiting) + " waiting for input" : "") + "  CPU " +
         processor_text(processor) + "  MEM " + inspect::bytes_text(memory);
}

std::string Top::last_line() const {
  if (!asking_.empty()) {
    return std::string(kBold) + "kill " + stdio::printable(asking_, kMaxNameBytes) +
           " and everything that it started? [y/N]";
  }
  if (!message_.empty()) return std::string(kYellow) + stdio::printable(message_, kMaxTitleBytes);
  if (questions_.is_shown()) return std::string(kBold) + questions_.keys();
  if (searching_) return std::string(kBold) + "/" + stdio::printable(*searching_, kMaxTitleBytes);
  return std::string(kDim) +
         (log_run_.empty() && questions_.count() > 0 ? "? answer a question   " : "") +
         (log_run_.empty()
              ? "up/down select  pgup/pgdn scroll  / search  enter log  k kill  sort: c "
                "processor  m memory  a age  n name  q quit"
              : "up/down scroll   home/end   / search   < > matches   q back to the "
                "list");
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

std::vector<std::string> Top::list_lines(std::size_t rows, std::size_t columns) const {
  if (rows_.empty()) return {"", "no runs"};
  std::vector<std::vector<std::string>> table = {
      {"ID", "STATE", "SESSION", sort_by_ == SortBy::kAge ? "AGE*" : "AGE",
       sort_by_ == SortBy::kProcessor ? "CPU*" : "CPU",
       sort_by_ == SortBy::kMemory ? "MEM*" : "MEM", "PORTS",
       sort_by_ == SortBy::kName ? "COMMAND*" : "COMMAND"}};
  // Scrolls only as far as needed to show the selected run.
  const std::size_t place = selected();
  const std::size_t first = rows > 0 && place >= rows ? place - rows + 1 : 0;
  for (std::size_t i = first; i < rows_.size() && i < first + rows; ++i) {
    table.push_back(cells(rows_[i]));
  }
  std::vector<std::string> lines = inspect::table_lines(table, columns);
  lines.front().insert(0, kBold);
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const std::size_t row = first + i - 1;
    lines[i].insert(0, row == place ? kInverse : colour_of(rows_[row].run));
  }
  return lines;
}

std::string Top::output_title(std::size_t columns) const {
  const std::string run_id = output_run();
  std::string title = " " + std::string(log_run_.empty() ? "output" : "log") + " of " +
                      stdio::printable(run_id, kMaxNameBytes);
  for (const Row& row : rows_) {
    if (row.run.record.run_id != run_id) continue;
    if (!row.run.facts.label.empty()) {
      title += " [" + stdio::printable(row.run.facts.label, kMaxNameBytes) + "]";
    }
    const auto history = histories_.find(run_id);
    if (history == histories_.end()) continue;
    title += "  CPU " + history->second.processor_curve() + " " + processor_text(row.processor) +
             "  MEM " + history->second.memory_curve() + " " +
             inspect::bytes_text(row.run.usage.rss_bytes);
  }
  if (!pane_.follows()) title += "  (scrolled)";
  title += " ";
  std::string rule;
  for (std::size_t at = inspect::columns_of(title) + kRuleBefore; at < columns; ++at) rule += kRule;
  return std::string(kBold) + kRule + kRule + title + rule;
}

std::vector<std::string> Top::output_lines(std::size_t rows,
                                           const inspect::OutputTail* output) const {
  return output == nullptr ? std::vector<std::string>() : pane_.lines(rows, *output);
}

}  // namespace gibbous::top
