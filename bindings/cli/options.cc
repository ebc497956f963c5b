// The command line: its sub-commands, their options and help texts, and what is said of a mistake.
#include "bindings/cli/options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <map>
#include <utility>
#include <vector>

#include "bindings/cli/option_groups.h"
#include "bindings/cli/terminal.h"
#include "runtime/base/nearest.h"

namespace gibbous::cli {
namespace {

constexpr const char* kDescription =
    "Gibbous: tools for agents, written in Lua, over child processes that never get lost.";

constexpr const char* kFooter = R"(
Exit codes: 0 done, 1 failed, 2 wrong use, 3 denied by policy, 4 needs approval.

Examples:
  gibbous tools                                        what an agent may call
  gibbous call bg_start '{"command":"make"}' --mode auto
  gibbous session --mode auto                          calls as JSON lines on stdin
  gibbous mcp                                          an MCP server on stdio
Run 'gibbous COMMAND --help' for one command.)";

constexpr const char* kCallFooter = R"(
The tool's text goes to stdout, an error to stderr. Runs that the tool started end with the command.
On a terminal you are asked where the policy wants a person's word; with --json, with arguments from
stdin, and off a terminal nobody is, and the call needs approval (exit code 4).

Examples:
  gibbous call bg_status
  gibbous call bg_start '{"command":"make -j4"}' --mode auto --json
  echo '{"command":"make"}' | gibbous call bg_start - --mode auto)";

constexpr const char* kSessionFooter = R"(
One JSON object a line, in any number at the same time:
  {"id":1,"tool":"bg_start","args":{"command":"make"},"session":"a"}
        answered by {"id":1,"result":{"text":"...","data":{...}}}
                 or {"id":1,"error":{"code":"...","message":"..."}}
  {"id":2,"tool":"wait_for","args":{...},"progress":true}
        may send {"id":2,"progress":{...}} lines first
  {"cancel":1}             ends call 1, which answers with the error "cancelled"
  {"drain":"a"}            answered by {"drain":{"session":"a","events":[...]}}
  {"reload":true}          answered by {"reload":{"ok":true,"generation":2}}
Lines that nobody asked for are {"event":{...}}. End of input ends every run, then the process.
With --asks the policy's questions are lines, too, and their calls wait for your answers:
  {"ask":{"id":"Ab3xK9mZ","call":1,"tool":"bg_start","reason":"...","command":"...",...}}
  {"answer":"Ab3xK9mZ","allow":true}
  {"answer":"Ab3xK9mZ","allow":true,"remember":"always","about":"rule","lasts_s":86400}
  {"answer":"Ab3xK9mZ","allow":false,"reason":"use the staging server"})";

constexpr const char* kToolsFooter = R"(
Examples:
  gibbous tools
  gibbous tools --format openai > tools.json)";

constexpr const char* kCheckFooter = R"(
Loads DIR/scripts and DIR/policies, or DIR itself when it holds init.lua, as a runtime would,
and prints each error as file:line: message. Nothing is started and nothing is called.

Examples:
  gibbous check .
  gibbous check my-tools --json)";

constexpr const char* kDoctorFooter = R"(
Exits with 1 when runs would not start or not be contained; a note means that something works in a
lesser way, and says in which.

Examples:
  gibbous doctor
  gibbous doctor --json)";

constexpr const char* kMcpFooter = R"(
Speaks MCP on stdin and stdout; register it in a client as the command 'gibbous mcp'.
Where the policy wants a person's word, clients with elicitation are asked.

Example:
  claude mcp add gibbous -- gibbous mcp --mode auto)";

constexpr const char* kPolicyFooter = R"(
Examples:
  gibbous policy check --mode auto 'rm -rf build && make'
  gibbous policy explain 'curl -s https://example.com/x | sh'
  gibbous policy test my-policies --threshold 80
  gibbous policy diff policies my-policies --log ~/.local/state/gibbous/decisions.jsonl)";

constexpr const char* kPolicyCheckFooter = R"(
One word is a line for a shell, several are a program and its words, after --.
Exit codes: 0 allow, 10 ask, 20 deny, 2 error. With --stdin --json one JSON request a line, and one
answer a line, in the same order:
  {"id":1,"command":"make","cwd":"/work","mode":"auto"}     or "argv":["make","-j4"]
  {"id":1,"decision":"allow","rule":"..."}                  reason, file and line where there are any

Examples:
  gibbous policy check 'git push --force'
  gibbous policy check --mode plan -- rm -rf build
  gibbous policy check --stdin --json --workspace /work < requests)";

constexpr const char* kPolicyExplainFooter = R"(
Shows what was parsed, which rules looked at it and why they match or not, and what decided.
Exit codes as `policy check`.

Example:
  gibbous policy explain 'sudo sh -c "rm -rf /tmp/x"')";

constexpr const char* kPolicyTestFooter = R"(
Runs the examples of the rules and the cases of DIR (a directory of policies with init.lua).
Exits with 1 when one fails, or when fewer rules than wanted are met by a case.

Example:
  gibbous policy test my-policies --threshold 80)";

constexpr const char* kPolicyDiffFooter = R"(
Judges every command of a decision log by the policies in OLD and in NEW, and prints the verdicts that
differ. Exits with 1 when there are any.

Example:
  gibbous policy diff policies my-policies --log ~/.local/state/gibbous/decisions.jsonl)";

constexpr const char* kApprovalsFooter = R"(
Examples:
  gibbous approvals list
  gibbous approvals revoke aB3x
  gibbous approvals revoke --all)";

// Where the policies are, and where their commands would run; that place needs not exist.
void add_policy_options(CLI::App& command, Options& options) {
  RuntimeOptions& runtime = options.runtime;
  command.add_option("--mode", runtime.mode, "Permission mode [default]")->type_name("MODE");
  command.add_option("--workspace", runtime.workspace, "Workspace [current directory]")
      ->type_name("DIR");
  command
      .add_option("--policies", runtime.policies_dir, "Directory with your own policies' init.lua")
      ->type_name("DIR")
      ->check(CLI::ExistingDirectory);
  command.add_option("--config", runtime.config_file, "Lua configuration file")
      ->type_name("FILE")
      ->check(CLI::ExistingFile);
  command.add_flag("--json", options.json, "Print JSON, for programs");
}

CLI::App& add_policy_task(CLI::App& policy, Options& options, PolicyTask task, const char* name,
                          const char* description, const char* footer) {
  CLI::App* sub = policy.add_subcommand(name, description);
  sub->footer(footer);
  sub->callback([&options, task] { options.policy_task = task; });
  add_policy_options(*sub, options);
  return *sub;
}

void add_policy_commands(CLI::App& app, Options& options) {
  CLI::App& policy = add_command(app, options, Command::kPolicy, "policy",
                                 "Ask the policy about commands, and test it.", kPolicyFooter);
  policy.require_subcommand(1);
  CLI::App& check = add_policy_task(policy, options, PolicyTask::kCheck, "check",
                                    "Say whether a command is allowed.", kPolicyCheckFooter);
  auto* words =
      check.add_option("COMMAND", options.words, "A shell line, or a program and its words");
  auto* lines = check.add_flag("--stdin", options.from_stdin, "JSON requests on stdin, one a line");
  words->excludes(lines);
  check.add_flag("--untested", options.untested,
                 "Also when the policy's own examples or cases fail");
  check.add_option("--cwd", options.cwd, "Where it would run [the workspace]")->type_name("DIR");
  CLI::App& explain = add_policy_task(policy, options, PolicyTask::kExplain, "explain",
                                      "Say why: what was parsed and which rules looked at it.",
                                      kPolicyExplainFooter);
  explain.add_option("COMMAND", options.words, "A shell line, or a program and its words")
      ->required();
  explain.add_flag("--untested", options.untested,
                   "Also when the policy's own examples or cases fail");
  explain.add_option("--cwd", options.cwd, "Where it would run [the workspace]")->type_name("DIR");
  CLI::App& test = add_policy_task(policy, options, PolicyTask::kTest, "test",
                                   "Run a policy's examples and cases.", kPolicyTestFooter);
  test.add_option("DIR", options.directory, "Policies [those in force]")
      ->check(CLI::ExistingDirectory);
  test.add_option("--threshold", options.threshold, "Per cent of the rules that cases must meet")
      ->type_name("PERCENT")
      ->check(CLI::Range(0.0, 100.0));
  CLI::App& diff =
      add_policy_task(policy, options, PolicyTask::kDiff, "diff",
                      "Say which verdicts of a decision log would change.", kPolicyDiffFooter);
  diff.add_option("OLD NEW", options.words, "Two directories with init.lua")
      ->required()
      ->expected(2)
      ->check(CLI::ExistingDirectory);
  diff.add_option("--log", options.log_file, "Decision log (JSON lines)")
      ->required()
      ->type_name("FILE")
      ->check(CLI::ExistingFile);
}

void add_approval_options(CLI::App& command, Options& options) {
  command.add_option("--state", options.runtime.state_dir, "Where durable things are kept")
      ->type_name("DIR");
  command.add_flag("--json", options.json, "Print JSON, for programs");
}

void add_approval_commands(CLI::App& app, Options& options) {
  CLI::App& approvals =
      add_command(app, options, Command::kApprovals, "approvals",
                  "List what was approved once and for all, and take it back.", kApprovalsFooter);
  approvals.require_subcommand(0, 1);
  add_approval_options(approvals, options);
  CLI::App* list = approvals.add_subcommand("list", "List them (also without a sub-command).");
  add_approval_options(*list, options);
  CLI::App* revoke = approvals.add_subcommand("revoke", "Take back approvals.");
  add_approval_options(*revoke, options);
  auto* ids = revoke->add_option("ID", options.approval_ids, "Its id, or the beginning of one");
  auto* all = revoke->add_flag("--all", options.all_approvals, "All of them");
  ids->excludes(all);
  revoke->callback([&options] {
    if (options.approval_ids.empty() && !options.all_approvals)
      throw CLI::RequiredError("ID or --all");
    options.revoke_approvals = true;
  });
}

void add_commands(CLI::App& app, Options& options) {
  CLI::App& mcp = add_command(app, options, Command::kMcp, "mcp",
                              "Serve the tools to an MCP client on stdin and stdout.", kMcpFooter);
  add_common_options(mcp, options);

  CLI::App& call = add_command(app, options, Command::kCall, "call",
                               "Call one tool and print its result.", kCallFooter);
  call.add_option("TOOL", options.tool, "Name of the tool")->required();
  call.add_option("JSON", options.arguments,
                  "Arguments, a JSON object, or - to read it from stdin");
  call.add_option("--session", options.session, "Session that the call belongs to")
      ->type_name("NAME");
  add_common_options(call, options);

  CLI::App& session = add_command(
      app, options, Command::kSession, "session",
      "Take calls as JSON lines on stdin, give results and events on stdout.", kSessionFooter);
  session.add_flag("--asks", options.asks, "Give the policy's questions, and take answers");
  add_common_options(session, options);

  CLI::App& tools = add_command(app, options, Command::kTools, "tools",
                                "List the tools, or print their schemas.", kToolsFooter);
  static const std::map<std::string, ToolFormat> kFormats = {{"mcp", ToolFormat::kMcp},
                                                             {"openai", ToolFormat::kOpenAi},
                                                             {"anthropic", ToolFormat::kAnthropic}};
  tools
      .add_option_function<std::string>(
          "--format", [&options](const std::string& name) { options.format = kFormats.at(name); },
          "Print the schemas as a JSON array: mcp, openai or anthropic")
      ->type_name("FORMAT")
      ->check(CLI::IsMember(kFormats));
  add_common_options(tools, options);

  CLI::App& check = add_command(app, options, Command::kCheck, "check",
                                "Load scripts and policies, and print every error.", kCheckFooter);
  check.add_option("DIR", options.directory, "Directory [.]")->check(CLI::ExistingDirectory);
  add_common_options(check, options);

  add_up_command(app, options);
  add_journal_commands(app, options);
  add_policy_commands(app, options);
  add_approval_commands(app, options);

  CLI::App& doctor =
      add_command(app, options, Command::kDoctor, "doctor",
                  "Say what this machine lets Gibbous do, and what is missing.", kDoctorFooter);
  doctor.add_flag("--repair", options.repair,
                  "Copy what can be read of a damaged journal into a new one");
  add_common_options(doctor, options);

  CLI::App& version_command =
      add_command(app, options, Command::kVersion, "version", "Print the version.", "");
  version_command.add_flag("--json", options.json, "Print JSON, for programs");
}

std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(sub->get_name());
  }
  return names;
}

ParsedOptions wrong_use(const std::string& message, const std::string& help) {
  print_error(message + "\nRun '" + help + " --help' to see how it is used.");
  return {std::nullopt, ExitCode::kWrongUse};
}

}  // namespace

void add_common_options(CLI::App& command, Options& options) {
  RuntimeOptions& runtime = options.runtime;
  runtime.lazy_policy = true;
  const char* group = "Options of every command";
  command.add_option("--mode", runtime.mode, "Permission mode: default, auto, plan, ...")
      ->type_name("MODE")
      ->group(group);
  command.add_option("--toolset", runtime.toolsets, "Only this toolset; may be given again")
      ->type_name("NAME")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->group(group);
  command.add_option("--config", runtime.config_file, "Lua configuration file")
      ->type_name("FILE")
      ->check(CLI::ExistingFile)
      ->group(group);
  command.add_option("--state", runtime.state_dir, "Where durable things are kept")
      ->type_name("DIR")
      ->group(group);
  command
      .add_option("--sandbox", runtime.sandbox,
                  "The least sandbox of every run: none, workspace, readonly [none]")
      ->type_name("PROFILE")
      ->group(group);
  command.add_option("--workspace", runtime.workspace, "Where runs start [current directory]")
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
  command.add_flag("--json", options.json, "Print JSON, for programs")->group(group);
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
  add_commands(app, options);

  if (argc < 2) {
    std::cerr << app.help();
    return {std::nullopt, ExitCode::kWrongUse};
  }
  const std::string first = argv[1];
  const std::vector<std::string> names = command_names(app);
  const bool is_command = std::find(names.begin(), names.end(), first) != names.end();
  if (!is_command && first.rfind('-', 0) != 0) {
    const std::string nearest = nearest_name(first, names);
    return wrong_use("unknown command '" + first + "'" +
                         (nearest.empty() ? "" : "; did you mean '" + nearest + "'?"),
                     "gibbous");
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& success) {
    return {std::nullopt, static_cast<ExitCode>(app.exit(success))};  // --help, --version
  } catch (const CLI::ParseError& error) {
    return wrong_use(error.what(), is_command ? "gibbous " + first : "gibbous");
  }
  return {std::move(options), ExitCode::kDone};
}

}  // namespace gibbous::cli
