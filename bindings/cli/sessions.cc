// `gibbous sessions`: lists the sessions that have runs in the journal.
#include <unistd.h>

#include <cstdio>
#include <string>
#include <vector>

#include "bindings/cli/commands.h"
#include "bindings/cli/report.h"
#include "bindings/cli/terminal.h"
#include "bindings/inspect/figures.h"
#include "bindings/inspect/journal_query.h"
#include "bindings/inspect/session_list.h"
#include "bindings/json/text.h"
#include "bindings/stdio/question_text.h"
#include "runtime/base/nearest.h"

namespace gibbous::cli {
namespace {

constexpr std::size_t kMaxShownSessionBytes = 256;
constexpr std::size_t kMaxShownPathBytes = 1'000;
constexpr std::size_t kMaxShownLabels = 5;

std::string or_dash(const std::string& text, std::size_t most) {
  return text.empty() ? "-" : stdio::printable(text, most);
}

void print_table(const std::vector<inspect::SessionSummary>& sessions) {
  std::vector<std::vector<std::string>> rows = {
      {"SESSION", "RUNS", "RUNNING", "LAST", "WORKSPACE", "LABELS"}};
  std::vector<Colour> colours = {Colour::kBold};
  for (const inspect::SessionSummary& session : sessions) {
    rows.push_back({or_dash(session.name, kMaxShownSessionBytes), std::to_string(session.runs),
                    std::to_string(session.running),
                    inspect::short_time_text(session.last_activity),
                    or_dash(session.workspace, kMaxShownPathBytes),
                    or_dash(comma_list(session.labels, kMaxShownLabels), kMaxShownPathBytes)});
    colours.push_back(session.running > 0 ? Colour::kGreen : Colour::kNone);
  }
  std::fputs(format_table(rows, Terminal(STDOUT_FILENO), colours).c_str(), stdout);
}

}  // namespace

ExitCode run_sessions(const Options& options) {
  auto reader = inspect::open_journal(options.runtime.state_dir);
  if (!reader) return fail(reader.status(), options);
  const auto sessions = inspect::list_sessions(**reader, inspect::current_directory());
  if (!sessions) return fail(sessions.status(), options);
  if (options.json) {
    OrderedJson list = OrderedJson::array();
    for (const inspect::SessionSummary& session : *sessions) {
      list.push_back(inspect::session_json(session));
    }
    std::printf("%s\n", to_text(OrderedJson{{"sessions", std::move(list)}}).c_str());
  } else if (sessions->empty()) {
    std::puts("no runs are recorded");
  } else {
    print_table(*sessions);
  }
  return ExitCode::kDone;
}

}  // namespace gibbous::cli
