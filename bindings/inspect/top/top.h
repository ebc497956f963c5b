// Top: what `gibbous top` shows and does, without the terminal: news and keys go in, lines come
// out. One thread.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "bindings/inspect/live.h"
#include "bindings/inspect/output_tail.h"
#include "bindings/inspect/top/keys.h"
#include "bindings/inspect/top/screen.h"

namespace gibbous::top {

// Asks whoever hosts the run to end it. Nothing: there is no way to ask, and `k` says so.
using KillRequest = std::function<Status(const std::string& run_id)>;

enum class SortBy : std::uint8_t { kProcessor, kMemory, kAge, kName };

class Top {
 public:
  explicit Top(KillRequest kill) : kill_(std::move(kill)) {}

  // The runs that there are now. The selection stays with its run.
  void take(std::vector<inspect::LiveRun> runs, std::int64_t now);
  // Something that went wrong, said until the next key.
  void tell(std::string message) { message_ = std::move(message); }
  void press(const Key& key);

  bool done() const { return done_; }
  // The run whose log is on the screen; "" when it is the list.
  const std::string& log_run() const { return log_run_; }
  // One string for each row of the screen. `log` is that of log_run(), and may be null.
  std::vector<std::string> frame(const ScreenSize& size, const inspect::OutputTail* log) const;

 private:
  struct Row {
    inspect::LiveRun run;
    double processor = -1;  // per cent of one, since the last look; below 0: not known yet
  };
  struct Spent {
    std::chrono::microseconds cpu{0};
    std::int64_t at = 0;
  };
  void sort();
  void move(std::ptrdiff_t by);
  void press_in_list(const Key& key);
  void press_character(char character);
  void answer(bool yes);
  std::size_t selected() const;
  std::string summary() const;
  std::string last_line() const;
  std::vector<std::string> list_lines(std::size_t rows) const;
  std::vector<std::string> cells(const Row& row) const;
  std::vector<std::string> log_lines(std::size_t rows, const inspect::OutputTail* log) const;

  KillRequest kill_;
  std::vector<Row> rows_;
  std::map<std::string, Spent> spent_;
  std::int64_t now_ = 0;
  SortBy sort_by_ = SortBy::kProcessor;
  std::string selected_;  // a run's id; "": the first one, until somebody moves
  std::string log_run_;
  std::string asking_;  // about the kill of this run
  std::string message_;
  bool done_ = false;
};

}  // namespace gibbous::top
