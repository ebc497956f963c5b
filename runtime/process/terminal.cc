#include "runtime/process/terminal.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <utility>

namespace gibbous {
namespace {

constexpr int kSlaveFlags = O_RDWR | O_NOCTTY | O_CLOEXEC;

// Uses the master itself where the kernel can do it: the name of a terminal may mean another one in
// another mount of /dev/pts.
UniqueFd open_slave(int master) {
  UniqueFd slave(::ioctl(master, TIOCGPTPEER, kSlaveFlags));
  if (slave) return slave;
  int number = 0;
  if (::ioctl(master, TIOCGPTN, &number) != 0) return {};
  return UniqueFd(::open(("/dev/pts/" + std::to_string(number)).c_str(), kSlaveFlags));
}

// Then the line discipline erases whole multi-byte characters.
void expect_utf8(int slave) {
  termios settings{};
  if (::tcgetattr(slave, &settings) != 0) return;
  settings.c_iflag |= IUTF8;
  ::tcsetattr(slave, TCSANOW, &settings);
}

}  // namespace

bool is_terminal_size(const TerminalSize& size) {
  return clamp_terminal_size(size.rows, size.cols) == size;
}

TerminalSize clamp_terminal_size(int rows, int cols) {
  return {static_cast<std::uint16_t>(std::clamp(rows, kMinTerminalRows, kMaxTerminalRows)),
          static_cast<std::uint16_t>(std::clamp(cols, kMinTerminalCols, kMaxTerminalCols))};
}

TerminalEnds open_terminal(const TerminalSize& size) {
  UniqueFd master(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK));
  if (!master || ::unlockpt(master.get()) != 0) return {};
  UniqueFd slave = open_slave(master.get());
  if (!slave || !set_terminal_size(master.get(), size)) return {};
  expect_utf8(slave.get());
  return {std::move(master), std::move(slave)};
}

bool set_terminal_size(int master, const TerminalSize& size) {
  winsize window{};
  window.ws_row = size.rows;
  window.ws_col = size.cols;
  return ::ioctl(master, TIOCSWINSZ, &window) == 0;
}

std::optional<TerminalSize> terminal_size(int master) {
  winsize window{};
  if (::ioctl(master, TIOCGWINSZ, &window) != 0) return std::nullopt;
  return clamp_terminal_size(window.ws_row, window.ws_col);
}

Echo echo_of(int master) {
  termios settings{};
  if (::tcgetattr(master, &settings) != 0 || (settings.c_lflag & ECHO) != 0) return Echo::kTerminal;
  return (settings.c_lflag & ICANON) != 0 ? Echo::kNobody : Echo::kProgram;
}

}  // namespace gibbous
