// See terminal_view.h.
#include "bindings/inspect/terminal_view.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>
#include <utility>

#include "bindings/inspect/output_filter.h"
#include "bindings/json/text.h"
#include "runtime/output/utf8.h"
#include "runtime/terminal/screen.h"

namespace gibbous::inspect {
namespace {

constexpr std::array<std::string_view, 8> kTerminalColours = {"black", "red",     "green", "yellow",
                                                              "blue",  "magenta", "cyan",  "white"};
constexpr std::size_t kMaxSizeBytes = 256;  // of the JSON
constexpr int kNormalColour = 30;
constexpr int kBrightColour = 90;
constexpr int kBackgroundShift = 10;  // added to the code of the same foreground

// ";31", ";38;5;208" or ";38;2;255;135;0"; "" for the terminal's own colour.
std::string colour_code(std::string_view colour, int shift) {
  constexpr std::string_view kBrightPrefix = "bright_";
  constexpr std::string_view kIndexPrefix = "color";
  constexpr std::size_t kHexDigits = 7;  // with the #
  const std::string extended = ";" + std::to_string(38 + shift);
  if (colour.size() == kHexDigits && colour[0] == '#') {
    std::string code = extended + ";2";
    for (std::size_t at = 1; at < colour.size(); at += 2) {
      int value = 0;
      std::from_chars(colour.data() + at, colour.data() + at + 2, value, 16);
      code += ";" + std::to_string(value);
    }
    return code;
  }
  if (colour.starts_with(kIndexPrefix)) {
    return extended + ";5;" + std::string(colour.substr(kIndexPrefix.size()));
  }
  const bool bright = colour.starts_with(kBrightPrefix);
  if (bright) colour.remove_prefix(kBrightPrefix.size());
  const auto found = std::find(kTerminalColours.begin(), kTerminalColours.end(), colour);
  if (found == kTerminalColours.end()) return "";
  const int base = (bright ? kBrightColour : kNormalColour) + shift;
  return ";" + std::to_string(base + static_cast<int>(found - kTerminalColours.begin()));
}

std::string style_code(const TextStyle& style) {
  std::string code = "\x1b[0";
  if (style.bold) code += ";1";
  if (style.italic) code += ";3";
  if (style.underline) code += ";4";
  if (style.reverse) code += ";7";
  if (style.strike) code += ";9";
  code += colour_code(style.foreground, 0) + colour_code(style.background, kBackgroundShift);
  return code + "m";
}

// Counts the bytes of the first `columns` characters. Wide characters make a row too long; the
// screen cuts it.
std::size_t bytes_of(std::string_view text, std::size_t columns) {
  std::size_t at = 0;
  for (; at < text.size(); ++at) {
    if (!is_utf8_continuation(text[at]) && columns-- == 0) break;
  }
  return at;
}

// Returns true when the text may fill a row. Characters of three bytes and more count as wide.
bool may_fill(std::string_view text, std::size_t columns) {
  constexpr unsigned char kFirstOfThree = 0xE0;
  std::size_t taken = 1;  // a wide character may not have fitted into the last column
  for (const char byte : text) {
    if (is_utf8_continuation(byte)) continue;
    taken += static_cast<unsigned char>(byte) >= kFirstOfThree ? 2 : 1;
  }
  return taken >= columns;
}

// The columns [left, left + columns) of a row, whose redacted text is `safe`.
std::string styled(const ScreenRow& row, const std::string& safe, std::size_t left,
                   std::size_t columns) {
  const std::size_t first = bytes_of(safe, left);
  const std::size_t last = bytes_of(safe, left + columns);
  // The positions of the styles refer to the original text.
  if (safe != row.text) return safe.substr(first, last - first);
  std::string text;
  std::size_t done = first;
  const auto take = [&](int to) {
    const std::size_t end = std::min(bytes_of(row.text, static_cast<std::size_t>(to)), last);
    if (end > done) text += row.text.substr(done, end - done);
    done = std::max(done, end);
  };
  for (const StyledSpan& span : row.spans) {
    take(span.from);
    text += style_code(span.style);
    take(span.to);
    text += kResetColours;
  }
  take(kMaxTerminalCols);
  return text;
}

bool is_known(const TerminalSize& size) {
  return size.rows > 0 && size.cols > 0;
}

// Returns the first of `shown` rows or columns that have the cursor among them.
std::size_t first_shown(int cursor, std::size_t all, std::size_t shown) {
  const auto at = static_cast<std::size_t>(std::max(cursor, 0));
  return all <= shown || at < shown ? 0 : std::min(at + 1, all) - shown;
}

}  // namespace

TerminalView::TerminalView(const RunFacts& facts, bool is_whole) : redaction_(facts.redaction) {
  const TerminalSize size = is_whole ? facts.size_at_start : facts.size_now;
  // The host has sent the answers.
  screen_ =
      std::make_unique<Screen>(is_known(size) ? size : TerminalSize(), [](std::string_view) {});
}

TerminalView::~TerminalView() = default;

void TerminalView::add(const StoredItem& item) {
  if (item.type != ItemType::kTerminal) return;
  if (!item.meta.empty()) {
    const TerminalSize size = size_of(parse_object(item.meta, kMaxSizeBytes));
    if (is_known(size)) screen_->resize(size);
  }
  screen_->feed(item.payload);
}

TerminalSize TerminalView::size() const {
  return screen_->size();
}

std::vector<std::string> TerminalView::frame(std::size_t rows, std::size_t columns) {
  const std::vector<ScreenRow>& all = screen_->rows();
  const ScreenCursor cursor = screen_->cursor();
  const std::size_t top = first_shown(cursor.row, all.size(), rows);
  const std::size_t left = first_shown(cursor.col, screen_->size().cols, columns);
  const std::vector<std::string> safe = redacted_rows();
  std::vector<std::string> lines;
  for (std::size_t i = top; i < all.size() && lines.size() < rows; ++i) {
    lines.push_back(styled(all[i], safe[i], left, columns));
  }
  return lines;
}

// A row that is full may go on in the next one.
std::vector<std::string> TerminalView::redacted_rows() {
  const std::vector<ScreenRow>& all = screen_->rows();
  std::vector<std::string> safe;
  std::vector<std::string_view> line;
  for (const ScreenRow& row : all) {
    line.push_back(row.text);
    if (may_fill(row.text, screen_->size().cols) && &row != &all.back()) continue;
    for (std::string& text : redaction_.redact_pieces(line)) safe.push_back(std::move(text));
    line.clear();
  }
  return safe;
}

std::vector<std::string> TerminalView::text() {
  std::vector<std::string> lines = redacted_rows();
  while (!lines.empty() && lines.back().empty()) lines.pop_back();
  return lines;
}

}  // namespace gibbous::inspect
