// KeptOutput: tells the keepers of detached runs how far these are on disk. A keeper keeps the rest
// for the next host, which receives it when this one is killed. Loop thread only.
#pragma once

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "runtime/base/clock.h"
#include "runtime/runs/runs.h"

namespace gibbous {

// Output is reported at this interval, and an end at once.
inline constexpr Millis kKeptInterval{500};

class KeptOutput {
 public:
  using Marks = std::array<Offset, kStreams>;
  // Calls back on the loop once everything that the journal was given before is on disk, or with
  // the reason why it is not.
  using Flush = std::function<void(std::function<void(const Status&)> then)>;

  KeptOutput(Runs& runs, Flush flush) : runs_(runs), flush_(std::move(flush)) {}
  ~KeptOutput() { runs_.cancel(timer_); }
  KeptOutput(const KeptOutput&) = delete;
  KeptOutput& operator=(const KeptOutput&) = delete;

  // The journal was given the streams of the run up to `to`, and with `end` all of it.
  void given(const std::string& run_id, const Marks& to, bool end);

 private:
  struct Given {
    Marks to{};
    bool end = false;
  };
  void arm(Millis delay);
  void ask();
  void answer(const Status& status);

  Runs& runs_;
  Flush flush_;
  std::map<std::string, Given> given_;
  std::map<std::string, Given> asked_;  // while the journal is flushed
  bool asking_ = false;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
  Deadlines::Token timer_ = 0;
};

}  // namespace gibbous
