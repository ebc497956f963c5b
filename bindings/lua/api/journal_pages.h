// JournalPages: reads all items of a recorded run, page after page, for a task of Lua that is
// suspended meanwhile. Loop thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "bindings/json/json.h"
#include "bindings/lua/call/task.h"
#include "runtime/recording/recording.h"

namespace gibbous::lua {

class JournalPages : public std::enable_shared_from_this<JournalPages> {
 public:
  // Once for every item, in order.
  using OnItem = std::function<void(const StoredItem& item)>;
  // Once after the last item; returns what the task is resumed with.
  using OnEnd = std::function<Json(const RunRecord& run)>;

  JournalPages(Recording& recording, std::string run, const std::shared_ptr<Task>& task,
               OnItem on_item, OnEnd on_end);

  // Reads to the end. An error, and a run that the task may not see, resume the task with nil, err.
  void read();

 private:
  void on_page(Result<RecordedItems> got);

  Recording& recording_;
  const std::string run_;
  const OnItem on_item_;
  const OnEnd on_end_;
  std::uint64_t since_ = 0;
  Completer complete_;
  std::weak_ptr<Task> task_;
};

}  // namespace gibbous::lua
