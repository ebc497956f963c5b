// Runs with terminals: feeds output to the screen, answers the queries of programs, and keeps the
// sizes of terminal and screen equal.
#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include "runtime/process/terminal.h"
#include "runtime/runs/runs_entry.h"
#include "runtime/terminal/screen.h"

namespace gibbous {
namespace {

// A program that asks but does not read gets no more answers.
constexpr std::size_t kMaxWaitingAnswers = std::size_t{64} << 10;

Status no_terminal() {
  return Status::error("no_terminal", "The run has no terminal: start it with pty = true.");
}

std::string range(int low, int high) {
  return std::to_string(low) + " to " + std::to_string(high);
}

}  // namespace

// That of a detached run is not read: its output comes through the keeper, and goes on without a
// host.
void Runs::open_terminal(Entry& entry, Started& started) {
  Run& run = entry.run;
  const UniqueFd& master = started.out;
  run.screen_ = std::make_unique<Screen>(
      run.spec_.terminal->size, [this, &entry](std::string_view bytes) { answer(entry, bytes); });
  // A second descriptor for writing: libuv polls a descriptor with only one handle.
  UniqueFd keyboard(master ? ::fcntl(master.get(), F_DUPFD_CLOEXEC, 0) : -1);
  if (run.spec_.keep) {
    entry.terminal = std::move(started.out);
    started.out = std::move(started.err);
  }
  if (!keyboard) return;
  run.stdin_open_ = true;
  entry.stdin_writer = std::make_unique<StdinWriter>(loop_, std::move(keyboard), /*terminal=*/true,
                                                     [&entry] { entry.run.stdin_open_ = false; });
}

void Runs::show(Entry& entry, Offset from) {
  Run& run = entry.run;
  if (!run.screen_) return;
  follow_size(entry);
  Offset first = from;
  const Stream& stream = run.stream(StreamId::kStdout);
  for (const std::string_view part : stream.views(from, &first)) run.screen_->feed(part);
}

// Shows the kept output of an adopted run. An earlier host has answered the questions of its
// terminal up to `seen`, and a second answer would be typed text.
void Runs::show_again(Entry& entry, Offset seen) {
  Run& run = entry.run;
  if (!run.screen_) return;
  follow_size(entry);
  Offset at = 0;
  for (const std::string_view part : run.stream(StreamId::kStdout).views(0, &at)) {
    const auto old =
        static_cast<std::size_t>(std::min<Offset>(part.size(), seen - std::min(seen, at)));
    entry.answers = false;
    run.screen_->feed(part.substr(0, old));
    entry.answers = true;
    run.screen_->feed(part.substr(old));
    at += part.size();
  }
}

void Runs::answer(Entry& entry, std::string_view bytes) {
  if (!entry.answers) return;
  StdinWriter* writer = entry.stdin_writer.get();
  if (writer == nullptr || writer->queued_bytes() > kMaxWaitingAnswers) return;
  writer->write(std::string(bytes), [](const Status&) {});
}

// Programs can change it themselves, as stty does.
void Runs::follow_size(Entry& entry) {
  if (const auto size = terminal_size(entry.master())) entry.run.screen_->resize(*size);
}

Status Runs::resize(Run& run, TerminalSize size) {
  if (!run.spec_.terminal) return no_terminal();
  if (!is_terminal_size(size)) {
    return Status::error("invalid_arguments",
                         "rows, cols: expected " + range(kMinTerminalRows, kMaxTerminalRows) +
                             " rows and " + range(kMinTerminalCols, kMaxTerminalCols) + " columns");
  }
  const int master = entry_of(run).master();
  if (!run.screen_ || run.ended() || master < 0) {
    return Status::error("not_running", "The run is not running.");
  }
  if (!set_terminal_size(master, size)) {
    return Status::error("not_running", std::string("Its terminal: ") + std::strerror(errno));
  }
  run.screen_->resize(size);
  each_observer(run, [&run](RunsObserver& observer) { observer.on_resize(run); });
  return {};
}

Echo Runs::echo(const Run& run) const {
  const auto found = by_key_.find(run.key_);
  if (!run.screen_ || found == by_key_.end()) return Echo::kTerminal;
  const int master = found->second->master();
  return master >= 0 ? echo_of(master) : Echo::kTerminal;
}

std::vector<std::vector<std::string>> Runs::foreground(const Run& run) const {
  const auto found = by_key_.find(run.key_);
  if (!run.screen_ || found == by_key_.end()) return {};
  const int master = found->second->master();
  if (master < 0) return {};
  return foreground_of(master, run.pid());
}

}  // namespace gibbous
