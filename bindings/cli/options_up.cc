// The options of `gibbous up`.
#include <CLI/CLI.hpp>

#include "bindings/cli/option_groups.h"

namespace gibbous::cli {
namespace {

constexpr const char* kUpFooter = R"(
FILE.lua returns a list of services:
  return {
    { name = 'db', command = './db', ready = { kind = 'port', port = 5432 } },
    { name = 'web', command = 'npm start', after = { 'db' }, restart = { max = 5 } },
  }
Any other FILE is a Procfile with NAME: COMMAND on each line. The output of each service is shown with
its name in front, until all have ended. Ctrl-C stops the services in reverse order; a second Ctrl-C
kills them. The default mode is auto.

Examples:
  gibbous up services.lua
  gibbous up Procfile --json)";

}  // namespace

void add_up_command(CLI::App& app, Options& options) {
  CLI::App& up = add_command(app, options, Command::kUp, "up",
                             "Start services and show their output until Ctrl-C.", kUpFooter);
  up.add_option("FILE", options.services_file, "A Lua file, or a Procfile")
      ->required()
      ->check(CLI::ExistingFile);
  add_common_options(up, options);
}

}  // namespace gibbous::cli
