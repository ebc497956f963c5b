// ExcerptLines: one pass over the copy. Plain lines are used in place; other lines are cleaned,
// once here and once more if they are shown.
#include "runtime/output/excerpt_lines.h"

#include <algorithm>
#include <utility>

#include "runtime/base/cut_line.h"
#include "runtime/output/error_line.h"
#include "runtime/output/text.h"
#include "runtime/output/utf8.h"

namespace gibbous {
namespace {

// Lines are gathered only up to here: more equal lines always cost more than the folding note.
constexpr std::size_t kMaxUnfoldedLines = 64;

bool is_plain(std::string_view line) {
  return std::all_of(line.begin(), line.end(),
                     [](char byte) { return (byte >= 0x20 && byte < 0x7F) || byte == '\t'; });
}

std::string_view without_line_end(std::string_view line) {
  if (!line.empty() && line.back() == '\n') line.remove_suffix(1);
  return line;
}

std::string repeat_note(std::uint64_t repeats) {
  std::string note = "… last line repeated ";
  note += with_commas(repeats);
  return note += repeats == 1 ? " time" : " times";
}

}  // namespace

std::string with_commas(std::uint64_t number) {
  constexpr std::size_t kGroup = 3;
  std::string text = std::to_string(number);
  for (std::size_t at = text.size(); at > kGroup;) text.insert(at -= kGroup, 1, ',');
  return text;
}

std::string offset_range(const Gap& gap) {
  std::string range = std::to_string(gap.from);
  range += "–";
  return range += std::to_string(gap.to);
}

ExcerptLines::ExcerptLines(const Stream& stream, const ErrorPatterns& patterns)
    : patterns_(patterns) {
  Offset at = 0;
  Offset expected = 0;
  for (std::string_view part : stream.views(0, &at)) {
    if (at >= stream.head_end()) at = std::max(at, stream.begin());
    if (at > expected) {
      // Both halves of a character that the gap cuts are dropped.
      bytes_.resize(bytes_.size() - incomplete_utf8_tail(bytes_));
      gone_at_ = bytes_.size();
      gone_.from = gone_at_;
      for (std::size_t i = 1; i < kMaxUtf8Bytes && !part.empty(); ++i) {
        if (!is_utf8_continuation(part[0])) break;
        part.remove_prefix(1);
        ++at;
      }
      gone_.to = at;
    }
    bytes_.append(part);
    at += part.size();
    expected = at;
  }
  if (!stream.ended()) bytes_.resize(bytes_.size() - incomplete_utf8_tail(bytes_));
}

// Gathers equal lines, and writes them as one unit if that is shorter.
class ExcerptLines::Splitter {
 public:
  explicit Splitter(ExcerptLines& lines) : lines_(lines) {}

  void add(std::size_t begin, std::size_t end) {
    const std::string_view raw =
        without_line_end(std::string_view(lines_.bytes_).substr(begin, end - begin));
    std::string_view text = raw;
    if (!is_plain(raw)) {
      cleaned_ = clean(raw);
      text = cleaned_;
    }
    if (count_ > 0 && text == text_) {
      ++count_;
      if (begins_.size() < kMaxUnfoldedLines) begins_.push_back(begin);
      return;
    }
    flush(begin);
    count_ = 1;
    begins_.assign(1, begin);
    if (text.data() == cleaned_.data()) {
      std::swap(cleaned_, held_);
      text = held_;
    }
    text_ = text;
  }

  // `end` is where the gathered lines end.
  void flush(std::size_t end) {
    if (count_ == 0) return;
    ExcerptUnit unit;
    unit.is_error = looks_like_error(text_, lines_.patterns_);
    const std::uint64_t repeats = count_ - 1;
    const std::size_t shown = std::min(text_.size(), lines_.max_line_bytes_) + 1;
    if (repeats >= begins_.size() || repeats * shown > repeat_note(repeats).size() + 1) {
      unit.begin = begins_[0];
      unit.repeats = static_cast<std::uint32_t>(std::min<std::uint64_t>(repeats, UINT32_MAX));
      push(unit, end);
    } else {
      for (std::size_t i = 0; i < begins_.size(); ++i) {
        unit.begin = begins_[i];
        push(unit, i + 1 < begins_.size() ? begins_[i + 1] : end);
      }
    }
    count_ = 0;
  }

 private:
  void push(ExcerptUnit unit, std::size_t end) {
    if (unit.repeats == 0 && text_.size() <= lines_.max_line_bytes_) {
      unit.cost = static_cast<std::uint32_t>(text_.size() + 1);
    } else {
      scratch_.clear();
      scratch_cut_.clear();
      lines_.render(unit, end, scratch_, scratch_cut_);
      if (scratch_.empty() || scratch_.back() != '\n') scratch_ += '\n';
      unit.cost = static_cast<std::uint32_t>(scratch_.size());
    }
    lines_.units_.push_back(unit);
  }

  ExcerptLines& lines_;
  std::string_view text_;  // of the gathered lines
  std::uint64_t count_ = 0;
  std::vector<std::size_t> begins_;  // of the first ones
  std::string cleaned_, held_;
  std::string scratch_;
  std::vector<Gap> scratch_cut_;
};

void ExcerptLines::split(std::size_t max_line_bytes, NoteStyle notes) {
  max_line_bytes_ = std::max<std::size_t>(max_line_bytes, 1);
  notes_ = notes;
  units_.clear();
  Splitter splitter(*this);
  const std::string_view bytes = bytes_;
  bool gone_is_due = has_gone();
  for (std::size_t at = 0; at < bytes.size() || gone_is_due;) {
    if (gone_is_due && at == gone_at_) {
      splitter.flush(at);
      units_.push_back({.begin = at, .is_gone = true});
      gone_is_due = false;
      continue;
    }
    const std::size_t newline = bytes.find('\n', at);
    std::size_t end = newline == std::string_view::npos ? bytes.size() : newline + 1;
    if (gone_is_due) end = std::min(end, gone_at_);
    splitter.add(at, end);
    at = end;
  }
  splitter.flush(bytes.size());
}

Offset ExcerptLines::offset_at(const ExcerptUnit& unit) const {
  if (!has_gone() || unit.is_gone || unit.begin < gone_at_) return unit.begin;
  return gone_.to + (unit.begin - gone_at_);
}

Offset ExcerptLines::begin_of(std::size_t unit) const {
  return offset_at(units_[unit]);
}

Offset ExcerptLines::end_of(std::size_t unit) const {
  if (units_[unit].is_gone) return gone_.to;
  const std::size_t end = unit + 1 < units_.size() ? units_[unit + 1].begin : bytes_.size();
  return begin_of(unit) + (end - units_[unit].begin);
}

void ExcerptLines::render(std::size_t unit, std::string& text, std::vector<Gap>& cut) const {
  render(units_[unit], unit + 1 < units_.size() ? units_[unit + 1].begin : bytes_.size(), text,
         cut);
}

void ExcerptLines::render(const ExcerptUnit& unit, std::size_t end, std::string& text,
                          std::vector<Gap>& cut) const {
  if (unit.is_gone) return;
  const std::string_view all = std::string_view(bytes_).substr(unit.begin, end - unit.begin);
  const std::string_view first = all.substr(0, std::min(all.find('\n'), all.size() - 1) + 1);
  const std::string_view raw = without_line_end(first);
  const bool plain = is_plain(raw);
  const std::string cleaned = plain ? std::string() : clean(raw);
  const std::string_view whole = plain ? raw : std::string_view(cleaned);
  const LinePlace error =
      unit.is_error ? find_error(whole, patterns_).value_or(LinePlace{}) : LinePlace{};
  const LineParts parts = choose_parts(whole, max_line_bytes_, error);
  // A cut in a cleaned line has no exact place in the raw stream, so its gap is the whole line.
  const auto leave_out = [&](std::size_t from, std::size_t to) {
    if (from == to) return;
    Gap gap{offset_at(unit) + (plain ? from : 0), offset_at(unit) + (plain ? to : raw.size())};
    switch (notes_) {
      case NoteStyle::kNone:
        break;
      case NoteStyle::kShort:
        text += "…";
        break;
      case NoteStyle::kLong:
        text += " [… ";
        text += with_commas(to - from);
        text +=
            plain ? " bytes of this line (offsets " : " bytes of this line (all of it: offsets ";
        text += offset_range(gap) + (to < whole.size() ? ") …] " : ") …]");
        break;
    }
    if (unit.repeats > 0) gap.to = offset_at(unit) + without_line_end(all).size();
    if (!cut.empty() && gap.from < cut.back().to) {
      cut.back().to = std::max(cut.back().to, gap.to);
    } else {
      cut.push_back(gap);
    }
  };
  text.append(whole.substr(0, parts.head));
  leave_out(parts.head, parts.from);
  text.append(whole.substr(parts.from, parts.to - parts.from));
  leave_out(parts.to, whole.size());
  if (unit.repeats > 0) {
    text += '\n';
    text += repeat_note(unit.repeats);
  }
  if (all.back() == '\n') text += '\n';
}

}  // namespace gibbous
