// The options of `gibbous up`.
#include <CLI/CLI.hpp>

#include "bindings/cli/option_groups.h"

namespace gibbous::cli {
namespace {

constexpr const char* kUpFooter = R"(
Without FILE, the services are those of gibbous.lua or, without it, of Procfile in the workspace.
FILE.lua returns a list of services:
  return {
    { name = 'db', command = './db', ready = { kind = 'port', port = 5432 } },
    { name = 'web', command = 'npm start', after = { 'db' }, restart = { max = 5 } },
  }
Any other FILE is a Procfile with NAME: COMMAND on each line. The output of each service is shown with
its name in front, until all have ended. Ctrl-C stops the services in reverse order; a second Ctrl-C
kills them. 'gibbous restart', 'stop' and 'start' work on single services from another terminal; while
one is stopped, the command goes on. The default mode is auto.

Examples:
  gibbous up
  gibbous up services.lua
  gibbous up Procfile --json)";

constexpr const char* kControlFooter = R"(
NAME is a service of a 'gibbous up' that runs in this workspace, or in a directory above. Its output
tells what happens. 'start' also starts what the service comes after and what does not run; 'stop' and
'restart' name the services that come after it, and leave them alone.

Examples:
  gibbous restart web
  gibbous stop db && gibbous start db)";

void add_control_command(CLI::App& app, Options& options, const char* action,
                         const char* description) {
  CLI::App* command = app.add_subcommand(action, description);
  command->footer(kControlFooter);
  command->callback([&options, action] {
    options.command = Command::kControl;
    options.action = action;
  });
  command->add_option("NAME", options.name, "Name of the service")->required();
  command->add_option("--state", options.runtime.state_dir, "State directory of 'gibbous up'")
      ->type_name("DIR");
  command->add_option("--workspace", options.runtime.workspace, "Workspace of 'gibbous up' [.]")
      ->type_name("DIR")
      ->check(CLI::ExistingDirectory);
  command->add_flag("--json", options.json, "Print JSON");
}

}  // namespace

void add_up_command(CLI::App& app, Options& options) {
  CLI::App& up = add_command(app, options, Command::kUp, "up",
                             "Start services and show their output until Ctrl-C.", kUpFooter);
  up.add_option("FILE", options.services_file,
                "A Lua file, or a Procfile [gibbous.lua or Procfile]")
      ->check(CLI::ExistingFile);
  add_common_options(up, options);
  add_control_command(app, options, "restart", "Restart a service of the running 'gibbous up'.");
  add_control_command(app, options, "stop", "Stop a service of the running 'gibbous up'.");
  add_control_command(app, options, "start", "Start such a service again.");
}

}  // namespace gibbous::cli
