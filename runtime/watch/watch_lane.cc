#include "runtime/watch/watch_lane.h"

#include <algorithm>
#include <utility>

#include "runtime/output/text.h"

namespace gibbous {
namespace {

// Bytes that are searched at once, in several passes: they stay in the nearest cache meanwhile.
constexpr std::size_t kBlockBytes = std::size_t{32} << 10;
static_assert(kBlockBytes <= kMaxMatchedBytes);

// Returns the beginning of a line that is too long. Never cuts a character.
std::string_view beginning(std::string_view line) {
  if (line.size() <= kMaxMatchedBytes) return line;
  line = line.substr(0, kMaxMatchedBytes);
  line.remove_suffix(incomplete_utf8_tail(line));
  return line;
}

unsigned most_context_before(const WatchPatterns& patterns, const WatcherBits& watchers) {
  unsigned most = 0;
  watchers.each(
      [&](std::size_t watcher) { most = std::max(most, patterns.spec(watcher).context_before); });
  return most;
}

}  // namespace

WatchLane::WatchLane(std::shared_ptr<const WatchPatterns> patterns, WatchStream stream,
                     WatcherBits* active, WatchSink* sink)
    : patterns_(std::move(patterns)),
      stream_(stream),
      active_(active),
      sink_(sink),
      in_scope_(patterns_->in_scope(stream)),
      context_(most_context_before(*patterns_, in_scope_), sink) {}

// Returns true if no watcher needs this stream any more.
bool WatchLane::idle() const {
  return wanted().none() && !context_.waiting();
}

void WatchLane::feed(Offset from, std::string_view bytes) {
  if (from < next_) {  // seen already
    const auto seen = static_cast<std::size_t>(std::min<Offset>(next_ - from, bytes.size()));
    bytes.remove_prefix(seen);
    from += seen;
  }
  if (from > next_) skip_to(from, line_number_ + (partial_bytes_ > 0 ? 1 : 0));
  next_ += bytes.size();
  if (idle() || bytes.empty()) return;
  if (partial_bytes_ > 0) take_rest_of_line(&bytes);
  const std::size_t newline = bytes.rfind('\n');
  if (newline != std::string_view::npos) {
    take_whole_lines(bytes.substr(0, newline));
    bytes.remove_prefix(newline + 1);
  }
  keep_partial(bytes);
}

void WatchLane::skip_to(Offset offset, std::uint64_t line_number) {
  end();
  next_ = offset;
  line_offset_ = offset;
  line_number_ = line_number;
}

void WatchLane::end() {
  if (partial_bytes_ > 0) finish_partial();
  context_.flush();
}

// Takes the rest of the unfinished line, up to its '\n' if that has come.
void WatchLane::take_rest_of_line(std::string_view* bytes) {
  const std::size_t newline = bytes->find('\n');
  keep_partial(bytes->substr(0, newline));
  bytes->remove_prefix(std::min(newline, bytes->size()));
  if (bytes->empty()) return;
  bytes->remove_prefix(1);
  finish_partial();
}

void WatchLane::keep_partial(std::string_view bytes) {
  partial_bytes_ += bytes.size();
  // One more byte shows that the line is too long.
  const std::size_t room = kMaxMatchedBytes + 1 - partial_.size();
  partial_.append(bytes.substr(0, room));
}

void WatchLane::finish_partial() {
  const std::string line = std::exchange(partial_, {});
  const std::uint64_t bytes = std::exchange(partial_bytes_, 0);
  take_block(beginning(line), bytes, line.size() > kMaxMatchedBytes);
  reported_ = {};
  flushed_bytes_ = 0;
}

// `bytes` lack the last '\n'. Cuts them into blocks between lines; a line longer than a block is a
// block of its own.
void WatchLane::take_whole_lines(std::string_view bytes) {
  for (;;) {
    std::string_view block = bytes;
    if (bytes.size() > kBlockBytes) {
      std::size_t end = bytes.rfind('\n', kBlockBytes);
      if (end == std::string_view::npos) end = bytes.find('\n', kBlockBytes);
      block = bytes.substr(0, end);
    }
    take_block(beginning(block), block.size(), block.size() > kMaxMatchedBytes);
    if (block.size() == bytes.size()) return;
    bytes.remove_prefix(block.size() + 1);
  }
}

// `raw` is whole lines without the last '\n', or the beginning of one line; they have `bytes`
// bytes.
void WatchLane::take_block(std::string_view raw, std::uint64_t bytes, bool cut) {
  context_.begin_block(raw);
  block_.set(raw);
  look_through(cut);
  context_.end_block(raw);
  line_offset_ += bytes + 1;
  line_number_ += block_.lines();
}

void WatchLane::look_through(bool cut) {
  const WatcherBits watchers = wanted() - reported_;
  if (watchers.none()) return;
  patterns_->candidates(block_.text(), block_.folding(), watchers, &candidates_);
  for (const LineCandidate& candidate : candidates_) {
    const LineBlock::Line line = block_.line(candidate.begin);
    candidate.watchers.each([&](std::size_t watcher) {
      if (active_->has(watcher) && patterns_->matches(watcher, line.text)) tell(watcher, line, cut);
    });
  }
}

void WatchLane::tell(std::size_t watcher, const LineBlock::Line& line, bool cut) {
  if (!sink_->wants(watcher)) return;
  const WatchSpec& spec = patterns_->spec(watcher);
  if (spec.once) active_->remove(watcher);
  WatchMatch match = make(watcher, line);
  match.cut = cut;
  match.before = context_.before(block_.raw(), line.begin, spec.context_before);
  context_.deliver(std::move(match), block_.raw(), line.end, spec.context_after);
}

WatchMatch WatchLane::make(std::size_t watcher, const LineBlock::Line& line) const {
  WatchMatch match;
  match.watcher = watcher;
  match.event = patterns_->spec(watcher).event;
  match.stream = stream_;
  match.line = line.text;
  match.offset = line_offset_ + line.begin;
  match.line_number = line_number_ + line.index;
  if (const auto found = patterns_->find(watcher, line.text)) {
    match.column = static_cast<std::size_t>(found->data() - line.text.data()) + 1;
  }
  match.groups = patterns_->groups(watcher, line.text);
  return match;
}

void WatchLane::flush_partial() {
  context_.flush();
  const WatcherBits watchers = wanted() - reported_;
  if (partial_bytes_ == flushed_bytes_ || watchers.none()) return;
  flushed_bytes_ = partial_bytes_;
  std::string_view raw = beginning(partial_);
  raw.remove_suffix(incomplete_utf8_tail(raw));
  block_.set(raw);
  patterns_->candidates(block_.text(), block_.folding(), watchers, &candidates_);
  if (candidates_.empty()) return;
  const LineBlock::Line line = block_.line(0);
  candidates_.front().watchers.each([&](std::size_t watcher) {
    if (!patterns_->matches(watcher, line.text) || !sink_->wants(watcher)) return;
    reported_.add(watcher);
    const WatchSpec& spec = patterns_->spec(watcher);
    if (spec.once) active_->remove(watcher);
    WatchMatch match = make(watcher, line);
    match.partial = true;
    match.cut = partial_.size() > kMaxMatchedBytes;
    match.before = context_.before(block_.raw(), 0, spec.context_before);
    sink_->on_match(std::move(match));
  });
}

}  // namespace gibbous
