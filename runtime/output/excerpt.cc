// excerpt(): returns everything if it fits; else the units that choose_units() picks, with notes
// between them.
#include "runtime/output/excerpt.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string_view>

#include "runtime/output/excerpt_choice.h"
#include "runtime/output/excerpt_lines.h"
#include "runtime/output/text.h"

namespace gibbous {
namespace {

// Notes are long when they take less than this part of the budget.
constexpr std::size_t kLongNotePart = 8;
constexpr std::size_t kShortNotePart = 2;
// When not everything fits, one line takes at most this part of the budget.
constexpr std::size_t kLinePart = 3;

// `gone` is the part of [cut.from, cut.to) that is not kept, empty when all of it is.
std::string cut_note(NoteStyle style, const Gap& cut, const Gap& gone) {
  if (style == NoteStyle::kNone) return {};
  std::string note = "[… ";
  if (style == NoteStyle::kShort) return note += offset_range(cut) + " …]\n";
  note += with_commas(cut.to - cut.from);
  note += " bytes (offsets ";
  note += offset_range(cut) + ") ";
  const bool any_gone = gone.to > gone.from;
  if (any_gone && gone.from == cut.from && gone.to == cut.to) return note += "no longer kept …]\n";
  note += "left out";
  if (any_gone) {
    note += ", of them ";
    note += offset_range(gone) + " no longer kept";
  }
  note += "; read from offset ";
  note += std::to_string(any_gone && gone.from == cut.from ? gone.to : cut.from);
  return note += " …]\n";
}

// Returns the length of the longest possible note about this stream.
std::size_t longest_note(NoteStyle style, Offset end, bool has_gone) {
  const Gap widest{0, end};
  const Gap last{end, end + 1};
  // `from` is 0 in this note, and may have this many digits in others.
  const std::size_t digits = std::to_string(end + 1).size();
  const std::size_t froms = style == NoteStyle::kLong ? 2 : 1;
  return cut_note(style, widest, has_gone ? last : Gap{}).size() + (digits - 1) * froms;
}

Excerpt render(const ExcerptLines& lines, const std::vector<bool>& chosen, NoteStyle style) {
  Excerpt result;
  const auto end_line = [&result] {
    if (!result.text.empty() && result.text.back() != '\n') result.text += '\n';
  };
  for (std::size_t unit = 0; unit < chosen.size();) {
    if (chosen[unit]) {
      end_line();
      lines.render(unit++, result.text, result.cut);
      continue;
    }
    Gap cut{lines.begin_of(unit), 0};
    Gap gone;
    for (; unit < chosen.size() && !chosen[unit]; ++unit) {
      if (lines.units()[unit].is_gone) gone = lines.gone();
      cut.to = lines.end_of(unit);
    }
    end_line();
    result.text += cut_note(style, cut, gone);
    result.cut.push_back(cut);
  }
  result.complete = result.cut.empty();
  return result;
}

std::size_t total_cost(const std::vector<ExcerptUnit>& units) {
  return std::accumulate(units.begin(), units.end(), std::size_t{0},
                         [](std::size_t sum, const ExcerptUnit& unit) { return sum + unit.cost; });
}

}  // namespace

Excerpt excerpt(const Stream& stream, const ExcerptOptions& options) {
  const std::size_t budget = options.budget_tokens > SIZE_MAX / kBytesPerToken
                                 ? SIZE_MAX
                                 : options.budget_tokens * kBytesPerToken;
  ExcerptLines lines(stream, *options.patterns);
  lines.split(options.max_line_bytes, NoteStyle::kLong);
  if (!lines.has_gone() && total_cost(lines.units()) <= budget) {
    return render(lines, std::vector<bool>(lines.units().size(), true), NoteStyle::kLong);
  }

  NoteStyle style = NoteStyle::kLong;
  std::size_t note = longest_note(style, stream.end(), lines.has_gone());
  if (note > budget / kLongNotePart) {
    style = NoteStyle::kShort;
    note = longest_note(style, stream.end(), lines.has_gone());
  }
  if (note > budget / kShortNotePart) {
    style = NoteStyle::kNone;
    note = 0;
  }
  const std::size_t max_line = std::min(options.max_line_bytes, budget / kLinePart);
  if (style != NoteStyle::kLong || max_line < options.max_line_bytes) lines.split(max_line, style);
  return render(lines, choose_units(lines.units(), budget, note, options.context_lines), style);
}

}  // namespace gibbous
