// One run whose output `gibbous logs` and `gibbous attach` show. Main thread.
#pragma once

#include <cstdint>
#include <string>

#include "bindings/cli/options.h"
#include "bindings/cli/terminal.h"
#include "bindings/inspect/log_text.h"
#include "bindings/inspect/since.h"
#include "runtime/journal/journal_reader.h"

namespace gibbous::cli {

struct LogSource {
  RunRecord run;
  std::uint64_t since_seq = 0;  // the items up to it have been read
  inspect::LogText text;
};

// Begins where --since or --tail says.
Result<LogSource> open_source(JournalReader& reader, RunRecord run, const inspect::Since& since,
                              const Terminal& terminal, const Options& options);

// Returns the next items, and redacts them and later ones by the patterns of the run.
Result<ItemPage> read_on(JournalReader& reader, LogSource& source);

// Returns true when the journal says that the run goes on although none of its processes is left.
// Costs more than reading the journal.
bool is_gone(JournalReader& reader, const RunRecord& run);
Status host_gone(const RunRecord& run);
// "failed: exit code 2"
std::string end_remark(const RunRecord& run);

// A follower rests this many times between two calls of is_gone().
inline constexpr int kRestsBetweenLooks = 40;

}  // namespace gibbous::cli
