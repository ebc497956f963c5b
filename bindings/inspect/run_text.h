// A run as `gibbous ps` shows it: a row of a table, or JSON with the names that bg_status has.
// Pure, any thread.
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

// "3000 8080*": a port that other machines can reach has a star.
std::string ports_text(const TreeUsage& usage);
// What it is called: its label and its command on one line, with nothing in it that does not show.
std::string title_of(const RunRecord& run, const RunFacts& facts);
// Why and how it ended: "exit code 2", "exceeded its memory limit", "".
std::string end_text(const RunRecord& run);

}  // namespace gibbous::inspect
