// What the journal adds to the runs of this process: those that are queued, and what happened to a
// run. Loop thread; the journal is read on another one.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "bindings/json/json.h"
#include "gibbous/status.h"
#include "runtime/recording/recording.h"

namespace gibbous::host {

// Gives the queued runs of a client ("": of all), the oldest first, as h:info() describes runs.
// Nothing where there is no journal, and when it cannot be read now.
void queued_runs(Recording& recording, const std::string& client,
                 std::function<void(std::vector<Json>)> then);

// Gives the newest `most` items of a run that are not output, as {"run", "events": [{"seq", "type",
// "payload", "meta"?, "created_ms"}], "more"?: true}. `client`: that of the run, or "" for any.
// Fails with run_not_found, and as the journal does.
void run_events(Recording& recording, const std::string& run, const std::string& client,
                std::size_t most, std::function<void(Result<Json>)> then);

}  // namespace gibbous::host
