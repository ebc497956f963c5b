// JournalPages: reads all items of a recorded run, page after page, for a task of Lua that is
// suspended meanwhile. Loop thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "bindings/json/json.h"
#include "bindings/lua/api/run_effect.h"
#include "runtime/recording/recording.h"

namespace gibbous::lua {

class JournalPages : public std::enable_shared_from_this<JournalPages> {
 public:
  // Once for every item, in order.
  using OnItem = std::function<void(const StoredItem& item)>;
  // Once after the last item; returns what the task is resumed with.
  using OnEnd = std::function<Json(const RunRecord& run)>;

  JournalPages(std::shared_ptr<Effect> effect, std::string run, OnItem on_item, OnEnd on_end)
      : effect_(std::move(effect)),
        run_(std::move(run)),
        on_item_(std::move(on_item)),
        on_end_(std::move(on_end)) {}

  // Reads to the end, and answers. An error, and a run that the task may not see, become nil, err.
  void read();

 private:
  void on_page(Result<RecordedItems> got);

  const std::shared_ptr<Effect> effect_;
  const std::string run_;
  const OnItem on_item_;
  const OnEnd on_end_;
  std::uint64_t since_ = 0;
};

}  // namespace gibbous::lua
