// `gibbous top`: the loop between the terminal, the journal and the screen (bindings/inspect/top).
#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "bindings/cli/commands.h"
#include "bindings/cli/prompt.h"
#include "bindings/cli/report.h"
#include "bindings/inspect/figures.h"
#include "bindings/inspect/journal_query.h"
#include "bindings/inspect/live.h"
#include "bindings/inspect/run_facts.h"
#include "bindings/inspect/top/keys.h"
#include "bindings/inspect/top/screen.h"
#include "bindings/inspect/top/top.h"
#include "bindings/stdio/program_signals.h"
#include "gibbous/asks.h"
#include "runtime/base/clock.h"
#include "runtime/base/unique_fd.h"
#include "runtime/journal/kill_request.h"

namespace gibbous::cli {
namespace {

constexpr std::int64_t kRefreshMillis = 1'000;
constexpr std::int64_t kLogRefreshMillis = 100;
constexpr std::size_t kLogBytes = std::size_t{256} << 10;
constexpr std::uint64_t kLogItems = 1'000;  // of the past, when a run is selected

// Catches changes of the size, and the signals that would end or stop this process without
// restoring the terminal.
class ScreenSignals {
 public:
  ScreenSignals() {
    sigemptyset(&watched_);
    for (const int number : {SIGWINCH, SIGQUIT, SIGTSTP}) sigaddset(&watched_, number);
    ::pthread_sigmask(SIG_BLOCK, &watched_, &before_);
    fd_.reset(::signalfd(-1, &watched_, SFD_CLOEXEC | SFD_NONBLOCK));
  }
  ~ScreenSignals() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  ScreenSignals(const ScreenSignals&) = delete;
  ScreenSignals& operator=(const ScreenSignals&) = delete;

  int fd() const { return fd_.get(); }
  // Returns the next signal that has arrived, or 0.
  int take() {
    signalfd_siginfo info{};
    const bool came = ::read(fd_.get(), &info, sizeof info) == static_cast<ssize_t>(sizeof info);
    return came ? static_cast<int>(info.ssi_signo) : 0;
  }

 private:
  sigset_t watched_{};
  sigset_t before_{};
  UniqueFd fd_;
};

class TopLoop {
 public:
  TopLoop(JournalReader& reader, top::Screen& screen, stdio::ProgramSignals& signals,
          ScreenSignals& screen_signals, const Options& options)
      : reader_(reader),
        screen_(screen),
        signals_(signals),
        screen_signals_(screen_signals),
        options_(options),
        top_([this](const std::string& run) { return ask_to_end(run); },
             [this](const std::string& id, const AskAnswer& answer) {
               return answer_question(id, answer);
             }) {}

  Status run() {
    while (!top_.done() && !ended_) {
      if (Status status = look(); !status) return status;
      screen_.draw(top_.frame(screen_.size(), output()));
      rest();
    }
    return {};
  }

 private:
  const inspect::OutputTail* output() const { return log_ ? &*log_ : nullptr; }

  // Requests the end of the run; its host ends it soon.
  Status ask_to_end(const std::string& run) {
    return inspect::request_end(options_.runtime.state_dir, run, "", clock_).status();
  }

  std::string answer_question(const std::string& id, AskAnswer answer) {
    constexpr std::chrono::seconds kPatience{2};  // the screen stands still meanwhile
    answer.who = user_name() + " (gibbous top)";
    const auto outcome = answer_ask(options_.runtime.state_dir, id, answer, kPatience);
    next_look_ = 0;
    return outcome ? id + "  " + outcome_text(*outcome) : outcome.status().message();
  }

  Status look() {
    const std::int64_t now = inspect::unix_millis();
    if (now >= next_look_ || now < next_look_ - kRefreshMillis) {
      Result<std::vector<inspect::LiveRun>> runs = inspect::live_runs(reader_, options_.session);
      if (!runs) return runs.status();
      top_.take(std::move(*runs), now);
      if (auto asks = list_asks(options_.runtime.state_dir)) top_.take_asks(std::move(*asks));
      next_look_ = now + kRefreshMillis;
    }
    return read_log();
  }

  Status read_log() {
    if (top_.output_run() != read_run_) {
      read_run_ = top_.output_run();
      log_.reset();
      if (read_run_.empty()) return {};
      const Result<RunRecord> run = reader_.run(read_run_);
      if (!run) return run.status();
      log_.emplace(kLogBytes);
      since_seq_ = run->last_seq - std::min(run->last_seq, kLogItems);
    }
    if (read_run_.empty()) return {};
    const Result<ItemPage> page = reader_.items(read_run_, since_seq_, kMaxPageItems);
    if (!page) return page.status();
    if (page->items.empty()) return {};
    // Not before the items: the record says what must be redacted in them.
    const Result<RunRecord> now = reader_.run(read_run_);
    if (!now) return now.status();
    log_->use(inspect::facts_of(*now).redaction);
    for (const StoredItem& item : page->items) log_->add(item);
    since_seq_ = page->next_since;
    return {};
  }

  void rest() {
    std::int64_t time =
        std::clamp<std::int64_t>(next_look_ - inspect::unix_millis(), 0, kRefreshMillis);
    if (!read_run_.empty()) time = std::min(time, kLogRefreshMillis);
    pollfd files[] = {
        {STDIN_FILENO, POLLIN, 0}, {signals_.fd(), POLLIN, 0}, {screen_signals_.fd(), POLLIN, 0}};
    if (::poll(files, std::size(files), static_cast<int>(time)) <= 0) return;
    if (files[1].revents != 0) ended_ = true;
    if (files[2].revents != 0) take_signals();
    if (files[0].revents != 0) take_keys();
  }

  void take_signals() {
    for (int number = screen_signals_.take(); number != 0; number = screen_signals_.take()) {
      if (number == SIGQUIT) ended_ = true;
      if (number == SIGTSTP) stop();
    }
  }

  void take_keys() {
    std::string bytes;
    if (!screen_.read(bytes)) ended_ = true;
    for (const top::Key& key : top::keys_of(bytes)) {
      if (key.kind == top::Key::Kind::kSuspend) {
        stop();
      } else {
        // The output of a run that was just selected has not been read yet.
        top_.press(key, top_.output_run() == read_run_ ? output() : nullptr);
      }
    }
  }

  // Stops the whole job, as Ctrl-Z would, with the terminal restored.
  void stop() {
    screen_.leave();
    ::kill(0, SIGSTOP);
    screen_.enter();
  }

  JournalReader& reader_;
  top::Screen& screen_;
  stdio::ProgramSignals& signals_;
  ScreenSignals& screen_signals_;
  const Options& options_;
  const SystemClock clock_;
  top::Top top_;
  std::int64_t next_look_ = 0;
  std::string read_run_;  // whose log is in log_
  std::optional<inspect::OutputTail> log_;
  std::uint64_t since_seq_ = 0;
  bool ended_ = false;
};

}  // namespace

ExitCode run_top(const Options& options) {
  auto reader = inspect::open_journal(options.runtime.state_dir);
  if (!reader) return fail(reader.status(), options);
  auto signals = stdio::ProgramSignals::create();
  if (!signals) return fail(signals.status(), options);
  ScreenSignals screen_signals;
  auto screen = top::Screen::create(STDIN_FILENO, STDOUT_FILENO);
  if (!screen) return fail(screen.status(), options);
  const Status status = TopLoop(**reader, **screen, **signals, screen_signals, options).run();
  screen->reset();
  return status ? ExitCode::kDone : fail(status, options);
}

}  // namespace gibbous::cli
