// DecisionLog: one line for every verdict, in the file decisions.jsonl of the state directory, to
// which every process of this user appends. bindings/host makes the lines and redacts their
// secrets; here they are text. Never fails its caller: it keeps, within bounds, what cannot be
// written, and writes it when the disk works again.
//
// Owner's thread only. A record costs a stat and a write to the page cache, without waiting for the
// disk; after a power failure the last records may be missing.
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
  // The number of files: decisions.jsonl, and decisions.jsonl.1 (the newest of them), .2 and so on.
  std::uint32_t files = 4;
  // Called once for each outage, with the reason. Neither callback may call the log.
  std::function<void(const Status&)> on_problem;
  // Called at the end of an outage. `lost` records were too many to keep; the returned line is
  // written in their place, if it is not "".
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

  // Appends `record`, one line without its end. Fails with invalid_arguments (it is empty, longer
  // than kMaxDecisionBytes, or holds a line end; nothing is kept) or with `unavailable` (it is
  // kept, or counted as lost); on_problem has already reported the latter.
  Status append(std::string_view record);
  // Writes what is kept, even before the next attempt is due.
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
  bool out_ = false;  // a reported outage is not over yet
  Nanos next_try_{0};
};

}  // namespace gibbous
