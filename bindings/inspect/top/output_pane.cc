// See output_pane.h.
#include "bindings/inspect/top/output_pane.h"

#include <algorithm>
#include <cctype>
#include <string_view>

#include "bindings/stdio/question_text.h"
#include "runtime/output/text.h"

namespace gibbous::top {
namespace {

constexpr std::size_t kMaxNoteBytes = 200;
constexpr std::string_view kMatchOn = "\x1b[7m";
constexpr std::string_view kMatchOff = "\x1b[27m";
constexpr std::string_view kNoteColour = "\x1b[2m";
constexpr std::size_t kLinesBelowMatch = 2;

std::string as_shown(const std::string& raw) {
  std::string text = clean(raw);
  std::replace(text.begin(), text.end(), '\t', ' ');
  return text;
}

// The unfinished line counts as the last one.
std::size_t count_of(const inspect::OutputTail& output) {
  return output.lines().size() + (output.open_line().empty() ? 0 : 1);
}

bool is_note(std::size_t index, const inspect::OutputTail& output) {
  return index < output.lines().size() &&
         output.lines()[index].kind == inspect::OutputLine::Kind::kNote;
}

std::string text_of(std::size_t index, const inspect::OutputTail& output) {
  if (index >= output.lines().size()) return as_shown(output.open_line());
  const std::string& text = output.lines()[index].text;
  return is_note(index, output) ? "[gibbous: " + stdio::printable(text, kMaxNoteBytes) + "]"
                                : as_shown(text);
}

char lower(char c) {
  return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
}

std::size_t place_of(std::string_view wanted, std::string_view text, std::size_t from) {
  const auto begin = text.begin() + static_cast<std::ptrdiff_t>(std::min(from, text.size()));
  const auto found = std::search(begin, text.end(), wanted.begin(), wanted.end(),
                                 [](char left, char right) { return lower(left) == lower(right); });
  return found == text.end() ? std::string_view::npos
                             : static_cast<std::size_t>(found - text.begin());
}

}  // namespace

void OutputPane::reset() {
  *this = OutputPane();
}

void OutputPane::scroll(std::ptrdiff_t lines, const inspect::OutputTail& output) {
  const auto first = static_cast<std::int64_t>(output.left_out());
  const auto end = first + static_cast<std::int64_t>(count_of(output));
  const std::int64_t now = bottom_ ? static_cast<std::int64_t>(*bottom_) : end;
  const std::int64_t wanted = std::max(std::min(now, end) - lines, std::min(first + 1, end));
  if (wanted >= end) return to_end();
  bottom_ = static_cast<std::uint64_t>(wanted);
}

void OutputPane::to_beginning(const inspect::OutputTail& output) {
  scroll(static_cast<std::ptrdiff_t>(count_of(output)), output);
}

bool OutputPane::search(const std::string& text, const inspect::OutputTail& output) {
  wanted_ = text;
  match_.reset();
  if (text.empty()) return true;
  const std::uint64_t end = output.left_out() + count_of(output);
  return find(static_cast<std::int64_t>(bottom_.value_or(end)) - 1, -1, output);
}

bool OutputPane::search_again(bool backwards, const inspect::OutputTail& output) {
  if (wanted_.empty()) return false;
  if (!match_) return search(wanted_, output);
  const std::int64_t step = backwards ? -1 : 1;
  return find(static_cast<std::int64_t>(*match_) + step, step, output);
}

bool OutputPane::find(std::int64_t from, std::int64_t step, const inspect::OutputTail& output) {
  const auto first = static_cast<std::int64_t>(output.left_out());
  const auto count = static_cast<std::int64_t>(count_of(output));
  for (std::int64_t at = from - first; at >= 0 && at < count; at += step) {
    const std::string text = text_of(static_cast<std::size_t>(at), output);
    if (place_of(wanted_, text, 0) == std::string::npos) continue;
    match_ = static_cast<std::uint64_t>(first + at);
    const auto below = static_cast<std::int64_t>(kLinesBelowMatch);
    bottom_ = static_cast<std::uint64_t>(first + std::min(at + 1 + below, count));
    return true;
  }
  return false;
}

std::string OutputPane::highlighted(std::string line) const {
  if (wanted_.empty()) return line;
  for (std::size_t at = place_of(wanted_, line, 0); at != std::string::npos;) {
    line.insert(at + wanted_.size(), kMatchOff);
    line.insert(at, kMatchOn);
    at = place_of(wanted_, line, at + wanted_.size() + kMatchOn.size() + kMatchOff.size());
  }
  return line;
}

std::vector<std::string> OutputPane::lines(std::size_t rows,
                                           const inspect::OutputTail& output) const {
  const std::size_t count = count_of(output);
  std::size_t end = count;
  if (bottom_) {
    const std::uint64_t kept = *bottom_ - std::min(*bottom_, output.left_out());
    end = std::clamp<std::size_t>(static_cast<std::size_t>(kept), std::min(rows, count), count);
  }
  std::vector<std::string> lines;
  for (std::size_t i = end - std::min(end, rows); i < end; ++i) {
    const std::string line = highlighted(text_of(i, output));
    lines.push_back(is_note(i, output) ? std::string(kNoteColour) + line : line);
  }
  return lines;
}

}  // namespace gibbous::top
