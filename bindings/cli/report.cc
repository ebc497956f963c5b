// See report.h.
#include "bindings/cli/report.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "bindings/cli/answer.h"
#include "bindings/cli/terminal.h"
#include "bindings/stdio/question_text.h"

namespace gibbous::cli {

ExitCode fail(const Status& status, const Options& options) {
  if (options.json || options.command == Command::kSession) {
    const std::string line = answer_line("", error_member(status.code(), status.message()));
    std::printf("%s\n", line.c_str());
  }
  print_error(status.message());
  return exit_code_of(status.code());
}

std::string shown_text(const std::string& text) {
  constexpr std::size_t kMaxShownBytes = 4096;
  return stdio::printable(text, kMaxShownBytes);
}

void warn_of_policy(const Runtime& runtime) {
  const std::string error = runtime.policy_error();
  if (!error.empty()) print_error("the policy is broken, so every call is denied: " + error);
}

void tell_end_problem(const Runtime& runtime) {
  const Status problem = runtime.end_problem();
  if (!problem) print_error(problem.code() + ": " + problem.message());
}

void leave(ExitCode code) {
  std::fflush(nullptr);
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::close(fd);
  std::_Exit(static_cast<int>(code));
}

}  // namespace gibbous::cli
