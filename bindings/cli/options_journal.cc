// The options of the sub-commands that read the journal.
#include <CLI/CLI.hpp>

#include "bindings/cli/option_groups.h"

namespace gibbous::cli {
namespace {

constexpr const char* kPsFooter = R"(
Lists queued and running runs of all processes of this user, those of this workspace first; with --all
also the ended ones. TIME is how long a run has run or ran, or has waited for its start; CPU is the
processor time used and MEM the resident memory. A port with a star is reachable from other machines.
'running? (host gone)' marks a run whose host was killed and whose processes are gone.

Examples:
  gibbous ps
  gibbous ps --all --session agent-7 --json)";

constexpr const char* kLogsFooter = R"(
RUN is an id, the beginning of one, or a label. A terminal gets the colours but no other control sequences; a
file or pipe gets plain text. Where output was not recorded, a note says so. WHEN is the number of an
item (42), a time ago (90s, 5m, 2h, 1d) or a time (15:04, 2026-11-22T15:04). Passwords, tokens and
private keys are shown as ***, unless --raw asks for the output as it was written. The lines of several
runs come in the order in which they were written, with the label or id in front; --since and --tail
apply to each run.

Examples:
  gibbous logs web -f
  gibbous logs web db -f
  gibbous logs aB3x --tail 20 --stderr
  gibbous logs aB3x --since 5m --json)";

constexpr const char* kAttachFooter = R"(
Shows the terminal of a run as it is and as it changes, until the run ends, or q or Ctrl-C leaves it.
Nothing is typed into the run. A run without a terminal, or without one here, is followed as with
'gibbous logs -f'.

Example:
  gibbous attach repl)";

constexpr const char* kEventsFooter = R"(
Prints the events of all processes of this user in chronological order: matches of watchers and changes
of state. WHEN is a time ago (90s, 5m, 2h, 1d) or a time (15:04, 2026-11-22T15:04).

Examples:
  gibbous events -f
  gibbous events --run aB3x --since 1h --json)";

constexpr const char* kSessionsFooter = R"(
Lists the sessions of this user that have runs in the journal, those of this workspace first, with the
time of their last activity. A session is what 'gibbous report' and --session take.

Examples:
  gibbous sessions
  gibbous sessions --json)";

constexpr const char* kReportFooter = R"(
Writes one self-contained HTML file: a timeline of the runs, their events, the policy's decisions with
reasons, resource use and output. The file has at most 8 MiB; older output is cut first.
Without SESSION, the sessions are listed.

Example:
  gibbous report agent-7 --output agent-7.html)";

constexpr const char* kKillFooter = R"(
Sends the signal to every process of the run and, after a grace period, SIGKILL to the rest. The host
of the run does so; a run without a host is adopted first. A queued run ends at once. A label means the
run of this workspace that has it and has not ended; several such runs are an error that names them.

Examples:
  gibbous kill web
  gibbous kill aB3x --signal SIGINT)";

constexpr const char* kTopFooter = R"(
Shows the runs of all processes of this user, live, and below them the output of the selected run with
curves of its processor and memory use. Up and down select a run, page up and page down scroll its
output, / searches in it, < and > go to earlier and later matches, enter shows it on the whole screen, k
kills the run after a confirmation; ? shows the oldest question of the policy, and then a letter
answers it (see 'gibbous asks'); c, m, a and n sort by CPU, memory, age and name; q quits.

Example:
  gibbous top --session agent-7)";

constexpr const char* kRunHelp = "An id, the beginning of one, or a label";

constexpr const char* kRunsHelp = "Ids, beginnings of ids, or labels";

void add_place(CLI::App& command, Options& options, bool json) {
  command
      .add_option("--state", options.runtime.state_dir,
                  "State directory, with the journal and approvals")
      ->type_name("DIR");
  if (json) command.add_flag("--json", options.json, "Print JSON");
}

void add_ps(CLI::App& app, Options& options) {
  CLI::App& ps = add_command(app, options, Command::kPs, "ps",
                             "List the runs and their resource use.", kPsFooter);
  ps.add_flag("--all,-a", options.all_runs, "Also ended runs, newest first");
  ps.add_option("--session", options.session, "Only runs of this session")->type_name("NAME");
  add_place(ps, options, true);
}

void add_logs(CLI::App& app, Options& options) {
  CLI::App& logs =
      add_command(app, options, Command::kLogs, "logs", "Show the output of runs.", kLogsFooter);
  logs.add_option("RUN", options.run_ids, kRunsHelp)->required();
  logs.add_flag("--follow,-f", options.follow, "Follow the output until the runs end");
  auto* since =
      logs.add_option("--since", options.since, "Start here [the beginning]")->type_name("WHEN");
  logs.add_option("--tail", options.tail, "Only the last N lines")->type_name("N")->excludes(since);
  auto* out = logs.add_flag("--stdout", options.only_stdout, "Only stdout, or the terminal");
  logs.add_flag("--stderr", options.only_stderr, "Only stderr")->excludes(out);
  logs.add_flag("--raw", options.raw, "Show secrets, too");
  add_place(logs, options, true);
}

void add_attach(CLI::App& app, Options& options) {
  CLI::App& attach = add_command(app, options, Command::kAttach, "attach",
                                 "Watch the terminal of a run.", kAttachFooter);
  attach.add_option("RUN", options.run_id, kRunHelp)->required();
  add_place(attach, options, false);
}

void add_events(CLI::App& app, Options& options) {
  CLI::App& events = add_command(app, options, Command::kEvents, "events",
                                 "Show the events of the runs.", kEventsFooter);
  events.add_flag("--follow,-f", options.follow, "Follow until interrupted");
  events.add_option("--session", options.session, "Only events of this session")->type_name("NAME");
  events.add_option("--run", options.run_id, "Only events of this run")->type_name("RUN");
  events.add_option("--since", options.since, "Only from this time on")->type_name("WHEN");
  add_place(events, options, true);
}

void add_sessions(CLI::App& app, Options& options) {
  CLI::App& sessions = add_command(app, options, Command::kSessions, "sessions",
                                   "List the sessions that have runs.", kSessionsFooter);
  add_place(sessions, options, true);
}

void add_report(CLI::App& app, Options& options) {
  CLI::App& report = add_command(app, options, Command::kReport, "report",
                                 "Write an HTML page about a session.", kReportFooter);
  report.add_option("SESSION", options.session,
                    "A session, a run, a label or a workspace, as 'gibbous ps' shows it");
  report.add_option("--output,-o", options.output_file, "File to write [gibbous-SESSION.html]")
      ->type_name("FILE");
  add_place(report, options, true);
}

void add_kill(CLI::App& app, Options& options) {
  CLI::App& kill = add_command(app, options, Command::kKill, "kill",
                               "Kill a run with all its processes.", kKillFooter);
  kill.add_option("RUN", options.run_id, kRunHelp)->required();
  kill.add_option("--signal", options.signal, "First signal [SIGTERM]")->type_name("SIGNAL");
  add_place(kill, options, true);
}

void add_top(CLI::App& app, Options& options) {
  CLI::App& top = add_command(app, options, Command::kTop, "top", "Show the runs on a live screen.",
                              kTopFooter);
  top.add_option("--session", options.session, "Only runs of this session")->type_name("NAME");
  add_place(top, options, false);
}

}  // namespace

void add_journal_commands(CLI::App& app, Options& options) {
  add_kill(app, options);
  add_ps(app, options);
  add_logs(app, options);
  add_attach(app, options);
  add_events(app, options);
  add_sessions(app, options);
  add_report(app, options);
  add_top(app, options);
}

}  // namespace gibbous::cli
