// The options of `gibbous asks`.
#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "bindings/cli/option_groups.h"

namespace gibbous::cli {
namespace {

constexpr const char* kAsksFooter = R"(
Lists the questions of the policy that wait for a person, of all agents of this user, whatever client
shows them. The first answer counts. An answer is for exactly that call, once, unless you say
otherwise. --watch asks you about each one as it comes; with --json, or off a terminal, it prints them.

Examples:
  gibbous asks
  gibbous asks show aB3x
  gibbous asks allow aB3x
  gibbous asks allow aB3x --prefix 'git push origin *'
  gibbous asks deny aB3x --reason 'push to a branch'
  gibbous asks --watch)";

constexpr const char* kAllowFooter = R"(
--session counts until the agent's session ends, --always until 'gibbous approvals revoke'. Both mean
this very command, unless --prefix or --about says more. What stands for anything that is not known
(inline code, commands that no rule knows) cannot be approved as a rule.

Examples:
  gibbous asks allow aB3x --session
  gibbous asks allow aB3x --always
  gibbous asks allow aB3x --about rule)";

void add_place(CLI::App& command, Options& options) {
  command
      .add_option("--state", options.runtime.state_dir,
                  "State directory, with the journal and approvals")
      ->type_name("DIR");
  command.add_flag("--json", options.json, "Print JSON");
}

CLI::App& add_answer(CLI::App& asks, Options& options, const char* name, const char* description) {
  CLI::App* command = asks.add_subcommand(name, description);
  command->add_option("ID", options.ask_id, "An id, or the beginning of one")->required();
  command->add_option("--reason", options.ask_answer.reason, "What the agent is told")
      ->type_name("TEXT");
  add_place(*command, options);
  return *command;
}

void add_allow(CLI::App& asks, Options& options) {
  using Remember = AskAnswer::Remember;
  using About = AskAnswer::About;
  CLI::App& allow = add_answer(asks, options, "allow", "Allow what a question is about.");
  allow.footer(kAllowFooter);
  struct Given {
    bool once = false;
    bool session = false;
    bool always = false;
    std::string about = "command";
  };
  const auto given = std::make_shared<Given>();
  auto* once = allow.add_flag("--once", given->once, "Only this call (the default)");
  auto* session = allow.add_flag("--session", given->session, "For the agent's session");
  auto* always = allow.add_flag("--always", given->always, "Until it is revoked");
  once->excludes(session)->excludes(always);
  session->excludes(always);
  auto* prefix = allow
                     .add_option("--prefix", options.ask_prefix,
                                 "Always, commands that begin so: the prefix that 'show' names")
                     ->type_name("PREFIX");
  auto* about =
      allow.add_option("--about", given->about, "command, rule or prefix: what is remembered")
          ->type_name("WHAT")
          ->check(CLI::IsMember({"command", "rule", "prefix"}));
  prefix->excludes(about)->excludes(once);
  allow.callback([&options, given] {
    AskAnswer& answer = options.ask_answer;
    options.ask_task = AskTask::kAnswer;
    answer.allow = true;
    if (given->about == "rule") answer.about = About::kRule;
    if (given->about == "prefix" || !options.ask_prefix.empty()) answer.about = About::kPrefix;
    const bool more = answer.about != About::kCommand;
    if (more && given->once) {
      throw CLI::ValidationError("--about " + given->about,
                                 "counts again: give --session or --always instead of --once");
    }
    if (more || given->always) answer.remember = Remember::kAlways;
    if (given->session) answer.remember = Remember::kSession;
  });
}

}  // namespace

void add_ask_commands(CLI::App& app, Options& options) {
  CLI::App& asks = add_command(app, options, Command::kAsks, "asks",
                               "List the policy's open questions, and answer them.", kAsksFooter);
  asks.require_subcommand(0, 1);
  asks.add_flag("--watch,-w", options.follow, "Ask you about each one, until interrupted");
  add_place(asks, options);
  CLI::App* list = asks.add_subcommand("list", "List the open questions (the default).");
  add_place(*list, options);
  CLI::App* show = asks.add_subcommand("show", "Show a question, and the answers that it offers.");
  show->add_option("ID", options.ask_id, "An id, or the beginning of one")->required();
  add_place(*show, options);
  show->callback([&options] { options.ask_task = AskTask::kShow; });
  add_allow(asks, options);
  CLI::App& deny = add_answer(asks, options, "deny", "Refuse what a question is about.");
  deny.callback([&options] { options.ask_task = AskTask::kAnswer; });
}

}  // namespace gibbous::cli
