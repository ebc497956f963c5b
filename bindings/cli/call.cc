// `gibbous call`: calls one tool in this process and waits for its result.
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "bindings/cli/answer.h"
#include "bindings/cli/commands.h"
#include "bindings/cli/loop.h"
#include "bindings/cli/prompt.h"
#include "bindings/cli/report.h"
#include "bindings/cli/terminal.h"
#include "bindings/json/text.h"
#include "bindings/stdio/program_signals.h"
#include "bindings/stdio/question_text.h"
#include "runtime/base/shell_quote.h"

namespace gibbous::cli {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr std::size_t kReadBytes = std::size_t{64} << 10;
constexpr std::size_t kMaxArgumentBytes = std::size_t{10} << 20;
// How long the tool may take to clean up after Ctrl-C.
constexpr milliseconds kCancelTime{1'000};

Result<std::string> read_arguments() {
  std::string text;
  for (;;) {
    const std::size_t before = text.size();
    text.resize(before + kReadBytes);
    const ssize_t count = read(STDIN_FILENO, text.data() + before, kReadBytes);
    text.resize(before + (count > 0 ? static_cast<std::size_t>(count) : 0));
    if (count == 0) return text;
    if (count < 0 && errno != EINTR) {
      return Status::error(
          "invalid_arguments",
          std::string("cannot read the arguments from stdin: ") + std::strerror(errno));
    }
    if (text.size() > kMaxArgumentBytes) {
      return Status::error("invalid_arguments", "arguments on stdin: expected at most " +
                                                    std::to_string(kMaxArgumentBytes) +
                                                    " bytes, got more");
    }
  }
}

// Returns as much as fits into a row, so that the next report replaces all of it.
std::string in_one_row(const std::string& line, std::size_t width) {
  std::size_t characters = 0;
  for (std::size_t at = 0; at < line.size() && width > 0; ++at) {
    const bool begins = (static_cast<unsigned char>(line[at]) & 0xC0U) != 0x80U;
    if (begins && ++characters >= width) return line.substr(0, at);
  }
  return line;
}

// One line on the terminal, rewritten with each progress report.
class ProgressLine {
 public:
  bool is_shown() const { return terminal_.is_terminal(); }
  void show(const Progress& progress) {
    std::string line = progress.message;
    if (progress.total && *progress.total > 0) {
      constexpr double kPercent = 100;
      line = std::to_string(static_cast<int>(kPercent * progress.progress / *progress.total)) +
             "% " + line;
    }
    if (line.empty()) return;
    used_ = true;
    line = in_one_row(line, terminal_.width());
    std::fprintf(stderr, "\r\x1b[K%s", terminal_.paint(Colour::kDim, line).c_str());
  }
  void clear() {
    if (used_) std::fputs("\r\x1b[K", stderr);
    used_ = false;
  }

 private:
  Terminal terminal_{STDERR_FILENO};
  bool used_ = false;
};

void print(const CallResult& result, bool json) {
  if (json) {
    const std::string line = answer_line("", result_member(result));
    std::printf("%s\n", line.c_str());
    return;
  }
  if (result.ok) {
    std::fwrite(result.text.data(), 1, result.text.size(), stdout);
    if (!result.text.empty() && result.text.back() != '\n') std::putchar('\n');
    return;
  }
  // A traceback begins with the message.
  print_error(result.code + ": " + (result.traceback.empty() ? result.message : result.traceback));
}

// Returns true when a person can answer: stdin and stderr are terminals, and stdin is free.
bool can_ask(const Options& options) {
  return !options.json && options.arguments != "-" && isatty(STDIN_FILENO) == 1 &&
         isatty(STDERR_FILENO) == 1;
}

// The runs that the call has started and that have not ended.
class StartedRuns {
 public:
  void take(const Event& event) {
    if (event.name != "run_started" && event.name != "run_ended") return;
    const Json json = parse_object(event.json, event.json.size());
    const std::string run = json.value("run", "");
    if (event.name == "run_started") {
      runs_.insert(run);
    } else {
      runs_.erase(run);
    }
  }
  // Tells a person that these runs do not outlive the command.
  void warn() const {
    for (const std::string& run : runs_) {
      print_error("run " + run + " ends with this command; --keep lets it go on");
    }
  }

 private:
  std::set<std::string> runs_;
};

// A call that waits for a person elsewhere (asks.wait_s) does not look stuck.
void tell_of_question(const Event& event, const std::string& state_dir) {
  if (event.name != "ask_opened") return;
  const std::string id = parse_object(event.json, event.json.size()).value("id", "");
  print_error("question " + id + " needs a person: gibbous asks" +
              (state_dir.empty() ? "" : " --state " + shell_quote(state_dir)));
}

// What the callbacks of a call change; they may come as late as the end of the runtime.
struct Shown {
  std::optional<CallResult> result;
  ProgressLine progress_line;
  Prompt prompt{STDIN_FILENO, STDERR_FILENO};
};

// Returns nothing when the tool did not end in time after a signal.
std::optional<CallResult> finish(Runtime& runtime, stdio::ProgramSignals& signals,
                                 CallRequest request, bool asks) {
  const auto shown = std::make_shared<Shown>();
  auto& [result, progress_line, prompt] = *shown;
  request.wants_progress = progress_line.is_shown();
  if (asks) {
    runtime.on_ask(
        [shown](AskRequest question) {
          shown->progress_line.clear();
          shown->prompt.ask(std::move(question));
        },
        [shown](const std::string& id) {
          shown->prompt.withdraw(id, "It was answered elsewhere, or its call has ended.");
        });
  }
  const CallId call = runtime.call(
      std::move(request), [shown](CallResult ended) { shown->result = std::move(ended); },
      [shown](const Progress& progress) {
        if (!shown->prompt.open()) shown->progress_line.show(progress);
      });

  std::optional<steady_clock::time_point> deadline;
  for (;;) {
    const bool more = work(runtime);
    if (result) break;
    enum { kSignals, kAnswer, kCount };
    std::array<pollfd, kCount> descriptors = {
        pollfd{signals.fd(), POLLIN, 0}, pollfd{prompt.open() ? prompt.input() : -1, POLLIN, 0}};
    std::optional<milliseconds> limit;
    if (deadline) {
      limit = std::chrono::ceil<milliseconds>(*deadline - steady_clock::now());
      if (*limit <= milliseconds{0}) break;
    }
    rest(runtime, more, descriptors, limit);
    const bool signalled = descriptors[kSignals].revents != 0 && signals.take();
    if (!signalled && descriptors[kAnswer].revents != 0) prompt.on_readable();
    if (!signalled) continue;
    if (deadline) break;  // the second signal
    runtime.on_ask(nullptr);
    prompt.close();
    deadline = steady_clock::now() + kCancelTime;
    (void)runtime.cancel(call);
  }
  runtime.on_ask(nullptr);
  prompt.close();
  progress_line.clear();
  return result;
}

}  // namespace

static void print_layer_note(const Event& event) {
  const Json note = Json::parse(event.json, nullptr, false);
  if (note.is_object() && note.contains("message") && note["message"].is_string()) {
    constexpr std::size_t kMaxNoteBytes = 1000;
    print_error(stdio::printable(note["message"].get<std::string>(), kMaxNoteBytes));
  }
}

ExitCode run_call(const Options& options) {
  CallRequest request;
  request.tool = options.tool;
  request.arguments = options.arguments;
  request.session = options.session;
  if (options.arguments == "-") {
    Result<std::string> arguments = read_arguments();
    if (!arguments) return fail(arguments.status(), options);
    request.arguments = std::move(*arguments);
  }
  // Take over the signals only now, so that Ctrl-C ends a command that waits for its arguments.
  Result<std::unique_ptr<stdio::ProgramSignals>> signals = stdio::ProgramSignals::create();
  if (!signals) return fail(signals.status(), options);
  StartedRuns started;  // outlives the runtime, which tells it of runs
  RuntimeOptions runtime_options = options.runtime;
  runtime_options.watch_files = false;
  runtime_options.work_queue = false;
  runtime_options.session = kWorkspaceSession;
  runtime_options.keep_runs = options.keep;
  runtime_options.ask_keep = std::chrono::seconds(0);  // no call comes again
  Result<std::unique_ptr<Runtime>> runtime = Runtime::create(std::move(runtime_options));
  if (!runtime) return fail(runtime.status(), options);
  warn_of_policy(**runtime);
  const bool asks = can_ask(options);
  (*runtime)->on_event([&started, quiet = options.json || asks,
                        state_dir = options.runtime.state_dir](const Event& event) {
    if (event.name == "layer_note") print_layer_note(event);
    started.take(event);
    if (!quiet) tell_of_question(event, state_dir);
  });

  std::optional<CallResult> result = finish(**runtime, **signals, std::move(request), asks);
  (*runtime)->hand_over();
  tell_end_problem(**runtime);
  if (!result) {
    result.emplace();
    result->code = "cancelled";
    result->message = "the tool did not end within a second of its cancellation";
  }
  print(*result, options.json);
  if (!options.keep) started.warn();
  return exit_code_of(*result);
}

}  // namespace gibbous::cli
