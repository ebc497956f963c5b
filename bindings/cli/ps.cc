// `gibbous ps`: lists the runs of all processes of this user with their resource use.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "bindings/cli/commands.h"
#include "bindings/cli/report.h"
#include "bindings/cli/terminal.h"
#include "bindings/inspect/figures.h"
#include "bindings/inspect/host_calls.h"
#include "bindings/inspect/journal_query.h"
#include "bindings/inspect/live.h"
#include "bindings/inspect/run_text.h"
#include "bindings/inspect/workspace.h"
#include "bindings/json/text.h"
#include "bindings/stdio/question_text.h"

namespace gibbous::cli {
namespace {

constexpr std::size_t kMaxEndedRuns = 200;
constexpr std::size_t kMaxWorkspaceBytes = 1'000;

// Returns them newest first. Sets `more` when some were left out.
Result<std::vector<inspect::LiveRun>> ended_runs(JournalReader& reader, const std::string& session,
                                                 bool& more) {
  Result<std::vector<RunRecord>> all = reader.runs(session, inspect::kMaxListedRuns);
  if (!all) return all.status();
  std::erase_if(*all, [](const RunRecord& run) { return !inspect::has_ended(run); });
  more = all->size() > kMaxEndedRuns;
  if (more) all->resize(kMaxEndedRuns);
  return inspect::look_at(std::move(*all));
}

void print_json(const std::vector<inspect::LiveRun>& runs,
                const std::vector<inspect::HostCall>& calls, bool more) {
  const std::int64_t now = inspect::unix_millis();
  OrderedJson list = OrderedJson::array();
  for (const inspect::LiveRun& run : runs) list.push_back(inspect::run_json(run, now));
  OrderedJson answer = {{"runs", std::move(list)}};
  if (more) answer["more"] = true;
  if (!calls.empty()) {
    OrderedJson& of_hosts = answer["calls"] = OrderedJson::array();
    for (const inspect::HostCall& call : calls) of_hosts.push_back(inspect::call_json(call, now));
  }
  std::printf("%s\n", to_text(answer).c_str());
}

Colour colour_of(const inspect::LiveRun& run) {
  const std::string& state = run.record.status;
  if (run.presence == inspect::Presence::kGone || state == "failed" || state == "lost") {
    return Colour::kRed;
  }
  if (run.waits_for_input() || state == "killed" || state == "timeout") return Colour::kYellow;
  if (inspect::has_ended(run.record)) return Colour::kDim;
  return state == "running" ? Colour::kGreen : Colour::kNone;
}

// A row of the table, and where it belongs.
struct Row {
  std::string workspace;
  std::vector<std::string> cells;
  Colour colour = Colour::kNone;
};

std::vector<Row> rows_of(const std::vector<inspect::LiveRun>& runs,
                         const std::vector<inspect::HostCall>& calls) {
  const std::int64_t now = inspect::unix_millis();
  std::vector<Row> rows;
  for (const inspect::LiveRun& run : runs) {
    rows.push_back({run.record.workspace, inspect::run_row(run, now), colour_of(run)});
  }
  for (const inspect::HostCall& call : calls) {
    const bool goes_on = !call.has_ended() && !call.host_gone;
    rows.push_back({call.record.workspace, inspect::call_row(call, now),
                    goes_on ? Colour::kGreen : Colour::kDim});
  }
  return rows;
}

// Puts the rows of the caller's workspace first and those of each other workspace together.
// Returns the caller's.
std::string sort_by_workspace(std::vector<Row>& rows) {
  std::vector<RunRecord> records;
  std::map<std::string, std::size_t> places;
  for (const Row& row : rows) {
    records.emplace_back().workspace = row.workspace;
    places.emplace(row.workspace, places.size() + 1);
  }
  std::string own = inspect::workspace_of(inspect::current_directory(), records);
  if (!own.empty()) places[own] = 0;
  std::stable_sort(rows.begin(), rows.end(), [&places](const auto& left, const auto& right) {
    return places[left.workspace] < places[right.workspace];
  });
  return own;
}

std::string workspace_line(const std::string& workspace, const std::string& own,
                           const Terminal& terminal) {
  const std::string name =
      workspace.empty() ? "(no workspace)" : stdio::printable(workspace, kMaxWorkspaceBytes);
  return terminal.paint(Colour::kCyan,
                        name + (!own.empty() && workspace == own ? " (this workspace)" : "")) +
         "\n";
}

void print_table(const std::vector<Row>& rows, const std::string& own) {
  const Terminal terminal(STDOUT_FILENO);
  std::vector<std::vector<std::string>> cells = {inspect::run_headings()};
  std::vector<Colour> colours = {Colour::kBold};
  bool workspaces = false;
  for (const Row& row : rows) {
    cells.push_back(row.cells);
    colours.push_back(row.colour);
    workspaces = workspaces || !row.workspace.empty();
  }
  std::istringstream lines(format_table(cells, terminal, colours));
  std::string line;
  std::getline(lines, line);
  std::string text = line + "\n";
  for (std::size_t i = 0; i < rows.size() && std::getline(lines, line); ++i) {
    const std::string& workspace = rows[i].workspace;
    if (workspaces && (i == 0 || workspace != rows[i - 1].workspace)) {
      text += workspace_line(workspace, own, terminal);
    }
    text += line + "\n";
  }
  std::fputs(text.c_str(), stdout);
}

}  // namespace

ExitCode run_ps(const Options& options) {
  auto reader = inspect::open_journal(options.runtime.state_dir);
  if (!reader) return fail(reader.status(), options);
  Result<std::vector<inspect::LiveRun>> runs = inspect::live_runs(**reader, options.session);
  if (!runs) return fail(runs.status(), options);
  bool more = false;
  if (options.all_runs) {
    auto ended = ended_runs(**reader, options.session, more);
    if (!ended) return fail(ended.status(), options);
    runs->insert(runs->end(), std::make_move_iterator(ended->begin()),
                 std::make_move_iterator(ended->end()));
  }
  const auto calls = inspect::host_calls(**reader, options.session, options.all_runs);
  if (!calls) return fail(calls.status(), options);
  if (options.json) {
    print_json(*runs, *calls, more);
    return ExitCode::kDone;
  }
  std::vector<Row> rows = rows_of(*runs, *calls);
  if (rows.empty()) {
    std::puts(options.all_runs ? "no runs are recorded" : "no runs; --all shows ended ones");
    return ExitCode::kDone;
  }
  const std::string own = sort_by_workspace(rows);
  print_table(rows, own);
  if (more) std::printf("only the newest %zu ended runs are shown\n", kMaxEndedRuns);
  return ExitCode::kDone;
}

}  // namespace gibbous::cli
