// The sub-commands, one file each. main() calls one of them on the main thread. Each creates the
// runtime that it needs and returns the exit code of the process.
#pragma once

#include "bindings/cli/exit_code.h"
#include "bindings/cli/options.h"

namespace gibbous::cli {

ExitCode run_mcp(const Options& options);
ExitCode run_mcp_install(const Options& options);
ExitCode run_mcp_inspect(const Options& options);
ExitCode run_call(const Options& options);
// The session of a workspace for commands of people.
inline constexpr const char* kWorkspaceSession = "gibbous@";

ExitCode run_session(const Options& options);
ExitCode run_tools(const Options& options);
ExitCode run_check(const Options& options);
ExitCode run_new(const Options& options);
ExitCode run_test(const Options& options);
ExitCode run_policy(const Options& options);
ExitCode run_approvals(const Options& options);
ExitCode run_asks(const Options& options);
ExitCode run_doctor(const Options& options);
ExitCode run_ps(const Options& options);
ExitCode run_logs(const Options& options);
ExitCode run_attach(const Options& options);
ExitCode run_kill(const Options& options);
ExitCode run_events(const Options& options);
ExitCode run_sessions(const Options& options);
ExitCode run_report(const Options& options);
ExitCode run_top(const Options& options);
ExitCode run_up(const Options& options);
ExitCode run_control(const Options& options);
ExitCode run_config(const Options& options);
ExitCode run_trust(const Options& options);
ExitCode run_version(const Options& options);

}  // namespace gibbous::cli
