// The options of the commands that read the journal.
#include <CLI/CLI.hpp>

#include "bindings/cli/option_groups.h"

namespace gibbous::cli {
namespace {

constexpr const char* kPsFooter = R"(
Runs that are queued or run, of every process of this user; with --all those that have ended, too.
CPU is the time used so far, MEM what is resident now, a port with a star can be reached from other
machines. 'running? (host gone)' is a run without any process: its host ended without saying so.

Examples:
  gibbous ps
  gibbous ps --all --session agent-7 --json)";

constexpr const char* kLogsFooter = R"(
RUN is an id, or the beginning of one. On a terminal colours are kept, and what else could change the
terminal is left out; elsewhere the text is plain. What the journal does not keep is said in its place.
--since takes an item's number (42), a time ago (90s, 5m, 2h, 1d) or a time (15:04, 2026-11-22T15:04).

Examples:
  gibbous logs aB3x -f
  gibbous logs aB3x --tail 20 --stderr
  gibbous logs aB3x --since 5m --json)";

constexpr const char* kEventsFooter = R"(
What happened to the runs of every process of this user, in the order of time: what their watchers saw,
how their states changed. --since takes a time ago (90s, 5m, 2h, 1d) or a time (15:04, 2026-11-22T15:04).

Examples:
  gibbous events -f
  gibbous events --run aB3x --since 1h --json)";

constexpr const char* kReportFooter = R"(
One HTML file that loads nothing: what ran when, what happened, what was decided and why, what it cost
and what it wrote, as far as 8 MiB reach (older output is cut first, and the page says so).

Example:
  gibbous report agent-7 --output agent-7.html)";

constexpr const char* kKillFooter = R"(
Asks the process that executes it, which ends it as bg_kill does: the signal, some seconds of grace,
SIGKILL to what is left. A run that is queued ends at once. One whose host is gone is taken over first.

Examples:
  gibbous kill aB3x
  gibbous kill aB3x --signal SIGINT)";

constexpr const char* kTopFooter = R"(
The runs of every process of this user on a live screen. Up and down select a run, enter shows its log,
k kills it after asking; c, m, a and n sort by processor, memory, age and name; q quits.

Example:
  gibbous top --session agent-7)";

void add_place(CLI::App& command, Options& options, bool json) {
  command.add_option("--state", options.runtime.state_dir, "Where durable things are kept")
      ->type_name("DIR");
  if (json) command.add_flag("--json", options.json, "Print JSON, for programs");
}

void add_ps(CLI::App& app, Options& options) {
  CLI::App& ps = add_command(app, options, Command::kPs, "ps", "List the runs, and what they cost.",
                             kPsFooter);
  ps.add_flag("--all,-a", options.all_runs, "Also those that have ended, newest first");
  ps.add_option("--session", options.session, "Only the runs of this session")->type_name("NAME");
  add_place(ps, options, true);
}

void add_logs(CLI::App& app, Options& options) {
  CLI::App& logs = add_command(app, options, Command::kLogs, "logs",
                               "Show what a run has written, and follow it.", kLogsFooter);
  logs.add_option("RUN", options.run_id, "Its id, or the beginning of one")->required();
  logs.add_flag("--follow,-f", options.follow, "Go on until the run ends");
  auto* since = logs.add_option("--since", options.since, "From here on")->type_name("WHEN");
  logs.add_option("--tail", options.tail, "Only the last lines")->type_name("N")->excludes(since);
  auto* out = logs.add_flag("--stdout", options.only_stdout, "Only its stdout, or terminal");
  logs.add_flag("--stderr", options.only_stderr, "Only its stderr")->excludes(out);
  add_place(logs, options, true);
}

void add_events(CLI::App& app, Options& options) {
  CLI::App& events = add_command(app, options, Command::kEvents, "events",
                                 "Show what happened to the runs, and follow it.", kEventsFooter);
  events.add_flag("--follow,-f", options.follow, "Go on for ever");
  events.add_option("--session", options.session, "Only of this session")->type_name("NAME");
  events.add_option("--run", options.run_id, "Only of this run")->type_name("RUN");
  events.add_option("--since", options.since, "From this time on")->type_name("WHEN");
  add_place(events, options, true);
}

void add_report(CLI::App& app, Options& options) {
  CLI::App& report = add_command(app, options, Command::kReport, "report",
                                 "Write a page about a session.", kReportFooter);
  report.add_option("SESSION", options.session, "Whose runs")->required();
  report.add_option("--output,-o", options.output_file, "Where to [gibbous-SESSION.html]")
      ->type_name("FILE");
  add_place(report, options, true);
}

void add_kill(CLI::App& app, Options& options) {
  CLI::App& kill = add_command(app, options, Command::kKill, "kill",
                               "End a run, its whole tree, wherever it is executed.", kKillFooter);
  kill.add_option("RUN", options.run_id, "Its id, or the beginning of one")->required();
  kill.add_option("--signal", options.signal, "Which signal comes first [SIGTERM]")
      ->type_name("SIGNAL");
  add_place(kill, options, true);
}

void add_top(CLI::App& app, Options& options) {
  CLI::App& top = add_command(app, options, Command::kTop, "top",
                              "Watch the runs on a live screen.", kTopFooter);
  top.add_option("--session", options.session, "Only the runs of this session")->type_name("NAME");
  add_place(top, options, false);
}

}  // namespace

void add_journal_commands(CLI::App& app, Options& options) {
  add_kill(app, options);
  add_ps(app, options);
  add_logs(app, options);
  add_events(app, options);
  add_report(app, options);
  add_top(app, options);
}

}  // namespace gibbous::cli
