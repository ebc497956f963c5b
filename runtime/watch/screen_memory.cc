#include "runtime/watch/screen_memory.h"

#include <algorithm>

namespace gibbous {
namespace {

// How many looks during a redraw may miss a row that is still known afterwards.
constexpr unsigned kForgivenLooks = 1;

}  // namespace

template <typename Same>
void ScreenMemory::recognise(std::vector<Sighting>* now, Same same) {
  for (Sighting& sighting : *now) {
    if (sighting.known) continue;
    const auto before = std::find_if(seen_.begin(), seen_.end(), [&](const Seen& seen) {
      return !seen.found && same(seen, sighting);
    });
    if (before == seen_.end()) continue;
    before->found = sighting.known = true;
  }
}

void ScreenMemory::look(std::vector<Sighting>* now, int scrolled, ScreenLook look) {
  for (Seen& seen : seen_) seen.row -= scrolled;
  recognise(now, [](const Seen& seen, const Sighting& sighting) {
    return seen.row == sighting.row && seen.line == sighting.line;
  });
  if (scrolled > 0) {
    recognise(now, [scrolled](const Seen& seen, const Sighting& sighting) {
      return seen.row + scrolled == sighting.row && seen.line == sighting.line;
    });
  }
  recognise(now, [](const Seen& seen, const Sighting& sighting) {
    return seen.row >= 0 && seen.text == sighting.text;
  });
  keep(*now, look);
}

void ScreenMemory::keep(const std::vector<Sighting>& now, ScreenLook look) {
  const unsigned forgiven = look == ScreenLook::kSettled ? 0 : kForgivenLooks;
  std::erase_if(seen_, [forgiven](Seen& seen) {
    return seen.found || seen.row < 0 || ++seen.missed > forgiven;
  });
  for (const Sighting& sighting : now) {
    seen_.push_back({sighting.row, sighting.line, sighting.text});
  }
}

}  // namespace gibbous
