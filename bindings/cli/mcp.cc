// `gibbous mcp`: the MCP server on stdin and stdout.
#include "bindings/mcp/stdio.h"

#include <cstdlib>
#include <memory>
#include <string>
#include <utility>

#include "bindings/cli/client_program.h"
#include "bindings/cli/commands.h"
#include "bindings/cli/report.h"
#include "bindings/mcp/exit_guard.h"
#include "bindings/stdio/program_signals.h"

namespace gibbous::cli {

ExitCode run_mcp(const Options& options) {
  if (options.install.wanted) return run_mcp_install(options);
  if (options.inspect.wanted) return run_mcp_inspect(options);
  Result<std::unique_ptr<stdio::ProgramSignals>> signals = stdio::ProgramSignals::create();
  if (!signals) return fail(signals.status(), options);
  mcp::StdioOptions transport;
  transport.stop_fd = (*signals)->fd();
  transport.structured = options.structured;
  mcp::ExitGuard guard(transport.input_fd, transport.stop_fd);
  RuntimeOptions runtime_options = options.runtime;
  runtime_options.session = options.session.empty() ? client_program() : options.session;
  runtime_options.claim_session = true;
  Result<std::unique_ptr<Runtime>> runtime = Runtime::create(std::move(runtime_options));
  if (!runtime) return fail(runtime.status(), options);
  // The client does not wait as long as the runtime would for a disk.
  if (const std::string state = (*runtime)->state_dir(); !state.empty()) {
    transport.on_hand_over = [&guard, state] {
      guard.waits_for_disk("path_unanswered: state_dir: the file system of " + state +
                           " has not answered in time; the last of the journal (ends of runs, "
                           "output, decisions) may be missing");
    };
  }
  const bool served = mcp::run_stdio(**runtime, transport) == 0;
  tell_end_problem(**runtime);
  // The runs are handed over and the client waits for this process to exit. Destroying the runtime
  // would run the cleanup of scripts first.
  leave(served ? ExitCode::kDone : ExitCode::kFailed);
}

}  // namespace gibbous::cli
