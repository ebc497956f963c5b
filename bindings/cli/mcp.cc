// `gibbous mcp`: the MCP server, on stdin and stdout or over HTTP.
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "bindings/cli/client_program.h"
#include "bindings/cli/commands.h"
#include "bindings/cli/mcp_clients.h"
#include "bindings/cli/mcp_http.h"
#include "bindings/cli/report.h"
#include "bindings/cli/report_page.h"
#include "bindings/mcp/exit_guard.h"
#include "bindings/mcp/http/transport.h"
#include "bindings/mcp/runtime_backend.h"
#include "bindings/mcp/stdio.h"
#include "bindings/stdio/program_signals.h"
#include "runtime/base/clock.h"

namespace gibbous::cli {
namespace {

constexpr int kNone = -1;
// No client waits for the end of a server over HTTP, and each of its runtimes waits for a disk.
constexpr std::chrono::milliseconds kHttpExitLimit{500};

// Its tasks are those of the next copy of the same program here.
std::string whose_tasks(const RuntimeOptions& options) {
  const std::size_t at = options.session.find('@');
  if (at != std::string::npos && at + 1 < options.session.size()) return options.session;
  std::error_code failure;
  const std::string& given = options.workspace;
  const auto place = std::filesystem::absolute(given.empty() ? "." : given, failure);
  return options.session.substr(0, at) + "@" +
         std::filesystem::weakly_canonical(place, failure).string();
}

}  // namespace

ExitCode run_mcp(const Options& options) {
  if (options.install.wanted) return run_mcp_install(options);
  if (options.inspect.wanted) return run_mcp_inspect(options);
  Result<std::unique_ptr<stdio::ProgramSignals>> signals = stdio::ProgramSignals::create();
  if (!signals) return fail(signals.status(), options);
  const bool over_http = !options.http.empty() || !options.unix_socket.empty();
  mcp::StdioOptions transport;
  transport.stop_fd = (*signals)->fd();
  transport.structured = options.structured;
  transport.task_after = std::chrono::seconds(options.task_after_s);
  mcp::ExitGuard guard(over_http ? kNone : transport.input_fd, transport.output_fd,
                       transport.stop_fd, over_http ? kHttpExitLimit : mcp::kExitLimit);
  RuntimeOptions runtime_options = options.runtime;
  std::unique_ptr<McpClients> clients;
  std::optional<mcp::http::HttpOptions> http;
  std::string announcement;
  if (over_http) {
    runtime_options.open_files = raise_descriptor_limit();
    for (const std::string& own : {options.unix_socket, options.token_file}) {
      if (!own.empty()) runtime_options.hidden_paths.push_back(own);
    }
    Result<std::unique_ptr<McpClients>> made_clients = McpClients::create(runtime_options);
    if (!made_clients) return fail(made_clients.status(), options);
    clients = std::move(*made_clients);
    Result<mcp::http::HttpOptions> made = http_options(options, !clients->empty(), &announcement);
    if (!made) return fail(made.status(), options);
    http = std::move(*made);
  }
  runtime_options.session = over_http                 ? http->session
                            : options.session.empty() ? client_program()
                                                      : options.session;
  runtime_options.claim_session = true;
  transport.client = whose_tasks(runtime_options);
  Result<std::unique_ptr<Runtime>> runtime = Runtime::create(std::move(runtime_options));
  if (!runtime) return fail(runtime.status(), options);
  // The client does not wait as long as the runtime would for a disk.
  std::function<void()> on_hand_over;
  if (const std::string state = (*runtime)->state_dir(); !state.empty()) {
    on_hand_over = [&guard, state] {
      guard.waits_for_disk("path_unanswered: state_dir: the file system of " + state +
                           " has not answered in time; the last of the journal (ends of runs, "
                           "output, decisions) may be missing");
    };
  }
  bool served = false;
  mcp::RuntimeBackend backend(**runtime, page_maker((*runtime)->state_dir()));
  const SystemClock clock;
  std::unique_ptr<mcp::http::Transport> over;
  if (http) {
    http->stop_fd = (*signals)->fd();
    http->on_hand_over = std::move(on_hand_over);
    http->watch_fd = clients->fd();
    http->on_watch = [&clients] { clients->look_again(); };
    auto made = mcp::http::Transport::create(backend, std::move(*http), clock, version());
    if (!made) return fail(made.status(), options);
    over = std::move(*made);
    clients->set_own_mode((*runtime)->mode());
    clients->serve(*over);
    std::cerr << announcement << std::flush;
    while (over->turn()) {
    }
    over->stop();
    served = true;
    clients->tell_end_problems();
  } else {
    transport.on_hand_over = std::move(on_hand_over);
    transport.on_serving = [&guard](bool is_batch) { guard.serving(is_batch); };
    served = mcp::serve_stdio(backend, transport, version()) == 0;
  }
  tell_end_problem(**runtime);
  // The runs are handed over and the client waits for this process to exit. Destroying the runtime
  // would run the cleanup of scripts first.
  leave(served ? ExitCode::kDone : ExitCode::kFailed);
}

}  // namespace gibbous::cli
