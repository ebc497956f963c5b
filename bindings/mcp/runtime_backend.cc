// See runtime_backend.h.
#include "bindings/mcp/runtime_backend.h"

#include <utility>

namespace gibbous::mcp {
namespace {

// The budget of one turn is small, so that a stop is noticed in time while scripts are busy.
constexpr PollBudget kTurn{.bytes = std::size_t{4} * 1024 * 1024,
                           .lua = std::chrono::milliseconds(10),
                           .wall = std::chrono::milliseconds(20)};

}  // namespace

CallId RuntimeBackend::call(CallRequest request, std::function<void(CallResult)> on_done,
                            std::function<void(const Progress&)> on_progress) {
  return runtime_.call(std::move(request), std::move(on_done), std::move(on_progress));
}

void RuntimeBackend::list_runs(std::function<void(std::vector<std::string>)> on_done) {
  runtime_.list_runs("", std::move(on_done));
}

void RuntimeBackend::list_runs_of(const std::string& session,
                                  std::function<void(std::vector<std::string>)> on_done) {
  runtime_.list_runs(session, std::move(on_done));
}

Result<std::string> RuntimeBackend::excerpt(std::string_view run, std::size_t budget_tokens) {
  return runtime_.excerpt(run, budget_tokens);
}

void RuntimeBackend::on_event(std::function<void(const Event&)> handler) {
  runtime_.on_event(std::move(handler));
}

void RuntimeBackend::on_ask(std::function<void(AskRequest)> handler,
                            std::function<void(const std::string& id)> on_withdrawn) {
  runtime_.on_ask(std::move(handler), std::move(on_withdrawn));
}

void RuntimeBackend::on_input(std::function<void(InputRequest)> handler,
                              std::function<void(const std::string& id)> on_withdrawn) {
  runtime_.on_input(std::move(handler), std::move(on_withdrawn));
}

bool RuntimeBackend::poll(bool passed_on) {
  PollBudget budget = kTurn;
  budget.passed_on = passed_on;
  return runtime_.poll(budget);
}

}  // namespace gibbous::mcp
