// The ledger of the soak: one file to which every process appends lines, each by one write(2), so
// that they are in the order of the events and outlive their writers. The checker trusts it and
// checks the journal against it. Any thread.
//   queued RUN              the journal has told that the run is on disk
//   start RUN ATTEMPT SESSION WORKER
//   end RUN ATTEMPT WORKER  its execution is over, its state is written next
//   ack RUN ATTEMPT FROM TO the journal has told that these items are durable
//   settled RUN STATUS      the journal has told that this end is on disk
//   dead WORKER             before another process can know it
//   refused RUN CODE, problem WORKER TEXT
#pragma once

#include <string>

#include "runtime/base/unique_fd.h"

namespace gibbous::soak {

class Ledger {
 public:
  explicit Ledger(const std::string& path);  // made when it is missing; ends the process on errors
  void write(const std::string& line) const;

 private:
  UniqueFd file_;
};

// What an item holds, told from its names alone.
std::string payload_of(const std::string& run_id, std::int64_t attempt, std::uint64_t seq);

}  // namespace gibbous::soak
