// See terminal.h.
#include "bindings/cli/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace gibbous::cli {
namespace {

constexpr std::size_t kDefaultColumns = 80;
constexpr std::size_t kColumnGap = 2;

const char* escape_of(Colour colour) {
  switch (colour) {
    case Colour::kNone:
      return "";
    case Colour::kBold:
      return "\x1b[1m";
    case Colour::kDim:
      return "\x1b[2m";
    case Colour::kRed:
      return "\x1b[31m";
    case Colour::kGreen:
      return "\x1b[32m";
    case Colour::kYellow:
      return "\x1b[33m";
    case Colour::kBlue:
      return "\x1b[34m";
    case Colour::kMagenta:
      return "\x1b[35m";
    case Colour::kCyan:
      return "\x1b[36m";
  }
  return "";
}

bool is_continuation_byte(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U;
}

// Counts code points, which is near enough to columns for tool names and sentences.
std::size_t columns_of(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return !is_continuation_byte(c); }));
}

std::string cut_to(std::string_view text, std::size_t columns) {
  if (columns_of(text) <= columns) return std::string(text);
  std::size_t seen = 0;
  std::size_t end = 0;
  for (; end < text.size(); ++end) {
    if (!is_continuation_byte(text[end]) && ++seen == columns) break;
  }
  return std::string(text.substr(0, end)) + "…";
}

}  // namespace

Terminal::Terminal(int fd) : is_terminal_(isatty(fd) == 1) {
  if (!is_terminal_) return;
  const char* no_colour = std::getenv("NO_COLOR");
  const char* kind = std::getenv("TERM");
  has_colour_ = (no_colour == nullptr || *no_colour == '\0') && kind != nullptr &&
                std::strcmp(kind, "dumb") != 0;
  winsize size{};
  const bool known = ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  width_ = known ? size.ws_col : kDefaultColumns;
}

std::string Terminal::paint(Colour colour, std::string_view text) const {
  if (!has_colour_ || colour == Colour::kNone) return std::string(text);
  return escape_of(colour) + std::string(text) + "\x1b[0m";
}

std::string format_table(const std::vector<std::vector<std::string>>& rows,
                         const Terminal& terminal, const std::vector<Colour>& colours) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], columns_of(row[i]));
  }
  std::string table;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    std::string line;
    std::size_t column = 0;
    for (std::size_t i = 0; i < rows[r].size(); ++i) {
      const bool last = i + 1 == rows[r].size();
      std::string cell = rows[r][i];
      if (last && terminal.width() > column) cell = cut_to(cell, terminal.width() - column);
      line += cell;
      if (!last) line.append(widths[i] - columns_of(cell) + kColumnGap, ' ');
      column += widths[i] + kColumnGap;
    }
    table += terminal.paint(r < colours.size() ? colours[r] : Colour::kNone, line) + "\n";
  }
  return table;
}

void print_error(std::string_view message) {
  const Terminal terminal(STDERR_FILENO);
  const std::string line = terminal.paint(Colour::kRed, "gibbous: ") + std::string(message) + "\n";
  std::fwrite(line.data(), 1, line.size(), stderr);
}

}  // namespace gibbous::cli
