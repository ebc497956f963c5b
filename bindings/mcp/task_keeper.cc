// See task_keeper.h.
#include "bindings/mcp/task_keeper.h"

#include <condition_variable>
#include <csignal>
#include <deque>
#include <mutex>
#include <system_error>
#include <utility>

namespace gibbous::mcp {
namespace {

std::size_t bytes_of(const TaskRecord& task) {
  return sizeof(task) + task.arguments.size() + task.message.size() + task.outcome.size();
}

}  // namespace

// Lives on with the thread when that hangs.
struct TaskKeeper::Shared {
  struct Lookup {
    std::string id;
    std::function<void(Result<std::optional<TaskRecord>>)> on_done;
  };
  std::string state_dir;
  std::mutex mutex;
  std::condition_variable changed;
  std::function<void(std::function<void()>)> post;  // null once the keeper has gone
  std::deque<TaskRecord> records;
  std::size_t bytes = 0;
  std::deque<Lookup> lookups;
  bool writing = false;
  bool ended = false;

  void work() {
    std::unique_lock lock(mutex);
    while (true) {
      changed.wait(lock, [this] { return ended || !records.empty() || !lookups.empty(); });
      if (!records.empty()) {
        const TaskRecord record = std::move(records.front());
        records.pop_front();
        bytes -= bytes_of(record);
        writing = true;
        lock.unlock();
        // What the journal does not take is not kept: the server still has it.
        (void)keep_task(state_dir, record);
        lock.lock();
        writing = false;
        changed.notify_all();
      } else if (!lookups.empty()) {
        Lookup lookup = std::move(lookups.front());
        lookups.pop_front();
        lock.unlock();
        Result<std::optional<TaskRecord>> found = find_task(state_dir, lookup.id);
        lock.lock();
        if (!post) return;
        post([on_done = std::move(lookup.on_done), found = std::move(found)] { on_done(found); });
      } else {
        return;
      }
    }
  }
};

TaskKeeper::TaskKeeper(std::string state_dir, std::function<void(std::function<void()>)> post)
    : shared_(std::make_shared<Shared>()) {
  shared_->state_dir = std::move(state_dir);
  shared_->post = std::move(post);
}

TaskKeeper::~TaskKeeper() {
  const std::lock_guard lock(shared_->mutex);
  shared_->post = nullptr;
  shared_->ended = true;
  shared_->records.clear();
  shared_->lookups.clear();
  shared_->changed.notify_all();
}

// Signals are for the program's own thread.
void TaskKeeper::begin() {
  if (began_) return;
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    std::thread([shared = shared_] { shared->work(); }).detach();
    began_ = true;
  } catch (const std::system_error&) {
    // Without a thread nothing is kept; the next call tries again.
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void TaskKeeper::keep(TaskRecord task) {
  if (shared_->state_dir.empty()) return;
  begin();
  const std::lock_guard lock(shared_->mutex);
  const std::size_t bytes = bytes_of(task);
  if (!began_ || shared_->bytes + bytes > kMaxWaitingBytes) return;
  shared_->bytes += bytes;
  shared_->records.push_back(std::move(task));
  shared_->changed.notify_all();
}

void TaskKeeper::find(std::string id,
                      std::function<void(Result<std::optional<TaskRecord>>)> on_done) {
  const bool keeps = !shared_->state_dir.empty();
  if (keeps) begin();
  const std::lock_guard lock(shared_->mutex);
  if (!keeps) {
    shared_->post([on_done = std::move(on_done)] { on_done(std::optional<TaskRecord>()); });
    return;
  }
  if (!began_ || shared_->lookups.size() >= kMaxWaitingLookups) {
    const Status busy = Status::error("busy", "too many requests wait for the journal");
    shared_->post([busy, on_done = std::move(on_done)] { on_done(busy); });
    return;
  }
  shared_->lookups.push_back({std::move(id), std::move(on_done)});
  shared_->changed.notify_all();
}

void TaskKeeper::finish(std::chrono::milliseconds patience) {
  std::unique_lock lock(shared_->mutex);
  if (!began_) return;
  shared_->changed.wait_for(lock, patience,
                            [&] { return shared_->records.empty() && !shared_->writing; });
}

}  // namespace gibbous::mcp
