// The `gibbous` command. Parses the options, hands over to one sub-command, returns its exit code.
#include <fcntl.h>
#include <malloc.h>
#include <unistd.h>

#include "bindings/cli/commands.h"
#include "bindings/cli/options.h"
#include "bindings/cli/sign.h"

namespace {

using gibbous::cli::Command;
using gibbous::cli::ExitCode;
using gibbous::cli::Options;

// A process that was started with a standard descriptor closed would get that number for a
// descriptor of its own, and then print into it.
void open_missing_standard_descriptors() {
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd) {
    if (fcntl(fd, F_GETFD) == -1) (void)open("/dev/null", O_RDWR);
  }
}

ExitCode run(const Options& options) {
  switch (options.command) {
    case Command::kMcp:
      return gibbous::cli::run_mcp(options);
    case Command::kCall:
      return gibbous::cli::run_call(options);
    case Command::kSession:
      return gibbous::cli::run_session(options);
    case Command::kTools:
      return gibbous::cli::run_tools(options);
    case Command::kCheck:
      return gibbous::cli::run_check(options);
    case Command::kNew:
      return gibbous::cli::run_new(options);
    case Command::kTest:
      return gibbous::cli::run_test(options);
    case Command::kPolicy:
      return gibbous::cli::run_policy(options);
    case Command::kApprovals:
      return gibbous::cli::run_approvals(options);
    case Command::kAsks:
      return gibbous::cli::run_asks(options);
    case Command::kDoctor:
      return gibbous::cli::run_doctor(options);
    case Command::kPs:
      return gibbous::cli::run_ps(options);
    case Command::kLogs:
      return gibbous::cli::run_logs(options);
    case Command::kAttach:
      return gibbous::cli::run_attach(options);
    case Command::kEvents:
      return gibbous::cli::run_events(options);
    case Command::kSessions:
      return gibbous::cli::run_sessions(options);
    case Command::kReport:
      return gibbous::cli::run_report(options);
    case Command::kKill:
      return gibbous::cli::run_kill(options);
    case Command::kTop:
      return gibbous::cli::run_top(options);
    case Command::kUp:
      return gibbous::cli::run_up(options);
    case Command::kControl:
      return gibbous::cli::run_control(options);
    case Command::kConfig:
      return gibbous::cli::run_config(options);
    case Command::kTrust:
      return gibbous::cli::run_trust(options);
    case Command::kVersion:
      return gibbous::cli::run_version(options);
  }
  return ExitCode::kWrongUse;
}

}  // namespace

int main(int argc, char** argv) {
#ifdef M_ARENA_MAX
  // The other threads allocate little: arenas of their own would each hold free pages.
  (void)mallopt(M_ARENA_MAX, 1);
#endif
  open_missing_standard_descriptors();
  if (const auto signed_with = gibbous::cli::run_sign(argc, argv)) {
    return static_cast<int>(*signed_with);
  }
  const gibbous::cli::ParsedOptions parsed = gibbous::cli::parse_options(argc, argv);
  return static_cast<int>(parsed.options ? run(*parsed.options) : parsed.exit_code);
}
