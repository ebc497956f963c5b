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
constexpr std::size_t kWideColumns = 100;
constexpr std::ptrdiff_t kStartedColumn = 3;  // in inspect::run_headings()

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
  OrderedJson& of_hosts = answer["calls"] = OrderedJson::array();
  for (const inspect::HostCall& call : calls) of_hosts.push_back(inspect::call_json(call, now));
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

// The order of workspaces: the caller's first, then the others as they are found.
class Workspaces {
 public:
  Workspaces(const std::vector<inspect::LiveRun>& runs,
             const std::vector<inspect::HostCall>& calls) {
    std::vector<RunRecord> records;
    const auto add = [&](const std::string& workspace) {
      records.emplace_back().workspace = workspace;
      places_.emplace(workspace, places_.size() + 1);
    };
    for (const inspect::LiveRun& run : runs) add(run.record.workspace);
    for (const inspect::HostCall& call : calls) add(call.record.workspace);
    own_ = inspect::workspace_of(inspect::current_directory(), records);
    if (!own_.empty()) places_[own_] = 0;
  }
  const std::string& own() const { return own_; }
  // Puts those of each workspace together; `workspace` returns that of one.
  template <typename Item, typename WorkspaceOf>
  void sort(std::vector<Item>& items, WorkspaceOf workspace) const {
    std::stable_sort(items.begin(), items.end(), [&](const Item& left, const Item& right) {
      return places_.at(workspace(left)) < places_.at(workspace(right));
    });
  }

 private:
  std::map<std::string, std::size_t> places_;
  std::string own_;
};

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
  // TIME says as much as STARTED.
  const bool narrow = terminal.width() > 0 && terminal.width() < kWideColumns;
  std::vector<std::vector<std::string>> cells = {inspect::run_headings()};
  std::vector<Colour> colours = {Colour::kBold};
  bool workspaces = false;
  for (const Row& row : rows) {
    cells.push_back(row.cells);
    colours.push_back(row.colour);
    workspaces = workspaces || !row.workspace.empty();
  }
  for (auto& row : cells) {
    if (narrow) row.erase(row.begin() + kStartedColumn);
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
  bool more_calls = false;
  auto calls = inspect::host_calls(**reader, options.session, options.all_runs, &more_calls);
  if (!calls) return fail(calls.status(), options);
  more = more || more_calls;
  const Workspaces workspaces(*runs, *calls);
  workspaces.sort(*runs, [](const auto& run) { return run.record.workspace; });
  workspaces.sort(*calls, [](const auto& call) { return call.record.workspace; });
  if (options.json) {
    print_json(*runs, *calls, more);
    return ExitCode::kDone;
  }
  std::vector<Row> rows = rows_of(*runs, *calls);
  if (rows.empty()) {
    std::puts(options.all_runs ? "no runs are recorded" : "no runs; --all shows ended ones");
    return ExitCode::kDone;
  }
  workspaces.sort(rows, [](const Row& row) { return row.workspace; });
  print_table(rows, workspaces.own());
  if (more) {
    std::puts(options.all_runs ? "only the newest ended runs and calls are shown"
                               : "only the newest calls are shown");
  }
  return ExitCode::kDone;
}

}  // namespace gibbous::cli
