// Groups of sub-commands whose options are declared in files of their own. Used by parse_options
// only.
#pragma once

#include "bindings/cli/options.h"

namespace CLI {
class App;
}

namespace gibbous::cli {

CLI::App& add_command(CLI::App& app, Options& options, Command command, const char* name,
                      const char* description, const char* footer);

// kill, ps, logs, attach, events, sessions, report and top.
void add_journal_commands(CLI::App& app, Options& options);

// --work-for-others, of programs that live long.
void add_work_option(CLI::App& command, Options& options);
// The options that every front end has.
void add_common_options(CLI::App& command, Options& options);
// mcp, and mcp install.
void add_mcp_command(CLI::App& app, Options& options);
// config and trust
void add_layer_commands(CLI::App& app, Options& options);
void add_ask_commands(CLI::App& app, Options& options);
void add_up_command(CLI::App& app, Options& options);
void add_test_command(CLI::App& app, Options& options);

}  // namespace gibbous::cli
