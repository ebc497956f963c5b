// The options of `gibbous mcp`, `gibbous mcp install` and `gibbous mcp inspect`.
#include <CLI/CLI.hpp>

#include "bindings/cli/option_groups.h"
#include "bindings/mcp/http/tcp_address.h"

namespace gibbous::cli {
namespace {

constexpr const char* kMcpFooter = R"(
Speaks MCP on stdin and stdout; clients start it themselves. 'gibbous mcp install' registers it.
When the policy needs approval, clients that support elicitation ask the user.

With --http, the same over HTTP at the path /mcp, for clients that connect to a running server. They
need the token that is printed on stderr, or the one in --token-file. With --unix, at a socket that
only your own programs can use, without a token. Both may be given. Clients that mcp.tokens of the
configuration names have tokens, modes and workspaces of their own; then every client needs one.

Examples:
  gibbous mcp install
  gibbous mcp install claude codex --user
  gibbous mcp --http 127.0.0.1:8000 --token-file ~/.config/gibbous/token)";

constexpr const char* kInstallFooter = R"(
Registers the server with claude-code, codex, cursor, vscode, gemini, zed or windsurf; without
CLIENT, with those that have files in this project or a program in PATH. A file of the project is
written, or your own with --scope user, and for zed and windsurf; claude, codex and gemini register
it for all projects by their own command. What will be run or written is shown, and nothing is done
before you agree, on a terminal or with --yes. A file with comments is left as it is, and what to
add is shown.

Examples:
  gibbous mcp install
  gibbous mcp install claude-code codex --scope user
  gibbous mcp install cursor --mode default --toolset bg --toolset wait
  gibbous mcp install zed --sandbox workspace --policies policies
  gibbous mcp install --dry-run
  gibbous mcp install claude-code --yes)";

constexpr const char* kUninstallFooter = R"(
Takes out again what 'gibbous mcp install' has registered, and nothing else. What will be run or
written is shown, and nothing is done before you agree, on a terminal or with --yes.

Examples:
  gibbous mcp uninstall
  gibbous mcp uninstall claude-code --scope user --yes)";

// The options of install and of uninstall.
void add_settings_options(CLI::App& command, Options& options) {
  InstallOptions& install = options.install;
  command.add_option("CLIENT", install.clients,
                     "claude-code, codex, cursor, vscode, gemini, zed, windsurf");
  auto* scope =
      command
          .add_option_function<std::string>(
              "--scope",
              [&install](const std::string& name) {
                install.scope = name == "user" ? InstallScope::kUser : InstallScope::kProject;
              },
              "user: your own settings, for every project; project: those of this project")
          ->type_name("SCOPE")
          ->check(CLI::IsMember({"user", "project"}));
  auto* user = command.add_flag_callback(
      "--user", [&install] { install.scope = InstallScope::kUser; }, "The same as --scope user");
  auto* project = command.add_flag_callback(
      "--project", [&install] { install.scope = InstallScope::kProject; },
      "The same as --scope project");
  user->excludes(project);
  scope->excludes(user)->excludes(project);
  command.add_option("--name", install.name, "Name of the server [gibbous]")->type_name("NAME");
  command.add_flag("--dry-run", install.dry_run,
                   "Show what would be run or written, and do nothing");
  command.add_flag("--yes", install.yes, "Change the settings without a question");
  command.add_option("--workspace", options.runtime.workspace, "The project [.]")
      ->type_name("DIR")
      ->check(CLI::ExistingDirectory);
  command.add_flag("--json", options.json, "Print JSON");
}

void add_uninstall_command(CLI::App& mcp, Options& options) {
  CLI::App* command =
      mcp.add_subcommand("uninstall", "Remove the server from the settings of agents' clients.");
  command->footer(kUninstallFooter);
  command->callback([&options] { options.install.wanted = options.install.remove = true; });
  add_settings_options(*command, options);
}

constexpr const char* kInspectFooter = R"(
Shows what a client gets: instructions, tools with their size, resources, prompts. With --as, only
what the client's model reads of it, as it was measured: name, description and arguments of each
tool, and a result cut as the client cuts it. Tokens are estimated, at four bytes each.

Examples:
  gibbous mcp inspect
  gibbous mcp inspect --as claude --toolset lean
  gibbous mcp inspect --as codex --mode auto --call job --args '{"action":"list"}'
  gibbous mcp inspect --json)";

void add_inspect_command(CLI::App& mcp, Options& options) {
  InspectOptions& inspect = options.inspect;
  CLI::App* command =
      mcp.add_subcommand("inspect", "Show what a client, and its model, gets of the server.");
  command->footer(kInspectFooter);
  command->callback([&inspect] { inspect.wanted = true; });
  command->add_option("--as", inspect.as, "What the model reads in this client: claude, codex")
      ->type_name("CLIENT")
      ->check(CLI::IsMember({"claude", "codex"}));
  command->add_option("--call", inspect.tool, "Call this tool, and show its result")
      ->type_name("TOOL");
  command->add_option("--args", inspect.arguments, "Its arguments, a JSON object [{}]")
      ->type_name("JSON");
  command->add_flag("--structured", options.structured, "As 'gibbous mcp --structured' does");
  add_common_options(*command, options);
}

// Without a token, any program of the machine may call the tools, but no other machine.
void check_http(const Options& options) {
  if (!options.no_token) return;
  const auto address = mcp::http::TcpAddress::parse(options.http);
  if (address && !address->is_loopback()) {
    throw CLI::ValidationError("--token", "none is only for addresses of the loopback");
  }
}

void add_http_options(CLI::App& mcp, Options& options) {
  auto* http =
      mcp.add_option("--http", options.http, "Serve over HTTP there; port 0 stands for a free one")
          ->type_name("ADDRESS:PORT")
          ->check([](const std::string& text) {
            return mcp::http::TcpAddress::parse(text)
                       ? std::string()
                       : "expected a numeric address and a port: 127.0.0.1:8000 or [::1]:8000";
          });
  mcp.add_option("--unix", options.unix_socket,
                 "Serve over HTTP at a unix socket, which is made with mode 0600")
      ->type_name("PATH");
  auto* file = mcp.add_option("--token-file", options.token_file,
                              "File whose first line is the clients' token [a random token, "
                              "printed on stderr]")
                   ->type_name("FILE")
                   ->needs(http);
  mcp.add_option_function<std::string>(
         "--token", [&options](const std::string&) { options.no_token = true; },
         "none: clients need no token; only on the loopback")
      ->type_name("none")
      ->check(CLI::IsMember({"none"}))
      ->needs(http)
      ->excludes(file);
  mcp.add_option("--allow-host", options.hosts,
                 "Another name by which clients and web pages may reach the server (repeatable), "
                 "such as that of a proxy")
      ->type_name("NAME")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->needs(http);
}

void add_install_command(CLI::App& mcp, Options& options) {
  InstallOptions& install = options.install;
  CLI::App* command = mcp.add_subcommand("install", "Register the server with agents' clients.");
  command->footer(kInstallFooter);
  command->callback([&install] { install.wanted = true; });
  add_settings_options(*command, options);
  command->add_option("--mode", install.mode, "Permission mode [auto]")->type_name("MODE");
  command->add_option("--toolset", install.toolsets, "Only this toolset (repeatable) [lean]")
      ->type_name("NAME")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command
      ->add_option("--scripts", options.runtime.scripts_dir,
                   "Directory with your own scripts' init.lua; no toolset is named by default")
      ->type_name("DIR")
      ->check(CLI::ExistingDirectory);
  command
      ->add_option("--policies", options.runtime.policies_dir,
                   "Directory with your own policies' init.lua")
      ->type_name("DIR")
      ->check(CLI::ExistingDirectory);
  command->add_option("--config", options.runtime.config_file, "Lua configuration file")
      ->type_name("FILE")
      ->check(CLI::ExistingFile);
  command
      ->add_option("--sandbox", options.runtime.sandbox,
                   "Minimum sandbox of every run: none, workspace, readonly [none]")
      ->type_name("PROFILE")
      ->check(CLI::IsMember({"none", "workspace", "readonly"}));
  command->add_flag("--remove", install.remove, "The same as 'gibbous mcp uninstall'");
}

}  // namespace

void add_mcp_command(CLI::App& app, Options& options) {
  CLI::App& mcp =
      add_command(app, options, Command::kMcp, "mcp",
                  "Serve the tools to MCP clients, on stdin and stdout or over HTTP.", kMcpFooter);
  mcp.require_subcommand(0, 1);
  mcp.add_option("--session", options.session,
                 "Session of the client, NAME@<workspace> [its program@<workspace>]")
      ->type_name("NAME");
  mcp.add_flag("--structured", options.structured,
               "For programs: results also have structuredContent, which several clients show to "
               "models instead of the text");
  constexpr unsigned kMaxTaskAfter = 3'600;
  mcp.add_option("--task-after", options.task_after_s,
                 "Seconds after which a call that goes on is answered with a task, where the "
                 "client takes one [10]")
      ->type_name("SECONDS")
      ->check(CLI::Range(1U, kMaxTaskAfter));
  add_http_options(mcp, options);
  add_work_option(mcp, options);
  add_common_options(mcp, options);
  add_install_command(mcp, options);
  add_uninstall_command(mcp, options);
  add_inspect_command(mcp, options);
  mcp.parse_complete_callback([&options] { check_http(options); });
}

}  // namespace gibbous::cli
