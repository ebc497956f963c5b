// What comes after the end of a run is recorded, and readers learn that it is still to come.
#include <future>
#include <optional>
#include <thread>
#include <utility>

#include "runtime/recording/recording.h"
#include "tests/runtime/recording/desk.h"

namespace gibbous::testing {
namespace {

TEST_CASE("an event that was announced may come after the end of its run") {
  Recorded desk;
  Run& run = desk.sh("echo x");
  const std::string id = run.id();
  desk.recording->recorder().expect_event(id);
  REQUIRE(desk.table.loop.until([&] { return run.ended(); }));
  REQUIRE(desk.table.loop.until([&] {
    const auto got = desk.items(id);
    return got.ok() && got->run.status == "completed" && got->open;
  }));
  CHECK(desk.items(id)->run.finished_at == 0);
  desk.recording->recorder().add_event(id, "late", "{}");
  desk.recording->recorder().settle_event(id);
  const RecordedItems all = desk.finished(id);
  CHECK_FALSE(all.open);
  CHECK(all.page.items.back().payload == "late");
}

// Keeps the reader of the journal busy.
class BusyReader {
 public:
  explicit BusyReader(Recording& recording) {
    recording.look_up<Status>(
        [until = free_.get_future().share()](JournalReader&) {
          until.wait();
          return Status();
        },
        [](const Status&) {});
  }
  ~BusyReader() { free(); }
  void free() {
    if (!std::exchange(is_free_, true)) free_.set_value();
  }

 private:
  std::promise<void> free_;
  bool is_free_ = false;
};

TEST_CASE("a run that begins and ends while its items are asked for is open until its last one") {
  Recorded desk;
  desk.finished_one();  // the journal is open
  BusyReader reader(*desk.recording);
  std::optional<Result<RecordedItems>> got;
  desk.recording->items("aaaaaaaa", 0, kMaxPageItems, kMaxRecordedTailBytes,
                        [&](Result<RecordedItems> answer) { got.emplace(std::move(answer)); });
  RunSpec spec;
  spec.id = "aaaaaaaa";
  spec.command = "echo x";
  spec.session = "s";
  Run& run = desk.table.start(std::move(spec));
  desk.recording->recorder().expect_event(run.id());
  bool written = false;
  REQUIRE(desk.table.loop.until([&] { return run.ended() && run.drained(); }));
  desk.recording->flush([&](const Status&) { written = true; });
  REQUIRE(desk.table.loop.until([&] { return written; }));
  reader.free();
  REQUIRE(desk.table.loop.until([&] { return got.has_value(); }));
  REQUIRE(got->ok());
  CHECK((*got)->run.status == "completed");
  CHECK((*got)->open);
  desk.recording->recorder().settle_event(run.id());
  CHECK_FALSE(desk.finished(run.id()).open);
}

TEST_CASE("an event that was announced and does not come holds up the end for a while only") {
  Recorded desk;
  const std::string id = desk.sh("echo x").id();
  desk.recording->recorder().expect_event(id);
  CHECK(desk.finished(id).page.items.back().payload == "completed");
  desk.recording->recorder().add_event(id, "late", "{}");
  desk.recording->recorder().settle_event(id);
  CHECK(desk.items(id)->page.items.back().payload == "completed");
}

TEST_CASE("an event that was announced may come when a host goes on that stood still") {
  Recorded desk;
  const std::string id = desk.sh("echo x").id();
  desk.recording->recorder().expect_event(id);
  REQUIRE(desk.table.loop.until([&] {
    const auto got = desk.items(id);
    return got.ok() && got->open;
  }));
  std::this_thread::sleep_for(kLateEventTime + Millis{100});  // the host
  for (int i = 0; i < 5; ++i) desk.table.loop.turn();
  desk.recording->recorder().add_event(id, "late", "{}");
  desk.recording->recorder().settle_event(id);
  CHECK(desk.finished(id).page.items.back().payload == "late");
}

TEST_CASE("the end of the recording does not wait for an event that was announced") {
  Recorded desk;
  Run& run = desk.sh("echo x");
  const std::string id = run.id();
  desk.recording->recorder().expect_event(id);
  REQUIRE(desk.table.loop.until([&] { return run.ended(); }));
  desk.close();
  const auto reader = JournalReader::open(desk.directory());
  REQUIRE(reader.ok());
  CHECK((*reader)->run(id)->finished_at != 0);
}

}  // namespace
}  // namespace gibbous::testing
