// `gibbous attach`: shows a run's terminal as it is now and as it changes, from the journal.
// Nothing is sent to the run. A run without a terminal is followed as `logs -f` follows it.
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bindings/cli/commands.h"
#include "bindings/cli/log_source.h"
#include "bindings/cli/report.h"
#include "bindings/cli/terminal.h"
#include "bindings/inspect/journal_query.h"
#include "bindings/inspect/run_facts.h"
#include "bindings/inspect/run_text.h"
#include "bindings/inspect/terminal_view.h"
#include "bindings/inspect/top/keys.h"
#include "bindings/inspect/top/screen.h"
#include "bindings/stdio/program_signals.h"

namespace gibbous::cli {
namespace {

constexpr int kRestMillis = 50;
constexpr std::size_t kMaxTitleBytes = 300;
// A terminal shows the result of everything written before. Replay at most this many items.
constexpr std::uint64_t kMaxReplayedItems = 20'000;

class Attached {
 public:
  Attached(JournalReader& reader, RunRecord run, top::Screen& screen,
           stdio::ProgramSignals& signals)
      : reader_(reader),
        run_(std::move(run)),
        since_seq_(run_.last_seq - std::min(run_.last_seq, kMaxReplayedItems)),
        view_(inspect::facts_of(run_), since_seq_ == 0),
        screen_(screen),
        signals_(signals) {}

  // Returns when the run has ended or the person leaves.
  Status run() {
    for (int rests = 1; !left_; ++rests) {
      // Read the state before the output: after a final state no output follows.
      Result<RunRecord> now = reader_.run(run_.run_id);
      if (!now) return now.status();
      run_ = std::move(*now);
      if (Status status = read(); !status) return status;
      if (inspect::has_ended(run_)) return {};
      if (rests % kRestsBetweenLooks == 1 && is_gone(reader_, run_)) return host_gone(run_);
      draw();
      rest();
    }
    return {};
  }

  // Returns the text that stays on the person's terminal.
  std::string last() {
    std::string text;
    for (const std::string& line : view_.text()) text += line + "\n";
    return text + "[gibbous: " + (left_ ? "left; the run goes on" : end_remark(run_)) + "]\n";
  }

 private:
  Status read() {
    for (;;) {
      const Result<ItemPage> page = reader_.items(run_.run_id, since_seq_, kMaxPageItems);
      if (!page) return page.status();
      for (const StoredItem& item : page->items) view_.add(item);
      since_seq_ = page->next_since;
      // Not before the items: the record says what must be redacted in them.
      const Result<RunRecord> now = reader_.run(run_.run_id);
      if (!page->items.empty() && now) view_.use(inspect::facts_of(*now).redaction);
      if (!page->more) return {};
    }
  }

  void draw() {
    const top::ScreenSize size = screen_.size();
    const std::size_t rows = std::max<std::size_t>(size.rows, 2) - 1;
    std::vector<std::string> lines = view_.frame(rows, size.columns);
    lines.resize(rows);
    lines.push_back("\x1b[7m" + status_line(rows, size.columns));
    screen_.draw(lines);
  }

  std::string status_line(std::size_t rows, std::size_t columns) const {
    const TerminalSize size = view_.size();
    const std::string shown = std::to_string(size.rows) + "x" + std::to_string(size.cols);
    const bool is_whole = size.rows <= rows && size.cols <= columns;
    return "attached to " + run_.run_id + ", read-only; q leaves   " +
           (is_whole ? shown : "part of " + shown) + "   " +
           inspect::title_of(run_, inspect::facts_of(run_)).substr(0, kMaxTitleBytes);
  }

  void rest() {
    pollfd files[] = {{STDIN_FILENO, POLLIN, 0}, {signals_.fd(), POLLIN, 0}};
    if (::poll(files, std::size(files), kRestMillis) <= 0) return;
    if (files[1].revents != 0) left_ = true;
    if (files[0].revents == 0) return;
    std::string bytes;
    if (!screen_.read(bytes)) left_ = true;
    for (const top::Key& key : top::keys_of(bytes)) {
      left_ = left_ || key.kind == top::Key::Kind::kInterrupt ||
              (key.kind == top::Key::Kind::kCharacter && key.character == 'q');
    }
  }

  JournalReader& reader_;
  RunRecord run_;
  std::uint64_t since_seq_;
  inspect::TerminalView view_;
  top::Screen& screen_;
  stdio::ProgramSignals& signals_;
  bool left_ = false;
};

// Shows the last lines that fit on the terminal, and follows the output.
ExitCode follow_log(Options options, const RunRecord& run, const Terminal& terminal) {
  constexpr std::uint64_t kLines = 20;
  options.run_ids = {run.run_id};
  options.follow = true;
  if (terminal.is_terminal()) options.tail = kLines;
  return run_logs(options);
}

}  // namespace

ExitCode run_attach(const Options& options) {
  auto reader = inspect::open_journal(options.runtime.state_dir);
  if (!reader) return fail(reader.status(), options);
  Result<RunRecord> run = inspect::find_run(**reader, options.run_id);
  if (!run) return fail(run.status(), options);
  const Terminal terminal(STDOUT_FILENO);
  if (!run->pty || !terminal.is_terminal() || ::isatty(STDIN_FILENO) != 1) {
    return follow_log(options, *run, terminal);
  }
  auto signals = stdio::ProgramSignals::create();
  if (!signals) return fail(signals.status(), options);
  auto screen = top::Screen::create(STDIN_FILENO, STDOUT_FILENO);
  if (!screen) return fail(screen.status(), options);
  Attached attached(**reader, std::move(*run), **screen, **signals);
  const Status status = attached.run();
  screen->reset();
  if (!status) return fail(status, options);
  const std::string last = attached.last();
  std::fwrite(last.data(), 1, last.size(), stdout);
  return ExitCode::kDone;
}

}  // namespace gibbous::cli
