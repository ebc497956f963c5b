// A writer that hangs is given up: each that waits is answered, none is called after that, and what
// the writer uses lives until it comes back.
#include <atomic>
#include <memory>
#include <optional>

#include "tests/runtime/journal/desk.h"

namespace gibbous::testing {
namespace {

// The writer hangs in a transaction, as it does at a disk that does not answer.
struct Hang {
  std::atomic<bool> holds{true};
  std::atomic<bool> reached{false};
};

std::shared_ptr<Hang> hang_at_end(Desk& desk) {
  auto hang = std::make_shared<Hang>();
  desk.options.redact_ended = [hang](RunRecord&) {
    hang->reached = true;
    hang->reached.notify_all();
    hang->holds.wait(true);
  };
  // What the thread calls later must own what it uses.
  desk.options.on_room = nullptr;
  desk.options.on_durable = nullptr;
  desk.options.on_problem = nullptr;
  desk.options.on_recovered = nullptr;
  return hang;
}

void release(Hang& hang) {
  hang.holds = false;
  hang.holds.notify_all();
}

TEST_CASE("a journal whose writer hangs is given up, and answers each that waits") {
  Desk desk;
  const auto hang = hang_at_end(desk);
  REQUIRE(desk.open());
  REQUIRE(desk.start("run00001") == Taken::kYes);
  RunRecord ended = desk.record("run00001");
  ended.status = "completed";
  ended.finished_at = 5;
  auto put = std::make_shared<std::optional<Status>>();
  REQUIRE(desk.journal->put_run(ended, [put](const Status& status) { *put = status; }) ==
          Taken::kYes);
  hang->reached.wait(false);
  auto flushed = std::make_shared<std::optional<Status>>();
  desk.journal->flush([flushed](const Status& status) { *flushed = status; });
  CHECK_FALSE(desk.journal->end(Millis{20}));
  CHECK(desk.journal->stats().unwritten_entries >= 1);
  CHECK_FALSE(*put);
  const Status why = Status::error("path_unanswered", "the disk does not answer");
  desk.journal->give_up(why);
  REQUIRE(*put);
  CHECK((*put)->code() == "path_unanswered");
  REQUIRE(*flushed);
  CHECK((*flushed)->code() == "path_unanswered");
  desk.journal.reset();  // waits for nothing
  put->reset();
  flushed->reset();
  release(*hang);
  // The thread ends, and with it the last owner of the options.
  while (hang.use_count() > 2) std::this_thread::yield();
  CHECK_FALSE(*put);  // it was not called again
  CHECK_FALSE(*flushed);
}

TEST_CASE("a journal whose writer comes back in time ends as usual") {
  Desk desk;
  const auto hang = hang_at_end(desk);
  REQUIRE(desk.open());
  REQUIRE(desk.start("run00001") == Taken::kYes);
  RunRecord ended = desk.record("run00001");
  ended.status = "completed";
  ended.finished_at = 5;
  REQUIRE(desk.journal->put_run(ended) == Taken::kYes);
  hang->reached.wait(false);
  CHECK_FALSE(desk.journal->end(Millis{1}));
  release(*hang);
  CHECK(desk.journal->end(Millis{60'000}));
  CHECK(desk.journal->stats().unwritten_entries == 0);
}

}  // namespace
}  // namespace gibbous::testing
