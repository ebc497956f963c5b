#include "runtime/base/shell_program.h"

#include <sys/stat.h>
#include <unistd.h>

#include <array>

namespace gibbous {
namespace {

// The same as in scripts/executors/command.lua. The third one is that of NixOS.
constexpr std::array kBashes = {"/bin/bash", "/usr/bin/bash", "/run/current-system/sw/bin/bash",
                                "/usr/local/bin/bash"};

}  // namespace

bool has_shell(const std::string& shell) {
  // A name without a directory is looked up in PATH when the run starts.
  if (shell.find('/') == std::string::npos) return true;
  struct stat status {};
  return ::stat(shell.c_str(), &status) == 0 && S_ISREG(status.st_mode) &&
         ::access(shell.c_str(), X_OK) == 0;
}

std::string default_shell() {
  for (const char* bash : kBashes) {
    if (has_shell(bash)) return bash;
  }
  return kPlainShell;
}

std::vector<std::string> shell_words(const std::string& shell, const std::string& line) {
  const bool is_bash = shell.substr(shell.rfind('/') + 1) == "bash";  // npos + 1 is 0
  if (is_bash) return {shell, "--norc", "-p", "-c", line};
  return {shell, "-c", line};
}

}  // namespace gibbous
