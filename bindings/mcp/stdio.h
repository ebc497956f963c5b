// The stdio transport: drives a Runtime and an MCP server over three file descriptors until the
// client has gone or the program is told to stop. Called by `gibbous mcp`, on the thread that owns
// the Runtime.
//
// Installs no signal handler: the program passes a descriptor that becomes readable when it should
// stop (bindings/stdio/program_signals.h provides one). The program must ignore SIGPIPE.
#pragma once

#include <unistd.h>

#include <chrono>
#include <functional>
#include <string>

#include "bindings/mcp/backend.h"
#include "gibbous/runtime.h"

namespace gibbous::mcp {

struct StdioOptions {
  int input_fd = STDIN_FILENO;
  int output_fd = STDOUT_FILENO;  // protocol messages only
  int log_fd = STDERR_FILENO;     // failed reloads, script logs; dropped when not read
  int stop_fd = -1;               // readable: stop now
  bool structured = false;        // ServerOptions::structured
  std::string client;             // ServerOptions::client
  std::chrono::milliseconds task_after{kTaskAfter};  // ServerOptions::task_after
  // Before the first turn. `is_batch`: the input is a file or has ended, as in
  // `gibbous mcp < requests`. No client is about to kill the server then, so that the end of the
  // input ends it when every request is answered.
  std::function<void(bool is_batch)> on_serving;
  // Before the runs are handed over, which waits for the disk of the journal.
  std::function<void()> on_hand_over;
};

// Serves until the end of input (StdioOptions::on_serving), a stop, or the loss of the reader. Then
// it hands the runs to the keeper (Runtime::hand_over) and returns the exit code of the process.
// The runtime cannot be used afterwards.
int run_stdio(Runtime& runtime, const StdioOptions& options = {});

// The same over any backend. `version`: for serverInfo.
int serve_stdio(DrivenBackend& backend, const StdioOptions& options, std::string version);

}  // namespace gibbous::mcp
