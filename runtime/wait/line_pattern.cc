// Why a block may be searched whole: the block's expression is the pattern with "(?m)" and
// never_nl, so wherever the pattern matches in a line's raw bytes, it also matches at that place in
// the block, unless a '\r' hides the line's end. The converse does not hold, so each hit is
// confirmed on the line alone; and patterns that may match a line but not the block are matched
// line by line.
//
// RE2 builds its automaton while it searches, which takes longer than everything else between a new
// line and its waiter. It needs no automaton for a short text when an expression is anchored and
// has a group: hence `brief_`.
#include "runtime/wait/line_pattern.h"

#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "runtime/output/line_bytes.h"
#include "runtime/output/text.h"

namespace gibbous {
namespace {

// For one expression's program and the cache of its automaton; beyond it RE2 uses a slower search.
constexpr std::int64_t kMaxRegexMemory = std::int64_t{4} << 20;
constexpr int kMaxCaptures = 32;
constexpr std::size_t kBriefBytes = 512;  // a line of usual length

re2::RE2::Options line_options() {
  re2::RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(kMaxRegexMemory);
  return options;
}

// \A, \z and \C mean something else in a block than in a line, and so may (?m) and (?-m). Reads
// escapes and brackets only roughly: an unneeded "no" costs speed, never an answer.
bool block_is_exact(std::string_view pattern) {
  for (std::size_t i = 0; i + 1 < pattern.size(); ++i) {
    if (pattern[i] == '\\') {
      ++i;
      if (pattern[i] == 'A' || pattern[i] == 'z' || pattern[i] == 'C') return false;
      if (pattern[i] == 'Q') return false;  // no escapes follow
    } else if (pattern[i] == '(' && pattern[i + 1] == '?') {
      const std::size_t end = pattern.find_first_of(":)<", i + 2);
      if (pattern.substr(i + 2, end == std::string_view::npos ? end : end - i - 2).find('m') !=
          std::string_view::npos) {
        return false;
      }
    }
  }
  return true;
}

std::string_view line_text(std::string_view line) {
  line = line.substr(0, kMaxMatchedLineBytes);
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  return line;
}

LineSpan line_around(std::string_view block, std::size_t at) {
  const std::size_t before = at == 0 ? std::string_view::npos : block.rfind('\n', at - 1);
  const std::size_t after = block.find('\n', at);
  return {before == std::string_view::npos ? 0 : before + 1,
          after == std::string_view::npos ? block.size() : after};
}

}  // namespace

LinePattern::LinePattern() = default;
LinePattern::~LinePattern() = default;

Result<std::shared_ptr<LinePattern>> LinePattern::compile(const std::string& pattern) {
  if (pattern.empty()) {
    return Status::error("invalid_arguments", "expected a regular expression, got \"\"");
  }
  if (pattern.size() > kMaxPatternBytes) {
    return Status::error("invalid_arguments",
                         "longer than " + std::to_string(kMaxPatternBytes) + " bytes");
  }
  std::shared_ptr<LinePattern> compiled(new LinePattern);
  compiled->line_ = std::make_unique<re2::RE2>(pattern, line_options());
  const re2::RE2& line = *compiled->line_;
  if (!line.ok()) {
    std::string message = line.error();
    const std::size_t position = pattern.find(line.error_arg());
    if (!line.error_arg().empty() && position != std::string::npos) {
      message += " (at byte " + std::to_string(position + 1) + " of \"" + pattern + "\")";
    }
    return Status::error("invalid_arguments", to_utf8(message));
  }
  compiled->anchored_ = pattern.front() == '^' && pattern.find('|') == std::string::npos;
  compiled->sees_line_end_ = pattern.find('$') != std::string::npos;
  // Trying the shortest prefix first finds the leftmost match. \C is any byte, valid UTF-8 or not.
  const std::string prefix = compiled->anchored_ ? "" : "^\\C*?";
  auto brief = std::make_unique<re2::RE2>(prefix + "(" + pattern + ")", line_options());
  if (brief->ok()) compiled->brief_ = std::move(brief);
  return compiled;
}

void LinePattern::compile_block() {
  if (std::exchange(block_tried_, true) || !block_is_exact(line_->pattern())) return;
  re2::RE2::Options options = line_options();
  options.set_never_nl(true);
  auto block = std::make_unique<re2::RE2>("(?m)" + line_->pattern(), options);
  if (block->ok()) block_ = std::move(block);
}

bool LinePattern::search(std::string_view text) const {
  return line_->Match(text, 0, text.size(), re2::RE2::UNANCHORED, nullptr, 0);
}

bool LinePattern::search_groups(std::string_view text, LineMatch& match) const {
  const bool brief = brief_ != nullptr && text.size() <= kBriefBytes;
  const re2::RE2& regex = brief ? *brief_ : *line_;
  const auto skipped = std::size_t{brief ? 2U : 1U};  // the match, and the group around the pattern
  const int groups = std::min(line_->NumberOfCapturingGroups(), kMaxCaptures);
  std::array<re2::StringPiece, kMaxCaptures + 2> found;
  const int asked = groups + static_cast<int>(skipped);
  if (!regex.Match(text, 0, text.size(), re2::RE2::UNANCHORED, found.data(), asked)) {
    return false;
  }
  for (int i = 0; i < groups; ++i) {
    const re2::StringPiece& group = found[skipped + static_cast<std::size_t>(i)];
    match.captures.push_back(group.data() == nullptr ? "" : to_utf8({group.data(), group.size()}));
  }
  const re2::StringPiece& whole = found[skipped - 1];
  match.place = {static_cast<std::size_t>(whole.data() - text.data()), whole.size()};
  return true;
}

bool LinePattern::matches(std::string_view line) const {
  const std::string_view text = line_text(line);
  if (search(text)) return true;
  return !is_clean(text, byte_kinds(text)) && search(clean(text));
}

std::optional<LineMatch> LinePattern::match(std::string_view line) const {
  const std::string_view text = line_text(line);
  LineMatch match;
  const bool matched = search_groups(text, match);
  const bool as_it_is = is_clean(text, byte_kinds(text));
  if (!matched && as_it_is) return std::nullopt;
  match.line = as_it_is ? std::string(text) : clean(text);
  if (as_it_is) return match;
  LineMatch seen;
  const bool is_seen = search_groups(match.line, seen);
  match.place = seen.place;
  if (!matched) match.captures = std::move(seen.captures);
  return matched || is_seen ? std::optional(std::move(match)) : std::nullopt;
}

std::optional<LineSpan> LinePattern::find_line_by_line(std::string_view block) const {
  for (std::size_t begin = 0; begin <= block.size();) {
    const LineSpan line = {begin, std::min(block.find('\n', begin), block.size())};
    if (matches(block.substr(line.begin, line.end - line.begin))) return line;
    begin = line.end + 1;
  }
  return std::nullopt;
}

// A search of the raw block misses lines that look different when cleaned, and line ends after a
// '\r'. They form one more block, which is searched at once.
bool LinePattern::may_match_differently(std::string_view block) const {
  std::string other;
  for (std::size_t begin = 0; begin <= block.size();) {
    const std::size_t end = std::min(block.find('\n', begin), block.size());
    const std::string_view bytes = block.substr(begin, end - begin);
    const std::string_view text = line_text(bytes);
    begin = end + 1;
    if (sees_line_end_ && text.size() != bytes.size()) {
      other += text;
      other += '\n';
    }
    if (is_clean(text, byte_kinds(text))) continue;
    append_clean(text, other);
    other += '\n';
  }
  if (other.empty()) return false;
  other.pop_back();
  return block_->Match(other, 0, other.size(), re2::RE2::UNANCHORED, nullptr, 0);
}

// Returns the first line whose raw bytes match, apart from the case of sees_line_end_.
std::optional<LineSpan> LinePattern::find_raw(std::string_view block) const {
  for (std::size_t begin = 0; begin <= block.size();) {
    LineSpan line;
    if (anchored_) {  // a line with another beginning fails at its first byte
      line = {begin, std::min(block.find('\n', begin), block.size())};
    } else {
      const std::string_view rest = block.substr(begin);
      re2::StringPiece hit;
      if (!block_->Match(rest, 0, rest.size(), re2::RE2::UNANCHORED, &hit, 1)) break;
      line = line_around(block, static_cast<std::size_t>(hit.data() - block.data()));
    }
    if (search(line_text(block.substr(line.begin, line.end - line.begin)))) return line;
    begin = line.end + 1;
  }
  return std::nullopt;
}

std::optional<LineSpan> LinePattern::find(std::string_view block) {
  compile_block();
  if (block_ == nullptr) return find_line_by_line(block);
  const auto line = find_raw(block);
  if (line && line->begin == 0) return line;
  // An earlier line may match only when cleaned.
  const std::string_view before = line ? block.substr(0, line->begin - 1) : block;
  if (is_clean(before, byte_kinds(before)) || !may_match_differently(before)) return line;
  const auto earlier = find_line_by_line(before);
  return earlier ? earlier : line;
}

}  // namespace gibbous
