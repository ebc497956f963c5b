#include "runtime/queue/news_sources.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <utility>

#include "runtime/process/pid_space.h"

namespace gibbous {

NewsSources::NewsSources(uv_loop_s* loop, std::function<void()> on_news)
    : loop_(loop), on_news_(std::move(on_news)), notices_(loop, [this] {
        socket_->take();
        on_news_();
      }) {}

Status NewsSources::open(const std::string& state_directory, const std::string& worker_id,
                         const std::vector<std::string>& topics) {
  close();
  auto socket = NoticeSocket::open(state_directory, worker_id);
  if (!socket) return socket.status();
  socket_ = std::move(*socket);
  Status status;
  for (const std::string& topic : topics) {
    if (status) status = socket_->listen(topic);
  }
  UniqueFd watched(::fcntl(socket_->fd(), F_DUPFD_CLOEXEC, 0));
  if (status && (!watched || !notices_.watch(std::move(watched)))) {
    status = Status::error("notices_unusable", "the event loop takes no further descriptor");
  }
  complete_ = bool(status);
  if (!status) close();
  return status;
}

void NewsSources::listen(const std::string& topic) {
  if (socket_ != nullptr && !socket_->listen(topic)) complete_ = false;
}

void NewsSources::watch(const std::vector<WorkerRecord>& workers) {
  auto before = std::exchange(watched_, {});
  bool any_ended = false;
  for (const WorkerRecord& worker : workers) {
    if (worker.pid == ::getpid()) continue;  // another runtime of this process
    std::unique_ptr<Readable>& watch = watched_[worker.worker_id];
    watch = std::move(before[worker.worker_id]);
    if (watch != nullptr) continue;
    watch = std::make_unique<Readable>(loop_, [this, id = worker.worker_id] {
      if (const auto found = watched_.find(id); found != watched_.end()) found->second->stop();
      on_news_();
    });
    UniqueFd pidfd(static_cast<int>(::syscall(SYS_pidfd_open, static_cast<pid_t>(worker.pid), 0U)));
    // The pid may have been reused before the pidfd held it.
    if (!is_process_alive(worker.pid, worker.pid_started)) {
      any_ended = true;
    } else if (!pidfd || !watch->watch(std::move(pidfd))) {
      complete_ = false;
    }
  }
  if (any_ended) on_news_();
}

void NewsSources::forget(const std::string& worker_id) {
  if (socket_ != nullptr) socket_->forget(worker_id);
}

void NewsSources::close() {
  complete_ = false;
  notices_.stop();
  watched_.clear();
  socket_.reset();
}

}  // namespace gibbous
