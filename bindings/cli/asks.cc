// `gibbous asks`: lists the open questions of the policy, and answers them.
#include "gibbous/asks.h"

#include <poll.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <ctime>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "bindings/cli/commands.h"
#include "bindings/cli/prompt.h"
#include "bindings/cli/report.h"
#include "bindings/cli/terminal.h"
#include "bindings/inspect/figures.h"
#include "bindings/json/json.h"
#include "bindings/json/text.h"
#include "bindings/stdio/ask_choices.h"
#include "bindings/stdio/program_signals.h"
#include "bindings/stdio/question_text.h"
#include "runtime/base/shell_quote.h"

namespace gibbous::cli {
namespace {

constexpr int kLookMillis = 500;
constexpr std::int64_t kMillis = 1000;

std::string age_of(const OpenAsk& open) {
  return inspect::duration_text((std::time(nullptr) - open.opened) * kMillis);
}

std::string what(const AskRequest& ask) {
  if (!ask.command.empty()) return shown_text(ask.command);
  return shown_text(ask.tool) + " " + shown_text(ask.subject.empty() ? ask.arguments : ask.subject);
}

std::string heading(const OpenAsk& open, const Terminal& terminal) {
  return terminal.paint(Colour::kBold, open.ask.id) + "  " + age_of(open) + "  " +
         shown_text(open.ask.session.empty() ? open.ask.workspace : open.ask.session) + "  (" +
         shown_text(open.host) + ")" + (open.waits ? "" : "  the agent will call again") + "\n";
}

void print_brief(const OpenAsk& open, const Terminal& terminal) {
  std::string text = heading(open, terminal);
  text += "  " + what(open.ask) + "\n";
  text +=
      "  " +
      terminal.paint(Colour::kDim,
                     shown_text(open.ask.reason) +
                         (open.ask.rule.empty() ? "" : " (" + shown_text(open.ask.rule) + ")")) +
      "\n";
  std::fputs(text.c_str(), stdout);
}

void print_json(const std::vector<OpenAsk>& asks) {
  std::printf("{\"asks\":%s}\n", asks_json(asks).c_str());
}

// What has to stand behind a command about the same questions.
std::string state_option(const Options& options) {
  const std::string& directory = options.runtime.state_dir;
  return directory.empty() ? "" : " --state " + shell_quote(directory);
}

ExitCode list_open(const Options& options) {
  const auto asks = list_asks(options.runtime.state_dir);
  if (!asks) return fail(asks.status(), options);
  if (options.json) {
    print_json(*asks);
    return ExitCode::kDone;
  }
  if (asks->empty()) {
    std::puts("no question waits for a person");
    return ExitCode::kDone;
  }
  const Terminal terminal(STDOUT_FILENO);
  for (const OpenAsk& each : *asks) print_brief(each, terminal);
  if (terminal.is_terminal()) {
    std::fputs(terminal
                   .paint(Colour::kDim, "\ngibbous asks show ID | allow ID | deny ID" +
                                            state_option(options) + "\n")
                   .c_str(),
               stdout);
  }
  return ExitCode::kDone;
}

std::string option_of(const stdio::AskChoice& choice, const AskRequest& ask) {
  if (choice.value == "deny") return "deny " + ask.id;
  if (choice.value == "rule") return "allow " + ask.id + " --about rule";
  if (choice.value == "prefix") {
    return "allow " + ask.id + " --prefix '" + shown_text(ask.prefix) + "'";
  }
  return "allow " + ask.id + " --" + choice.value;
}

ExitCode show_ask(const Options& options) {
  const auto open = find_ask(options.runtime.state_dir, options.ask_id);
  if (!open) return fail(open.status(), options);
  if (options.json) {
    print_json({*open});
    return ExitCode::kDone;
  }
  const Terminal terminal(STDOUT_FILENO);
  std::string text = heading(*open, terminal) + stdio::question_text(open->ask) + "\n";
  text += "Workspace: " + shown_text(open->ask.workspace) +
          "\nMode: " + shown_text(open->ask.mode) + "\n\n";
  std::vector<std::vector<std::string>> rows;
  for (const stdio::AskChoice& choice : stdio::choices_of(open->ask)) {
    rows.push_back(
        {choice.title, "gibbous asks " + option_of(choice, open->ask) + state_option(options)});
  }
  text += format_table(rows, Terminal(-1), {});
  std::fputs(text.c_str(), stdout);
  return ExitCode::kDone;
}

ExitCode answer_one(const Options& options) {
  const std::string& state = options.runtime.state_dir;
  AskAnswer answer = options.ask_answer;
  answer.who = user_name() + " (gibbous asks)";
  if (!answer.allow && answer.reason.empty()) answer.reason = "denied by the user";
  if (!options.ask_prefix.empty()) {
    const auto open = find_ask(state, options.ask_id);
    if (!open) return fail(open.status(), options);
    if (open->ask.prefix != options.ask_prefix) {
      const std::string offered =
          open->ask.prefix.empty() ? "this command offers none"
                                   : "this command offers '" + shown_text(open->ask.prefix) + "'";
      return fail(Status::error("invalid_arguments",
                                "--prefix: " + offered + ", got '" + options.ask_prefix + "'"),
                  options);
    }
  }
  const auto outcome = answer_ask(state, options.ask_id, answer);
  if (!outcome) {
    return fail(Status::error(outcome.status().code(), shown_text(outcome.status().message())),
                options);
  }
  if (options.json) {
    std::printf("{\"answer\":%s}\n", outcome_json(*outcome).c_str());
  } else {
    std::printf("%s  %s%s\n", outcome->id.c_str(), shown_text(outcome_text(*outcome)).c_str(),
                outcome->taken ? "" : "; its host is busy, and will read this");
  }
  return ExitCode::kDone;
}

// Follows the questions: asks a person about each, or prints it.
class Watch {
 public:
  Watch(const Options& options, stdio::ProgramSignals& signals)
      : options_(options),
        signals_(signals),
        is_asking_(!options.json && ::isatty(STDIN_FILENO) == 1 && ::isatty(STDOUT_FILENO) == 1) {}

  Status run() {
    if (is_asking_) std::puts("Waiting for questions; Ctrl-C leaves.");
    while (!prompt_.input_ended()) {
      if (Status status = look(); !status) return status;
      std::fflush(stdout);
      std::array<pollfd, 2> files = {pollfd{signals_.fd(), POLLIN, 0},
                                     pollfd{is_asking_ ? STDIN_FILENO : -1, POLLIN, 0}};
      if (::poll(files.data(), files.size(), kLookMillis) <= 0) continue;
      if (files[0].revents != 0) break;
      if (files[1].revents == 0) continue;
      if (prompt_.open()) {
        prompt_.on_readable();
      } else {
        drop_input();
      }
    }
    prompt_.leave_all();
    return {};
  }

 private:
  Status look() {
    const auto asks = list_asks(options_.runtime.state_dir);
    if (!asks) return asks.status();
    std::set<std::string> open;
    for (const OpenAsk& each : *asks) {
      open.insert(each.ask.id);
      if (!known_.insert(each.ask.id).second) continue;
      if (is_asking_) {
        ask(each);
      } else if (options_.json) {
        print_json({each});
      } else {
        print_brief(each, Terminal(STDOUT_FILENO));
      }
    }
    for (auto next = known_.begin(); next != known_.end();) {
      const std::string id = *next++;
      if (open.count(id) != 0) continue;
      known_.erase(id);
      const Status over = find_ask(options_.runtime.state_dir, id).status();
      prompt_.withdraw(id, shown_text(over.message()));
    }
    return {};
  }

  void ask(const OpenAsk& open) {
    AskRequest question = open.ask;
    question.reply = [this, id = open.ask.id](const AskAnswer& answer) {
      if (answer.no_approver) return false;  // this is no foreground job
      AskAnswer given = answer;
      given.who += " (gibbous asks)";
      const auto outcome = answer_ask(options_.runtime.state_dir, id, given);
      const std::string text =
          outcome ? id + "  " + outcome_text(*outcome) : outcome.status().message();
      std::printf("%s\n", shown_text(text).c_str());
      std::fflush(stdout);
      return outcome.ok();
    };
    prompt_.ask(std::move(question), "\n" + heading(open, Terminal(STDOUT_FILENO)));
  }

  void drop_input() {
    std::array<char, 512> bytes{};
    if (::read(STDIN_FILENO, bytes.data(), bytes.size()) == 0) prompt_.end_input();
  }

  const Options& options_;
  stdio::ProgramSignals& signals_;
  const bool is_asking_;
  Prompt prompt_{STDIN_FILENO, STDOUT_FILENO, true};
  std::set<std::string> known_;
};

ExitCode watch_asks(const Options& options) {
  auto signals = stdio::ProgramSignals::create();
  if (!signals) return fail(signals.status(), options);
  const Status status = Watch(options, **signals).run();
  return status ? ExitCode::kDone : fail(status, options);
}

}  // namespace

ExitCode run_asks(const Options& options) {
  switch (options.ask_task) {
    case AskTask::kShow:
      return show_ask(options);
    case AskTask::kAnswer:
      return answer_one(options);
    case AskTask::kList:
      return options.follow ? watch_asks(options) : list_open(options);
  }
  return ExitCode::kWrongUse;
}

}  // namespace gibbous::cli
