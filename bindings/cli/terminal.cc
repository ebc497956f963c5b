// See terminal.h.
#include "bindings/cli/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "bindings/inspect/table.h"

namespace gibbous::cli {
namespace {

constexpr std::size_t kDefaultColumns = 80;

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
  std::string table;
  std::size_t row = 0;
  for (const std::string& line : inspect::table_lines(rows, terminal.width())) {
    table += terminal.paint(row < colours.size() ? colours[row] : Colour::kNone, line) + "\n";
    ++row;
  }
  return table;
}

void print_error(std::string_view message) {
  const Terminal terminal(STDERR_FILENO);
  const std::string line = terminal.paint(Colour::kRed, "gibbous: ") + std::string(message) + "\n";
  std::fwrite(line.data(), 1, line.size(), stderr);
}

}  // namespace gibbous::cli
