// See policy_log.h.
#include "bindings/cli/policy_log.h"

#include <unistd.h>

#include <cstdint>
#include <fstream>
#include <iterator>
#include <utility>
#include <vector>

#include "bindings/cli/follow.h"
#include "bindings/cli/policy_text.h"
#include "bindings/cli/report.h"
#include "bindings/cli/terminal.h"
#include "bindings/inspect/decision_text.h"
#include "bindings/inspect/figures.h"
#include "bindings/inspect/journal_query.h"
#include "bindings/inspect/since.h"

namespace gibbous::cli {
namespace {

constexpr std::size_t kPageDecisions = 1'000;
constexpr std::uintmax_t kMaxLogBytes = std::uintmax_t{256} << 20;

using Decisions = Result<std::vector<DecisionRecord>>;

std::string text_of(const DecisionRecord& decision, const Terminal& terminal) {
  const inspect::DecisionText text = inspect::decision_text(decision);
  std::string line = terminal.paint(Colour::kDim, inspect::recent_time_text(decision.created_at)) +
                     "  " + terminal.paint(colour_of_decision(text.decision), text.decision);
  for (const std::string* part : {&text.rule, &text.tool, &text.subject}) {
    if (!part->empty()) line += "  " + *part;
  }
  if (text.decision != "allow" && !text.reason.empty()) {
    line += "  " + terminal.paint(Colour::kDim, text.reason);
  }
  if (!text.answer.empty()) line += "  " + terminal.paint(Colour::kBold, text.answer);
  return line;
}

Result<DecisionFilter> filter_of(const Options& options) {
  const auto since = inspect::parse_since_time(options.since, inspect::unix_millis());
  if (!since) return since.status();
  return DecisionFilter{.since = *since,
                        .session = options.session,
                        .run = options.run_id,
                        .rule = options.rule,
                        .decision = options.decision};
}

// Finds a run by its label. The decisions of runs that are no longer recorded are found by their
// ids.
Status find_run(JournalReader& reader, DecisionFilter& filter) {
  if (filter.run.empty()) return {};
  const Result<RunRecord> run = inspect::find_run(reader, filter.run);
  if (run) filter.run = run->run_id;
  return run.status().code() == "run_not_found" ? Status() : run.status();
}

// Ends after the last decision or, with --follow, on a signal or when the reader has gone.
Status print(JournalReader& reader, DecisionFilter filter, Follow& follow, const Options& options) {
  const Terminal terminal(STDOUT_FILENO);
  Decisions page = options.tail ? reader.last_decisions(filter, *options.tail)
                                : reader.decisions(filter, kPageDecisions);
  for (bool first = true;; first = false) {
    if (!page) return page.status();
    std::string text;
    for (const DecisionRecord& decision : *page) {
      text += options.json ? inspect::decision_json(decision) : text_of(decision, terminal);
      text += '\n';
    }
    if (!follow.write(text)) return {};
    if (!page->empty()) filter.above_id = page->back().id;
    const bool is_whole_page = !(first && options.tail) && page->size() == kPageDecisions;
    if (!is_whole_page && (!options.follow || !follow.rest())) return {};
    page = reader.decisions(filter, kPageDecisions);
  }
}

Result<std::string> read_file(const std::string& path) {
  const auto unreadable = [&path](const std::string& why) {
    return Status::error("log_unreadable", "--log: cannot read " + path + ": " + why);
  };
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) return unreadable("it cannot be opened");
  if (static_cast<std::uintmax_t>(file.tellg()) > kMaxLogBytes) {
    return unreadable("it is larger than 256 MiB");
  }
  file.seekg(0);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

Result<std::string> read_journal(const Options& options) {
  auto reader = inspect::open_journal(options.runtime.state_dir);
  if (!reader) return reader.status();
  const auto since = inspect::parse_since_time(options.since, inspect::unix_millis());
  if (!since) return since.status();
  std::string log;
  for (DecisionFilter filter{.since = *since};;) {
    const Decisions page = (*reader)->decisions(filter, kPageDecisions);
    if (!page) return page.status();
    for (const DecisionRecord& decision : *page) log += inspect::decision_json(decision) + "\n";
    if (page->size() < kPageDecisions) return log;
    if (log.size() > kMaxLogBytes) {
      return Status::error("log_too_large",
                           "the decisions of the journal take more than 256 MiB; export those "
                           "that matter with 'gibbous policy log --json' and give them to --log");
    }
    filter.above_id = page->back().id;
  }
}

}  // namespace

ExitCode print_policy_log(const Options& options) {
  Result<DecisionFilter> filter = filter_of(options);
  if (!filter) return fail(filter.status(), options);
  auto reader = inspect::open_journal(options.runtime.state_dir);
  if (!reader) return fail(reader.status(), options);
  if (Status found = find_run(**reader, *filter); !found) return fail(found, options);
  Result<Follow> follow = Follow::create();
  if (!follow) return fail(follow.status(), options);
  follow->watch_journal(inspect::journal_directory(options.runtime.state_dir));
  const Status status = print(**reader, *filter, *follow, options);
  return status ? ExitCode::kDone : fail(status, options);
}

Result<std::string> read_policy_log(const Options& options) {
  return options.log_file.empty() ? read_journal(options) : read_file(options.log_file);
}

}  // namespace gibbous::cli
