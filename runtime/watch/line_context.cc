#include "runtime/watch/line_context.h"

#include <algorithm>
#include <utility>

#include "runtime/output/text.h"

namespace gibbous {
namespace {

// Returns the part of a line that is kept. Never cuts a character.
std::string_view shortened(std::string_view line) {
  if (line.size() > kMaxContextLineBytes) {
    line = line.substr(0, kMaxContextLineBytes);
    line.remove_suffix(incomplete_utf8_tail(line));
  } else if (line.ends_with('\r')) {
    line.remove_suffix(1);
  }
  return line;
}

std::string shown(std::string_view line) {
  return clean(shortened(line));
}

// Adds up to `count` lines of `text`, which has at least one. Returns how many are missing.
unsigned take_lines(std::string_view text, unsigned count, std::vector<std::string>* lines) {
  for (std::size_t begin = 0; count > 0 && begin <= text.size(); --count) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    lines->push_back(shown(text.substr(begin, end - begin)));
    begin = end + 1;
  }
  return count;
}

// Calls visit(line) for the last `count` lines of `text`, the newest first. Returns how many are
// missing.
template <typename Visit>
unsigned each_backwards(std::string_view text, unsigned count, Visit visit) {
  for (std::size_t end = text.size(); count > 0; --count) {
    const std::size_t newline = end == 0 ? std::string_view::npos : text.rfind('\n', end - 1);
    const std::size_t begin = newline == std::string_view::npos ? 0 : newline + 1;
    visit(text.substr(begin, end - begin));
    if (begin == 0) return count - 1;
    end = newline;
  }
  return 0;
}

}  // namespace

std::vector<std::string> LineContext::before(std::string_view block, std::size_t begin,
                                             unsigned count) const {
  std::vector<std::string> lines;
  if (count == 0) return lines;
  if (begin > 0) {
    count = each_backwards(block.substr(0, begin - 1), count,
                           [&](std::string_view line) { lines.push_back(shown(line)); });
  }
  for (auto line = last_.rbegin(); count > 0 && line != last_.rend(); ++line, --count) {
    lines.push_back(shown(*line));
  }
  std::reverse(lines.begin(), lines.end());
  return lines;
}

void LineContext::deliver(WatchMatch match, std::string_view block, std::size_t end,
                          unsigned count) {
  if (count > 0 && end < block.size()) {
    count = take_lines(block.substr(end + 1), count, &match.after);
  }
  if (count == 0) {
    sink_->on_match(std::move(match));
  } else {
    waiting_.push_back({std::move(match), count});
  }
}

void LineContext::begin_block(std::string_view block) {
  if (waiting_.empty()) return;
  std::vector<Waiting> waiting;
  for (Waiting& each : std::exchange(waiting_, {})) {
    each.missing = take_lines(block, each.missing, &each.match.after);
    if (each.missing == 0) {
      sink_->on_match(std::move(each.match));
    } else {
      waiting.push_back(std::move(each));
    }
  }
  waiting_ = std::move(waiting);
}

void LineContext::end_block(std::string_view block) {
  if (kept_ == 0) return;
  std::vector<std::string> lines;
  each_backwards(block, kept_, [&](std::string_view line) { lines.emplace_back(shortened(line)); });
  for (auto line = lines.rbegin(); line != lines.rend(); ++line) last_.push_back(std::move(*line));
  while (last_.size() > kept_) last_.pop_front();
}

void LineContext::flush() {
  for (Waiting& each : std::exchange(waiting_, {})) sink_->on_match(std::move(each.match));
}

}  // namespace gibbous
