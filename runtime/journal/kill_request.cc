#include "runtime/journal/kill_request.h"

#include <memory>

#include "runtime/base/state_file.h"
#include "runtime/journal/ended_rows.h"
#include "runtime/journal/notices.h"
#include "runtime/journal/place.h"
#include "runtime/journal/queue.h"
#include "runtime/journal/schema.h"

namespace gibbous {

Result<KillRequest> request_kill(const std::string& directory, const std::string& run_id,
                                 const std::string& signal, const Clock& clock, Millis busy_timeout,
                                 const RedactRun& redact) {
  if (!is_signal_word(signal)) {
    return Status::error("invalid_argument",
                         "signal: expected a name such as TERM, got '" + signal + "'");
  }
  // Do not create a journal only to record this.
  if (Status status = check_place(directory, false); !status) return status;
  const WithoutSizeSignal guard;
  Result<std::unique_ptr<Database>> database = open_for_writing(directory, {busy_timeout});
  if (!database) return database.status();
  Workers workers(**database, nullptr);
  Queue queue(**database, workers);
  EndedRows ended(**database, redact);
  Status status = workers.prepare();
  if (status) status = queue.prepare();
  if (status) status = ended.prepare();
  if (status) status = begin_writing(**database);
  KillRequest request;
  Status refused;
  if (status) status = queue.request_kill(run_id, signal, clock.wall().count(), &request, &refused);
  if (status) status = ended.redact();
  if (status) status = (*database)->execute("COMMIT");
  if (!status && (*database)->in_transaction()) (void)(*database)->execute("ROLLBACK");
  if (!status || !refused) return status ? refused : status;
  if (ended.redacted() > 0) (void)(*database)->truncate_log();
  send_notices(directory, "", workers.changes());
  return request;
}

}  // namespace gibbous
