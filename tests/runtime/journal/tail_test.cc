// The end of long output of a run in progress, which outlives the worker that executes the run.
#include <string>
#include <vector>

#include "tests/runtime/journal/crew.h"

namespace gibbous::testing {
namespace {

using Texts = std::vector<std::string>;

StoredItem item(ItemType type, const std::string& payload) {
  StoredItem made;
  made.type = type;
  made.payload = payload;
  made.created_at = 1'000;
  return made;
}

Texts payloads(Crew& crew, const std::string& run) {
  Texts all;
  const auto reader = JournalReader::open(crew.directory());
  REQUIRE(reader.ok());
  const auto page = (*reader)->items(run, 0, 1'000);
  REQUIRE(page.ok());
  for (const StoredItem& each : page->items) all.push_back(each.payload);
  return all;
}

TEST_CASE("the tail that a dead worker saved follows the items of its run") {
  Crew crew;
  auto first = crew.hire("first");
  REQUIRE(first->put(with_status(queued("r"), "running")));
  REQUIRE(first->journal->append("r", {1, ItemType::kStdout, "begin"}) == Taken::kYes);
  REQUIRE(first->journal->save_tail("r", {item(ItemType::kStdout, "an earlier tail")}) ==
          Taken::kYes);
  const std::string large(10'000, 'x');
  REQUIRE(first->journal->save_tail(
              "r", {item(ItemType::kNote, "left out"), item(ItemType::kStdout, large),
                    item(ItemType::kStderr, "the end")}) == Taken::kYes);
  REQUIRE(first->flush());
  CHECK(payloads(crew, "r") == Texts{"begin"});
  crew.dies("first");
  auto second = crew.hire("second");
  const auto orphans = second->orphans();
  REQUIRE(orphans.ok());
  REQUIRE(orphans->size() == 1);
  CHECK(orphans->front().run.last_seq == 4);
  CHECK(orphans->front().run.stored_bytes == 5);
  CHECK(orphans->front().run.output_bytes == 5 + 10'000 + 7);
  CHECK(payloads(crew, "r") == Texts{"begin", "left out", large, "the end"});
  // The next worker goes on behind it, and the sums of the segments are whole.
  REQUIRE(second->put(orphans->front().run));
  REQUIRE(second->journal->append("r", {5, ItemType::kState, "lost"}) == Taken::kYes);
  REQUIRE(second->flush());
  CHECK(payloads(crew, "r") == Texts{"begin", "left out", large, "the end", "lost"});
}

TEST_CASE("the end of a run drops its tail") {
  Crew crew;
  auto hand = crew.hire("w");
  RunRecord run = with_status(queued("r"), "running");
  REQUIRE(hand->put(run));
  REQUIRE(hand->journal->save_tail("r", {item(ItemType::kStdout, "end")}) == Taken::kYes);
  REQUIRE(hand->put(with_status(run, "completed")));
  CHECK(Plain(crew.file()).rows("SELECT count(*) FROM run_tails") == Texts{"0"});
  REQUIRE(hand->journal->save_tail("r", {item(ItemType::kStdout, "late")}) == Taken::kYes);
  REQUIRE(hand->flush());
  CHECK(Plain(crew.file()).rows("SELECT count(*) FROM run_tails") == Texts{"0"});
}

TEST_CASE("a tail is saved only for a run of this worker, and only within bounds") {
  Crew crew;
  auto first = crew.hire("first");
  auto other = crew.hire("other");
  REQUIRE(first->put(with_status(queued("r"), "running")));
  REQUIRE(other->journal->save_tail("r", {item(ItemType::kStdout, "end")}) == Taken::kYes);
  REQUIRE(other->journal->save_tail("unknown", {item(ItemType::kStdout, "end")}) == Taken::kYes);
  REQUIRE(other->flush());
  CHECK(Plain(crew.file()).rows("SELECT count(*) FROM run_tails") == Texts{"0"});
  CHECK(first->journal->save_tail("r", {}) == Taken::kWrongUse);
  const std::string large(kMaxTailBytes + 1, 'x');
  CHECK(first->journal->save_tail("r", {item(ItemType::kStdout, large)}) == Taken::kWrongUse);
}

TEST_CASE("a damaged tail adds nothing to its run") {
  Crew crew;
  auto first = crew.hire("first");
  REQUIRE(first->put(with_status(queued("r"), "running")));
  REQUIRE(first->journal->append("r", {1, ItemType::kStdout, "begin"}) == Taken::kYes);
  REQUIRE(first->journal->save_tail("r", {item(ItemType::kStdout, "end")}) == Taken::kYes);
  REQUIRE(first->flush());
  Plain(crew.file()).run("UPDATE run_tails SET items = '[[0,0,0,999,0]]'");
  crew.dies("first");
  auto second = crew.hire("second");
  REQUIRE(second->orphans().ok());
  CHECK(payloads(crew, "r") == Texts{"begin"});
  CHECK(Plain(crew.file()).rows("SELECT count(*) FROM run_tails") == Texts{"0"});
}

}  // namespace
}  // namespace gibbous::testing
