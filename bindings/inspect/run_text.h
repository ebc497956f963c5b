// A run as `gibbous ps` shows it: a row of the table, or JSON with the names of bg_status. Secrets
// are redacted. Pure, any thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bindings/inspect/live.h"
#include "bindings/json/json.h"

namespace gibbous::inspect {

std::vector<std::string> run_headings();
// `now`: Unix milliseconds.
std::vector<std::string> run_row(const LiveRun& run, std::int64_t now);
OrderedJson run_json(const LiveRun& run, std::int64_t now);

// The session without the workspace in its name: "claude#2" of "claude@/home/ann/shop#2".
std::string short_session(const RunRecord& run);
// "3000 8080*": a star marks a port that other machines can reach.
std::string ports_text(const TreeUsage& usage);
// The profile of its sandbox, the label and the command on one printable line.
std::string title_of(const RunRecord& run, const RunFacts& facts);
// Says how the run ended: "exit code 2", "exceeded its memory limit", or "".
std::string end_text(const RunRecord& run, const RunFacts& facts);

}  // namespace gibbous::inspect
