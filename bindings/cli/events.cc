// `gibbous events`: shows what happened to the runs of all processes of this user, and follows what
// happens next.
#include <unistd.h>

#include <string>
#include <utility>
#include <vector>

#include "bindings/cli/commands.h"
#include "bindings/cli/follow.h"
#include "bindings/cli/report.h"
#include "bindings/cli/terminal.h"
#include "bindings/inspect/event_feed.h"
#include "bindings/inspect/event_text.h"
#include "bindings/inspect/figures.h"
#include "bindings/inspect/journal_query.h"
#include "bindings/inspect/run_text.h"
#include "bindings/inspect/since.h"
#include "bindings/stdio/question_text.h"

namespace gibbous::cli {
namespace {

constexpr std::size_t kMaxIdBytes = 64;

Colour colour_of(inspect::Grade grade) {
  switch (grade) {
    case inspect::Grade::kPlain:
      return Colour::kBold;
    case inspect::Grade::kGood:
      return Colour::kGreen;
    case inspect::Grade::kBad:
      return Colour::kRed;
    case inspect::Grade::kWarning:
      return Colour::kYellow;
  }
  return Colour::kNone;
}

// Returns the label and the command when a run is queued or has started.
std::string beginning_text(const inspect::FeedItem& each) {
  if (each.item.type != ItemType::kState || is_terminal_status(each.item.payload)) return "";
  return inspect::title_of(*each.run, *each.facts);
}

std::string line_of(const inspect::FeedItem& each, const Terminal& terminal) {
  const inspect::EventText text = inspect::event_text(each.item, each.facts->redaction);
  std::string line = terminal.paint(Colour::kDim, inspect::recent_time_text(each.item.created_at));
  line += "  " + stdio::printable(each.run->run_id, kMaxIdBytes);
  const std::string session = inspect::short_session(*each.run);
  if (!session.empty()) line += "  " + terminal.paint(Colour::kDim, session);
  line += "  " + terminal.paint(colour_of(text.grade), text.name);
  const std::string detail = text.detail.empty() ? beginning_text(each) : text.detail;
  if (!detail.empty()) line += "  " + detail;
  return line;
}

Result<inspect::FeedFilter> filter_of(JournalReader& reader, std::int64_t since,
                                      const Options& options) {
  inspect::FeedFilter filter{.session = options.session, .run_id = "", .since = since};
  if (!options.run_id.empty()) {
    Result<RunRecord> run = inspect::find_run(reader, options.run_id);
    if (!run) return run.status();
    filter.run_id = run->run_id;
  }
  // A follower may wait for a session that does not exist yet.
  if (!filter.session.empty() && !options.follow) {
    if (Status status = inspect::check_session(reader, filter.session); !status) return status;
  }
  return filter;
}

Status print_events(inspect::EventFeed& feed, Follow& follow, const Options& options) {
  const Terminal terminal(STDOUT_FILENO);
  std::uint64_t told = 0;
  do {
    const Result<std::vector<inspect::FeedItem>> items = feed.next();
    if (!items) return items.status();
    if (feed.left_out() > std::exchange(told, feed.left_out())) {
      print_error("only the newest " + std::to_string(inspect::kMaxFeedItems) +
                  " events are shown; --since or --run shows fewer");
    }
    std::string text;
    for (const inspect::FeedItem& each : *items) {
      if (each.repeats && !options.json) continue;
      text += options.json ? inspect::event_json(*each.run, each.item, each.facts->redaction)
                           : line_of(each, terminal);
      text += "\n";
    }
    if (!follow.write(text)) return {};
  } while (options.follow && follow.rest());
  return {};
}

}  // namespace

ExitCode run_events(const Options& options) {
  const auto since = inspect::parse_since_time(options.since, inspect::unix_millis());
  if (!since) return fail(since.status(), options);
  auto reader = inspect::open_journal(options.runtime.state_dir);
  if (!reader) return fail(reader.status(), options);
  Result<inspect::FeedFilter> filter = filter_of(**reader, *since, options);
  if (!filter) return fail(filter.status(), options);
  Result<Follow> follow = Follow::create();
  if (!follow) return fail(follow.status(), options);
  follow->watch_journal(inspect::journal_directory(options.runtime.state_dir));
  inspect::EventFeed feed(**reader, std::move(*filter));
  const Status status = print_events(feed, *follow, options);
  return status ? ExitCode::kDone : fail(status, options);
}

}  // namespace gibbous::cli
