// The fence around a run decides who may write it. A run belongs to the worker that claimed it, and
// to one attempt. A worker that was suspended while another took the run over finds both changed,
// and its writes are rejected. Pure functions.
#pragma once

#include <cstdint>
#include <string>

#include "gibbous/status.h"

namespace gibbous {

// A run's owner and status as the file has them.
struct FenceRow {
  std::string status;
  std::string owner;
  std::int64_t attempt = 1;
};

// Checks whether `worker` ("" when none has joined) may write as `attempt`. Fails with
// run_not_owned or run_requeued.
Status may_write(const std::string& run_id, const FenceRow& row, const std::string& worker,
                 std::int64_t attempt);
// Checks whether `status` may follow the stored one. Fails with run_ended or run_started.
Status may_follow(const std::string& run_id, const FenceRow& row, const std::string& status);

Status not_owned(const std::string& run_id, const FenceRow& row);
Status ended(const std::string& run_id, const FenceRow& row);
Status no_such_run(const std::string& run_id);

}  // namespace gibbous
