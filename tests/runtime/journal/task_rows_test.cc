// Tasks in the journal, beside a Journal that has the file open and without one.
#include "runtime/journal/task_rows.h"

#include <filesystem>
#include <string>
#include <vector>

#include "runtime/journal/place.h"
#include "tests/runtime/journal/desk.h"

namespace gibbous::testing {
namespace {

constexpr Millis kPatience{1'000};
constexpr std::int64_t kNow = 1'700'000'000'000;

RecordedTask task(const std::string& id) {
  RecordedTask made;
  made.task_id = id;
  made.owner = "me@here";
  made.host = "host";
  made.tool = "wait_for";
  made.arguments = "{}";
  made.began_at = kNow - 2'000;
  made.created_at = kNow - 1'000;
  made.updated_at = kNow;
  return made;
}

std::optional<RecordedTask> found(const Desk& desk, const std::string& id) {
  auto row = find_task_row(desk.directory(), id, kPatience);
  REQUIRE(row);
  return *row;
}

TEST_CASE("a task is found as it was written last") {
  Desk desk;
  const bool beside = GENERATE(false, true);
  if (beside) REQUIRE(desk.open());
  RecordedTask written = task("a");
  REQUIRE(keep_task_rows(desk.directory(), {written}, kNow, kPatience));
  REQUIRE(found(desk, "a"));
  CHECK(found(desk, "a")->finished_at == 0);
  CHECK(found(desk, "a")->arguments == "{}");
  written.status = "completed";
  written.outcome = R"({"content":[]})";
  written.message = "it went well";
  written.finished_at = kNow;
  REQUIRE(keep_task_rows(desk.directory(), {written}, kNow, kPatience));
  const auto row = found(desk, "a");
  REQUIRE(row);
  CHECK(row->owner == "me@here");
  CHECK(row->host == "host");
  CHECK(row->tool == "wait_for");
  CHECK(row->status == "completed");
  CHECK(row->outcome == written.outcome);
  CHECK(row->message == "it went well");
  CHECK(row->began_at == kNow - 2'000);
  CHECK(row->created_at == kNow - 1'000);
  CHECK(row->updated_at == kNow);
  CHECK(row->finished_at == kNow);
  CHECK_FALSE(found(desk, "b"));
}

TEST_CASE("without a journal there is no task, and none is made to look for one") {
  Desk desk;
  CHECK_FALSE(found(desk, "a"));
  CHECK_FALSE(std::filesystem::exists(desk.file()));
}

TEST_CASE("in a journal that another process has just made there is no task yet") {
  Desk desk;
  REQUIRE(check_place(desk.directory(), true));
  REQUIRE(std::filesystem::exists(desk.file()));
  CHECK_FALSE(found(desk, "a"));
}

TEST_CASE("a task that is too long is refused") {
  Desk desk;
  RecordedTask large = task("a");
  large.outcome = std::string(kMaxJournalTextBytes, 'x');
  CHECK(keep_task_rows(desk.directory(), {large}, kNow, kPatience).code() == "invalid_argument");
  CHECK(keep_task_rows(desk.directory(), {task("")}, kNow, kPatience).code() == "invalid_argument");
  CHECK(keep_task_rows(desk.directory(), {task(std::string(1'000, 'x'))}, kNow, kPatience).code() ==
        "invalid_argument");
}

TEST_CASE("a finished task goes after a day, one that goes on stays") {
  Desk desk;
  RecordedTask over = task("over");
  over.finished_at = kNow;
  REQUIRE(keep_task_rows(desk.directory(), {over}, kNow, kPatience));
  REQUIRE(keep_task_rows(desk.directory(), {task("going")}, kNow, kPatience));
  REQUIRE(
      keep_task_rows(desk.directory(), {task("new")}, kNow + kMaxTaskAge.count() + 1, kPatience));
  CHECK_FALSE(found(desk, "over"));
  CHECK(found(desk, "going"));
}

TEST_CASE("tasks are written together, and one that is too long costs no other") {
  Desk desk;
  RecordedTask large = task("large");
  large.outcome = std::string(kMaxJournalTextBytes, 'x');
  RecordedTask again = task("a");
  again.message = "it goes on";
  CHECK(keep_task_rows(desk.directory(), {task("a"), large, again, task("b")}, kNow, kPatience)
            .code() == "invalid_argument");
  REQUIRE(found(desk, "a"));
  CHECK(found(desk, "a")->message == "it goes on");
  CHECK(found(desk, "b"));
  CHECK_FALSE(found(desk, "large"));
}

TEST_CASE("of too many tasks those that are over go before those that go on") {
  Desk desk;
  REQUIRE(keep_task_rows(desk.directory(), {task("going")}, kNow, kPatience));
  std::vector<RecordedTask> over;
  for (std::size_t each = 0; each < kMaxRecordedTasks; ++each) {
    over.push_back(task("over-" + std::to_string(each)));
    over.back().finished_at = kNow;
  }
  REQUIRE(keep_task_rows(desk.directory(), over, kNow, kPatience));
  CHECK(found(desk, "going"));
  CHECK_FALSE(found(desk, "over-0"));
  CHECK(found(desk, "over-1"));
}

TEST_CASE("a file that is locked makes no one wait for longer than was said") {
  Desk desk;
  REQUIRE(keep_task_rows(desk.directory(), {task("a")}, kNow, kPatience));
  Plain other(desk.file());
  REQUIRE(other.run("BEGIN IMMEDIATE"));
  CHECK(keep_task_rows(desk.directory(), {task("b")}, kNow, Millis{0}).code() == "journal_busy");
  CHECK(found(desk, "a"));
  REQUIRE(other.run("COMMIT"));
  CHECK(keep_task_rows(desk.directory(), {task("b")}, kNow, kPatience));
}

}  // namespace
}  // namespace gibbous::testing
