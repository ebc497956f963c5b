#include "runtime/journal/fence.h"

#include "runtime/journal/record.h"

namespace gibbous {

Status not_owned(const std::string& run_id, const FenceRow& row) {
  const std::string whose =
      row.owner.empty() ? "without an owner (" + row.status + ")" : "worker " + row.owner + "'s";
  return Status::error("run_not_owned", "run " + run_id + " is " + whose + " now");
}

Status ended(const std::string& run_id, const FenceRow& row) {
  return Status::error("run_ended", "run " + run_id + " has ended: " + row.status);
}

Status no_such_run(const std::string& run_id) {
  return Status::error("run_not_found", "the journal holds no run " + run_id);
}

Status may_write(const std::string& run_id, const FenceRow& row, const std::string& worker,
                 std::int64_t attempt) {
  if (!row.owner.empty() && row.owner != worker) return not_owned(run_id, row);
  if (row.attempt == attempt) return {};
  return Status::error("run_requeued", "run " + run_id + " is at attempt " +
                                           std::to_string(row.attempt) + " now, this is attempt " +
                                           std::to_string(attempt));
}

Status may_follow(const std::string& run_id, const FenceRow& row, const std::string& status) {
  if (is_terminal_status(row.status) && row.status != status) return ended(run_id, row);
  if (status != "queued" || row.status == "queued") return {};
  return Status::error("run_started", "run " + run_id + " is " + row.status +
                                          "; requeue() puts it back into the queue");
}

}  // namespace gibbous
