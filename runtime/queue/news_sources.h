// NewsSources says when to look at the journal: when another process sends a notice, and when a
// process that this worker watches ends. Loop thread only.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "gibbous/status.h"
#include "runtime/journal/notices.h"
#include "runtime/journal/worker_record.h"
#include "runtime/queue/readable.h"

namespace gibbous {

class NewsSources {
 public:
  // `on_news` comes from the loop, and also for nothing.
  NewsSources(uv_loop_s* loop, std::function<void()> on_news);

  // Begins to receive notices of these topics; fails as NoticeSocket does.
  Status open(const std::string& state_directory, const std::string& worker_id,
              const std::vector<std::string>& topics);
  // Receives those of another topic, too, if it receives any.
  void listen(const std::string& topic);
  // Returns false when notices about something may not come.
  bool is_complete() const { return complete_; }
  // Returns true when it receives notices that others can send: the state directory may have been
  // removed since.
  bool is_in_place() const { return socket_ != nullptr && socket_->is_in_place(); }
  // Watches these processes of this pid_space, and no others.
  void watch(const std::vector<WorkerRecord>& workers);
  // Removes what a dead worker has left.
  void forget(const std::string& worker_id);
  void close();

 private:
  uv_loop_s* loop_;
  std::function<void()> on_news_;
  std::unique_ptr<NoticeSocket> socket_;
  Readable notices_;
  std::map<std::string, std::unique_ptr<Readable>> watched_;  // by worker
  bool complete_ = false;
};

}  // namespace gibbous
