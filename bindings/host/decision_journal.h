// DecisionJournal passes a runtime's decisions to the journal, which the first one opens. Decisions
// that are not taken yet wait here, within bounds, and are written in order; what exceeds the
// bounds is counted, and a record says so in its place. Owned by Decisions. Loop thread only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>

#include "runtime/base/clock.h"
#include "runtime/recording/recording.h"

namespace gibbous::host {

class DecisionJournal {
 public:
  // `on_problem` is called once for each outage. `recording` and `clock` must outlive this.
  DecisionJournal(Recording& recording, const Clock& clock,
                  std::function<void(const std::string& message)> on_problem);
  DecisionJournal(const DecisionJournal&) = delete;
  DecisionJournal& operator=(const DecisionJournal&) = delete;

  void add(DecisionRecord decision);

  std::size_t waiting() const { return waiting_.size(); }
  // Neither recorded nor noted in the journal yet.
  std::uint64_t lost() const { return lost_; }

 private:
  void open();
  void write();
  // Whether there is nothing left to try.
  bool is_settled(const DecisionRecord& decision);
  void report(const std::string& why);

  Recording& recording_;
  const Clock& clock_;
  std::function<void(const std::string&)> on_problem_;
  std::deque<DecisionRecord> waiting_;
  std::size_t waiting_bytes_ = 0;
  std::uint64_t lost_ = 0;
  bool opening_ = false;
  bool blocked_ = false;   // until the journal has room again
  bool reported_ = false;  // of the current outage
  // Expires with this object: the recording may answer later.
  std::shared_ptr<const int> lifetime_ = std::make_shared<const int>(0);
};

}  // namespace gibbous::host
