// Source: maps runs of bytes to runs of the first text, by bisection.
#include "runtime/command/source.h"

#include <algorithm>

namespace gibbous::command {

std::uint32_t Source::origin(std::size_t at) const {
  if (!made_) return static_cast<std::uint32_t>(at);
  if (runs_.empty()) return 0;
  auto run = std::upper_bound(runs_.begin(), runs_.end(), at,
                              [](std::size_t place, const Run& r) { return place < r.at; });
  if (run != runs_.begin()) --run;
  if (!run->stretch) return run->origin;
  return run->origin + static_cast<std::uint32_t>(at - run->at);
}

Range Source::range(std::size_t begin, std::size_t end) const {
  const std::uint32_t first = origin(begin);
  if (end <= begin) return {first, first};
  return {first, std::max(origin(end - 1), first) + 1};
}

void Source::append(const Source& from, std::size_t at, std::string_view bytes, bool stretch) {
  made_ = true;
  if (bytes.empty()) return;
  const std::uint32_t start = from.origin(at);
  const bool goes_on =
      stretch && !runs_.empty() && runs_.back().stretch &&
      runs_.back().origin + static_cast<std::uint32_t>(own_.size() - runs_.back().at) == start;
  // Consecutive bytes of a rewritten text may come from different places.
  const bool whole = !stretch || !from.made_;
  if (whole) {
    if (!goes_on) runs_.push_back({own_.size(), start, stretch});
  } else {
    std::uint32_t expected = goes_on ? start : start + 1;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      const std::uint32_t here = from.origin(at + i);
      if (here != expected) runs_.push_back({own_.size() + i, here, true});
      expected = here + 1;
    }
  }
  own_ += bytes;
}

}  // namespace gibbous::command
