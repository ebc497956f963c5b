// The command line: its sub-commands, their options and help texts, and what is said of a mistake.
#include "bindings/cli/options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <map>
#include <utility>
#include <vector>

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
Lines that nobody asked for are {"event":{...}}. End of input ends every run, then the process.)";

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

Example:
  claude mcp add gibbous -- gibbous mcp --mode auto)";

// Each front end has these, after its name.
void add_common_options(CLI::App& command, Options& options) {
  RuntimeOptions& runtime = options.runtime;
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

  CLI::App& doctor =
      add_command(app, options, Command::kDoctor, "doctor",
                  "Say what this machine lets Gibbous do, and what is missing.", kDoctorFooter);
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
