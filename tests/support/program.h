// Program: a program under test, connected by pipes: lines in, lines out, signals, exit status. For
// the tests of the command; one thread. Every wait has a deadline and ends as soon as its condition
// is true.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "runtime/base/unique_fd.h"

namespace gibbous::testing {

struct ProgramSpec {
  std::vector<std::string> argv;           // argv[0] is the path
  std::map<std::string, std::string> env;  // added to this process's environment
  std::string cwd;                         // "" is this process's
};

struct ExitStatus {
  int code = -1;  // -1 when a signal ended it
  int signal = 0;
};

class Program {
 public:
  static constexpr std::chrono::milliseconds kPatience{30'000};

  explicit Program(const ProgramSpec& spec);
  // Kills it if it still runs.
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  pid_t pid() const { return pid_; }
  // Writes all of it, or throws if the program does not read within the limit.
  void write(const std::string& text, std::chrono::milliseconds limit = kPatience);
  void write_line(const std::string& line) { write(line + "\n"); }
  void close_stdin() { stdin_.reset(); }
  void close_stdout() { stdout_.reset(); }
  void send_signal(int number) const;

  // Returns the next line of its stdout; nothing at its end or after the limit.
  std::optional<std::string> read_line(std::chrono::milliseconds limit = kPatience);
  // Returns the rest of its stdout.
  std::string read_rest(std::chrono::milliseconds limit = kPatience);
  std::string stderr_text();
  // Returns nothing if it does not end within the limit.
  std::optional<ExitStatus> wait(std::chrono::milliseconds limit = kPatience);

 private:
  bool fill(std::chrono::milliseconds limit);

  pid_t pid_ = -1;
  UniqueFd pidfd_;
  UniqueFd stdin_;
  UniqueFd stdout_;
  UniqueFd stderr_;  // a file: a program that complains a lot never waits for the test
  std::string buffer_;
  std::optional<ExitStatus> status_;
};

// Runs a program to its end and returns its output.
struct Outcome {
  ExitStatus status;
  std::string out;
  std::string err;
};
Outcome run_program(const ProgramSpec& spec, const std::string& input = "");

// Returns the other processes whose environment holds NAME=value.
std::vector<pid_t> processes_with(const std::string& name, const std::string& value);

}  // namespace gibbous::testing
