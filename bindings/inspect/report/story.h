// Story: the data of the page about a session, read from the journal once, within limits. One
// thread.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "bindings/inspect/event_text.h"
#include "bindings/inspect/output_tail.h"
#include "bindings/inspect/run_facts.h"
#include "runtime/journal/journal_reader.h"

namespace gibbous::report {

inline constexpr std::size_t kMaxStoryRuns = 500;
inline constexpr std::size_t kMaxStoryEvents = 100;  // of one run; the newest
inline constexpr std::size_t kMaxStoryDecisions = 2'000;

// The resource use of all processes of a run at one time.
struct UsageSample {
  std::int64_t at = 0;  // Unix milliseconds
  std::uint64_t rss_bytes = 0;
  std::int64_t cpu_ms = 0;  // used so far
  std::uint32_t processes = 0;
};

struct StoryEvent {
  std::int64_t at = 0;
  inspect::EventText text;
  bool is_state = false;  // a change of state, which the bar of the run shows
};

struct RunStory {
  RunRecord record;
  inspect::RunFacts facts;
  std::vector<StoryEvent> events;  // oldest first
  std::uint64_t events_left_out = 0;
  std::vector<UsageSample> samples;  // oldest first
  inspect::OutputTail output{0};
};

struct Story {
  std::string session;
  std::int64_t made_at = 0;
  std::int64_t begin = 0;      // of the first run
  std::int64_t end = 0;        // of the last run, or made_at when one has not ended
  std::vector<RunStory> runs;  // oldest first
  bool runs_left_out = false;
  std::vector<DecisionRecord> decisions;  // oldest first
  std::uint64_t decisions_left_out = 0;
};

// The samples of a run, oldest first.
using SampleSource = std::function<std::vector<UsageSample>(const std::string& run_id)>;

// Fails with session_not_found, and as JournalReader does. Without `samples` there are no curves.
Result<Story> read_story(JournalReader& reader, const std::string& session, std::int64_t now,
                         const SampleSource& samples = nullptr);

}  // namespace gibbous::report
