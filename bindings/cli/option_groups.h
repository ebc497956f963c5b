// The command line's groups of sub-commands, so that options.cc stays what is common to all. Used
// by parse_options only; these files alone include CLI11.
#pragma once

#include "bindings/cli/options.h"

namespace CLI {
class App;
}

namespace gibbous::cli {

CLI::App& add_command(CLI::App& app, Options& options, Command command, const char* name,
                      const char* description, const char* footer);

// What reads the journal: ps, logs, events, report, top.
void add_journal_commands(CLI::App& app, Options& options);

// What every front end has, after its name.
void add_common_options(CLI::App& command, Options& options);
void add_up_command(CLI::App& app, Options& options);

}  // namespace gibbous::cli
