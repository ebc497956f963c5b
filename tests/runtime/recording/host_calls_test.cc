// Calls of a host's tools reach the journal whenever it can be written, and no more of them wait
// than a bound.
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/runtime/recording/desk.h"

namespace gibbous::testing {
namespace {

using Calls = std::vector<HostCallRecord>;

// The calls that are on disk: those that go on first, each newest first.
Calls calls_of(Recorded& desk) {
  std::optional<Result<Calls>> answer;
  desk.recording->look_up<Result<Calls>>(
      [](JournalReader& reader) -> Result<Calls> {
        auto calls = reader.host_calls("", JournalReader::CallsThat::kGoOn, 5'000);
        const auto ended = reader.host_calls("", JournalReader::CallsThat::kHaveEnded, 5'000);
        if (calls && ended) calls->insert(calls->end(), ended->begin(), ended->end());
        return calls;
      },
      [&](Result<Calls> got) { answer.emplace(std::move(got)); });
  REQUIRE(desk.table.loop.until([&] { return answer.has_value(); }));
  return *answer ? **answer : Calls{};
}

template <typename Condition>
Calls calls_when(Recorded& desk, Condition holds) {
  Calls calls;
  REQUIRE(desk.table.loop.until([&] {
    calls = calls_of(desk);
    return holds(calls);
  }));
  return calls;
}

TEST_CASE("the first call of a host's tool opens the journal, and each call is recorded once") {
  Recorded desk;
  HostCalls& calls = desk.recording->host_calls();
  const std::string first = calls.begin("open_buffer", "s");
  const std::string second = calls.begin("build_buffer", "s");
  calls.end(first, "ok");
  calls.end(first, "timeout");
  calls.end("unknown", "ok");
  const Calls found = calls_when(desk, [](const Calls& all) { return all.size() == 2; });
  CHECK(found[0].call_id == second);
  CHECK(found[0].finished_at == 0);
  CHECK(found[0].pid == ::getpid());
  CHECK(found[1].tool == "open_buffer");
  CHECK(found[1].outcome == "ok");
}

TEST_CASE("calls of a host's tools during an outage are recorded when it is over") {
  RecordingOptions options;
  options.journal.retry_interval = Millis{20};
  Recorded desk(std::move(options));
  const std::string file = desk.directory() + "/sessions.db";
  std::ofstream(file) << std::string(200, 'x');
  HostCalls& calls = desk.recording->host_calls();
  const std::string going = calls.begin("open_buffer", "s");
  for (int i = 0; i < 3'000; ++i) calls.end(calls.begin("build_buffer", "s"), "ok");
  REQUIRE(desk.table.loop.until([&] { return !desk.recording->problem().ok(); }));
  calls.end(going, "cancelled");
  std::filesystem::remove(file);
  const Calls found = calls_when(desk, [](const Calls& all) { return all.size() >= 1'000; });
  CHECK(found.size() == 1'000);
  CHECK(found.front().outcome == "cancelled");
}

TEST_CASE("without a state directory no call of a host's tool is kept") {
  Table table;
  Recording recording(table.loop.get(), table.clock, *table.runs, {});
  CHECK(recording.host_calls().begin("open_buffer", "s").empty());
  recording.host_calls().end("", "ok");
  bool closed = false;
  recording.close([&] { closed = true; });
  REQUIRE(table.loop.until([&] { return closed; }));
}

}  // namespace
}  // namespace gibbous::testing
