// See report_page.h. `gibbous report` writes the page into a file.
#include "bindings/cli/report_page.h"

#include <cstdio>
#include <string>

#include "bindings/cli/commands.h"
#include "bindings/cli/report.h"
#include "bindings/inspect/figures.h"
#include "bindings/inspect/journal_query.h"
#include "bindings/inspect/report/page.h"
#include "bindings/inspect/report/page_file.h"
#include "bindings/inspect/session_list.h"
#include "bindings/inspect/workspace.h"
#include "bindings/json/text.h"

namespace gibbous::cli {

namespace {

// Without samples the page has no curves.
std::vector<report::UsageSample> samples_of(JournalReader& reader, const std::string& run) {
  constexpr std::size_t kMostSamples = 5'000;
  std::vector<report::UsageSample> samples;
  const auto recorded = reader.usage(run, 0, kMostSamples);
  if (!recorded) return samples;
  for (const UsageSample& each : *recorded) {
    samples.push_back({each.at, static_cast<std::uint64_t>(each.rss_bytes), each.cpu_ms,
                       static_cast<std::uint32_t>(each.processes)});
  }
  return samples;
}

Result<report::Story> story_of(const std::string& state_dir, const std::string& session) {
  auto reader = inspect::open_journal(state_dir);
  if (!reader) return reader.status();
  return report::read_story(
      **reader, session, inspect::unix_millis(),
      [&reader](const std::string& run) { return samples_of(**reader, run); });
}

}  // namespace

std::function<Result<std::string>(const std::string&)> page_maker(const std::string& state_dir) {
  return [state_dir](const std::string& session) -> Result<std::string> {
    const Result<report::Story> story = story_of(state_dir, session);
    // What people are told names the sessions of others.
    if (story.status().code() == "session_not_found") {
      return Status::error("session_not_found", "the journal holds no run of this session yet");
    }
    if (!story) return story.status();
    return report::page_html(*story);
  };
}

ExitCode run_report(const Options& options) {
  if (options.session.empty()) {
    const ExitCode code = run_sessions(options);
    if (!options.json) std::puts("\ngibbous report SESSION writes a page about one of them");
    return code;
  }
  const auto reader = inspect::open_journal(options.runtime.state_dir);
  if (!reader) return fail(reader.status(), options);
  const Result<std::string> session =
      inspect::find_session(**reader, options.session, inspect::current_directory());
  if (!session) return fail(session.status(), options);
  const Result<report::Story> story = story_of(options.runtime.state_dir, *session);
  if (!story) return fail(story.status(), options);
  const std::string path =
      options.output_file.empty() ? report::page_name(*session) : options.output_file;
  const std::string page = report::page_html(*story);
  if (Status status = report::write_page(path, page); !status) return fail(status, options);
  if (options.json) {
    const OrderedJson written = {{"file", path},
                                 {"bytes", page.size()},
                                 {"runs", story->runs.size()},
                                 {"decisions", story->decisions.size()}};
    std::printf("%s\n", to_text(written).c_str());
  } else {
    std::printf("%s  %s, %s, %s\n", path.c_str(), inspect::bytes_text(page.size()).c_str(),
                inspect::count_text(story->runs.size(), "run").c_str(),
                inspect::count_text(story->decisions.size(), "decision").c_str());
  }
  return ExitCode::kDone;
}

}  // namespace gibbous::cli
