#include "runtime/output/disk_threads.h"

#include <uv.h>

#include <cassert>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "runtime/base/quiet_thread.h"

namespace gibbous {
namespace {

// How long a thread without work waits for more.
constexpr std::chrono::seconds kIdle{2};

uv_handle_t* as_handle(uv_async_t* async) {
  return reinterpret_cast<uv_handle_t*>(async);
}

}  // namespace

// Belongs to the loop's thread and to all others.
struct DiskThreads::Shared {
  struct Job {
    std::uint64_t number = 0;
    std::function<void()> work;
  };

  std::mutex mutex;  // of all below
  std::condition_variable wake;
  std::deque<Job> waiting;
  std::vector<Job> finished;
  std::size_t threads = 0;
  std::size_t idle = 0;
  bool closed = false;
  uv_async_t* async = nullptr;  // until closed

  void work_all() {
    std::unique_lock lock(mutex);
    while (true) {
      ++idle;
      const bool has_work =
          wake.wait_for(lock, kIdle, [this] { return closed || !waiting.empty(); });
      --idle;
      if (!has_work || waiting.empty()) break;
      Job job = std::move(waiting.front());
      waiting.pop_front();
      lock.unlock();
      job.work();
      lock.lock();
      if (closed) {
        lock.unlock();
        job.work = nullptr;  // without the lock
        lock.lock();
        continue;
      }
      finished.push_back(std::move(job));
      uv_async_send(async);
    }
    --threads;
  }
};

DiskThreads::DiskThreads(uv_loop_s* loop) : loop_(loop), shared_(std::make_shared<Shared>()) {
  auto* async = new uv_async_t;
  const int error = uv_async_init(loop, async, [](uv_async_t* handle) noexcept {
    static_cast<DiskThreads*>(handle->data)->deliver();
  });
  assert(error == 0);
  static_cast<void>(error);
  async->data = this;
  uv_unref(as_handle(async));
  shared_->async = async;
}

DiskThreads::~DiskThreads() {
  if (shared_->async == nullptr) return;
  uv_async_t* const async = shared_->async;
  close(nullptr);
  async->data = nullptr;
}

void DiskThreads::run(std::function<void()> work, std::function<void()> done) {
  {
    const std::lock_guard lock(shared_->mutex);
    if (shared_->closed) return;
    shared_->waiting.push_back({++last_, std::move(work)});
    if (done_.empty()) uv_ref(as_handle(shared_->async));
    done_[last_] = std::move(done);
    shared_->wake.notify_one();
    if (shared_->idle >= shared_->waiting.size() || shared_->threads >= kMostThreads) return;
    ++shared_->threads;
  }
  begin_thread();
}

void DiskThreads::begin_thread() {
  try {
    quiet_thread(kDiskThread, [shared = shared_] { shared->work_all(); }).detach();
    return;
  } catch (const std::system_error&) {
    const std::lock_guard lock(shared_->mutex);
    if (--shared_->threads > 0) return;  // the others will do it
  }
  // No thread may be made: better here than never.
  Shared::Job job;
  {
    const std::lock_guard lock(shared_->mutex);
    if (shared_->waiting.empty()) return;
    job = std::move(shared_->waiting.front());
    shared_->waiting.pop_front();
  }
  job.work();
  const std::lock_guard lock(shared_->mutex);
  shared_->finished.push_back(std::move(job));
  uv_async_send(shared_->async);
}

void DiskThreads::deliver() {
  std::vector<Shared::Job> finished;
  {
    const std::lock_guard lock(shared_->mutex);
    finished.swap(shared_->finished);
  }
  const std::shared_ptr<Shared> shared = shared_;  // a callback may close this
  for (const Shared::Job& job : finished) {
    const auto entry = done_.extract(job.number);
    if (entry.empty()) continue;
    if (done_.empty()) uv_unref(as_handle(shared->async));
    entry.mapped()();
    if (shared->closed) return;
  }
}

void DiskThreads::close(std::function<void()> on_closed) {
  on_closed_ = std::move(on_closed);
  const auto unanswered = std::exchange(done_, {});
  uv_async_t* async = nullptr;
  {
    const std::lock_guard lock(shared_->mutex);
    shared_->closed = true;
    async = std::exchange(shared_->async, nullptr);
    shared_->wake.notify_all();
  }
  uv_close(as_handle(async), [](uv_handle_t* handle) noexcept {
    auto* self = static_cast<DiskThreads*>(handle->data);
    delete reinterpret_cast<uv_async_t*>(handle);
    if (self == nullptr) return;
    // The callback may delete this.
    if (const auto done = std::exchange(self->on_closed_, nullptr)) done();
  });
}

}  // namespace gibbous
