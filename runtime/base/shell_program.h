// The shell that runs command lines: which one, and how it is started. Pure but for a look at the
// fixed places of bash. Any thread.
#pragma once

#include <string>
#include <vector>

namespace gibbous {

inline constexpr const char* kPlainShell = "/bin/sh";

// Returns the first bash in fixed directories of the system, else kPlainShell. PATH does not count:
// it may name a directory that a run can write.
std::string default_shell();

// Returns the words that run a line. bash gets no startup files, functions or options from the
// environment, so that it runs what was judged: --norc -p.
std::vector<std::string> shell_words(const std::string& shell, const std::string& line);

// Returns whether this machine can run the shell.
bool has_shell(const std::string& shell);

}  // namespace gibbous
