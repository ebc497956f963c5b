// `gibbous policy`: the verdict on a command and the reasons for it, the policy's own tests, and
// the log of its decisions.
#include "gibbous/policy.h"

#include <unistd.h>

#include <array>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bindings/cli/commands.h"
#include "bindings/cli/policy_log.h"
#include "bindings/cli/policy_text.h"
#include "bindings/cli/report.h"
#include "bindings/cli/terminal.h"
#include "bindings/json/text.h"

namespace gibbous::cli {
namespace {

// `policy check` has exit codes of its own.
constexpr int kAllow = 0;
constexpr int kAsk = 10;
constexpr int kDeny = 20;
constexpr int kError = 2;
constexpr std::size_t kMaxLineBytes = std::size_t{8} << 20;

ExitCode exit_with(int code) {
  return static_cast<ExitCode>(code);
}

int code_of(const std::string& decision) {
  if (decision == "allow") return kAllow;
  return decision == "ask" ? kAsk : decision == "deny" ? kDeny : kError;
}

PolicyOptions policy_options(const Options& options) {
  PolicyOptions made;
  made.policies_dir = options.runtime.policies_dir;
  made.config_file = options.runtime.config_file;
  made.mode = options.runtime.mode;
  made.workspace = options.runtime.workspace;
  made.tested = !options.untested;
  const bool judges =
      options.policy_task == PolicyTask::kCheck || options.policy_task == PolicyTask::kExplain;
  if (judges) made.layers = {"managed", "user", "project"};
  made.state_dir = options.runtime.state_dir;
  return made;
}

// Returns null after printing the error; the process then exits with kError.
std::unique_ptr<Policy> load(const PolicyOptions& options, bool json) {
  auto policy = Policy::load(options);
  if (policy) return std::move(*policy);
  if (json) {
    const OrderedJson error = {
        {"error", {{"code", policy.status().code()}, {"message", policy.status().message()}}}};
    std::printf("%s\n", to_text(error).c_str());
  }
  print_error(policy.status().message());
  return nullptr;
}

// One word is a line for a shell, several are an argv.
std::string request_of(const Options& options) {
  OrderedJson request = OrderedJson::object();
  if (options.words.size() == 1) {
    request["command"] = options.words[0];
  } else {
    request["argv"] = options.words;
  }
  if (!options.cwd.empty()) request["cwd"] = options.cwd;
  return to_text(request);
}

// Answers each line at once. A line that is too long gets an error and is not stored.
ExitCode check_lines(Policy& policy) {
  std::string line;
  bool too_long = false;
  std::vector<char> buffer(std::size_t{64} << 10);
  int worst = kAllow;
  const auto answer = [&] {
    if (line.empty() && !too_long) return;
    std::string said = policy.check(too_long ? std::string(kMaxLineBytes + 1, ' ') : line);
    said += '\n';
    (void)std::fwrite(said.data(), 1, said.size(), stdout);
    // Inside a string the quotes would have backslashes.
    if (said.find("\"error\":{") != std::string::npos) worst = kError;
    line.clear();
    too_long = false;
  };
  for (;;) {
    const ssize_t size = ::read(STDIN_FILENO, buffer.data(), buffer.size());
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) break;
    for (ssize_t at = 0; at < size; ++at) {
      const char byte = buffer[static_cast<std::size_t>(at)];
      if (byte == '\n') {
        answer();
      } else if (line.size() <= kMaxLineBytes) {
        line += byte;
      } else {
        too_long = true;
      }
    }
    std::fflush(stdout);
  }
  answer();
  std::fflush(stdout);
  return exit_with(worst);
}

ExitCode check(const Options& options) {
  // The process ends with it, which takes less time than to free its tables one by one.
  static Policy* const policy = load(policy_options(options), options.json).release();
  if (policy == nullptr) return exit_with(kError);
  if (options.from_stdin) return check_lines(*policy);
  const Terminal errors(STDERR_FILENO);
  for (const std::string& note : policy->notes())
    std::fputs(note_text(note, errors).c_str(), stderr);
  const std::string request = request_of(options);
  const bool explain = options.policy_task == PolicyTask::kExplain;
  const std::string said = explain ? policy->explain(request) : policy->check(request);
  const Json answer = Json::parse(said, nullptr, false);
  if (options.json) {
    std::printf("%s\n", said.c_str());
  } else {
    const Terminal terminal(STDOUT_FILENO);
    std::fputs(explain ? explanation_text(answer, terminal).c_str()
                       : verdict_text(answer, terminal).c_str(),
               stdout);
  }
  if (answer.contains("error")) return exit_with(kError);
  return exit_with(code_of(answer.value("decision", "")));
}

ExitCode test(const Options& options) {
  PolicyOptions wanted = policy_options(options);
  if (!options.directory.empty() && options.directory != ".")
    wanted.policies_dir = options.directory;
  wanted.tested = false;
  const auto policy = load(wanted, options.json);
  if (policy == nullptr) return ExitCode::kFailed;
  const PolicyReport report = policy->test();
  const double percent = report.coverage * 100;
  const bool covered = percent >= options.threshold;
  const bool good = report.ok && covered;
  if (options.json) {
    const OrderedJson made = {{"ok", good},
                              {"rules", report.rules},
                              {"own_rules", report.own_rules},
                              {"examples", report.examples},
                              {"cases", report.cases},
                              {"coverage", report.coverage},
                              {"failures", report.failures},
                              {"uncovered", report.uncovered},
                              {"policy", policy->hash()}};
    std::printf("%s\n", to_text(made).c_str());
  } else {
    const Terminal terminal(STDOUT_FILENO);
    std::fputs(report_text(report, options.threshold, terminal).c_str(), stdout);
  }
  return good ? ExitCode::kDone : ExitCode::kFailed;
}

ExitCode diff(const Options& options) {
  std::array<std::unique_ptr<Policy>, 2> policies;
  for (std::size_t at = 0; at < policies.size(); ++at) {
    PolicyOptions wanted = policy_options(options);
    const bool ships = options.words[at] == kShippedPolicy;
    wanted.policies_dir = ships ? "" : options.words[at];
    if (ships) wanted.config_file.clear();  // it may name another
    wanted.tested = false;
    policies[at] = load(wanted, options.json);
    if (policies[at] == nullptr) return exit_with(kError);
  }
  const Result<std::string> log = read_policy_log(options);
  if (!log) {
    (void)fail(log.status(), options);
    return exit_with(kError);
  }
  std::size_t read = 0;
  const std::vector<PolicyChange> changes = policies[0]->compare(*policies[1], *log, &read);
  if (options.json) {
    OrderedJson list = OrderedJson::array();
    for (const PolicyChange& change : changes) {
      list.push_back({{"record", change.record},
                      {"command", change.command},
                      {"mode", change.mode},
                      {"before", change.before},
                      {"before_rule", change.before_rule},
                      {"after", change.after},
                      {"after_rule", change.after_rule},
                      {"reason", change.reason}});
    }
    OrderedJson by_rule = OrderedJson::array();
    for (const RuleChange& group : changes_by_rule(changes)) {
      by_rule.push_back({{"rule", group.rule},
                         {"before", group.before},
                         {"after", group.after},
                         {"count", group.count},
                         {"example", group.example}});
    }
    const OrderedJson made = {
        {"records", read}, {"changes", std::move(list)}, {"by_rule", std::move(by_rule)}};
    std::printf("%s\n", to_text(made).c_str());
  } else {
    const Terminal terminal(STDOUT_FILENO);
    std::fputs(changes_text(changes, read, terminal).c_str(), stdout);
  }
  return changes.empty() ? ExitCode::kDone : ExitCode::kFailed;
}

}  // namespace

ExitCode run_policy(const Options& options) {
  switch (options.policy_task) {
    case PolicyTask::kCheck:
    case PolicyTask::kExplain:
      return check(options);
    case PolicyTask::kTest:
      return test(options);
    case PolicyTask::kLog:
      return print_policy_log(options);
    case PolicyTask::kDiff:
      return diff(options);
  }
  return ExitCode::kWrongUse;
}

}  // namespace gibbous::cli
