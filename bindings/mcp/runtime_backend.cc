// See runtime_backend.h.
#include "bindings/mcp/runtime_backend.h"

#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

namespace gibbous::mcp {
namespace {

// The budget of one turn is small, so that a stop is noticed in time while scripts are busy.
constexpr PollBudget kTurn{.bytes = std::size_t{4} * 1024 * 1024,
                           .lua = std::chrono::milliseconds(10),
                           .wall = std::chrono::milliseconds(20)};

constexpr int kMostPages = 4;  // that are made at once

// How long the end of the server waits for what is recorded of tasks.
constexpr std::chrono::milliseconds kTasksGrace(10);

}  // namespace

// How the threads that make pages come back, while the backend lives.
struct RuntimeBackend::Posts {
  std::mutex mutex;
  Runtime* runtime = nullptr;  // null: the backend is gone
  int pages = 0;               // that are being made

  void post(std::function<void()> work) {
    const std::lock_guard lock(mutex);
    --pages;
    if (runtime != nullptr) (void)runtime->post(std::move(work));
  }
};

RuntimeBackend::RuntimeBackend(Runtime& runtime, PageMaker make_page)
    : runtime_(runtime), make_page_(std::move(make_page)), posts_(std::make_shared<Posts>()) {
  posts_->runtime = &runtime;
}

RuntimeBackend::~RuntimeBackend() {
  const std::lock_guard lock(posts_->mutex);
  posts_->runtime = nullptr;
}

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

Result<OutputBytes> RuntimeBackend::read_output(std::string_view run, OutputStream stream,
                                                std::uint64_t cursor, std::size_t most) {
  return runtime_.read_output(run, stream, cursor, most);
}

void RuntimeBackend::run_events(const std::string& session, const std::string& run,
                                std::size_t most,
                                std::function<void(Result<std::string>)> on_done) {
  (void)runtime_.run_events(session, run, most, std::move(on_done));
}

void RuntimeBackend::page(const std::string& session,
                          std::function<void(Result<std::string>)> on_done) {
  const std::string of = session.empty() ? runtime_.session() : session;
  // Without a name it would be the page of every session of the machine.
  if (of.empty()) {
    const Status none =
        Status::error("session_not_found", "the session has not begun: call a tool");
    (void)runtime_.post([none, done = std::move(on_done)] { done(none); });
    return;
  }
  {
    const std::lock_guard lock(posts_->mutex);
    ++posts_->pages;
    if (posts_->pages > kMostPages) {
      --posts_->pages;
      const Status busy = Status::error("busy", "other pages are being made: ask again later");
      (void)runtime_.post([busy, done = std::move(on_done)] { done(busy); });
      return;
    }
  }
  const auto work = [of, make = make_page_, posts = posts_, on_done] {
    const Result<std::string> made = make(of);
    posts->post([made, on_done] { on_done(made); });
  };
  try {
    std::thread(work).detach();
  } catch (const std::system_error& error) {  // the user may have no more threads
    const Status failed = Status::error("busy", error.what());
    posts_->post([failed, on_done] { on_done(failed); });
  }
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

TaskKeeper& RuntimeBackend::keeper() {
  if (!keeper_) {
    const auto post = [this](std::function<void()> work) { runtime_.post(std::move(work)); };
    keeper_ = std::make_unique<TaskKeeper>(runtime_.state_dir(), post);
  }
  return *keeper_;
}

void RuntimeBackend::hand_over() {
  if (keeper_) keeper_->finish(kTasksGrace);
  runtime_.hand_over();
}

bool RuntimeBackend::poll(bool passed_on) {
  PollBudget budget = kTurn;
  budget.passed_on = passed_on;
  return runtime_.poll(budget);
}

}  // namespace gibbous::mcp
