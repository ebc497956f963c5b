// The exit codes of the command, and which one a result means.
#include "bindings/cli/exit_code.h"

namespace gibbous::cli {

ExitCode exit_code_of(const std::string& error_code) {
  if (error_code == "denied") return ExitCode::kDenied;
  if (error_code == "needs_approval") return ExitCode::kNeedsApproval;
  if (error_code == "invalid_arguments" || error_code == "unknown_tool") return ExitCode::kWrongUse;
  return ExitCode::kFailed;
}

ExitCode exit_code_of(const CallResult& result) {
  return result.ok ? ExitCode::kDone : exit_code_of(result.code);
}

}  // namespace gibbous::cli
