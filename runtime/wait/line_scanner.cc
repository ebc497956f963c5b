// The kept bytes of a stream come in up to three pieces (head, and the ring's two halves). Whole
// lines within a piece are judged in blocks; `carried` assembles a line across two pieces.
#include "runtime/wait/line_scanner.h"

#include <string.h>

#include <algorithm>
#include <utility>

namespace gibbous {
namespace {

// A line or two: judged one by one, which saves preparing a block search.
constexpr std::size_t kFewBytes = 512;

std::size_t last_newline(std::string_view text) {
  const void* found = ::memrchr(text.data(), '\n', text.size());
  return found == nullptr ? std::string_view::npos
                          : static_cast<std::size_t>(static_cast<const char*>(found) - text.data());
}

}  // namespace

LineScanner::LineScanner(std::shared_ptr<LinePattern> pattern, Offset since)
    : pattern_(std::move(pattern)), line_from_(since), seen_(since) {}

void LineScanner::Piece::advance(std::size_t count) {
  from += count;
  bytes.remove_prefix(count);
}

std::vector<LineScanner::Piece> LineScanner::kept(const Stream& stream, Offset from) {
  std::vector<Piece> pieces;
  Offset at = from;
  while (at < stream.end()) {
    const Offset asked = at;
    for (const std::string_view bytes : stream.views(asked, &at)) {
      // Bytes between head and ring may be gone; the ring continues with its oldest byte.
      if (at >= stream.head_end()) at = std::max(at, stream.begin());
      pieces.push_back({at, bytes});
      at += bytes.size();
    }
    if (at == asked) break;
  }
  return pieces;
}

void LineScanner::begin_line(Offset at) {
  line_from_ = seen_ = at;
  reported_ = skipping_ = false;
}

// Judges `line`, which begins at line_from_; the next one begins at `cursor`.
std::optional<LineScanner::Hit> LineScanner::judge(std::string_view line, Offset cursor) {
  const bool already_reported = reported_;
  const Offset from = line_from_;
  begin_line(cursor);
  if (already_reported) return std::nullopt;
  auto match = pattern_->match(line);
  if (!match) return std::nullopt;
  return Hit{std::move(*match), from, cursor};
}

// A cheap look at the new bytes: calls without any, and most chunks of a line in many chunks, end
// here.
bool LineScanner::nothing_to_judge(const Stream& stream) {
  if (stream.end() <= seen_) return true;
  if (line_from_ == seen_) return false;
  Offset expected = seen_;
  for (const Piece& piece : kept(stream, seen_)) {
    if (piece.from != expected || piece.bytes.find('\n') != std::string_view::npos) return false;
    expected = piece.end();
  }
  if (stream.end() - line_from_ > kMaxMatchedLineBytes) return false;
  seen_ = stream.end();
  return true;
}

void LineScanner::skip_line(Piece& piece) {
  const std::size_t newline = piece.bytes.find('\n');
  if (newline == std::string_view::npos) {
    piece.advance(piece.bytes.size());
    line_from_ = seen_ = piece.from;
  } else {
    piece.advance(newline + 1);
    begin_line(piece.from);
  }
}

// Judges the `beginning` of the line at line_from_, which is longer than the matched bytes.
std::optional<LineScanner::Hit> LineScanner::judge_beginning(std::string_view beginning) {
  auto hit = judge(beginning, line_from_ + beginning.size());
  skipping_ = true;
  ++long_lines_;
  return hit;
}

// Completes the line that an earlier piece began, as far as `piece` does.
std::optional<LineScanner::Hit> LineScanner::finish_carried(Piece& piece, std::string& carried) {
  const std::size_t room = kMaxMatchedLineBytes - carried.size();
  const std::size_t newline = piece.bytes.substr(0, room + 1).find('\n');
  std::optional<Hit> hit;
  if (newline != std::string_view::npos) {
    carried.append(piece.bytes.substr(0, newline));
    piece.advance(newline + 1);
    hit = judge(carried, piece.from);
  } else if (piece.bytes.size() > room) {
    carried.append(piece.bytes.substr(0, room));
    piece.advance(room);
    hit = judge_beginning(carried);
  } else {
    carried.append(piece.bytes);
    piece.advance(piece.bytes.size());
    return std::nullopt;
  }
  carried.clear();
  return hit;
}

// Judges the whole lines of `piece`, which begins at line_from_, and leaves the beginning of a line
// in it.
std::optional<LineScanner::Hit> LineScanner::scan_piece(Piece& piece) {
  while (!piece.bytes.empty()) {
    if (skipping_) {
      skip_line(piece);
      continue;
    }
    const std::string_view window = piece.bytes.substr(0, kMaxMatchedLineBytes + 1);
    const std::size_t newline = last_newline(window);
    if (newline == std::string_view::npos) {
      if (window.size() <= kMaxMatchedLineBytes) return std::nullopt;
      piece.advance(kMaxMatchedLineBytes);
      if (auto hit = judge_beginning(window.substr(0, kMaxMatchedLineBytes))) return hit;
      continue;
    }
    if (reported_) {
      skip_line(piece);
      continue;
    }
    if (newline <= kFewBytes) {
      const std::string_view first = window.substr(0, window.find('\n'));
      piece.advance(first.size() + 1);
      if (auto hit = judge(first, piece.from)) return hit;
      continue;
    }
    const auto line = pattern_->find(window.substr(0, newline));
    if (!line) {
      piece.advance(newline + 1);
      begin_line(piece.from);
      continue;
    }
    line_from_ = piece.from + line->begin;
    piece.advance(line->end + 1);
    if (auto hit = judge(window.substr(line->begin, line->end - line->begin), piece.from)) {
      return hit;
    }
  }
  return std::nullopt;
}

std::optional<LineScanner::Hit> LineScanner::next(const Stream& stream) {
  if (nothing_to_judge(stream)) return std::nullopt;
  std::string carried;
  std::vector<Piece> pieces = kept(stream, line_from_);
  for (Piece& piece : pieces) {
    const Offset expected = line_from_ + carried.size();
    if (piece.from > expected) {
      lost_ += piece.from - expected;
      std::optional<Hit> hit;
      if (!carried.empty()) hit = judge(carried, expected);
      carried.clear();
      begin_line(piece.from);
      if (hit) return hit;
    }
    if (!carried.empty()) {
      if (auto hit = finish_carried(piece, carried)) return hit;
      if (!carried.empty()) continue;
    }
    if (auto hit = scan_piece(piece)) return hit;
    if (&piece != &pieces.back()) carried.assign(piece.bytes);
  }
  seen_ = stream.end();
  return std::nullopt;
}

std::optional<LineScanner::Hit> newest_match(const std::shared_ptr<LinePattern>& pattern,
                                             const Stream& stream, Offset since) {
  constexpr std::uint64_t kFirstLines = 256;
  constexpr std::uint64_t kGrowth = 4;
  const std::uint64_t all = stream.line_count();
  for (std::uint64_t lines = kFirstLines;; lines *= kGrowth) {
    const Offset from = lines < all ? stream.line_offset(all - lines).value_or(since) : since;
    LineScanner scanner(pattern, std::max(from, since));
    std::optional<LineScanner::Hit> newest;
    while (auto hit = scanner.next(stream)) newest = std::move(hit);
    if (newest || from <= since) return newest;
  }
}

bool LineScanner::has_partial(const Stream& stream) const {
  return !reported_ && !skipping_ && stream.end() > std::max(line_from_, partial_judged_);
}

std::optional<LineScanner::Hit> LineScanner::next_partial(const Stream& stream) {
  if (!has_partial(stream)) return std::nullopt;
  std::string text;
  for (const Piece& piece : kept(stream, line_from_)) {
    if (piece.from > line_from_ + text.size()) {
      lost_ += piece.from - line_from_;
      text.clear();
      begin_line(piece.from);
    }
    text.append(piece.bytes.substr(0, kMaxMatchedLineBytes - text.size()));
  }
  partial_judged_ = stream.end();
  auto match = pattern_->match(text);
  if (!match) return std::nullopt;
  reported_ = true;
  return Hit{std::move(*match), line_from_, stream.end()};
}

}  // namespace gibbous
