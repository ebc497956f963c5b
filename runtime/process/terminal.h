// A terminal for a run: its size, its two ends, and what the kernel knows about it. The keeper
// opens it, the child gets the end that programs use (the slave), and the library holds the other
// one (the master). Any thread.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

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

// What a run requests.
struct TerminalSpec {
  TerminalSize size;
  std::string term = "xterm-256color";  // the value of TERM
};

// Returns whether the size is within the limits above.
bool is_terminal_size(const TerminalSize& size);

// Returns the nearest size within the limits.
TerminalSize clamp_terminal_size(int rows, int cols);

struct TerminalEnds {
  UniqueFd master;  // non-blocking
  UniqueFd slave;
};

// Returns unset ends, with errno, when none is available. Both are closed on exec.
TerminalEnds open_terminal(const TerminalSize& size);

// Sets the size through a master; programs in its foreground get SIGWINCH when it changes. Returns
// false with errno on failure.
bool set_terminal_size(int master, const TerminalSize& size);
// Returns the size that programs see, which they may have changed themselves; within the limits.
std::optional<TerminalSize> terminal_size(int master);

// What echoes typed text: the terminal, possibly its program (which reads single keys), or nothing
// (the terminal hides the line: a password prompt).
enum class Echo : std::uint8_t { kTerminal, kProgram, kNobody };
Echo echo_of(int master);

// Returns the words of the programs in the foreground of a terminal: of the processes of its
// foreground group among `leader` and its descendants, or among all when there are none. At most
// kMaxForeground of them, each with at most kMaxWordsBytes of its words.
inline constexpr std::size_t kMaxForeground = 8;
inline constexpr std::size_t kMaxWordsBytes = std::size_t{4} << 10;
std::vector<std::vector<std::string>> foreground_of(int master, pid_t leader);

}  // namespace gibbous
