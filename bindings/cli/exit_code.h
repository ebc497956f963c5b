// The exit codes of the command, and which one a result means. Every sub-command ends with one of
// these.
#pragma once

#include <string>

#include "gibbous/runtime.h"

namespace gibbous::cli {

enum class ExitCode : int {
  kDone = 0,
  kFailed = 1,
  kWrongUse = 2,
  kDenied = 3,
  kNeedsApproval = 4,
};

// The exit code for an error with this stable code.
ExitCode exit_code_of(const std::string& error_code);
ExitCode exit_code_of(const CallResult& result);

}  // namespace gibbous::cli
