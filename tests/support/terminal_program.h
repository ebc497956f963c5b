// TerminalProgram: a program under test in a terminal of its own. The test types and reads what a
// person would see. One thread; every wait has a deadline.
#pragma once

#include <chrono>
#include <string>

#include "runtime/base/unique_fd.h"
#include "tests/support/program.h"

namespace gibbous::testing {

class TerminalProgram {
 public:
  explicit TerminalProgram(const ProgramSpec& spec);
  // Kills it if it still runs.
  ~TerminalProgram();
  TerminalProgram(const TerminalProgram&) = delete;
  TerminalProgram& operator=(const TerminalProgram&) = delete;

  void type(const std::string& keys);
  void send_signal(int number) const;
  void resize(unsigned short rows, unsigned short columns) const;
  // Returns all output so far once `part` has come since the last call; throws if it does not come.
  std::string until(const std::string& part);
  // Waits for its end; throws if it does not come.
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
