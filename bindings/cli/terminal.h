// Text output: colours on a terminal, tables and error messages. Used by every sub-command that
// prints text; main thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace gibbous::cli {

enum class Colour { kNone, kBold, kDim, kRed, kGreen, kYellow, kBlue, kMagenta, kCyan };

// A descriptor that may be a terminal.
class Terminal {
 public:
  explicit Terminal(int fd);
  bool is_terminal() const { return is_terminal_; }
  bool has_colour() const { return has_colour_; }
  // Returns the columns; 0 when the descriptor is not a terminal, so that nothing is cut.
  std::size_t width() const { return width_; }
  // Returns the text in this colour, or unchanged without a terminal, with NO_COLOR or with
  // TERM=dumb.
  std::string paint(Colour colour, std::string_view text) const;

 private:
  bool is_terminal_ = false;
  bool has_colour_ = false;
  std::size_t width_ = 0;
};

// Aligns the columns; the first row is the heading, and each fits into a line of the terminal.
// `colours` has the colour of each row and may be shorter than `rows`.
std::string format_table(const std::vector<std::vector<std::string>>& rows,
                         const Terminal& terminal,
                         const std::vector<Colour>& colours = {Colour::kBold});

// "gibbous: message" on stderr.
void print_error(std::string_view message);

}  // namespace gibbous::cli
