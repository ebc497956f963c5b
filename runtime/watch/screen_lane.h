// ScreenLane: the watchers of a WatchSet that examine what a terminal shows. Matches their regexes
// against its rows, and reports the rows that each has not seen (screen_memory.h). Looks when its
// owner says so. Loop thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "runtime/watch/line_block.h"
#include "runtime/watch/screen_memory.h"
#include "runtime/watch/watch_match.h"
#include "runtime/watch/watch_patterns.h"
#include "runtime/watch/watcher_bits.h"

namespace gibbous {

class Screen;

class ScreenLane {
 public:
  // As WatchLane.
  ScreenLane(std::shared_ptr<const WatchPatterns> patterns, WatcherBits* active, WatchSink* sink);

  // Reports the rows that match and are new, from the top, and within a row by watcher. Ignores
  // blank rows at the bottom. Costs next to nothing when nothing was written. `screen` is always
  // the same.
  void look(Screen& screen, ScreenLook look);
  // Returns true if a watcher may still match.
  bool wanted() const { return !watchers().none(); }

 private:
  struct Shown {
    std::size_t watcher = 0;
    LineBlock::Line row;
    std::size_t sighting = 0;  // index in the watcher's sightings
  };
  // The memory of the main screen, or of the screen of full-screen programs.
  struct Side {
    std::vector<ScreenMemory> memories;  // by watcher
    std::uint64_t scrolled = 0;          // Screen::scrolled() at the last look
  };

  WatcherBits watchers() const { return *active_ & in_scope_; }
  bool unchanged(Screen& screen, ScreenLook look);
  Side& side_of(const Screen& screen);
  void read_rows(Screen& screen);
  void find_matches();
  void tell(const Shown& shown);
  std::vector<std::string> rows(std::uint64_t from, std::uint64_t to) const;

  const std::shared_ptr<const WatchPatterns> patterns_;
  WatcherBits* const active_;
  WatchSink* const sink_;
  WatcherBits in_scope_;
  std::array<Side, 2> sides_;
  bool alternate_ = false;
  std::uint64_t version_ = 0;   // of the screen at the last look
  std::uint64_t scrolled_ = 0;  // the same
  ScreenLook last_ = ScreenLook::kSettled;
  // State of the current look.
  std::string text_;
  LineBlock block_;
  std::vector<LineCandidate> candidates_;
  std::vector<Shown> shown_;                      // from the top
  std::vector<std::vector<Sighting>> sightings_;  // by watcher
};

}  // namespace gibbous
