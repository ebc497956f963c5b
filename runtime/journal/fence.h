// The fence around a run: who may write it. A run belongs to the worker that has claimed it, and to
// one attempt; whoever slept while another took it over finds both changed, and is refused. Pure.
#pragma once

#include <cstdint>
#include <string>

#include "gibbous/status.h"

namespace gibbous {

// What the file says about a run.
struct FenceRow {
  std::string status;
  std::string owner;
  std::int64_t attempt = 1;
};

// Whether `worker` ("": none has joined) may write as `attempt`; run_not_owned or run_requeued.
Status may_write(const std::string& run_id, const FenceRow& row, const std::string& worker,
                 std::int64_t attempt);
// Whether `status` may follow what is there; run_ended or run_started.
Status may_follow(const std::string& run_id, const FenceRow& row, const std::string& status);

Status not_owned(const std::string& run_id, const FenceRow& row);
Status ended(const std::string& run_id, const FenceRow& row);
Status no_such_run(const std::string& run_id);

}  // namespace gibbous
