// Retention has bounds: for a run, for age, and in total.
#include <filesystem>
#include <string>

#include "runtime/journal/item_writer.h"
#include "runtime/journal/place.h"
#include "runtime/journal/tidy.h"
#include "tests/runtime/journal/desk.h"

namespace gibbous::testing {
namespace {

namespace fs = std::filesystem;

void write_run(Desk& desk, const std::string& id, std::uint64_t items, bool ends = true) {
  REQUIRE(desk.start(id) == Taken::kYes);
  for (std::uint64_t seq = 1; seq <= items; ++seq) {
    REQUIRE(desk.out(id, seq, std::string(1'000, 'x')) == Taken::kYes);
  }
  if (ends) REQUIRE(desk.end(id) == Taken::kYes);
  REQUIRE(desk.flush());
}

std::vector<std::string> ids(const Desk& desk) {
  std::vector<std::string> ids;
  const auto runs = desk.reader()->runs("", 100);
  for (const RunRecord& run : *runs) ids.push_back(run.run_id);
  return ids;
}

TEST_CASE("a run that exceeds its limit keeps only what matters, and a note says so") {
  Desk desk;
  desk.options.max_run_bytes = 10'000;
  REQUIRE(desk.open());
  REQUIRE(desk.start("r") == Taken::kYes);
  constexpr std::uint64_t kItems = 50;
  for (std::uint64_t seq = 1; seq <= kItems; ++seq) {
    REQUIRE(desk.out("r", seq, std::string(1'000, 'x')) == Taken::kYes);
    if (seq == 20) REQUIRE(desk.flush());
  }
  REQUIRE(desk.journal->append("r", {51, ItemType::kState, "completed"}) == Taken::kYes);
  REQUIRE(desk.out("r", 52, std::string(1'000, 'y')) == Taken::kYes);
  REQUIRE(desk.end("r") == Taken::kYes);
  REQUIRE(desk.flush());
  const ItemPage page = desk.items("r");
  REQUIRE(page.items.size() == 14);
  CHECK(page.items[9].seq == 10);
  CHECK(page.items[9].type == ItemType::kStdout);
  CHECK(page.items[10].seq == 11);
  CHECK(page.items[10].type == ItemType::kNote);
  CHECK(page.items[10].payload ==
        "the journal keeps 10000 bytes of this run; more output is not kept");
  CHECK(page.items[11].seq == 12);
  CHECK(page.items[11].meta == R"({"from":12,"to":50})");
  CHECK(page.items[12].payload == "completed");
  CHECK(page.items[13].seq == 52);
  CHECK(page.items[13].meta == R"({"from":52,"to":52})");
  const RunRecord run = *desk.reader()->run("r");
  CHECK(run.not_kept_items == 41);
  CHECK(run.output_bytes == 51'000);
  CHECK(run.stored_bytes == 10'000);
  CHECK(run.last_seq == 52);
  CHECK(desk.journal->durable_seq("r") == 52);
}

TEST_CASE("a run may have its own limit, which holds after a restart") {
  Desk desk;
  REQUIRE(desk.open());
  RunRecord run = desk.record("r");
  run.max_output_bytes = 100;
  REQUIRE(desk.journal->put_run(run) == Taken::kYes);
  REQUIRE(desk.out("r", 1, std::string(100, 'x')) == Taken::kYes);
  REQUIRE(desk.open());
  REQUIRE(desk.journal->put_run(run) == Taken::kYes);
  REQUIRE(desk.out("r", 2, "y") == Taken::kYes);
  REQUIRE(desk.flush());
  const ItemPage page = desk.items("r");
  REQUIRE(page.items.size() == 2);
  CHECK(page.items[1].type == ItemType::kNote);
}

TEST_CASE("changes of a terminal's size take no room from its output, and are bounded") {
  Desk desk;
  desk.options.max_run_bytes = 1'000;
  REQUIRE(desk.open());
  REQUIRE(desk.start("r") == Taken::kYes);
  const std::string size = R"({"rows":24,"cols":80})";
  std::uint64_t seq = 0;
  const auto put_size = [&] {
    return desk.journal->append("r", {++seq, ItemType::kTerminal, "", size}) == Taken::kYes;
  };
  for (int i = 0; i < 100; ++i) REQUIRE(put_size());
  REQUIRE(desk.journal->append("r", {++seq, ItemType::kTerminal, std::string(990, 'x')}) ==
          Taken::kYes);
  REQUIRE(desk.flush());
  CHECK(desk.items("r").items.size() == 101);
  CHECK(desk.reader()->run("r")->stored_bytes == 990);
  REQUIRE(desk.start("s") == Taken::kYes);
  seq = 0;
  const auto free = static_cast<std::size_t>(kSizeReserveBytes) / size.size();
  for (std::size_t i = 0; i < free + 100; ++i) {
    REQUIRE(desk.journal->append("s", {++seq, ItemType::kTerminal, "", size}) == Taken::kYes);
  }
  REQUIRE(desk.flush());
  CHECK(desk.reader()->run("s")->stored_bytes <= 1'000);
  CHECK(desk.reader()->run("s")->not_kept_items > 0);
}

TEST_CASE("events have a share of their own, which is also bounded") {
  Desk desk;
  desk.options.max_run_bytes = 1'000;
  REQUIRE(desk.open());
  REQUIRE(desk.start("r") == Taken::kYes);
  const std::string text(100'000, 'e');
  for (std::uint64_t seq = 1; seq <= 10; ++seq) {
    REQUIRE(desk.journal->append("r", {seq, ItemType::kEvent, text}) == Taken::kYes);
  }
  REQUIRE(desk.flush());
  const RunRecord run = *desk.reader()->run("r");
  CHECK(run.not_kept_items == 8);
  CHECK(run.stored_bytes == 0);
}

TEST_CASE("runs that ended long ago are removed, and those that have not ended stay") {
  Desk desk;
  desk.options.max_age = std::chrono::hours(1);
  REQUIRE(desk.open());
  write_run(desk, "old", 3);
  write_run(desk, "going", 3, false);
  REQUIRE(desk.journal->add_decision({}) == Taken::kYes);
  HostCallRecord call;
  call.call_id = "AAAAaaa1";
  REQUIRE(desk.journal->put_call(call) == Taken::kYes);
  REQUIRE(desk.journal->add_backlog({"s", 1, "old", "up", "text"}) == Taken::kYes);
  desk.clock.advance(std::chrono::minutes(59));
  write_run(desk, "new", 3);
  REQUIRE(desk.tidy());
  CHECK(ids(desk) == std::vector<std::string>{"new", "going", "old"});
  desk.clock.advance(std::chrono::minutes(2));
  REQUIRE(desk.tidy());
  CHECK(ids(desk) == std::vector<std::string>{"new", "going"});
  CHECK(desk.items("old").items.empty());
  CHECK(desk.items("going").items.size() == 3);
  CHECK(desk.reader()->decisions({}, 10)->empty());
  CHECK(desk.reader()->host_calls("", JournalReader::CallsThat::kGoOn, 10)->empty());
  CHECK(desk.reader()->backlog("s", 0, 10)->empty());
}

TEST_CASE("a run that waited too long in the queue ends, and newer ones stay") {
  Desk desk;
  desk.options.queue_ttl = std::chrono::hours(1);
  REQUIRE(desk.open());
  const auto queue = [&desk](const char* id, const char* why = "") {
    RunRecord run;
    run.error_message = why;
    run.run_id = id;
    run.status = "queued";
    run.command = "true";
    run.queued_at = desk.clock.wall().count();
    REQUIRE(desk.journal->put_run(run) == Taken::kYes);
    REQUIRE(desk.flush());
  };
  queue("old");
  queue("declined", "not started: mode default asks, and no person can answer");
  desk.clock.advance(std::chrono::minutes(59));
  queue("young");
  desk.clock.advance(std::chrono::minutes(2));
  REQUIRE(desk.tidy());
  const auto old = desk.reader()->run("old");
  CHECK(old->status == "killed");
  CHECK(old->error_message == "it waited longer than journal.queue_ttl_hours");
  CHECK(desk.reader()->run("declined")->error_message ==
        "it waited longer than journal.queue_ttl_hours"
        " (not started: mode default asks, and no person can answer)");
  CHECK(old->finished_at != 0);
  CHECK(desk.reader()->run("young")->status == "queued");
}

TEST_CASE("a file that is too large loses the runs that ended first, and gets smaller") {
  Desk desk;
  desk.options.max_total_bytes = 3'000'000;
  REQUIRE(desk.open());
  for (const char* id : {"one", "two", "three", "four"}) {
    write_run(desk, id, 1'000);
    desk.clock.advance(std::chrono::seconds(1));
  }
  REQUIRE(desk.tidy());
  CHECK(ids(desk) == std::vector<std::string>{"four", "three"});
  CHECK(desk.items("four").items.size() == 1'000);
  desk.journal.reset();
  CHECK(fs::file_size(desk.file()) <= 3'000'000);
}

TEST_CASE("a step of tidying removes a bounded part, and a half-removed run can be read") {
  Desk desk;
  REQUIRE(desk.open());
  write_run(desk, "r", 3'000);
  desk.journal.reset();
  auto database = open_for_writing(desk.directory(), {Millis{0}});
  REQUIRE(database);
  EndedRows ended(**database, nullptr);
  const TidyLimits limits{1, 0};
  const std::int64_t now = desk.clock.wall().count() + 1'000;
  const auto segments = [&] { return *(*database)->number("SELECT count(*) FROM run_segments"); };
  const std::int64_t before = segments();
  REQUIRE(before > kTidySegments);
  const auto first = tidy_step(**database, ended, limits, now);
  REQUIRE(first);
  CHECK(*first);
  CHECK(segments() == before - kTidySegments);
  CHECK(desk.items("r").items.front().seq > 1);
  int steps = 1;
  for (bool more = true; more; ++steps) {
    const auto step = tidy_step(**database, ended, limits, now);
    REQUIRE(step);
    more = *step;
  }
  CHECK(segments() == 0);
  CHECK(ids(desk).empty());
  CHECK(steps > 2);
}

TEST_CASE("a run with as many segments as a step removes goes with them") {
  Desk desk;
  REQUIRE(desk.open());
  write_run(desk, "r", 3'000);
  desk.journal.reset();
  auto database = open_for_writing(desk.directory(), {Millis{0}});
  REQUIRE(database);
  const std::string newest = "SELECT id FROM run_segments ORDER BY id DESC LIMIT ";
  REQUIRE((*database)->execute(
      ("DELETE FROM run_segments WHERE id NOT IN (" + newest + std::to_string(kTidySegments) + ")")
          .c_str()));
  REQUIRE(*(*database)->number("SELECT count(*) FROM run_segments") == kTidySegments);
  EndedRows ended(**database, nullptr);
  REQUIRE(ended.prepare());
  REQUIRE(tidy_step(**database, ended, {1, 0}, desk.clock.wall().count() + 1'000));
  CHECK(*(*database)->number("SELECT count(*) FROM run_segments") == 0);
  CHECK(*(*database)->number("SELECT count(*) FROM exec_runs") == 0);
}

TEST_CASE("many runs make the journal tidy up") {
  Desk desk;
  desk.options.max_age = Millis{1};
  desk.options.tidy_interval = std::chrono::minutes(1);
  REQUIRE(desk.open());
  write_run(desk, "old", 1);
  desk.clock.advance(std::chrono::minutes(2));
  REQUIRE(desk.start("new") == Taken::kYes);
  REQUIRE(desk.tidy());  // the current one, or the next
  CHECK(ids(desk) == std::vector<std::string>{"new"});
}

TEST_CASE("a removed run accepts no more items") {
  Desk desk;
  desk.options.max_age = Millis{1};
  REQUIRE(desk.open());
  write_run(desk, "r", 1);
  desk.clock.advance(std::chrono::minutes(1));
  REQUIRE(desk.tidy());
  REQUIRE(desk.out("r", 2, "late") == Taken::kYes);
  REQUIRE(desk.flush());
  CHECK(desk.items("r").items.empty());
  CHECK(desk.journal->stats().not_kept == 1);
}

}  // namespace
}  // namespace gibbous::testing
