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

void print_json(const std::vector<inspect::LiveRun>& runs, bool more) {
  OrderedJson list = OrderedJson::array();
  for (const inspect::LiveRun& run : runs) {
    list.push_back(inspect::run_json(run, inspect::unix_millis()));
  }
  OrderedJson answer = {{"runs", std::move(list)}};
  if (more) answer["more"] = true;
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

// Puts the runs of the caller's workspace first and those of each other workspace together.
// Returns the caller's.
std::string sort_by_workspace(std::vector<inspect::LiveRun>& runs) {
  std::vector<RunRecord> records;
  std::map<std::string, std::size_t> places;
  for (const inspect::LiveRun& run : runs) {
    records.push_back(run.record);
    places.emplace(run.record.workspace, places.size() + 1);
  }
  std::string own = inspect::workspace_of(inspect::current_directory(), records);
  if (!own.empty()) places[own] = 0;
  std::stable_sort(runs.begin(), runs.end(), [&places](const auto& left, const auto& right) {
    return places[left.record.workspace] < places[right.record.workspace];
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

void print_table(const std::vector<inspect::LiveRun>& runs, const std::string& own) {
  const Terminal terminal(STDOUT_FILENO);
  std::vector<std::vector<std::string>> rows = {inspect::run_headings()};
  std::vector<Colour> colours = {Colour::kBold};
  bool workspaces = false;
  for (const inspect::LiveRun& run : runs) {
    rows.push_back(inspect::run_row(run, inspect::unix_millis()));
    colours.push_back(colour_of(run));
    workspaces = workspaces || !run.record.workspace.empty();
  }
  std::istringstream lines(format_table(rows, terminal, colours));
  std::string line;
  std::getline(lines, line);
  std::string text = line + "\n";
  for (std::size_t i = 0; i < runs.size() && std::getline(lines, line); ++i) {
    const std::string& workspace = runs[i].record.workspace;
    if (workspaces && (i == 0 || workspace != runs[i - 1].record.workspace)) {
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
  const std::string own = sort_by_workspace(*runs);
  if (options.json) {
    print_json(*runs, more);
    return ExitCode::kDone;
  }
  if (runs->empty()) {
    std::puts(options.all_runs ? "no runs are recorded" : "no runs; --all shows ended ones");
    return ExitCode::kDone;
  }
  print_table(*runs, own);
  if (more) std::printf("only the newest %zu ended runs are shown\n", kMaxEndedRuns);
  return ExitCode::kDone;
}

}  // namespace gibbous::cli
