// See client_backend.h.
#include "bindings/mcp/http/client_backend.h"

#include <utility>

namespace gibbous::mcp::http {

ClientBackend::ClientBackend(ToolsBackend& backend, std::string session)
    : backend_(backend), session_(std::move(session)) {}

CallId ClientBackend::call(CallRequest request, std::function<void(CallResult)> on_done,
                           std::function<void(const Progress&)> on_progress) {
  request.session = session_;
  const auto id = std::make_shared<CallId>(0);
  *id = backend_.call(
      std::move(request),
      [calls = calls_, id, end = std::move(on_done)](CallResult result) {
        calls->erase(*id);
        end(std::move(result));
      },
      std::move(on_progress));
  if (*id != 0) calls_->insert(*id);
  return *id;
}

void ClientBackend::list_runs(std::function<void(std::vector<std::string>)> on_done) {
  if (session_.empty()) {
    backend_.list_runs(std::move(on_done));
  } else {
    backend_.list_runs_of(session_, std::move(on_done));
  }
}

Result<std::string> ClientBackend::excerpt(std::string_view run, std::size_t budget_tokens) {
  // As if another session's run did not exist.
  if (!backend_.has_run(run, session_)) {
    return Status::error("run_not_found", "there is no run " + std::string(run));
  }
  return backend_.excerpt(run, budget_tokens);
}

Result<OutputBytes> ClientBackend::read_output(std::string_view run, OutputStream stream,
                                               std::uint64_t cursor, std::size_t most) {
  if (!backend_.has_run(run, session_)) {
    return Status::error("run_not_found", "there is no run " + std::string(run));
  }
  return backend_.read_output(run, stream, cursor, most);
}

void ClientBackend::run_events(const std::string&, const std::string& run, std::size_t most,
                               std::function<void(Result<std::string>)> on_done) {
  backend_.run_events(session_, run, most, std::move(on_done));
}

void ClientBackend::page(const std::string&, std::function<void(Result<std::string>)> on_done) {
  backend_.page(session_, std::move(on_done));
}

void ClientBackend::end() {
  cancel_all();
  if (!session_.empty()) backend_.end_session(session_);
}

void ClientBackend::cancel_all() {
  // Cancelling may end calls at once.
  const std::set<CallId> calls = *calls_;
  for (const CallId call : calls) backend_.cancel(call);
}

}  // namespace gibbous::mcp::http
