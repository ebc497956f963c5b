#include "runtime/watch/screen_lane.h"

#include <algorithm>
#include <functional>
#include <string_view>
#include <utility>

#include "runtime/process/terminal.h"
#include "runtime/terminal/screen.h"

namespace gibbous {
namespace {

std::size_t hash_of(std::string_view text) {
  return std::hash<std::string_view>{}(text);
}

}  // namespace

ScreenLane::ScreenLane(std::shared_ptr<const WatchPatterns> patterns, WatcherBits* active,
                       WatchSink* sink)
    : patterns_(std::move(patterns)),
      active_(active),
      sink_(sink),
      in_scope_(patterns_->in_scope(WatchStream::kScreen)) {
  if (in_scope_.none()) return;
  for (Side& side : sides_) side.memories.resize(patterns_->size());
  sightings_.resize(patterns_->size());
}

void ScreenLane::look(Screen& screen, ScreenLook look) {
  if (!wanted() || unchanged(screen, look)) return;
  Side& side = side_of(screen);
  const std::uint64_t gone = screen.scrolled() - std::exchange(side.scrolled, screen.scrolled());
  const auto scrolled = static_cast<int>(std::min<std::uint64_t>(gone, kMaxTerminalRows));
  read_rows(screen);
  find_matches();
  watchers().each([&](std::size_t watcher) {
    side.memories[watcher].look(&sightings_[watcher], alternate_ ? 0 : scrolled, look);
  });
  for (const Shown& shown : shown_) {
    if (!sightings_[shown.watcher][shown.sighting].known) tell(shown);
  }
}

bool ScreenLane::unchanged(Screen& screen, ScreenLook look) {
  const bool same = screen.version() == version_ && screen.scrolled() == scrolled_ &&
                    screen.alternate() == alternate_;
  version_ = screen.version();
  scrolled_ = screen.scrolled();
  // A row that was missing in the middle is forgotten when the screen settles without a change.
  const ScreenLook last = std::exchange(last_, look);
  return same && last == ScreenLook::kSettled;
}

// A full-screen program begins with an empty screen, and leaves the main one unchanged.
ScreenLane::Side& ScreenLane::side_of(const Screen& screen) {
  const bool entered = screen.alternate() && !alternate_;
  alternate_ = screen.alternate();
  Side& side = sides_[alternate_ ? 1 : 0];
  if (entered) {
    for (ScreenMemory& memory : side.memories) memory.clear();
  }
  return side;
}

void ScreenLane::read_rows(Screen& screen) {
  text_.clear();
  std::size_t end = 0;
  for (const ScreenRow& row : screen.rows()) {
    text_ += row.text;
    if (!row.text.empty()) end = text_.size();
    text_ += '\n';
  }
  text_.resize(end);
  block_.set(text_);
}

void ScreenLane::find_matches() {
  shown_.clear();
  for (std::vector<Sighting>& sightings : sightings_) sightings.clear();
  if (text_.empty()) return;
  patterns_->candidates(block_.text(), block_.folding(), watchers(), &candidates_);
  for (const LineCandidate& candidate : candidates_) {
    const LineBlock::Line row = block_.line(candidate.begin);
    const std::size_t line = hash_of(row.text);
    candidate.watchers.each([&](std::size_t watcher) {
      const auto found = patterns_->find(watcher, row.text);
      if (!found) return;
      std::vector<Sighting>& sightings = sightings_[watcher];
      shown_.push_back({watcher, row, sightings.size()});
      sightings.push_back({static_cast<int>(row.index), line, hash_of(*found)});
    });
  }
}

void ScreenLane::tell(const Shown& shown) {
  if (!active_->has(shown.watcher) || !sink_->wants(shown.watcher)) return;
  const WatchSpec& spec = patterns_->spec(shown.watcher);
  if (spec.once) active_->remove(shown.watcher);
  const std::uint64_t row = shown.row.index;
  WatchMatch match;
  match.watcher = shown.watcher;
  match.event = spec.event;
  match.stream = WatchStream::kScreen;
  match.line = shown.row.text;
  match.row = static_cast<int>(row) + 1;
  match.groups = patterns_->groups(shown.watcher, shown.row.text);
  match.before = rows(row - std::min<std::uint64_t>(row, spec.context_before), row);
  match.after = rows(row + 1, row + 1 + spec.context_after);
  sink_->on_match(std::move(match));
}

// Returns rows [from, to), as far as the screen has them.
std::vector<std::string> ScreenLane::rows(std::uint64_t from, std::uint64_t to) const {
  std::vector<std::string> rows;
  const std::string_view text = block_.text();
  std::uint64_t row = 0;
  for (std::size_t begin = 0; begin <= text.size() && row < to; ++row) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    if (row >= from) rows.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return rows;
}

}  // namespace gibbous
