// Top: the state of `gibbous top` without its terminal. Takes runs and keys, returns rows of text.
// One thread.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bindings/inspect/live.h"
#include "bindings/inspect/output_tail.h"
#include "bindings/inspect/top/history.h"
#include "bindings/inspect/top/keys.h"
#include "bindings/inspect/top/output_pane.h"
#include "bindings/inspect/top/questions.h"
#include "bindings/inspect/top/screen.h"

namespace gibbous::top {

// Asks the host of the run to kill it. Null: the host cannot be asked, and `k` reports that.
using KillRequest = std::function<Status(const std::string& run_id)>;

enum class SortBy : std::uint8_t { kProcessor, kMemory, kAge, kName };

class Top {
 public:
  explicit Top(KillRequest kill, Questions::Answer answer = nullptr)
      : kill_(std::move(kill)), questions_(std::move(answer)) {}

  // Takes the current runs. The selection stays on its run.
  void take(std::vector<inspect::LiveRun> runs, std::int64_t now);
  // Takes the open questions of the policy.
  void take_asks(std::vector<OpenAsk> asks);
  // A message that is shown until the next key.
  void tell(std::string message) { message_ = std::move(message); }
  // `output` belongs to output_run() and may be null.
  void press(const Key& key, const inspect::OutputTail* output = nullptr);

  bool done() const { return done_; }
  // The run whose log fills the screen; "" when the list is there.
  const std::string& log_run() const { return log_run_; }
  // The run whose output is on the screen, below the list or instead of it; "": none.
  std::string output_run() const;
  // One string for each row of the screen. `output` belongs to output_run() and may be null.
  std::vector<std::string> frame(const ScreenSize& size, const inspect::OutputTail* output) const;

 private:
  struct Row {
    inspect::LiveRun run;
    double processor = -1;  // percentage of one processor since the last refresh; below 0: unknown
  };
  struct Spent {
    std::chrono::microseconds cpu{0};
    std::int64_t at = 0;
  };
  void sort();
  void move(std::ptrdiff_t by);
  void press_in_list(const Key& key);
  void press_character(char character);
  void press_in_search(const Key& key, const inspect::OutputTail* output);
  // True when the key moves the output or searches in it.
  bool press_in_output(const Key& key, const inspect::OutputTail* output);
  void find_again(bool backwards, const inspect::OutputTail& output);
  void answer(bool yes);
  std::size_t selected() const;
  std::string summary() const;
  std::string last_line() const;
  std::vector<std::string> list_lines(std::size_t rows, std::size_t columns) const;
  std::vector<std::string> cells(const Row& row) const;
  std::vector<std::string> output_lines(std::size_t rows, const inspect::OutputTail* output) const;
  std::string output_title(std::size_t columns) const;

  KillRequest kill_;
  Questions questions_;
  std::vector<Row> rows_;
  std::map<std::string, Spent> spent_;
  std::int64_t now_ = 0;
  SortBy sort_by_ = SortBy::kProcessor;
  std::string selected_;  // id of a run; "": the first one
  std::string log_run_;
  std::string asking_;  // the run whose kill is to be confirmed
  std::string message_;
  std::map<std::string, History> histories_;
  OutputPane pane_;
  std::optional<std::string> searching_;  // the search text typed so far
  bool done_ = false;
};

}  // namespace gibbous::top
