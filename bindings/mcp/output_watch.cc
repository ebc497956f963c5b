// See output_watch.h.
#include "bindings/mcp/output_watch.h"

#include <algorithm>
#include <chrono>
#include <limits>

namespace gibbous::mcp {
namespace {

constexpr Nanos kInterval = std::chrono::milliseconds(500);

// The end of the output so far. A run that waits in the queue has none yet.
OutputBytes end_of(const RunAddress& address, ToolsBackend& backend) {
  const auto stream =
      address.part == RunPart::kStdout ? OutputStream::kStdout : OutputStream::kStderr;
  constexpr std::uint64_t kEnd = std::numeric_limits<std::uint64_t>::max();
  const Result<OutputBytes> read = backend.read_output(address.run, stream, kEnd, 0);
  return read ? *read : OutputBytes{};
}

}  // namespace

void OutputWatch::watch(const std::set<std::string>& uris, ToolsBackend& backend) {
  for (auto next = watched_.begin(); next != watched_.end();) {
    next = uris.count(next->first) == 0 ? watched_.erase(next) : std::next(next);
  }
  for (const std::string& uri : uris) {
    if (watched_.count(uri) != 0) continue;
    const std::optional<RunAddress> address = run_address_of(uri);
    if (!address || (address->part != RunPart::kStdout && address->part != RunPart::kStderr)) {
      continue;
    }
    const OutputBytes end = end_of(*address, backend);
    watched_[uri] = {*address, end.next, end.ended};
  }
}

std::vector<std::string> OutputWatch::grown(Nanos now, ToolsBackend& backend) {
  std::vector<std::string> uris;
  if (now < next_) return uris;
  next_ = now + kInterval;
  for (auto& [uri, watched] : watched_) {
    if (watched.ended) continue;
    const OutputBytes end = end_of(watched.address, backend);
    if (end.next == watched.end && end.ended == watched.ended) continue;
    watched.end = end.next;
    watched.ended = end.ended;
    uris.push_back(uri);
  }
  return uris;
}

std::optional<Nanos> OutputWatch::next_look() const {
  const bool can_grow = std::any_of(watched_.begin(), watched_.end(),
                                    [](const auto& each) { return !each.second.ended; });
  return can_grow ? std::optional(next_) : std::nullopt;
}

}  // namespace gibbous::mcp
