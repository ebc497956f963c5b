// The stdio transport: drives a Runtime and an MCP server over three file descriptors until the
// client goes away or the program is told to stop. Called by `gibbous mcp`, on the thread that owns
// the Runtime.
//
// Installs no signal handler: the program hands in a descriptor that becomes readable when it shall
// stop (bindings/stdio/program_signals.h has one). SIGPIPE must be ignored by the program.
#pragma once

#include <unistd.h>

#include <string>

#include "bindings/mcp/backend.h"
#include "gibbous/runtime.h"

namespace gibbous::mcp {

struct StdioOptions {
  int input_fd = STDIN_FILENO;
  int output_fd = STDOUT_FILENO;  // the protocol, and nothing else
  int log_fd = STDERR_FILENO;     // for people: failed reloads, script logs; lost when nobody reads
  int stop_fd = -1;               // readable: stop now
};

// Serves until end of input, a stop, or a reader that has gone; then hands the runs to the keeper
// (Runtime::hand_over) and returns what the process should exit with. The runtime is not usable
// afterwards.
int run_stdio(Runtime& runtime, const StdioOptions& options = {});

// The same over any backend. `version` is what the server says of itself.
int serve_stdio(DrivenBackend& backend, const StdioOptions& options, std::string version);

}  // namespace gibbous::mcp
