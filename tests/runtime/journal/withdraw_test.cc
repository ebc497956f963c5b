// A run that is not on disk yet can be withdrawn, and a request_id stands for one run.
#include <memory>
#include <string>
#include <vector>

#include "runtime/journal/holder.h"
#include "tests/runtime/journal/desk.h"

namespace gibbous::testing {
namespace {

using Catch::Matchers::Contains;
using Texts = std::vector<std::string>;

RunRecord queued(const Desk& desk, const std::string& id, const std::string& request = "") {
  RunRecord run = desk.record(id);
  run.client = "c";
  run.status = "queued";
  run.request_id = request;
  return run;
}

Status put(Desk& desk, const RunRecord& run) {
  return wait_for([&](JournalDone done) { (void)desk.journal->put_run(run, std::move(done)); });
}

TEST_CASE("a run that is withdrawn during an outage is not in the file afterwards") {
  Desk desk;
  desk.options.busy_timeout = Millis{0};
  REQUIRE(desk.open());
  const auto ticket = std::make_shared<RunTicket>();
  std::promise<Status> outcome;
  {
    Plain plain(desk.file());
    REQUIRE(plain.run("BEGIN IMMEDIATE"));
    const JournalDone tell = [&](const Status& status) { outcome.set_value(status); };
    REQUIRE(desk.journal->put_run(queued(desk, "late"), tell, ticket) == Taken::kYes);
    REQUIRE(desk.journal->append("late", {1, ItemType::kState, "queued", "", 0}) == Taken::kYes);
    CHECK(desk.flush().code() == "journal_busy");  // it was tried
    CHECK(ticket->withdraw());
    CHECK(ticket->withdraw());
    REQUIRE(desk.journal->put_run(queued(desk, "kept")) == Taken::kYes);
  }
  REQUIRE(desk.flush());
  CHECK(outcome.get_future().get().code() == "run_withdrawn");
  CHECK(desk.reader()->run("late").status().code() == "run_not_found");
  CHECK(desk.reader()->run("kept"));
  CHECK(Plain(desk.file()).rows("SELECT count(*) FROM run_segments") == Texts{"0"});
}

TEST_CASE("a run that is on disk cannot be withdrawn") {
  Desk desk;
  REQUIRE(desk.open());
  const auto ticket = std::make_shared<RunTicket>();
  REQUIRE(desk.journal->put_run(queued(desk, "r"), nullptr, ticket) == Taken::kYes);
  REQUIRE(desk.flush());
  CHECK_FALSE(ticket->withdraw());
  CHECK(desk.reader()->run("r"));
}

TEST_CASE("a withdrawn run that a failed commit has left in the file is removed from it") {
  Desk desk;
  REQUIRE(desk.open());
  REQUIRE(put(desk, queued(desk, "r")));
  REQUIRE(desk.journal->append("r", {1, ItemType::kState, "queued", "", 0}) == Taken::kYes);
  const auto ticket = std::make_shared<RunTicket>();
  REQUIRE(ticket->withdraw());
  REQUIRE(desk.journal->put_run(queued(desk, "r"), nullptr, ticket) == Taken::kYes);
  REQUIRE(desk.flush());
  CHECK(desk.reader()->run("r").status().code() == "run_not_found");
  CHECK(Plain(desk.file()).rows("SELECT count(*) FROM run_segments") == Texts{"0"});
}

TEST_CASE("one run of a client has a request_id, and is found by it") {
  Desk desk;
  REQUIRE(desk.open());
  REQUIRE(put(desk, queued(desk, "first", "build")));
  const Status again = put(desk, queued(desk, "second", "build"));
  CHECK(again.code() == "request_repeated");
  CHECK_THAT(again.message(), Contains("first"));
  CHECK(put(desk, queued(desk, "other", "test")));
  RunRecord elsewhere = queued(desk, "elsewhere", "build");
  elsewhere.client = "another";
  CHECK(put(desk, elsewhere));
  CHECK(put(desk, queued(desk, "first", "build")));  // the same run again
  const auto reader = desk.reader();
  CHECK(reader->run("second").status().code() == "run_not_found");
  CHECK(reader->run_of_request("c", "build")->run_id == "first");
  CHECK(reader->run_of_request("c", "build")->request_id == "build");
  CHECK(reader->run_of_request("c", "no").status().code() == "run_not_found");
}

TEST_CASE("the process that holds the file is named") {
  Desk desk;
  REQUIRE(desk.open());
  REQUIRE(desk.flush());
  CHECK(holder_of_journal(desk.directory()).empty());
  Plain plain(desk.file());
  REQUIRE(plain.run("BEGIN IMMEDIATE"));
  CHECK_THAT(holder_of_journal(desk.directory()), Contains("this process"));
}

}  // namespace
}  // namespace gibbous::testing
