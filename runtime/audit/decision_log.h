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
#include <string>
#include <string_view>
#include <utility>

#include "gibbous/status.h"
#include "runtime/base/unique_fd.h"

namespace gibbous {

inline constexpr std::size_t kMaxDecisionBytes = std::size_t{256} << 10;  // one record

struct DecisionLogOptions {
  std::string directory;  // the state directory, absolute; made when it is missing
  std::uint64_t max_bytes = std::uint64_t{16} << 20;  // of each file
  // The number of files: decisions.jsonl, and decisions.jsonl.1 (the newest of them), .2 and so on.
  std::uint32_t files = 4;
};

class DecisionLog {
 public:
  // Opens nothing yet.
  explicit DecisionLog(DecisionLogOptions options) : options_(std::move(options)) {}

  // Appends `record`, one line of at most kMaxDecisionBytes without its end. Fails with
  // `unavailable`; half of it may be in the file then, on a line of its own.
  Status append(std::string_view record);

 private:
  Status open_when_needed();
  Status rotate(const UniqueFd& directory);
  Status rename_all(const UniqueFd& directory);
  Status failed(const std::string& what, const std::string& why) const;
  std::string path() const;

  DecisionLogOptions options_;
  UniqueFd file_;
  bool torn_ = false;  // the file does not end with a line's end
};

}  // namespace gibbous
