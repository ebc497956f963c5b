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
  return run->origin + static_cast<std::uint32_t>(at - run->at);
}

Range Source::range(std::size_t begin, std::size_t end) const {
  const std::uint32_t first = origin(begin);
  if (end <= begin) return {first, first};
  return {first, std::max(origin(end - 1), first) + 1};
}

void Source::append(const Source& from, std::size_t at, std::string_view bytes) {
  made_ = true;
  // Consecutive bytes of a rewritten text may come from different places.
  const std::size_t count = from.made_ ? bytes.size() : std::min<std::size_t>(bytes.size(), 1);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t here = from.origin(at + i);
    const std::size_t place = own_.size() + i;
    if (runs_.empty() || runs_.back().origin + (place - runs_.back().at) != here)
      runs_.push_back({place, here});
  }
  own_ += bytes;
}

}  // namespace gibbous::command
