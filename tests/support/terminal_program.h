// TerminalProgram: a program under test at a terminal of its own: what a person would type goes in,
// what they would see comes out. One thread; every wait has a deadline.
#pragma once

#include <chrono>
#include <string>

#include "runtime/base/unique_fd.h"
#include "tests/support/program.h"

namespace gibbous::testing {

class TerminalProgram {
 public:
  explicit TerminalProgram(const ProgramSpec& spec);
  // Kills it when it still runs.
  ~TerminalProgram();
  TerminalProgram(const TerminalProgram&) = delete;
  TerminalProgram& operator=(const TerminalProgram&) = delete;

  void type(const std::string& keys);
  void send_signal(int number) const;
  void resize(unsigned short rows, unsigned short columns) const;
  // Everything that was shown so far, once `part` is in what came since the last call; throws when
  // it does not come.
  std::string until(const std::string& part);
  // Its end; throws when it does not come.
  ExitStatus wait();
  const std::string& shown() const { return shown_; }

 private:
  bool fill();

  pid_t pid_ = -1;
  UniqueFd terminal_;
  std::string shown_;
  std::size_t seen_ = 0;
  bool ended_ = false;
};

}  // namespace gibbous::testing
