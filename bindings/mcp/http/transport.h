// The HTTP transport: drives Runtimes and MCP clients over listening sockets until the program is
// told to stop: the server's own Runtime, and one of each client that has a token of its own.
// Called by `gibbous mcp --http` and `--unix`, on the thread that owns the Runtime.
//
// Installs no signal handler; see bindings/mcp/stdio.h. The program must ignore SIGPIPE.
#pragma once

#include <poll.h>
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
#include "bindings/stdio/output_queue.h"
#include "runtime/base/clock.h"

namespace gibbous::mcp::http {

struct HttpOptions {
  std::vector<Listener> listeners;
  Limits limits;
  int log_fd = STDERR_FILENO;  // failed reloads, script logs; dropped when not read
  int stop_fd = -1;            // readable: stop now
  int watch_fd = -1;           // readable: call on_watch
  std::function<void()> on_watch;
  bool structured = false;                           // ServerOptions::structured
  std::string session;                               // see Endpoint
  std::chrono::milliseconds task_after{kTaskAfter};  // ServerOptions::task_after
  // Before the runs are handed over, which waits for the disk of the journal.
  std::function<void()> on_hand_over;
};

// A client with a token of its own: nothing of it is another client's.
struct ClientOptions {
  std::string name;         // for the log
  std::string digest;       // of its token: SHA-256, as small hexadecimal digits
  std::string session;      // as HttpOptions::session
  bool asks_client = true;  // ServerOptions::asks_client
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

  // Serves one more client, of another name than those before. `backend` must outlive the
  // transport, or the end of remove_client().
  void add_client(DrivenBackend& backend, ClientOptions options);
  // Its open requests end; its runs and its sessions stay.
  void change_token(const std::string& name, std::string digest);
  // Nothing of the client goes on: its token, its streams, its calls, its runs. `on_closed` comes
  // from a later turn, which no longer uses the backend.
  void remove_client(const std::string& name, std::function<void()> on_closed);

  void say(const std::string& text);  // a line of the log

  const FrontEnd& front_end() const { return *front_end_; }

 private:
  Transport(HttpOptions options, const Clock& clock, std::string version);
  // What is served: a runtime, and what is known of the clients that use it.
  struct Served;
  struct Leaving {
    DrivenBackend* backend;
    std::shared_ptr<bool> closed;
    std::function<void()> on_closed;
  };

  void serve(DrivenBackend& backend, ClientOptions options);
  Served* find(const std::string& name);
  bool work_on_runtimes();
  bool sleep(bool more, std::optional<std::chrono::milliseconds> limit);

  HttpOptions options_;
  const Clock& clock_;
  const std::string version_;
  stdio::OutputQueue log_;
  std::vector<std::unique_ptr<Served>> served_;  // first the server's own
  std::vector<Leaving> leaving_;
  std::vector<pollfd> waits_;  // scratch space
  std::unique_ptr<FrontEnd> front_end_;
};

}  // namespace gibbous::mcp::http
