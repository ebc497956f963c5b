// `gibbous logs`: prints the output of a run from the journal, and follows it.
#include <unistd.h>

#include <string>
#include <utility>

#include "bindings/cli/commands.h"
#include "bindings/cli/follow.h"
#include "bindings/cli/report.h"
#include "bindings/cli/terminal.h"
#include "bindings/inspect/figures.h"
#include "bindings/inspect/journal_query.h"
#include "bindings/inspect/live.h"
#include "bindings/inspect/log_start.h"
#include "bindings/inspect/log_text.h"
#include "bindings/inspect/run_text.h"
#include "bindings/inspect/since.h"

namespace gibbous::cli {
namespace {

// Finding the processes of a run costs more than reading the journal.
constexpr int kRestsBetweenLooks = 40;

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

// Writes the log of one run to stdout.
class Log {
 public:
  Log(JournalReader& reader, RunRecord run, const inspect::LogStart& start, const Options& options)
      : reader_(reader),
        run_(std::move(run)),
        since_seq_(start.since_seq),
        options_(options),
        text_(form_of(options, terminal_), streams_of(options), start.skip_lines) {}

  ExitCode print(Follow& follow) {
    const Result<bool> all = options_.follow ? follow_it(follow) : news(follow);
    (void)follow.write(text_.finish());
    return all ? ExitCode::kDone : fail(all.status(), options_);
  }

 private:
  // Writes what is new. False when the reader has gone or a signal came.
  Result<bool> news(Follow& follow) {
    for (;;) {
      const Result<ItemPage> page = reader_.items(run_.run_id, since_seq_, kMaxPageItems);
      if (!page) return page.status();
      since_seq_ = page->next_since;
      std::string text;
      for (const StoredItem& item : page->items) text += text_.item(item);
      if (!follow.write(text)) return false;
      if (!page->more) return true;
    }
  }

  Result<bool> follow_it(Follow& follow) {
    for (int rests = 1;; ++rests) {
      // First the state, then the output: once the state is an end, no output follows.
      Result<RunRecord> now = reader_.run(run_.run_id);
      if (!now) return now.status();
      run_ = std::move(*now);
      const Result<bool> read = news(follow);
      if (!read || !*read) return read;
      if (inspect::has_ended(run_)) return notify_end(follow);
      if (rests % kRestsBetweenLooks == 1 && is_gone()) return host_gone();
      if (!follow.rest()) return false;
    }
  }

  bool is_gone() {
    const auto runs = inspect::look_at({run_});
    if (runs.front().presence != inspect::Presence::kGone) return false;
    const Result<RunRecord> now = reader_.run(run_.run_id);
    return now && !inspect::has_ended(*now);
  }

  Status host_gone() const {
    return Status::error("host_gone", "run " + run_.run_id +
                                          " did not end in the journal, but none of its "
                                          "processes is left: its host is gone");
  }

  Result<bool> notify_end(Follow& follow) {
    if (!terminal_.is_terminal()) return true;
    const std::string why = inspect::end_text(run_);
    return follow.write(text_.remark(run_.status + (why.empty() ? "" : ": " + why)));
  }

  JournalReader& reader_;
  RunRecord run_;
  std::uint64_t since_seq_;
  const Options& options_;
  const Terminal terminal_{STDOUT_FILENO};
  inspect::LogText text_;
};

}  // namespace

ExitCode run_logs(const Options& options) {
  const Result<inspect::Since> since = inspect::parse_since(options.since, inspect::unix_millis());
  if (!since) return fail(since.status(), options);
  auto reader = inspect::open_journal(options.runtime.state_dir);
  if (!reader) return fail(reader.status(), options);
  Result<RunRecord> run = inspect::find_run(**reader, options.run_id);
  if (!run) return fail(run.status(), options);
  const Result<inspect::LogStart> start = find_start(**reader, *run, *since, options);
  if (!start) return fail(start.status(), options);
  Result<Follow> follow = Follow::create();
  if (!follow) return fail(follow.status(), options);
  return Log(**reader, std::move(*run), *start, options).print(*follow);
}

}  // namespace gibbous::cli
