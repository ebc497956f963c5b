// A terminal for a run: its size, its two ends, and what the kernel knows of it. The keeper opens
// it, the child gets the end that programs know (the slave), the library holds the other one (the
// master). Any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "runtime/base/unique_fd.h"

namespace gibbous {

inline constexpr int kMinTerminalRows = 2;
inline constexpr int kMaxTerminalRows = 300;
inline constexpr int kMinTerminalCols = 10;
inline constexpr int kMaxTerminalCols = 500;

struct TerminalSize {
  std::uint16_t rows = 24;
  std::uint16_t cols = 80;

  bool operator==(const TerminalSize&) const = default;
};

// What a run asks for.
struct TerminalSpec {
  TerminalSize size;
  std::string term = "xterm-256color";  // the variable TERM
};

// Within the limits above.
bool is_terminal_size(const TerminalSize& size);

// The nearest size within the limits.
TerminalSize clamp_terminal_size(int rows, int cols);

struct TerminalEnds {
  UniqueFd master;  // non-blocking
  UniqueFd slave;
};

// Unset ends and errno when there is none to be had. Both are closed on exec.
TerminalEnds open_terminal(const TerminalSize& size);

// Of a master; programs in its foreground get SIGWINCH when it changes. False: errno says why not.
bool set_terminal_size(int master, const TerminalSize& size);
// What programs were told last, and may have changed themselves; within the limits.
std::optional<TerminalSize> terminal_size(int master);

// Who shows what is typed: the terminal, perhaps its program (which reads keys one by one), or
// nobody (lines that the terminal does not show: a password prompt).
enum class Echo : std::uint8_t { kTerminal, kProgram, kNobody };
Echo echo_of(int master);

}  // namespace gibbous
