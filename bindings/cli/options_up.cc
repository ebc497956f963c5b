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
Any other FILE is a Procfile: NAME: COMMAND on each line. What the services write is shown behind
their names, until all have ended or Ctrl-C ends them, those first that others do not need; a second
Ctrl-C ends them at once. The mode is auto unless you name one.

Examples:
  gibbous up services.lua
  gibbous up Procfile --json)";

}  // namespace

void add_up_command(CLI::App& app, Options& options) {
  CLI::App& up = add_command(app, options, Command::kUp, "up",
                             "Start a set of services and show them until Ctrl-C.", kUpFooter);
  up.add_option("FILE", options.services_file, "A Lua file, or a Procfile")
      ->required()
      ->check(CLI::ExistingFile);
  add_common_options(up, options);
}

}  // namespace gibbous::cli
