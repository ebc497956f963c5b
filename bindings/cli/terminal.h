// What people see: colour on a terminal, tables and error lines.
// Used by every sub-command that prints for people; main thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace gibbous::cli {

enum class Colour { kNone, kBold, kDim, kRed, kGreen, kYellow, kBlue, kMagenta, kCyan };

// One descriptor that people may be looking at.
class Terminal {
 public:
  explicit Terminal(int fd);
  bool is_terminal() const { return is_terminal_; }
  bool has_colour() const { return has_colour_; }
  // Columns; 0 when the descriptor is no terminal, so that nothing is cut.
  std::size_t width() const { return width_; }
  // The text in a colour, or unchanged where colour is not wanted (no terminal, NO_COLOR,
  // TERM=dumb).
  std::string paint(Colour colour, std::string_view text) const;

 private:
  bool is_terminal_ = false;
  bool has_colour_ = false;
  std::size_t width_ = 0;
};

// Rows as aligned columns, the first row as the heading. The last column is cut at the terminal's
// width. `colours` are those of the rows, as far as they reach.
std::string format_table(const std::vector<std::vector<std::string>>& rows,
                         const Terminal& terminal,
                         const std::vector<Colour>& colours = {Colour::kBold});

// "gibbous: message" on stderr.
void print_error(std::string_view message);

}  // namespace gibbous::cli
