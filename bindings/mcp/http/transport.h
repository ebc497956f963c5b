// The HTTP transport: drives a Runtime and MCP clients over listening sockets until the program is
// told to stop. Called by `gibbous mcp --http` and `--unix`, on the thread that owns the Runtime.
//
// Installs no signal handler; see bindings/mcp/stdio.h. The program must ignore SIGPIPE.
#pragma once

#include <unistd.h>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bindings/mcp/backend.h"
#include "bindings/mcp/http/endpoint.h"
#include "bindings/mcp/http/front_end.h"
#include "bindings/mcp/http/limits.h"
#include "bindings/mcp/runtime_backend.h"
#include "bindings/stdio/output_queue.h"
#include "gibbous/runtime.h"
#include "runtime/base/clock.h"

namespace gibbous::mcp::http {

struct HttpOptions {
  std::vector<Listener> listeners;
  Limits limits;
  int log_fd = STDERR_FILENO;           // failed reloads, script logs; dropped when not read
  int stop_fd = -1;                     // readable: stop now
  bool structured = false;              // ServerOptions::structured
  std::string session;                  // see Endpoint
  RuntimeBackend::PageMaker make_page;  // the resource gibbous://report
  std::chrono::milliseconds task_after{kTaskAfter};  // ServerOptions::task_after
  // Before the runs are handed over, which waits for the disk of the journal.
  std::function<void()> on_hand_over;
};

class Transport {
 public:
  // `backend` and `clock` must outlive the transport. `version`: for serverInfo.
  static Result<std::unique_ptr<Transport>> create(DrivenBackend& backend, HttpOptions options,
                                                   const Clock& clock, std::string version);
  ~Transport();
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;

  // Works, then waits for something to happen, at most `limit`. False when it is time to stop.
  bool turn(std::optional<std::chrono::milliseconds> limit = std::nullopt);
  // Ends the streams, hands the runs to the keeper, and writes the last messages within some 15 ms.
  // The runtime cannot be used afterwards.
  void stop();

  const FrontEnd& front_end() const { return *front_end_; }

 private:
  Transport(DrivenBackend& backend, HttpOptions options, const Clock& clock, std::string version);
  void on_event(const Event& event);
  void say(const std::string& text);
  bool sleep(bool more, std::optional<std::chrono::milliseconds> limit);

  DrivenBackend& backend_;
  HttpOptions options_;
  stdio::OutputQueue log_;
  Endpoint endpoint_;
  std::unique_ptr<FrontEnd> front_end_;
};

// Serves until a stop. Returns the exit code of the process; the runtime cannot be used afterwards.
Result<int> run_http(Runtime& runtime, HttpOptions options);

}  // namespace gibbous::mcp::http
