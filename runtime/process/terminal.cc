#include "runtime/process/terminal.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "runtime/process/proc.h"

namespace gibbous {
namespace {

constexpr int kSlaveFlags = O_RDWR | O_NOCTTY | O_CLOEXEC;

// Opens it through the master if the kernel can: the name may mean another terminal in another
// mount of /dev/pts.
UniqueFd open_slave(int master) {
  UniqueFd slave(::ioctl(master, TIOCGPTPEER, kSlaveFlags));
  if (slave) return slave;
  int number = 0;
  if (::ioctl(master, TIOCGPTN, &number) != 0) return {};
  return UniqueFd(::open(("/dev/pts/" + std::to_string(number)).c_str(), kSlaveFlags));
}

// Makes the line discipline erase whole multi-byte characters.
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

namespace {

constexpr std::size_t kMaxSearched = 256;  // processes of one tree

// The words that a process was started with, or has given itself since.
std::vector<std::string> words_of(pid_t pid) {
  std::array<char, kMaxWordsBytes> text;
  const UniqueFd file(
      ::open(("/proc/" + std::to_string(pid) + "/cmdline").c_str(), O_RDONLY | O_CLOEXEC));
  const ssize_t size = file ? ::read(file.get(), text.data(), text.size()) : 0;
  std::vector<std::string> words;
  std::string_view rest(text.data(), size > 0 ? static_cast<std::size_t>(size) : 0);
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\0'), rest.size());
    words.emplace_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return words;
}

// Appends the children of each process, breadth first.
std::vector<pid_t> tree_of(pid_t leader) {
  std::vector<pid_t> found = {leader};
  for (std::size_t at = 0; at < found.size() && found.size() < kMaxSearched; ++at)
    append_children(found[at], found);
  return found;
}

}  // namespace

std::vector<std::vector<std::string>> foreground_of(int master, pid_t leader) {
  std::vector<std::vector<std::string>> programs;
  const pid_t group = ::tcgetpgrp(master);
  if (group <= 0) return programs;
  const auto look = [&](const std::vector<pid_t>& processes) {
    for (const pid_t pid : processes) {
      const auto stat = read_stat(pid);
      if (!stat || !stat->alive() || stat->group != group || programs.size() == kMaxForeground)
        continue;
      std::vector<std::string> words = words_of(pid);
      if (!words.empty()) programs.push_back(std::move(words));
    }
  };
  if (leader > 0) look(tree_of(leader));
  if (programs.empty()) {
    std::vector<pid_t> all;
    if (list_numbers("/proc", all)) look(all);
  }
  return programs;
}

}  // namespace gibbous
