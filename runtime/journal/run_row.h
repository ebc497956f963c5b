// Reads a row of exec_runs as a RunRecord. Internal; the thread of the Database.
#pragma once

#include <string_view>

#include "runtime/journal/database.h"
#include "runtime/journal/record.h"

namespace gibbous {

// The columns that run_of() reads, from column 0 on.
inline constexpr std::string_view kSelectRun =
    "SELECT run_id, session_id, status, command, background, pty, timeout_secs, max_output_bytes,"
    " watch_json, exit_code, error_message, queued_at, started_at, finished_at, meta_json,"
    " output_bytes, stored_bytes, not_kept_items, last_seq, updated_at, owner, attempt,"
    " safe_to_repeat, client, workspace, request_id, priority, max_attempts, stdout_to,"
    " stderr_to FROM exec_runs";

RunRecord run_of(const Statement& row);

}  // namespace gibbous
