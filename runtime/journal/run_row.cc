#include "runtime/journal/run_row.h"

#include <cstdint>

namespace gibbous {

RunRecord run_of(const Statement& row) {
  RunRecord run;
  run.run_id = row.text(0);
  run.session_id = row.text(1);
  run.status = row.text(2);
  run.command = row.text(3);
  run.background = row.integer(4) != 0;
  run.pty = row.integer(5) != 0;
  run.timeout_secs = row.integer(6);
  run.max_output_bytes = row.integer(7);
  run.watch_json = row.text(8);
  run.has_exit_code = !row.is_null(9);
  run.exit_code = row.integer(9);
  run.error_message = row.text(10);
  run.queued_at = row.integer(11);
  run.started_at = row.integer(12);
  run.finished_at = row.integer(13);
  run.meta_json = row.text(14);
  run.output_bytes = row.integer(15);
  run.stored_bytes = row.integer(16);
  run.not_kept_items = row.integer(17);
  run.last_seq = static_cast<std::uint64_t>(row.integer(18));
  run.updated_at = row.integer(19);
  run.owner = row.text(20);
  run.attempt = row.integer(21);
  run.safe_to_repeat = row.integer(22) != 0;
  run.client = row.text(23);
  run.workspace = row.text(24);
  run.request_id = row.text(25);
  run.priority = row.integer(26);
  run.max_attempts = row.integer(27);
  run.stdout_to = row.integer(28);
  run.stderr_to = row.integer(29);
  return run;
}

}  // namespace gibbous
