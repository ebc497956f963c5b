#include "bindings/lua/source/monitor_thread.h"

#include <uv.h>

#include <atomic>
#include <deque>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "runtime/base/quiet_thread.h"

namespace gibbous::lua {
namespace {

std::system_error uv_failure(int error) {
  return {-error, std::generic_category()};
}

// The loop of the thread, with a monitor on it. Ends with run().
class MonitorLoop {
 public:
  // The callback comes on the thread.
  MonitorLoop(const Clock& clock, std::function<void()> on_change, MonitorTimes times) {
    if (const int error = uv_loop_init(&loop_); error != 0) throw uv_failure(error);
    if (const int error = uv_async_init(&loop_, &wake_, on_wake); error != 0) {
      uv_loop_close(&loop_);
      throw uv_failure(error);
    }
    wake_.data = this;
    monitor_ = ScriptMonitor::create(&loop_, clock, std::move(on_change), times);
  }
  MonitorLoop(const MonitorLoop&) = delete;
  MonitorLoop& operator=(const MonitorLoop&) = delete;

  // Returns after end().
  void run() {
    uv_run(&loop_, UV_RUN_DEFAULT);
    uv_loop_close(&loop_);
  }
  // From any thread.
  void post(std::function<void(ScriptMonitor&)> work) {
    const std::lock_guard lock(mutex_);
    posted_.push_back(std::move(work));
    uv_async_send(&wake_);
  }
  void end() {
    post([this](ScriptMonitor& monitor) {
      monitor.close([this] { uv_close(reinterpret_cast<uv_handle_t*>(&wake_), nullptr); });
    });
  }

 private:
  static void on_wake(uv_async_t* async) noexcept {
    auto* self = static_cast<MonitorLoop*>(async->data);
    std::deque<std::function<void(ScriptMonitor&)>> due;
    {
      const std::lock_guard lock(self->mutex_);
      due.swap(self->posted_);
    }
    for (const auto& work : due) work(*self->monitor_);
  }

  uv_loop_t loop_ = {};
  uv_async_t wake_ = {};
  std::unique_ptr<ScriptMonitor> monitor_;
  std::mutex mutex_;
  std::deque<std::function<void(ScriptMonitor&)>> posted_;
};

class MonitorThread final : public ScriptMonitor {
 public:
  // Throws std::system_error.
  MonitorThread(uv_loop_s* loop, const Clock& clock, std::function<void()> on_change,
                MonitorTimes times)
      : on_change_(std::move(on_change)),
        on_thread_(std::make_unique<MonitorLoop>(
            clock, [this] { tell(changed_); }, times)) {
    auto told = std::make_unique<uv_async_t>();
    if (const int error = uv_async_init(loop, told.get(), on_told); error != 0) {
      give_up();
      throw uv_failure(error);
    }
    told_ = told.release();
    told_->data = this;
    uv_unref(reinterpret_cast<uv_handle_t*>(told_));
    try {
      thread_ = quiet_thread([this] {
        on_thread_->run();
        tell(ended_);
      });
    } catch (const std::system_error&) {
      give_up();
      uv_close(reinterpret_cast<uv_handle_t*>(told_),
               [](uv_handle_t* handle) noexcept { delete reinterpret_cast<uv_async_t*>(handle); });
      throw;
    }
  }

  void set_files(std::vector<MonitoredFile> files) override {
    if (closing_) return;
    // What was found before is about the list that is replaced.
    changed_ = false;
    on_thread_->post([files = std::move(files)](ScriptMonitor& monitor) mutable {
      monitor.set_files(std::move(files));
    });
  }
  void check_soon() override {
    if (!closing_) on_thread_->post([](ScriptMonitor& monitor) { monitor.check_soon(); });
  }
  void close(std::function<void()> on_closed) override {
    if (std::exchange(closing_, true)) return;
    on_closed_ = std::move(on_closed);
    uv_ref(reinterpret_cast<uv_handle_t*>(told_));
    on_thread_->end();
  }

 private:
  // There is no thread: closes its loop here.
  void give_up() {
    on_thread_->end();
    on_thread_->run();
  }
  void tell(std::atomic<bool>& what) {
    what = true;
    uv_async_send(told_);
  }
  static void on_told(uv_async_t* async) noexcept {
    static_cast<MonitorThread*>(async->data)->on_news();
  }
  void on_news() {
    if (ended_.exchange(false)) {
      thread_.join();
      on_thread_.reset();
      uv_close(reinterpret_cast<uv_handle_t*>(told_), [](uv_handle_t* handle) noexcept {
        auto* self = static_cast<MonitorThread*>(handle->data);
        delete reinterpret_cast<uv_async_t*>(handle);
        const auto done = std::move(self->on_closed_);
        if (done) done();  // may delete this
      });
      return;
    }
    if (changed_.exchange(false) && !closing_) on_change_();
  }

  std::function<void()> on_change_;
  std::function<void()> on_closed_;
  uv_async_t* told_ = nullptr;
  std::atomic<bool> changed_ = false;
  std::atomic<bool> ended_ = false;
  bool closing_ = false;
  std::unique_ptr<MonitorLoop> on_thread_;
  std::thread thread_;
};

}  // namespace

std::unique_ptr<ScriptMonitor> monitor_beside(uv_loop_s* loop, const Clock& clock,
                                              std::function<void()> on_change, MonitorTimes times) {
  try {
    return std::make_unique<MonitorThread>(loop, clock, std::move(on_change), times);
  } catch (const std::system_error&) {
    return nullptr;
  }
}

}  // namespace gibbous::lua
