#include "bindings/lua/source/monitor_thread.h"

#include <uv.h>

#include <atomic>
#include <deque>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "bindings/lua/vm/one_shot_timer.h"
#include "runtime/base/quiet_thread.h"

namespace gibbous::lua {
namespace {

// How long the end waits for the thread.
constexpr Millis kEndPatience{1'000};

std::system_error uv_failure(int error) {
  return {-error, std::generic_category()};
}

// The loop of the thread, with a monitor on it. Ends with run().
class MonitorLoop {
 public:
  // The callback comes on the thread.
  MonitorLoop(std::function<void()> on_change, MonitorTimes times) {
    if (const int error = uv_loop_init(&loop_); error != 0) throw uv_failure(error);
    if (const int error = uv_async_init(&loop_, &wake_, on_wake); error != 0) {
      uv_loop_close(&loop_);
      throw uv_failure(error);
    }
    wake_.data = this;
    monitor_ = ScriptMonitor::create(&loop_, clock_, std::move(on_change), times);
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

  const SystemClock clock_;
  uv_loop_t loop_ = {};
  uv_async_t wake_ = {};
  std::unique_ptr<ScriptMonitor> monitor_;
  std::mutex mutex_;
  std::deque<std::function<void(ScriptMonitor&)>> posted_;
};

// What the thread tells the loop. It may come after the monitor has been closed.
struct News {
  std::mutex mutex;
  uv_async_t* async = nullptr;  // under the mutex; null once closed
  std::atomic<bool> changed = false;
  std::atomic<bool> ended = false;

  void tell(std::atomic<bool>& what) {
    what = true;
    const std::lock_guard lock(mutex);
    if (async != nullptr) uv_async_send(async);
  }
};

class MonitorThread final : public ScriptMonitor {
 public:
  // Throws std::system_error.
  MonitorThread(uv_loop_s* loop, std::function<void()> on_change, MonitorTimes times)
      : loop_(loop),
        on_change_(std::move(on_change)),
        on_thread_(
            std::make_shared<MonitorLoop>([news = news_] { news->tell(news->changed); }, times)) {
    auto told = std::make_unique<uv_async_t>();
    if (const int error = uv_async_init(loop, told.get(), on_told); error != 0) {
      give_up();
      throw uv_failure(error);
    }
    told_ = news_->async = told.release();
    told_->data = this;
    uv_unref(reinterpret_cast<uv_handle_t*>(told_));
    try {
      thread_ = quiet_thread([on_thread = on_thread_, news = news_] {
        on_thread->run();
        news->tell(news->ended);
      });
    } catch (const std::system_error&) {
      give_up();
      news_->async = nullptr;
      uv_close(reinterpret_cast<uv_handle_t*>(told_),
               [](uv_handle_t* handle) noexcept { delete reinterpret_cast<uv_async_t*>(handle); });
      throw;
    }
  }

  void set_files(std::vector<MonitoredFile> files) override {
    if (closing_) return;
    // What was found before is about the list that is replaced.
    news_->changed = false;
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
    // It may hang at a file whose file system does not answer: then it goes on alone.
    limit_.start(loop_, kEndPatience, /*background=*/false, [this] {
      thread_.detach();
      close_handle();
    });
  }

 private:
  // There is no thread: closes its loop here.
  void give_up() {
    on_thread_->end();
    on_thread_->run();
  }
  static void on_told(uv_async_t* async) noexcept {
    static_cast<MonitorThread*>(async->data)->on_news();
  }
  void on_news() {
    if (news_->ended.exchange(false)) {
      thread_.join();
      close_handle();
      return;
    }
    if (news_->changed.exchange(false) && !closing_) on_change_();
  }
  void close_handle() {
    limit_.stop();
    on_thread_.reset();
    {
      const std::lock_guard lock(news_->mutex);
      news_->async = nullptr;
    }
    uv_close(reinterpret_cast<uv_handle_t*>(told_), [](uv_handle_t* handle) noexcept {
      auto* self = static_cast<MonitorThread*>(handle->data);
      delete reinterpret_cast<uv_async_t*>(handle);
      const auto done = std::move(self->on_closed_);
      if (done) done();  // may delete this
    });
  }

  uv_loop_s* loop_;
  std::function<void()> on_change_;
  std::function<void()> on_closed_;
  uv_async_t* told_ = nullptr;
  bool closing_ = false;
  std::shared_ptr<News> news_ = std::make_shared<News>();
  OneShotTimer limit_;
  std::shared_ptr<MonitorLoop> on_thread_;
  std::thread thread_;
};

}  // namespace

std::unique_ptr<ScriptMonitor> monitor_beside(uv_loop_s* loop, std::function<void()> on_change,
                                              MonitorTimes times) {
  try {
    return std::make_unique<MonitorThread>(loop, std::move(on_change), times);
  } catch (const std::system_error&) {
    return nullptr;
  }
}

}  // namespace gibbous::lua
