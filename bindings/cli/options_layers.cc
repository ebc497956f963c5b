// The options of `gibbous config` and `gibbous trust`.
#include <CLI/CLI.hpp>

#include "bindings/cli/option_groups.h"

namespace gibbous::cli {
namespace {

constexpr const char* kConfigFooter = R"(
Shows each field that some layer sets, its value and where that stands, which layers there are, and what
a lower layer sets that is not in force, and why. The layers are /etc/gibbous (owned by root; nothing
below loosens it), ~/.config/gibbous, and .gibbous of the workspace, once it is trusted.

Examples:
  gibbous config
  gibbous config --json)";

constexpr const char* kTrustFooter = R"(
PLACE is a project with a .gibbous directory, or a file of 'gibbous up'. Shows what would be trusted, and
asks on the terminal. Trust is for just this content: when a file changes, it is asked again. Without a
terminal nothing is trusted, unless --yes says so.

Examples:
  gibbous trust
  gibbous trust gibbous.lua
  gibbous trust --list
  gibbous trust --revoke ~/src/app)";

}  // namespace

void add_layer_commands(CLI::App& app, Options& options) {
  CLI::App& config =
      add_command(app, options, Command::kConfig, "config",
                  "Show the configuration in force, and where it is from.", kConfigFooter);
  add_common_options(config, options);
  CLI::App& trust =
      add_command(app, options, Command::kTrust, "trust",
                  "Trust what a project configures, after a look at it.", kTrustFooter);
  trust.add_option("PLACE", options.directory, "Directory or file [.]");
  auto* list = trust.add_flag("--list", options.list_trusted, "List what is trusted");
  auto* revoke = trust.add_flag("--revoke", options.revoke_trust, "Trust it no more");
  list->excludes(revoke);
  trust.add_flag("--yes", options.yes, "Trust it without a question");
  trust
      .add_option("--state", options.runtime.state_dir, "State directory [~/.local/state/gibbous]")
      ->type_name("DIR");
  trust.add_flag("--json", options.json, "Print JSON");
}

}  // namespace gibbous::cli
