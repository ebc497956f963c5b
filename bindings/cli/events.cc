// `gibbous events`: what happened to runs, of any process of this user, and what goes on to happen.
#include <unistd.h>

#include <string>
#include <utility>
#include <vector>

#include "bindings/cli/commands.h"
#include "bindings/cli/follow.h"
#include "bindings/cli/report.h"
#include "bindings/cli/terminal.h"
#include "bindings/people/event_feed.h"
#include "bindings/people/event_text.h"
#include "bindings/people/figures.h"
#include "bindings/people/history.h"
#include "bindings/people/since.h"
#include "bindings/stdio/question_text.h"

namespace gibbous::cli {
namespace {

constexpr std::size_t kMaxIdBytes = 64;
constexpr std::int64_t kDayMillis = 86'400'000;

Colour colour_of(people::Grade grade) {
  switch (grade) {
    case people::Grade::kPlain:
      return Colour::kBold;
    case people::Grade::kGood:
      return Colour::kGreen;
    case people::Grade::kBad:
      return Colour::kRed;
    case people::Grade::kWarning:
      return Colour::kYellow;
  }
  return Colour::kNone;
}

std::string line_of(const people::FeedItem& each, const Terminal& terminal) {
  const people::EventText text = people::event_text(each.item);
  const std::int64_t at = each.item.created_at;
  const bool is_recent = people::unix_millis() - at < kDayMillis;
  std::string line =
      terminal.paint(Colour::kDim, is_recent ? people::time_text(at) : people::date_time_text(at));
  line += "  " + stdio::printable(each.run_id, kMaxIdBytes);
  if (!each.session_id.empty()) {
    line += "  " + terminal.paint(Colour::kDim, stdio::printable(each.session_id, kMaxIdBytes));
  }
  line += "  " + terminal.paint(colour_of(text.grade), text.name);
  if (!text.detail.empty()) line += "  " + text.detail;
  return line;
}

Result<people::FeedFilter> filter_of(JournalReader& reader, const people::Since& since,
                                     const Options& options) {
  people::FeedFilter filter{.session = options.session, .run_id = "", .since = since.at};
  if (!options.run_id.empty()) {
    Result<RunRecord> run = people::find_run(reader, options.run_id);
    if (!run) return run.status();
    filter.run_id = run->run_id;
  }
  // Who follows may wait for a session that is still to come.
  if (!filter.session.empty() && !options.follow) {
    if (Status status = people::check_session(reader, filter.session); !status) return status;
  }
  return filter;
}

Status print_events(people::EventFeed& feed, Follow& follow, const Options& options) {
  const Terminal terminal(STDOUT_FILENO);
  std::uint64_t told = 0;
  do {
    const Result<std::vector<people::FeedItem>> items = feed.next();
    if (!items) return items.status();
    if (feed.left_out() > std::exchange(told, feed.left_out())) {
      print_error("only the newest " + std::to_string(people::kMaxFeedItems) +
                  " events are shown; --since or --run shows fewer");
    }
    std::string text;
    for (const people::FeedItem& each : *items) {
      text += options.json ? people::event_json(each.run_id, each.session_id, each.item)
                           : line_of(each, terminal);
      text += "\n";
    }
    if (!follow.write(text)) return {};
  } while (options.follow && follow.rest());
  return {};
}

}  // namespace

ExitCode run_events(const Options& options) {
  const Result<people::Since> since = people::parse_since(options.since, people::unix_millis());
  if (!since) return fail(since.status(), options);
  auto reader = people::open_history(options.runtime.state_dir);
  if (!reader) return fail(reader.status(), options);
  Result<people::FeedFilter> filter = filter_of(**reader, *since, options);
  if (!filter) return fail(filter.status(), options);
  Result<Follow> follow = Follow::create();
  if (!follow) return fail(follow.status(), options);
  people::EventFeed feed(**reader, std::move(*filter));
  const Status status = print_events(feed, *follow, options);
  return status ? ExitCode::kDone : fail(status, options);
}

}  // namespace gibbous::cli
