// See story.h.
#include "bindings/inspect/report/story.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "bindings/inspect/journal_query.h"

namespace gibbous::report {
namespace {

constexpr std::size_t kOutputBytes = std::size_t{6} << 20;  // of all runs together
constexpr std::size_t kMinRunOutputBytes = std::size_t{8} << 10;
constexpr std::size_t kMaxRunOutputBytes = std::size_t{1} << 20;
constexpr std::size_t kDecisionPage = 1'000;

void add_event(RunStory& run, StoredItem item) {
  run.events.push_back({item.created_at, inspect::event_text(item, run.facts.redaction),
                        item.type == ItemType::kState});
  if (run.events.size() < 2 * kMaxStoryEvents) return;
  run.events.erase(run.events.begin(), run.events.begin() + kMaxStoryEvents);
  run.events_left_out += kMaxStoryEvents;
}

Status read_items(JournalReader& reader, Redactions& redactions, RunStory& run) {
  std::string state;
  for (std::uint64_t since = 0;;) {
    Result<ItemPage> page = reader.items(run.record.run_id, since, kMaxPageItems);
    if (!page) return page.status();
    since = page->next_since;
    // Not before the items: the record says what must be redacted in them.
    if (const Result<RunRecord> now = reader.run(run.record.run_id); now && !page->items.empty())
      run.facts.redaction = inspect::facts_of(*now, redactions).redaction;
    run.output.use(run.facts.redaction);
    for (StoredItem& item : page->items) {
      if (item.type == ItemType::kEvent || item.type == ItemType::kState) {
        if (inspect::repeats_state(item, state)) continue;
        if (item.type == ItemType::kState) state = item.payload;
        add_event(run, std::move(item));
      } else {
        run.output.add(item);
      }
    }
    if (!page->more) break;
  }
  run.output.finish();
  if (run.events.size() > kMaxStoryEvents) {
    const std::size_t too_many = run.events.size() - kMaxStoryEvents;
    run.events.erase(run.events.begin(),
                     run.events.begin() + static_cast<std::ptrdiff_t>(too_many));
    run.events_left_out += too_many;
  }
  return {};
}

Status read_decisions(JournalReader& reader, Story& story) {
  DecisionFilter filter;
  filter.session = story.session;
  for (;;) {
    Result<std::vector<DecisionRecord>> page = reader.decisions(filter, kDecisionPage);
    if (!page) return page.status();
    if (page->empty()) return {};
    filter.above_id = page->back().id;
    if (story.session.empty())
      std::erase_if(*page, [](const auto& decision) { return !decision.session_id.empty(); });
    story.decisions.insert(story.decisions.end(), std::make_move_iterator(page->begin()),
                           std::make_move_iterator(page->end()));
    if (story.decisions.size() <= kMaxStoryDecisions) continue;
    const std::size_t too_many = story.decisions.size() - kMaxStoryDecisions;
    story.decisions.erase(story.decisions.begin(),
                          story.decisions.begin() + static_cast<std::ptrdiff_t>(too_many));
    story.decisions_left_out += too_many;
  }
}

void find_span(Story& story) {
  story.begin = story.made_at;
  for (const RunStory& run : story.runs) {
    story.begin = std::min(story.begin, inspect::beginning_of(run.record));
    story.end = std::max(story.end,
                         inspect::has_ended(run.record) ? run.record.finished_at : story.made_at);
  }
  story.end = std::max(story.end, story.begin + 1);
}

}  // namespace

Result<Story> read_story(JournalReader& reader, const std::string& session, std::int64_t now,
                         const SampleSource& samples) {
  if (Status status = inspect::check_session(reader, session); !status) return status;
  // To the journal, "" is all sessions.
  Result<std::vector<RunRecord>> records =
      reader.runs(session, session.empty() ? inspect::kMaxListedRuns : kMaxStoryRuns + 1);
  if (!records) return records.status();
  if (session.empty()) std::erase_if(*records, [](const auto& run) { return !run.client.empty(); });
  Story story;
  story.session = session;
  story.made_at = now;
  story.runs_left_out = records->size() > kMaxStoryRuns;
  records->resize(std::min(records->size(), kMaxStoryRuns));
  std::reverse(records->begin(), records->end());
  const std::size_t share = std::clamp(kOutputBytes / std::max<std::size_t>(records->size(), 1),
                                       kMinRunOutputBytes, kMaxRunOutputBytes);
  Redactions redactions;
  for (RunRecord& record : *records) {
    RunStory run;
    run.record = std::move(record);
    run.facts = inspect::facts_of(run.record, redactions);
    run.output = inspect::OutputTail(share);
    if (Status status = read_items(reader, redactions, run); !status) return status;
    if (samples) run.samples = samples(run.record.run_id);
    story.runs.push_back(std::move(run));
  }
  if (Status status = read_decisions(reader, story); !status) return status;
  find_span(story);
  return story;
}

}  // namespace gibbous::report
