// The command line: the sub-commands with their options and help texts, and the message for wrong
// use.
#include "bindings/cli/options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <map>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

#include "bindings/cli/option_groups.h"
#include "bindings/cli/terminal.h"
#include "bindings/cli/whole_words.h"
#include "runtime/base/nearest.h"

namespace gibbous::cli {
namespace {

constexpr const char* kDescription =
    "Gibbous runs tools for agents, written in Lua, and never loses a child process.";

constexpr const char* kFooter = R"(
Exit codes: 0 done, 1 failed, 2 wrong use, 3 denied by policy, 4 needs approval.

Examples:
  gibbous tools                                            list the tools
  gibbous call bg_start '{"command":"make"}' --mode auto   call one
  gibbous session --mode auto                              take calls as JSON lines on stdin
  gibbous mcp                                              serve MCP on stdin and stdout
Run 'gibbous help COMMAND' for the options of a command.)";

constexpr const char* kCallFooter = R"(
Prints the result on stdout and errors on stderr. Runs that the tool started end with the command,
unless --keep lets those in the background go on; 'gibbous ps' and 'gibbous kill' find them.
When the policy needs approval, you are asked on the terminal. With --json, with arguments from stdin,
or without a terminal, the call fails with exit code 4 instead.

Examples:
  gibbous call bg_status
  gibbous call bg_start '{"command":"npm start","label":"web"}' --mode auto --keep
  echo '{"command":"make"}' | gibbous call bg_start - --mode auto)";

constexpr const char* kSessionFooter = R"(
Each line is one JSON object; any number of calls may run at the same time:
  {"id":1,"tool":"bg_start","args":{"command":"make"},"session":"a"}
        returns {"id":1,"result":{"text":"...","data":{...}}}
             or {"id":1,"error":{"code":"...","message":"..."}}
  {"id":2,"tool":"wait_for","args":{...},"progress":true}
        sends {"id":2,"progress":{...}} while it waits
  {"id":3,"resource":"notes://today"}   reads a resource; a {"prompt":NAME,"args":{...}} is read alike
  {"list":"resources"}     returns {"list":{...}}; also prompts and tools
  {"cancel":1}             cancels call 1, which returns the error "cancelled"
  {"drain":"a"}            returns {"drain":{"session":"a","events":[...]}}
  {"reload":true}          returns {"reload":{"ok":true,"generation":2}}
Events arrive as {"event":{...}}. End of input ends every run, then the process.
With --asks the policy's questions arrive as lines, and their calls wait for your answers:
  {"ask":{"id":"Ab3xK9mZ","call":1,"tool":"bg_start","reason":"...","command":"...",...}}
  {"answer":"Ab3xK9mZ","allow":true}
  {"answer":"Ab3xK9mZ","allow":true,"remember":"always","about":"rule","lasts_s":86400}
  {"answer":"Ab3xK9mZ","allow":false,"reason":"use the staging server"}
With --inputs what scripts ask (ask in Lua) arrives so, too:
  {"input":{"id":"Kw7fQ2rT","call":1,"kind":"elicitation","params":{"message":"...",...}}}
  {"input":"Kw7fQ2rT","result":{"action":"accept","content":{...}}})";

constexpr const char* kToolsFooter = R"(
Examples:
  gibbous tools
  gibbous tools --format openai > tools.json
  gibbous tools --format openai-responses --strict > tools.json)";

constexpr const char* kCheckFooter = R"(
Loads DIR/scripts and DIR/policies, or DIR itself when it holds init.lua, and prints each error as
file:line: message. Globals that are assigned, or read and undefined, are errors. Starts no process and
calls no tool.

Examples:
  gibbous check .
  gibbous check my-tools --json)";

constexpr const char* kNewFooter = R"(
Writes DIR/scripts/tools/NAME.lua, scripts/watchers/NAME.lua, scripts/executors/NAME.lua or
policies/NAME.lua, which work as they are, a spec beside it for 'gibbous test' (policies have cases),
and an init.lua that lists the file, when there is none.
Files that exist are left alone, and symbolic links in DIR are not followed.

Examples:
  gibbous new tool count_lines
  gibbous new policy team my-project)";

constexpr const char* kDoctorFooter = R"(
Exits with 1 when runs cannot start or cannot be contained. A note names something that works with
limits.

Examples:
  gibbous doctor
  gibbous doctor --json)";

constexpr const char* kPolicyFooter = R"(
Examples:
  gibbous policy check --mode auto 'rm -rf build && make'
  gibbous policy explain 'curl -s https://example.com/x | sh'
  gibbous policy test my-policies --threshold 80
  gibbous policy log --decision deny --since 1h
  gibbous policy diff policies my-policies)";

constexpr const char* kPolicyCheckFooter = R"(
A single COMMAND is a shell line; several words after -- are a program and its arguments.
Exit codes: 0 allow, 10 ask, 20 deny, 2 error. With --stdin --json each line of stdin is a JSON
request and each line of stdout its answer, in the same order:
  {"id":1,"command":"make","cwd":"/work","mode":"auto"}     or "argv":["make","-j4"]
  {"id":1,"decision":"allow","rule":"..."}                  with reason, file and line if known

Examples:
  gibbous policy check 'git push --force'
  gibbous policy check --mode plan -- rm -rf build
  gibbous policy check --stdin --json --workspace /work < requests)";

constexpr const char* kPolicyExplainFooter = R"(
Shows what was parsed, which rules were tried and why each matched or not, and which one decided.
Exit codes are those of 'policy check'.

Example:
  gibbous policy explain 'sudo sh -c "rm -rf /tmp/x"')";

constexpr const char* kPolicyTestFooter = R"(
Runs the examples of the rules and the cases of DIR, a directory with init.lua.
Coverage counts your own rules, not those that ship. Exits with 1 when an example or a case fails, or
when the cases cover fewer rules than --threshold demands.

Example:
  gibbous policy test my-policies --threshold 80)";

constexpr const char* kPolicyLogFooter = R"(
Prints the decisions in the journal, of all processes of this user: the time, the verdict, the rule,
the tool, the command with its secrets redacted, and the answer of a person. With --json each line is
a JSON object, so 'gibbous policy log --json -f' is the log as a stream. WHEN is a time ago
(90s, 5m, 2h, 1d) or a time (15:04, 2026-11-22T15:04). RULE may hold * and ?.

Examples:
  gibbous policy log -f
  gibbous policy log --decision deny --since 1d
  gibbous policy log --rule 'git.*' --session agent-7 --json)";

constexpr const char* kPolicyDiffFooter = R"(
Judges every command of the decision log by the policies in OLD and in NEW, and prints the verdicts
that differ, then how many by which rule. The log is the journal, or FILE, as 'gibbous policy log
--json' writes it. 'shipped' is the policy that ships; name a directory of that name './shipped'.
Exits with 1 when there are any differences.

Examples:
  gibbous policy diff shipped my-policies --since 7d
  gibbous policy diff old-policies my-policies --log decisions)";

constexpr const char* kApprovalsFooter = R"(
Examples:
  gibbous approvals list
  gibbous approvals revoke aB3x
  gibbous approvals revoke --all)";

// Adds the options for the policies and for the directory where the commands would run, which need
// not exist.
void add_policy_options(CLI::App& command, Options& options) {
  RuntimeOptions& runtime = options.runtime;
  command.add_option("--mode", runtime.mode, "Permission mode [default]")->type_name("MODE");
  command.add_option("--workspace", runtime.workspace, "Workspace [.]")->type_name("DIR");
  command
      .add_option("--policies", runtime.policies_dir, "Directory with your own policies' init.lua")
      ->type_name("DIR")
      ->check(CLI::ExistingDirectory);
  command.add_option("--config", runtime.config_file, "Lua configuration file")
      ->type_name("FILE")
      ->check(CLI::ExistingFile);
  command.add_flag("--json", options.json, "Print JSON");
}

CLI::App& add_policy_task(CLI::App& policy, Options& options, PolicyTask task, const char* name,
                          const char* description, const char* footer) {
  CLI::App* sub = policy.add_subcommand(name, description);
  sub->footer(footer);
  sub->callback([&options, task] { options.policy_task = task; });
  add_policy_options(*sub, options);
  return *sub;
}

void add_state_of_policy(CLI::App& command, Options& options) {
  command
      .add_option("--state", options.runtime.state_dir,
                  "State directory, which says what is trusted")
      ->type_name("DIR");
}

void add_policy_log(CLI::App& policy, Options& options) {
  CLI::App* log = policy.add_subcommand("log", "Show what the policy decided.");
  log->footer(kPolicyLogFooter);
  log->callback([&options] { options.policy_task = PolicyTask::kLog; });
  log->add_flag("--follow,-f", options.follow, "Wait for more until interrupted");
  log->add_option("-n,--tail", options.tail, "Only the last N decisions")
      ->type_name("N")
      ->check(CLI::PositiveNumber);
  log->add_option("--since", options.since, "Only from this time on")->type_name("WHEN");
  log->add_option("--session", options.session, "Only decisions of this session")
      ->type_name("NAME");
  log->add_option("--run", options.run_id, "Only decisions about this run")->type_name("RUN");
  log->add_option("--rule", options.rule, "Only decisions by this rule")->type_name("RULE");
  log->add_option("--decision", options.decision, "Only decisions with this verdict")
      ->type_name("DECISION")
      ->check(CLI::IsMember({"allow", "ask", "deny"}));
  log->add_option("--state", options.runtime.state_dir,
                  "State directory, with the journal and approvals")
      ->type_name("DIR");
  log->add_flag("--json", options.json, "Print JSON");
}

void add_policy_commands(CLI::App& app, Options& options) {
  CLI::App& policy =
      add_command(app, options, Command::kPolicy, "policy",
                  "Ask the policy about commands, show its decisions, and test it.", kPolicyFooter);
  policy.require_subcommand(1);
  CLI::App& check = add_policy_task(policy, options, PolicyTask::kCheck, "check",
                                    "Print the verdict on a command.", kPolicyCheckFooter);
  auto* words =
      check.add_option("COMMAND", options.words, "A shell line, or a program and its arguments");
  auto* lines =
      check.add_flag("--stdin", options.from_stdin, "Read JSON requests from stdin, one a line");
  words->excludes(lines);
  check.add_flag("--untested", options.untested,
                 "Use the policy even if its own examples or cases fail");
  check.add_option("--cwd", options.cwd, "Directory in which it would run [the workspace]")
      ->type_name("DIR");
  add_state_of_policy(check, options);
  CLI::App& explain =
      add_policy_task(policy, options, PolicyTask::kExplain, "explain",
                      "Show what was parsed, and which rules applied.", kPolicyExplainFooter);
  explain.add_option("COMMAND", options.words, "A shell line, or a program and its arguments")
      ->required();
  explain.add_flag("--untested", options.untested,
                   "Use the policy even if its own examples or cases fail");
  explain.add_option("--cwd", options.cwd, "Directory in which it would run [the workspace]")
      ->type_name("DIR");
  add_state_of_policy(explain, options);
  CLI::App& test = add_policy_task(policy, options, PolicyTask::kTest, "test",
                                   "Run a policy's examples and cases.", kPolicyTestFooter);
  test.add_option("DIR", options.directory, "Directory with policies [the configured ones]")
      ->check(CLI::ExistingDirectory);
  test.add_option("--threshold", options.threshold,
                  "Percentage of your own rules that the cases must cover")
      ->type_name("PERCENT")
      ->check(CLI::Range(0.0, 100.0));
  add_policy_log(policy, options);
  CLI::App& diff =
      add_policy_task(policy, options, PolicyTask::kDiff, "diff",
                      "Show which verdicts of the decision log would change.", kPolicyDiffFooter);
  diff.add_option("OLD NEW", options.words,
                  "Two directories with policies; shipped: the one that ships")
      ->required()
      ->expected(2)
      ->check([](const std::string& word) {
        return word == kShippedPolicy ? std::string() : CLI::ExistingDirectory(word);
      });
  diff.add_option("--log", options.log_file, "A decision log as JSON lines [the journal]")
      ->type_name("FILE")
      ->check(CLI::ExistingFile);
  diff.add_option("--since", options.since, "Only decisions of the journal from this time on")
      ->type_name("WHEN");
  diff.add_option("--state", options.runtime.state_dir,
                  "State directory, with the journal and approvals")
      ->type_name("DIR");
}

void add_approval_options(CLI::App& command, Options& options) {
  command
      .add_option("--state", options.runtime.state_dir,
                  "State directory, with the journal and approvals")
      ->type_name("DIR");
  command.add_flag("--json", options.json, "Print JSON");
}

void add_approval_commands(CLI::App& app, Options& options) {
  CLI::App& approvals =
      add_command(app, options, Command::kApprovals, "approvals",
                  "List remembered approvals, and revoke them.", kApprovalsFooter);
  approvals.require_subcommand(0, 1);
  add_approval_options(approvals, options);
  CLI::App* list = approvals.add_subcommand("list", "List the approvals (the default).");
  add_approval_options(*list, options);
  CLI::App* revoke = approvals.add_subcommand("revoke", "Revoke approvals.");
  add_approval_options(*revoke, options);
  auto* ids = revoke->add_option("ID", options.approval_ids, "An id, or the beginning of one");
  auto* all = revoke->add_flag("--all", options.all_approvals, "Revoke all approvals");
  ids->excludes(all);
  revoke->callback([&options] {
    if (options.approval_ids.empty() && !options.all_approvals)
      throw CLI::RequiredError("ID or --all");
    options.revoke_approvals = true;
  });
}

void add_new_command(CLI::App& app, Options& options) {
  CLI::App& command =
      add_command(app, options, Command::kNew, "new",
                  "Write the beginning of a tool, policy, watcher or executor.", kNewFooter);
  static const std::map<std::string, NewKind> kKinds = {{"tool", NewKind::kTool},
                                                        {"policy", NewKind::kPolicy},
                                                        {"watcher", NewKind::kWatcher},
                                                        {"executor", NewKind::kExecutor}};
  command
      .add_option_function<std::string>(
          "KIND", [&options](const std::string& name) { options.new_kind = kKinds.at(name); },
          "tool, policy, watcher or executor")
      ->required()
      ->check(CLI::IsMember(kKinds));
  command.add_option("NAME", options.name, "Name: letters, digits and _")->required();
  command.add_option("DIR", options.directory, "Directory [.]")->check(CLI::ExistingDirectory);
  command.add_flag("--json", options.json, "Print JSON");
}

// Commands that are started often and want their answer soon: theirs are all options that there are
// then, because to declare those of every command takes a millisecond.
constexpr std::pair<std::string_view, void (*)(CLI::App&, Options&)> kDeclaredAlone[] = {
    {"mcp", add_mcp_command},
    {"policy", add_policy_commands},
};

void add_commands(CLI::App& app, Options& options, std::string_view first) {
  for (const auto& [name, declare] : kDeclaredAlone) {
    if (name == first) return declare(app, options);
  }
  add_mcp_command(app, options);

  CLI::App& call = add_command(app, options, Command::kCall, "call",
                               "Call one tool and print its result.", kCallFooter);
  call.add_option("TOOL", options.tool, "Name of the tool")->required();
  call.add_option("JSON", options.arguments,
                  "Arguments as a JSON object, or - to read them from stdin [{}]");
  call.add_flag("--keep", options.keep, "Let runs in the background outlive the command");
  call.add_option("--session", options.session, "Session of the call [gibbous@<workspace>]")
      ->type_name("NAME");
  add_common_options(call, options);

  CLI::App& session = add_command(
      app, options, Command::kSession, "session",
      "Take calls as JSON lines on stdin, and write results and events to stdout.", kSessionFooter);
  session.add_flag("--asks", options.asks, "Pass on the policy's questions, and take the answers");
  session.add_flag("--inputs", options.inputs, "Pass on what scripts ask, and take the answers");
  add_work_option(session, options);
  add_common_options(session, options);

  CLI::App& tools = add_command(app, options, Command::kTools, "tools",
                                "List the tools, or print their schemas.", kToolsFooter);
  CLI::Option* format =
      tools
          .add_option_function<std::string>(
              "--format",
              [&options](const std::string& name) { options.format = tool_format_named(name); },
              "Print the schemas as a JSON array: mcp, openai (chat completions), "
              "openai-responses, "
              "anthropic or gemini")
          ->type_name("FORMAT")
          ->check(CLI::IsMember({"mcp", "openai", "openai-responses", "anthropic", "gemini"}));
  tools
      .add_flag("--strict", options.strict,
                "With openai and openai-responses: schemas that pass the rules of strict calls")
      ->needs(format);
  add_common_options(tools, options);

  CLI::App& check = add_command(app, options, Command::kCheck, "check",
                                "Load scripts and policies, and print every error.", kCheckFooter);
  check.add_option("DIR", options.directory, "Directory [.]")->check(CLI::ExistingDirectory);
  add_common_options(check, options);

  add_new_command(app, options);
  add_test_command(app, options);
  add_up_command(app, options);
  add_layer_commands(app, options);
  add_journal_commands(app, options);
  add_policy_commands(app, options);
  add_approval_commands(app, options);
  add_ask_commands(app, options);

  CLI::App& doctor =
      add_command(app, options, Command::kDoctor, "doctor",
                  "Check what this machine supports, and what is missing.", kDoctorFooter);
  doctor.add_flag("--set-aside", options.set_aside,
                  "Check the journal, and move a damaged one aside, whole");
  add_common_options(doctor, options);

  // parse_options() turns it into --help; it is declared for the list of commands.
  app.add_subcommand("help", "Show the help of a command: 'gibbous help logs'.");

  CLI::App& version_command =
      add_command(app, options, Command::kVersion, "version", "Print the version.", "");
  version_command.add_flag("--json", options.json, "Print JSON");
}

std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(sub->get_name());
  }
  return names;
}

// The command that these words begin with, such as `policy check`.
const CLI::App& command_of(const CLI::App& app, const std::vector<std::string>& words) {
  const CLI::App* command = &app;
  for (const std::string& word : words) {
    const CLI::App* sub = nullptr;
    for (const CLI::App* each : command->get_subcommands([](const CLI::App*) { return true; })) {
      if (each->get_name() == word) sub = each;
    }
    if (sub == nullptr) break;
    command = sub;
  }
  return *command;
}

std::vector<std::string> option_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

// Names the option that the command does not have, and the nearest one; "" when it has them all.
std::string unknown_option(const CLI::App& app, const std::vector<std::string>& words) {
  const std::vector<std::string> names = option_names(command_of(app, words));
  for (const std::string& word : words) {
    if (word == "--") break;
    const std::string name = word.substr(0, word.find('='));
    if (name.rfind("--", 0) != 0 || std::find(names.begin(), names.end(), name) != names.end()) {
      continue;
    }
    const std::string nearest = nearest_name(name, names);
    return "unknown option '" + name + "'" +
           (nearest.empty() ? "" : "; did you mean '" + nearest + "'?");
  }
  return "";
}

// Names the sub-command that there is not, and the nearest one; "" when that is not the fault.
std::string unknown_subcommand(const CLI::App& app, const std::vector<std::string>& words) {
  const CLI::App* command = &app;
  std::string path;
  for (const std::string& word : words) {
    const std::vector<std::string> names = command_names(*command);
    if (names.empty() || word.starts_with('-')) return "";
    path += (path.empty() ? "" : " ") + word;
    if (std::find(names.begin(), names.end(), word) == names.end()) {
      const std::string near = did_you_mean(nearest_name(word, names));
      return "unknown command '" + path + "'" +
             (near.empty() ? "; expected one of " + comma_list(names) : near);
    }
    command = command->get_subcommand(word);
  }
  return "";
}

// CLI11 says which words an option takes, and not which one was meant.
std::string with_nearest_word(std::string message) {
  constexpr std::string_view kListed = " not in {";
  const std::size_t listed = message.find(kListed);
  if (listed == std::string::npos || message.back() != '}') return message;
  const std::size_t before = message.rfind(' ', listed - 1) + 1;
  std::istringstream list(message.substr(listed + kListed.size()));
  std::vector<std::string> names;
  for (std::string name; std::getline(list, name, ',');) {
    names.push_back(name.substr(0, name.find('}')));
  }
  return message += did_you_mean(nearest_name(message.substr(before, listed - before), names));
}

ParsedOptions wrong_use(const std::string& message, const std::string& help) {
  print_error(message + "\nRun '" + help + " --help' for its usage.");
  return {std::nullopt, ExitCode::kWrongUse};
}

}  // namespace

void add_work_option(CLI::App& command, Options& options) {
  command.add_flag(
      "--work-for-others", options.runtime.work_for_others,
      "Also execute what other sessions and workspaces have queued, where and as they queued it");
}

void add_common_options(CLI::App& command, Options& options) {
  RuntimeOptions& runtime = options.runtime;
  runtime.lazy_policy = true;
  runtime.layers = {"managed", "user", "project"};
  const char* group = "Options of every command";
  command.add_option("--mode", runtime.mode, "Permission mode: default, auto, plan, ...")
      ->type_name("MODE")
      ->group(group);
  command.add_option("--toolset", runtime.toolsets, "Only this toolset (repeatable)")
      ->type_name("NAME")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->group(group);
  command
      .add_flag("--all-parameters", runtime.all_parameters,
                "List every parameter of the tools, including those rarely needed")
      ->group(group);
  command.add_option("--config", runtime.config_file, "Lua configuration file")
      ->type_name("FILE")
      ->check(CLI::ExistingFile)
      ->group(group);
  command
      .add_option("--state", runtime.state_dir, "State directory, with the journal and approvals")
      ->type_name("DIR")
      ->group(group);
  command
      .add_option("--sandbox", runtime.sandbox,
                  "Minimum sandbox of every run: none, workspace, readonly [none]")
      ->type_name("PROFILE")
      ->group(group);
  command.add_option("--workspace", runtime.workspace, "Directory in which runs start [.]")
      ->type_name("DIR")
      ->check(CLI::ExistingDirectory)
      ->group(group);
  command.add_option("--scripts", runtime.scripts_dir, "Directory with your own scripts' init.lua")
      ->type_name("DIR")
      ->check(CLI::ExistingDirectory)
      ->group(group);
  command
      .add_option("--policies", runtime.policies_dir, "Directory with your own policies' init.lua")
      ->type_name("DIR")
      ->check(CLI::ExistingDirectory)
      ->group(group);
  command.add_flag("--json", options.json, "Print JSON")->group(group);
}

CLI::App& add_command(CLI::App& app, Options& options, Command command, const char* name,
                      const char* description, const char* footer) {
  CLI::App* sub = app.add_subcommand(name, description);
  sub->footer(footer);
  sub->callback([&options, command] { options.command = command; });
  return *sub;
}

ParsedOptions parse_options(int argc, const char* const* argv) {
  Options options;
  CLI::App app(kDescription, "gibbous");
  app.footer(kFooter);
  app.set_version_flag("--version", std::string("gibbous ") + version());
  app.require_subcommand(0, 1);
  add_commands(app, options, argc < 2 ? std::string_view() : argv[1]);

  if (argc < 2) {
    std::cerr << app.help();
    return {std::nullopt, ExitCode::kWrongUse};
  }
  std::vector<std::string> words(argv + 1, argv + argc);
  if (words.front() == "help") {
    words.erase(words.begin());
    words.emplace_back("--help");
  }
  const std::string first = words.front();
  const std::vector<std::string> names = command_names(app);
  const bool is_command = std::find(names.begin(), names.end(), first) != names.end();
  if (!is_command && first.rfind('-', 0) != 0) {
    const std::string nearest = nearest_name(first, names);
    return wrong_use("unknown command '" + first + "'" + did_you_mean(nearest), "gibbous");
  }
  try {
    std::vector<std::string> parsed(words.rbegin(), words.rend());  // CLI11 takes the last first
    keep_whole(app, &parsed);
    app.parse(std::move(parsed));
  } catch (const CLI::Success& success) {
    return {std::nullopt, static_cast<ExitCode>(app.exit(success))};  // --help, --version
  } catch (const CLI::ParseError& error) {
    std::string message = unknown_subcommand(app, words);
    if (message.empty()) message = unknown_option(app, words);
    if (message.empty()) message = with_nearest_word(error.what());
    // `gibbous policy check ls -la`
    const bool judges =
        first == "policy" && words.size() > 2 && (words[1] == "check" || words[1] == "explain");
    if (judges && error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError)) {
      message += "\nQuote a command with options of its own, gibbous policy " + words[1] +
                 " 'ls -la', or put -- before it.";
    }
    return wrong_use(message, is_command ? "gibbous " + first : "gibbous");
  }
  return {std::move(options), ExitCode::kDone};
}

}  // namespace gibbous::cli
