#include "runtime/journal/worker_record.h"

#include <algorithm>

#include "runtime/base/session_name.h"

namespace gibbous {

bool is_terminal_status(std::string_view status) {
  return status == "completed" || status == "failed" || status == "killed" || status == "timeout" ||
         status == "lost";
}

bool ClaimScope::includes(const std::string& client) const {
  return all || clients.count(client) != 0 || (unclaimed && !is_claimed_session(client));
}

bool waits_in_host(const RunRecord& run) {
  return run.status == "starting" && run.started_at == 0 && !run.error_message.empty();
}

std::string session_name(const RunRecord& run) {
  return run.client == run.session_id ? run.client : run.client + " " + run.session_id;
}

std::string state_of(const RunRecord& run) {
  return waits_in_host(run) ? "queued" : run.status;
}

bool lease_holds(const WorkerRecord& worker, std::int64_t now) {
  const std::int64_t length = worker.lease_until - worker.heartbeat_at;
  const std::int64_t age = now - worker.heartbeat_at;
  return length > 0 && age <= length && age >= -length;
}

bool is_signal_word(std::string_view word) {
  return word.size() <= kMaxSignalBytes && std::all_of(word.begin(), word.end(), [](char c) {
           return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '+' || c == '-';
         });
}

}  // namespace gibbous
