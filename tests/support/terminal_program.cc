// See terminal_program.h.
#include "tests/support/terminal_program.h"

#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <stdexcept>
#include <system_error>
#include <utility>
#include <vector>

namespace gibbous::testing {

TerminalProgram::TerminalProgram(const ProgramSpec& spec) {
  // All allocations happen before the fork.
  std::vector<std::string> words = spec.argv;
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  int terminal = -1;
  pid_ = forkpty(&terminal, nullptr, nullptr, nullptr);
  if (pid_ < 0) throw std::system_error(errno, std::generic_category(), "forkpty");
  if (pid_ == 0) {
    // Tests may run below nohup, or in the background of a shell.
    for (const int number : {SIGHUP, SIGINT, SIGQUIT}) ::signal(number, SIG_DFL);
    execv(argv[0], argv.data());
    _exit(127);
  }
  terminal_.reset(terminal);
}

TerminalProgram::~TerminalProgram() {
  if (ended_) return;
  kill(pid_, SIGKILL);
  (void)waitpid(pid_, nullptr, 0);
}

void TerminalProgram::type(const std::string& keys) {
  if (::write(terminal_.get(), keys.data(), keys.size()) != static_cast<ssize_t>(keys.size()))
    throw std::system_error(errno, std::generic_category(), "the terminal takes no input");
}

void TerminalProgram::send_signal(int number) const {
  if (kill(pid_, number) != 0)
    throw std::system_error(errno, std::generic_category(), "the program has gone");
}

void TerminalProgram::resize(unsigned short rows, unsigned short columns) const {
  const winsize size{.ws_row = rows, .ws_col = columns, .ws_xpixel = 0, .ws_ypixel = 0};
  if (ioctl(terminal_.get(), TIOCSWINSZ, &size) != 0)
    throw std::system_error(errno, std::generic_category(), "the terminal takes no size");
}

// Returns false if nothing more comes: the program has closed its terminal, or is late.
bool TerminalProgram::fill() {
  pollfd entry{terminal_.get(), POLLIN, 0};
  if (poll(&entry, 1, static_cast<int>(Program::kPatience.count())) != 1) return false;
  std::array<char, 4096> piece{};
  const ssize_t count = ::read(terminal_.get(), piece.data(), piece.size());
  if (count <= 0) return false;
  shown_.append(piece.data(), static_cast<std::size_t>(count));
  return true;
}

std::string TerminalProgram::until(const std::string& part) {
  // A program that draws all the time never falls silent.
  const auto limit = std::chrono::steady_clock::now() + Program::kPatience;
  for (;;) {
    const std::size_t at = shown_.find(part, seen_);
    if (at != std::string::npos) {
      seen_ = at + part.size();
      return shown_;
    }
    if (!fill() || std::chrono::steady_clock::now() > limit)
      throw std::runtime_error("never shown: " + part + "; shown: " + shown_);
  }
}

ExitStatus TerminalProgram::wait() {
  while (fill()) {
  }
  int raw = 0;
  // It may have closed its terminal and live on, or wait for keys that never come.
  const UniqueFd process(static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0U)));
  pollfd end{process.get(), POLLIN, 0};
  if (poll(&end, 1, static_cast<int>(Program::kPatience.count())) != 1)
    throw std::runtime_error("it does not end; shown: " + shown_);
  if (waitpid(pid_, &raw, 0) != pid_)
    throw std::system_error(errno, std::generic_category(), "waitpid");
  ended_ = true;
  ExitStatus status;
  if (WIFEXITED(raw)) status.code = WEXITSTATUS(raw);
  if (WIFSIGNALED(raw)) status.signal = WTERMSIG(raw);
  return status;
}

}  // namespace gibbous::testing
