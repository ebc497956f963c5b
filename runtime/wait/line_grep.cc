#include "runtime/wait/line_grep.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "runtime/output/newlines.h"
#include "runtime/output/text.h"

namespace gibbous {
namespace {

constexpr std::size_t kMaxShownLineBytes = 500;
constexpr std::string_view kBetween = "--\n";

std::string visible_text(std::string_view raw) {
  return clean(raw.substr(0, kMaxMatchedLineBytes));
}

std::string_view without_return(std::string_view line) {
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  return line;
}

}  // namespace

LineGrep::LineGrep(std::shared_ptr<LinePattern> pattern, std::size_t context, std::size_t max_bytes)
    : pattern_(std::move(pattern)), context_(context), max_bytes_(max_bytes) {}

void LineGrep::add(std::string_view bytes) {
  bytes_ += bytes.size();
  for (;;) {
    if (partial_.empty() && !matched_) bytes.remove_prefix(pass_to_match(bytes));
    const std::size_t end = bytes.find('\n');
    if (end == std::string_view::npos) break;
    partial_bytes_ += end;
    if (partial_.empty()) {
      take(bytes.substr(0, end));
    } else {
      partial_.append(bytes.substr(0, std::min(end, kMaxMatchedLineBytes)));
      take(std::exchange(partial_, {}));
    }
    bytes.remove_prefix(end + 1);
  }
  partial_bytes_ += bytes.size();
  if (partial_.size() < kMaxMatchedLineBytes) {
    partial_.append(bytes.substr(0, kMaxMatchedLineBytes));
  }
}

void LineGrep::skip_to(std::uint64_t line) {
  finish();
  before_.clear();
  after_ = 0;
  line_ = line;
}

void LineGrep::finish() {
  if (!partial_.empty()) take(std::exchange(partial_, {}));
}

// Passes the lines before the next match, as many as end in the first bytes, and returns their
// size. A block is searched many times quicker than its lines.
std::size_t LineGrep::pass_to_match(std::string_view bytes) {
  std::size_t passed = 0;
  for (;;) {
    const std::string_view rest = bytes.substr(passed);
    const std::size_t last = rest.substr(0, kMaxMatchedLineBytes).rfind('\n');
    if (last == std::string_view::npos) return passed;
    const auto hit = pattern_->find(rest.substr(0, last));
    const std::size_t size = hit ? hit->begin : last + 1;
    pass(rest.substr(0, size));
    passed += size;
    if (hit) return passed;
  }
}

// None of these lines matches; only those that are near a match are looked at.
void LineGrep::pass(std::string_view lines) {
  const auto pass_first = [&] {
    const std::size_t end = lines.find('\n');
    pass_line(line_++, without_return(lines.substr(0, end)));
    lines.remove_prefix(end + 1);
  };
  while (after_ > 0 && !lines.empty()) pass_first();
  std::size_t kept = lines.size();  // where the last lines begin, which may be context
  for (std::size_t i = 0; i < context_ && kept > 0; ++i) {
    const std::size_t before = kept > 1 ? lines.rfind('\n', kept - 2) : std::string_view::npos;
    kept = before == std::string_view::npos ? 0 : before + 1;
  }
  line_ += count_newlines(lines.data(), kept);
  lines.remove_prefix(kept);
  while (!lines.empty()) pass_first();
}

void LineGrep::take(std::string_view line) {
  const std::uint64_t number = line_++;
  if (std::exchange(partial_bytes_, 0) > kMaxMatchedLineBytes) ++long_lines_;
  line = without_return(line);
  const auto match = pattern_->match(line);
  matched_ = match.has_value();
  if (!match) return pass_line(number, line);
  ++matches_;
  if (full_) return;
  for (const Line& earlier : before_) put(earlier.number, '-', visible_text(earlier.text));
  before_.clear();
  if (put(number, ':', match->line, match->place)) ++shown_;
  after_ = context_;
}

void LineGrep::pass_line(std::uint64_t number, std::string_view line) {
  if (after_ > 0) {
    --after_;
    put(number, '-', visible_text(line));
  } else if (context_ > 0 && !full_) {
    before_.push_back({number, std::string(line.substr(0, kMaxMatchedLineBytes))});
    if (before_.size() > context_) before_.pop_front();
  }
}

bool LineGrep::put(std::uint64_t number, char mark, std::string_view text, LinePlace place) {
  if (full_) return false;
  std::string added;
  if (context_ > 0 && !text_.empty() && number > next_printed_) added += kBetween;
  std::string line = cut_line(text, kMaxShownLineBytes, place);
  std::replace(line.begin(), line.end(), '\n', ' ');
  added += std::to_string(number + 1) + mark + line + '\n';
  if (text_.size() + added.size() > max_bytes_) {
    full_ = true;
    return false;
  }
  text_ += added;
  next_printed_ = number + 1;
  return true;
}

void grep_stream(const Stream& stream, LineGrep* grep) {
  Offset at = 0;
  Offset expected = 0;
  for (const std::string_view part : stream.views(0, &at)) {
    if (at >= stream.head_end()) at = std::max(at, stream.begin());
    if (at > expected) grep->skip_to(stream.line_at(at).value_or(0));
    grep->add(part);
    at += part.size();
    expected = at;
  }
  grep->finish();
}

void grep_merged(const ArrivalOrder& order, const ArrivalOrder::Streams& streams, LineGrep* grep) {
  for (const ArrivalOrder::Part& part :
       order.read(streams, 0, std::numeric_limits<std::size_t>::max())) {
    grep->skip_to(part.line);
    grep->add(part.bytes);
  }
  grep->finish();
}

}  // namespace gibbous
