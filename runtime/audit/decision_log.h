// DecisionLog: one line for every verdict, in the file decisions.jsonl of the state directory,
// which every process of this user appends to. The lines are made, and their secrets redacted, by
// bindings/host; here they are text. Never fails its caller: what cannot be written is kept, in
// bounds, and written when the disk takes it again.
//
// Owner's thread only. A record costs a stat and a write to the page cache, and is not waited for
// on the disk; after a power failure the last records may be missing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <string_view>

#include "gibbous/status.h"
#include "runtime/base/clock.h"
#include "runtime/base/unique_fd.h"

namespace gibbous {

inline constexpr std::size_t kMaxDecisionBytes = std::size_t{256} << 10;  // one record
inline constexpr std::size_t kPendingDecisionBytes = std::size_t{1} << 20;
inline constexpr Nanos kDecisionRetryInterval{5'000'000'000};

struct DecisionLogOptions {
  std::string directory;  // the state directory, absolute; made when it is missing
  std::uint64_t max_bytes = std::uint64_t{16} << 20;  // of each file
  // In all: decisions.jsonl, and decisions.jsonl.1 (the newest of them), .2 and so on.
  std::uint32_t files = 4;
  // Once for each outage: why nothing is written. Neither callback may call the log.
  std::function<void(const Status&)> on_problem;
  // At its end. `lost` records were too many to be kept; the line that is returned is written in
  // their place, "" for none.
  std::function<std::string(std::uint64_t lost)> on_recovered;
};

class DecisionLog {
 public:
  // Opens nothing yet. `clock` must outlive the log.
  DecisionLog(DecisionLogOptions options, const Clock& clock);
  // Tries once more to write what is left.
  ~DecisionLog();
  DecisionLog(const DecisionLog&) = delete;
  DecisionLog& operator=(const DecisionLog&) = delete;

  // `record` is one line, without its end. Fails with invalid_arguments (nothing is kept then: it
  // is empty, longer than kMaxDecisionBytes, or holds a line end) or with `unavailable` (it is
  // kept, or counted as lost); the latter needs no attention, on_problem has said so.
  Status append(std::string_view record);
  // Writes what is kept, whether it is time to try again or not.
  Status flush();

  std::size_t pending() const { return pending_.size(); }
  std::uint64_t lost() const { return lost_; }

 private:
  Status noted(Status status);
  void keep(std::string_view record);
  Status write_pending();
  Status write_record(std::string_view record);
  Status open_when_needed();
  Status rotate(const UniqueFd& directory);
  Status rename_all(const UniqueFd& directory);
  Status failed(const std::string& what, const std::string& why) const;
  std::string path() const;

  DecisionLogOptions options_;
  const Clock& clock_;
  UniqueFd file_;
  bool torn_ = false;  // the file does not end with a line's end
  std::deque<std::string> pending_;
  std::size_t pending_bytes_ = 0;
  std::uint64_t lost_ = 0;
  bool out_ = false;  // an outage that was reported and is not over
  Nanos next_try_{0};
};

}  // namespace gibbous
