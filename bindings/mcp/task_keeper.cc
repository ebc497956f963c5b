// See task_keeper.h.
#include "bindings/mcp/task_keeper.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <deque>
#include <iterator>
#include <mutex>
#include <system_error>
#include <utility>
#include <vector>

namespace gibbous::mcp {
namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kFirstPause{500};  // after a failure, before the next attempt
constexpr std::chrono::milliseconds kLongestPause{30'000};

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
  std::vector<TaskRecord> records;
  std::size_t bytes = 0;               // of the records, and of those that are being written
  SteadyClock::time_point attempt_at;  // when records are written next
  std::chrono::milliseconds pause = kFirstPause;
  std::deque<Lookup> lookups;
  bool writing = false;
  bool ended = false;

  bool is_due() const { return !records.empty() && SteadyClock::now() >= attempt_at; }

  // All that waits is written together, because each time costs a sync of the disk.
  void write(std::unique_lock<std::mutex>& lock) {
    std::vector<TaskRecord> taken = std::exchange(records, {});
    writing = true;
    lock.unlock();
    const Status status = keep_tasks(state_dir, taken);
    lock.lock();
    writing = false;
    if (status || status.code() == "invalid_argument" || ended) {
      for (const TaskRecord& record : taken) bytes -= bytes_of(record);
      pause = kFirstPause;
    } else {
      // A later record of the same task must come later.
      taken.insert(taken.end(), std::make_move_iterator(records.begin()),
                   std::make_move_iterator(records.end()));
      records = std::move(taken);
      attempt_at = SteadyClock::now() + pause;
      // A process that writes is done soon; a disk that takes nothing may stay so for long.
      if (status.code() != "journal_busy") pause = std::min(pause * 2, kLongestPause);
    }
    changed.notify_all();
  }

  void work() {
    std::unique_lock lock(mutex);
    while (true) {
      const auto has_work = [this] { return ended || is_due() || !lookups.empty(); };
      if (records.empty()) {
        changed.wait(lock, [&] { return has_work(); });
      } else {
        const SteadyClock::time_point at = attempt_at;
        changed.wait_until(lock, at, has_work);
      }
      if (!lookups.empty()) {
        Lookup lookup = std::move(lookups.front());
        lookups.pop_front();
        lock.unlock();
        Result<std::optional<TaskRecord>> found = find_task(state_dir, lookup.id);
        lock.lock();
        if (!post) return;
        post([on_done = std::move(lookup.on_done), found = std::move(found)] { on_done(found); });
      } else if (is_due()) {
        write(lock);
      } else if (ended) {
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
  shared_->attempt_at = {};
  shared_->changed.notify_all();
  shared_->changed.wait_for(lock, patience,
                            [&] { return shared_->records.empty() && !shared_->writing; });
}

}  // namespace gibbous::mcp
