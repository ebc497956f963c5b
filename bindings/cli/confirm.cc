#include "bindings/cli/confirm.h"

#include <termios.h>
#include <unistd.h>

#include <cstdio>
#include <iostream>

namespace gibbous::cli {

bool can_confirm() {
  // The terminal would stop a background job that reads from it.
  return ::isatty(STDIN_FILENO) == 1 && ::isatty(STDERR_FILENO) == 1 &&
         ::tcgetpgrp(STDIN_FILENO) == ::getpgrp();
}

bool confirmed(const std::string& question) {
  // Keys typed before the question was shown are not an answer.
  (void)::tcflush(STDIN_FILENO, TCIFLUSH);
  std::fputs((question + " [y/N]: ").c_str(), stderr);
  std::string line;
  const bool answered = static_cast<bool>(std::getline(std::cin, line));
  return answered && (line == "y" || line == "Y" || line == "yes");
}

}  // namespace gibbous::cli
