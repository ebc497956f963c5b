// `gibbous logs`: prints the output of a run, or of several, from the journal, and follows it.
#include <unistd.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "bindings/cli/commands.h"
#include "bindings/cli/follow.h"
#include "bindings/cli/log_source.h"
#include "bindings/cli/merged_logs.h"
#include "bindings/cli/report.h"
#include "bindings/cli/terminal.h"
#include "bindings/inspect/figures.h"
#include "bindings/inspect/journal_query.h"
#include "bindings/inspect/run_facts.h"

namespace gibbous::cli {
namespace {

// Writes the log of one run to stdout.
class Log {
 public:
  Log(JournalReader& reader, LogSource& source, const Terminal& terminal, const Options& options)
      : reader_(reader),
        source_(source),
        run_(source.run),
        text_(source.text),
        terminal_(terminal),
        options_(options) {}

  Status print(Follow& follow) {
    const Result<bool> all = options_.follow ? follow_it(follow) : news(follow);
    (void)follow.write(text_.finish());
    return all.status();
  }

 private:
  // Writes what is new. False when the reader has gone or a signal came.
  Result<bool> news(Follow& follow) {
    for (;;) {
      const Result<ItemPage> page = read_on(reader_, source_);
      if (!page) return page.status();
      std::string text;
      for (const StoredItem& item : page->items) text += text_.item(item);
      if (!page->more) text += text_.pause();
      if (!follow.write(text)) return false;
      if (!page->more) return true;
    }
  }

  Result<bool> follow_it(Follow& follow) {
    for (;;) {
      // Read the state before the output: after a final state no output follows.
      Result<RunRecord> now = reader_.run(run_.run_id);
      if (!now) return now.status();
      run_ = std::move(*now);
      const Result<bool> read = news(follow);
      if (!read || !*read) return read;
      if (inspect::has_ended(run_)) return notify_end(follow);
      if (follow.is_time_to_look() && is_gone(reader_, run_)) return host_gone(run_);
      if (!follow.rest()) return false;
    }
  }

  Result<bool> notify_end(Follow& follow) {
    return !terminal_.is_terminal() || follow.write(text_.remark(end_remark(run_)));
  }

  JournalReader& reader_;
  LogSource& source_;
  RunRecord& run_;
  inspect::LogText& text_;
  const Terminal& terminal_;
  const Options& options_;
};

// The runs with these names, each once.
Result<std::vector<LogSource>> open_sources(JournalReader& reader, const inspect::Since& since,
                                            const Terminal& terminal, const Options& options) {
  std::vector<LogSource> sources;
  for (const std::string& name : options.run_ids) {
    Result<RunRecord> run = inspect::find_run(reader, name);
    if (!run) return run.status();
    const bool known = std::any_of(sources.begin(), sources.end(), [&](const LogSource& each) {
      return each.run.run_id == run->run_id;
    });
    if (known) continue;
    Result<LogSource> source = open_source(reader, std::move(*run), since, terminal, options);
    if (!source) return source.status();
    sources.push_back(std::move(*source));
  }
  return sources;
}

}  // namespace

ExitCode run_logs(const Options& options) {
  const Result<inspect::Since> since = inspect::parse_since(options.since, inspect::unix_millis());
  if (!since) return fail(since.status(), options);
  auto reader = inspect::open_journal(options.runtime.state_dir);
  if (!reader) return fail(reader.status(), options);
  const Terminal terminal(STDOUT_FILENO);
  Result<std::vector<LogSource>> sources = open_sources(**reader, *since, terminal, options);
  if (!sources) return fail(sources.status(), options);
  Result<Follow> follow = Follow::create();
  if (!follow) return fail(follow.status(), options);
  follow->watch_journal(inspect::journal_directory(options.runtime.state_dir));
  const Status status =
      sources->size() == 1
          ? Log(**reader, sources->front(), terminal, options).print(*follow)
          : print_merged(**reader, std::move(*sources), terminal, *follow, options);
  return status ? ExitCode::kDone : fail(status, options);
}

}  // namespace gibbous::cli
