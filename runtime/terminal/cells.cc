#include "runtime/terminal/cells.h"

#include <array>
#include <cstdint>
#include <cstdio>

#include "runtime/terminal/code_point.h"

namespace gibbous {
namespace {

// The second half of a wide character.
constexpr std::uint32_t kContinued = static_cast<std::uint32_t>(-1);
constexpr std::array kColours = {"black", "red",     "green", "yellow",
                                 "blue",  "magenta", "cyan",  "white"};

void append_cell(std::string& text, const VTermScreenCell& cell) {
  if (cell.chars[0] == kContinued) return;
  if (cell.chars[0] == 0) {
    text += ' ';
    return;
  }
  for (const std::uint32_t character : cell.chars) {
    if (character == 0) return;
    append_utf8(text, character);
  }
}

std::string colour_name(const VTermColor& colour) {
  constexpr std::size_t kNamed = kColours.size();
  if (VTERM_COLOR_IS_INDEXED(&colour)) {
    const std::size_t index = colour.indexed.idx;
    if (index < kNamed) return kColours[index];
    if (index < 2 * kNamed) return std::string("bright_") + kColours[index - kNamed];
    return "color" + std::to_string(index);
  }
  std::array<char, sizeof "#rrggbb"> text{};
  std::snprintf(text.data(), text.size(), "#%02x%02x%02x", colour.rgb.red, colour.rgb.green,
                colour.rgb.blue);
  return text.data();
}

TextStyle style_of(const VTermScreenCell& cell) {
  TextStyle style;
  style.bold = cell.attrs.bold != 0;
  style.italic = cell.attrs.italic != 0;
  style.underline = cell.attrs.underline != 0;
  style.blink = cell.attrs.blink != 0;
  style.reverse = cell.attrs.reverse != 0;
  style.strike = cell.attrs.strike != 0;
  if (!VTERM_COLOR_IS_DEFAULT_FG(&cell.fg)) style.foreground = colour_name(cell.fg);
  if (!VTERM_COLOR_IS_DEFAULT_BG(&cell.bg)) style.background = colour_name(cell.bg);
  return style;
}

}  // namespace

std::string text_of(std::span<const VTermScreenCell> cells) {
  std::string text;
  for (const VTermScreenCell& cell : cells) append_cell(text, cell);
  text.resize(text.find_last_not_of(' ') + 1);
  return text;
}

std::vector<StyledSpan> spans_of(std::span<const VTermScreenCell> cells) {
  std::vector<StyledSpan> spans;
  for (std::size_t col = 0; col < cells.size(); ++col) {
    TextStyle style = style_of(cells[col]);
    const int at = static_cast<int>(col);
    if (!spans.empty() && spans.back().to == at && spans.back().style == style) {
      ++spans.back().to;
    } else if (style != TextStyle{}) {
      spans.push_back({at, at + 1, std::move(style)});
    }
  }
  return spans;
}

}  // namespace gibbous
