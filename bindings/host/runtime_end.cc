// How a runtime ends: closed by its host, also from inside a callback, destroyed, or never made.
#include <mutex>
#include <utility>
#include <vector>

#include "bindings/host/runtime_impl.h"

namespace gibbous {
namespace {

constexpr int kMaxClosingTurns = 100;
constexpr std::uint64_t kClosingLimitMillis = 3000;  // a log gets two seconds

void close_handle(uv_handle_t* handle, uv_close_cb on_closed) {
  if (handle != nullptr && uv_is_closing(handle) == 0) uv_close(handle, on_closed);
}

}  // namespace

void Runtime::Impl::leave_frame() {
  const bool is_outermost = frames == 1 && !border->is_inside();
  if (is_outermost) close_pending();
  --frames;
  if (is_outermost && doomed) delete this;
}

void Runtime::Impl::request_close(std::function<void()> done) {
  border->close();
  close_requested = true;
  if (!border->is_inside() && frames == 0) {
    const Frame frame(*this);
    return close(std::move(done));
  }
  pending_close = std::move(done);
  keep_alive_while_called();
  // A borrowed loop has no frame of ours.
  if (!owns_loop) runs->later([this] { close_pending(); });
}

void Runtime::Impl::close_pending() {
  while (pending_close) {
    std::function<void()> done = std::move(*pending_close);
    pending_close.reset();
    close(std::move(done));
  }
  keep_alive_while_called();
}

void Runtime::Impl::close(std::function<void()> done) {
  if (closing) {
    if (!done) return;
    on_closed = [first = std::exchange(on_closed, nullptr), done = std::move(done)] {
      if (first) first();
      done();
    };
    return;
  }
  context.supervisor = nullptr;
  supervisor.reset();
  // Every call gets its answer while scripts still run, but this does not wait for one that never
  // ends.
  constexpr Nanos kCleanup{20'000'000};
  if (claim) claim->announce_end();
  claim_timer.stop();
  deliver_ended();
  for (HeldCall& held : std::exchange(held_calls, {})) {
    CallResult result;
    result.code = "shutdown";
    result.message = "the runtime was shut down";
    held.on_done(std::move(result));
  }
  engine->cancel_all();
  (void)engine->run_ready(kCleanup);
  decisions->end();
  run_events->backlog().give_up();
  if (passed_on) run_events->backlog().note_given();
  run_events->announce_close();
  closing = true;
  on_closed = std::move(done);
  watchers.reset();
  run_events.reset();
  repositories.reset();
  ask_notice.reset();
  open_parts = monitor ? 5 : 4;
  const auto part_closed = [this] {
    if (--open_parts == 0) close_handles();
  };
  posts->close(part_closed);
  waits->close(part_closed);
  if (monitor) monitor->close(part_closed);
  engine.reset();  // cancels the remaining calls while runs and loop still exist
  recording->close([this, part_closed] {
    // Until then, a journal that is still being opened accepts what they have for it.
    decisions.reset();
    backlog.reset();
    part_closed();
  });
  runs->close(part_closed);
}

void Runtime::Impl::note_end_problem() {
  std::string lost = recording ? recording->end_problem().message() : "";
  for (const std::string& log : runs ? runs->unwritten_logs() : std::vector<std::string>()) {
    lost += (lost.empty() ? "" : "; ") + ("log " + log);
  }
  if (!lost.empty()) end_problem = Status::error("path_unanswered", lost);
}

void Runtime::Impl::close_handles() {
  note_end_problem();
  uv_idle_stop(idle);
  close_handle(reinterpret_cast<uv_handle_t*>(std::exchange(idle, nullptr)),
               [](uv_handle_t* handle) noexcept { delete reinterpret_cast<uv_idle_t*>(handle); });
  close_handle(reinterpret_cast<uv_handle_t*>(std::exchange(alive, nullptr)),
               [](uv_handle_t* handle) noexcept {
                 auto* self = static_cast<Runtime::Impl*>(handle->data);
                 delete reinterpret_cast<uv_timer_t*>(handle);
                 self->closed = true;
                 // The callback may delete the runtime, and this object with it.
                 if (auto done = std::exchange(self->on_closed, nullptr)) done();
               });
}

// Closes what a create() that failed half-way has made.
void Runtime::Impl::close_half_made() {
  closing = true;
  open_parts = (posts ? 1 : 0) + (runs ? 1 : 0) + (waits ? 1 : 0) + (recording ? 1 : 0);
  const auto part_closed = [this] {
    if (--open_parts == 0) close_handles();
  };
  if (posts) posts->close(part_closed);
  if (waits) waits->close(part_closed);
  if (recording) recording->close(part_closed);
  if (runs) runs->close(part_closed);
  if (!posts && alive != nullptr) close_handles();
}

void Runtime::Impl::dispose(std::unique_ptr<Impl> failed) {
  // The destructor runs an own loop. A borrowed one goes on after create(), and closes the rest.
  if (failed->owns_loop || failed->alive == nullptr) return;
  Impl* impl = failed.release();
  impl->on_closed = [impl] { delete impl; };
  impl->close_half_made();
}

void Runtime::Impl::end(std::unique_ptr<Impl> impl) {
  if (impl == nullptr) return;
  impl->border->close();
  if (!impl->border->is_here()) return give_up(std::move(impl));
  if (impl->owns_loop) {
    // Else it is deleted here, which runs the loop until everything is closed.
    if (impl->frames > 0 || impl->border->is_inside()) impl.release()->doomed = true;
    return;
  }
  if (impl->closed) return;
  if (!impl->run_events && !impl->closing) return dispose(std::move(impl));
  Impl* const self = impl.release();
  const auto then_delete = [self](std::function<void()> done) {
    return [self, done = std::move(done)] {
      if (done) done();
      delete self;
    };
  };
  if (self->pending_close) {
    self->pending_close = then_delete(std::move(*self->pending_close));
  } else if (self->closing) {
    self->on_closed = then_delete(std::exchange(self->on_closed, nullptr));
  } else {
    self->request_close(then_delete(nullptr));
  }
}

void Runtime::Impl::give_up(std::unique_ptr<Impl> impl) {
  static std::mutex mutex;
  static auto* given_up = new std::vector<std::unique_ptr<Impl>>;
  const std::lock_guard lock(mutex);
  given_up->push_back(std::move(impl));
}

// A disk that does not answer may hold threads that still use these. They are given up, but stay
// reachable, so that no checker takes them for leaks.
void Runtime::Impl::give_up_parts() {
  struct Parts {
    std::unique_ptr<Runs> runs;
    std::unique_ptr<Waits> waits;
    std::unique_ptr<Worker> worker;
    std::unique_ptr<Recording> recording;
    std::unique_ptr<lua::ScriptMonitor> monitor;
    std::unique_ptr<Mailbox> posts;
  };
  static auto* given_up = new std::vector<Parts>;
  given_up->push_back({std::move(runs), std::move(waits), std::move(worker), std::move(recording),
                       std::move(monitor), std::move(posts)});
}

Runtime::Impl::~Impl() {
  if (!owns_loop) {
    border->on_thrown = nullptr;
    border->free();
    return;
  }
  ++frames;  // callbacks may come
  if (run_events && !closing) {
    close(nullptr);
  } else if (!closing) {
    close_half_made();
  }
  // Everything left takes microseconds, except that logs are written to their end.
  auto* limit = new uv_timer_t;
  uv_timer_init(loop, limit);
  bool waited = false;
  limit->data = &waited;
  uv_timer_start(
      limit, [](uv_timer_t* timer) noexcept { *static_cast<bool*>(timer->data) = true; },
      kClosingLimitMillis, 0);
  while (!closed && !waited) uv_run(loop, UV_RUN_ONCE);
  if (!closed) give_up_parts();
  close_handle(reinterpret_cast<uv_handle_t*>(limit),
               [](uv_handle_t* handle) noexcept { delete reinterpret_cast<uv_timer_t*>(handle); });
  int error = uv_loop_close(loop);
  for (int turn = 0; turn < kMaxClosingTurns && error == UV_EBUSY; ++turn) {
    uv_run(loop, UV_RUN_NOWAIT);
    error = uv_loop_close(loop);
  }
  // When a disk does not answer, a thread of the pool still refers to this loop.
  if (error == UV_EBUSY) (void)own_loop.release();
  border->on_thrown = nullptr;
  border->free();
}

}  // namespace gibbous
