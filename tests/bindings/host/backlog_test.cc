// The backlog and its journal: an event that the journal does not take yet is not lost.
#include "bindings/host/backlog.h"

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "bindings/json/json.h"
#include "runtime/journal/database.h"
#include "tests/runtime/recording/desk.h"
#include "tests/support/catch.h"

namespace gibbous::host {
namespace {

using Catch::Matchers::Contains;
using testing::Recorded;
using testing::TempDir;

constexpr std::size_t kQueueBytes = 64 << 10;
constexpr std::size_t kEventBytes = 10'000;

RecordingOptions impatient() {
  RecordingOptions options;
  options.journal.busy_timeout = Millis{0};
  options.journal.retry_interval = Millis{10};
  options.journal.max_queue_bytes = kQueueBytes;
  return options;
}

// One process of the session "s".
class Desk {
 public:
  explicit Desk(const std::string& directory)
      : file_(directory + "/sessions.db"),
        recorded_(impatient(), {}, directory),
        backlog_(std::make_unique<Backlog>(
            *recorded_.recording, *recorded_.worker,
            [this](const std::string& message) { problems.push_back(message); })) {}

  Backlog& backlog() { return *backlog_; }
  bool until(const std::function<bool()>& done) { return recorded_.table.loop.until(done); }
  void add(const std::string& name, std::size_t bytes = 0) {
    const Json event = {{"event", name}, {"session", "s"}, {"text", std::string(bytes, 'x')}};
    backlog_->add({name, "s", event.dump()}, "r", true, event.dump());
  }
  bool is_written() {
    return until([&] { return backlog_->waiting() == 0; });
  }
  // Waits until the journal has written what it took, and keeps it from writing more.
  void lock() {
    bool flushed = false;
    recorded_.recording->flush([&](const Status&) { flushed = true; });
    REQUIRE(until([&] { return flushed; }));
    auto opened = Database::open(file_, Database::Mode::kWrite, Millis{1'000});
    REQUIRE(opened);
    lock_ = std::move(*opened);
    REQUIRE(lock_->execute("BEGIN IMMEDIATE"));
  }
  void unlock() { REQUIRE(lock_->execute("ROLLBACK")); }
  // Adds events until one of them has to wait; returns how many were added.
  std::size_t fill() {
    std::size_t added = 0;
    REQUIRE(until([&] {
      add("filler", kEventBytes);
      ++added;
      return backlog_->waiting() > 0;
    }));
    return added;
  }
  // The events that earlier processes left, of which there is one at least. On a busy machine a
  // recall may answer before the journal has.
  std::vector<Json> recalled() {
    std::vector<std::string> texts;
    REQUIRE(until([&] {
      backlog_->recall("s", [] {});
      texts = backlog_->drain("s");
      return !texts.empty();
    }));
    std::vector<Json> events;
    for (const std::string& text : texts) events.push_back(Json::parse(text));
    return events;
  }
  void note_given() { backlog_->note_given(); }
  void close() { recorded_.close(); }

  std::vector<std::string> problems;

 private:
  std::string file_;
  Recorded recorded_;
  std::unique_ptr<Database> lock_;
  std::unique_ptr<Backlog> backlog_;
};

TEST_CASE("an event that a full journal does not take reaches the next process") {
  const TempDir dir;
  std::size_t added = 2;
  {
    Desk desk(dir.path());
    desk.add("first");
    REQUIRE(desk.is_written());
    desk.lock();
    added += desk.fill();
    desk.add("last");
    REQUIRE(desk.backlog().waiting() > 0);
    desk.unlock();
    REQUIRE(desk.is_written());
    CHECK(desk.backlog().lost() == 0);
    desk.close();
  }
  Desk next(dir.path());
  const auto events = next.recalled();
  REQUIRE(events.size() == added);
  CHECK(events.front()["event"] == "first");
  CHECK(events.back()["event"] == "last");
}

TEST_CASE("an event that has been delivered is forgotten once a full journal has room") {
  const TempDir dir;
  {
    Desk desk(dir.path());
    desk.add("seen");
    REQUIRE(desk.is_written());
    desk.lock();
    desk.fill();
    CHECK_FALSE(desk.backlog().drain("s").empty());
    desk.note_given();
    CHECK(desk.backlog().waiting() == 1);  // the fillers that waited are seen as well
    desk.add("unseen");
    desk.unlock();
    REQUIRE(desk.is_written());
    desk.close();
  }
  Desk next(dir.path());
  const auto events = next.recalled();
  REQUIRE(events.size() == 1);
  CHECK(events[0]["event"] == "unseen");
}

TEST_CASE("events beyond the bound are reported once, and counted for the next process") {
  const TempDir dir;
  std::size_t added = 2;
  std::uint64_t lost = 0;
  {
    Desk desk(dir.path());
    desk.add("first");
    REQUIRE(desk.is_written());
    desk.lock();
    added += desk.fill();
    while (desk.backlog().lost() < 2) {
      desk.add("filler", kEventBytes);
      ++added;
    }
    desk.add("last");
    lost = desk.backlog().lost();
    REQUIRE(desk.problems.size() == 1);
    CHECK_THAT(desk.problems[0], Contains("do not outlive this process"));
    desk.unlock();
    REQUIRE(desk.is_written());
    desk.close();
  }
  Desk next(dir.path());
  const auto events = next.recalled();
  REQUIRE(events.size() == added - lost + 1);
  CHECK(events.back()["event"] == "last");
  std::size_t notes = 0;
  for (const Json& event : events) {
    if (event["event"] != "events_dropped") continue;
    ++notes;
    CHECK(event["count"] == lost);
  }
  CHECK(notes == 1);
}

TEST_CASE("events wait for a journal that cannot be opened yet, and the problem is named once") {
  const TempDir dir;
  const std::string file = dir.write("state", "no directory");
  Desk desk(file);
  for (int i = 0; i < 3; ++i) desk.add("waits");
  REQUIRE(desk.until([&] { return !desk.problems.empty(); }));
  CHECK_THAT(desk.problems[0], Contains(file));
  CHECK(desk.backlog().waiting() == 3);
  CHECK(desk.backlog().lost() == 0);
  std::filesystem::remove(file);
  REQUIRE(desk.until([&] { return desk.backlog().waiting() == 0; }));
  CHECK(desk.problems.size() == 1);
  CHECK(desk.backlog().drain("s").size() == 3);  // this process still has them
}

TEST_CASE("an event from just before the end is saved although the journal is being opened") {
  const TempDir dir;
  {
    Desk desk(dir.path());
    desk.add("early");
    REQUIRE(desk.backlog().waiting() == 1);
    desk.close();
  }
  Desk next(dir.path());
  const auto events = next.recalled();
  REQUIRE(events.size() == 1);
  CHECK(events[0]["event"] == "early");
}

}  // namespace
}  // namespace gibbous::host
