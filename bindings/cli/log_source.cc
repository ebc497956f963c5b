// See log_source.h.
#include "bindings/cli/log_source.h"

#include <utility>

#include "bindings/inspect/live.h"
#include "bindings/inspect/log_start.h"
#include "bindings/inspect/run_facts.h"
#include "bindings/inspect/run_text.h"

namespace gibbous::cli {
namespace {

inspect::LogForm form_of(const Options& options, const Terminal& terminal) {
  if (options.json) return inspect::LogForm::kJson;
  return terminal.has_colour() ? inspect::LogForm::kColour : inspect::LogForm::kPlain;
}

inspect::LogStreams streams_of(const Options& options) {
  if (options.only_stdout) return inspect::LogStreams::kStdout;
  return options.only_stderr ? inspect::LogStreams::kStderr : inspect::LogStreams::kAll;
}

Result<inspect::LogStart> find_start(JournalReader& reader, const RunRecord& run,
                                     const inspect::Since& since, const Options& options) {
  if (options.tail) return inspect::start_of_tail(reader, run, *options.tail, streams_of(options));
  if (since.seq) return inspect::LogStart{.since_seq = *since.seq};
  return inspect::start_at_time(reader, run, since.at);
}

}  // namespace

Result<LogSource> open_source(JournalReader& reader, RunRecord run, const inspect::Since& since,
                              const Terminal& terminal, const Options& options) {
  const Result<inspect::LogStart> start = find_start(reader, run, since, options);
  if (!start) return start.status();
  const auto secrets = options.raw ? inspect::Secrets::kShown : inspect::Secrets::kRedacted;
  return LogSource{std::move(run), start->since_seq,
                   inspect::LogText(form_of(options, terminal), streams_of(options),
                                    start->skip_lines, secrets)};
}

Result<ItemPage> read_on(JournalReader& reader, LogSource& source) {
  Result<ItemPage> page = reader.items(source.run.run_id, source.since_seq, kMaxPageItems);
  if (!page) return page;
  source.since_seq = page->next_since;
  if (page->items.empty()) return page;
  // Not before the items: the record says what must be redacted in them.
  const Result<RunRecord> now = reader.run(source.run.run_id);
  source.text.use(inspect::facts_of(now ? *now : source.run).redaction);
  return page;
}

bool is_gone(JournalReader& reader, const RunRecord& run) {
  const auto runs = inspect::look_at({run});
  if (runs.front().presence != inspect::Presence::kGone) return false;
  const Result<RunRecord> now = reader.run(run.run_id);
  return now && !inspect::has_ended(*now);
}

Status host_gone(const RunRecord& run) {
  return Status::error("host_gone", "the journal has no end of run " + run.run_id +
                                        ", but none of its processes is left: its host is gone");
}

std::string end_remark(const RunRecord& run) {
  const std::string why = inspect::end_text(run, inspect::facts_of(run));
  return run.status + (why.empty() ? "" : ": " + why);
}

}  // namespace gibbous::cli
