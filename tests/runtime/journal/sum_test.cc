// Stored items that are no longer what was written are noticed, named, and never shown.
#include <string>
#include <vector>

#include "runtime/journal/segment.h"
#include "runtime/journal/set_aside.h"
#include "tests/runtime/journal/desk.h"

namespace gibbous::testing {
namespace {

using Catch::Matchers::Contains;
using Texts = std::vector<std::string>;

constexpr std::uint64_t kCount = 12;
constexpr std::size_t kThreeInASegment = 1'200;

std::string payload_of(std::uint64_t seq) {
  return std::string(kThreeInASegment, 'a') + std::to_string(seq);
}

// A run with four segments of three items, and another run with one item.
void write_segments(Desk& desk) {
  desk.options.commit_delay = std::chrono::hours(1);  // a commit for each flush
  REQUIRE(desk.open());
  REQUIRE(desk.start("r") == Taken::kYes);
  for (std::uint64_t seq = 1; seq <= kCount; ++seq) {
    REQUIRE(desk.out("r", seq, payload_of(seq)) == Taken::kYes);
    if (seq % 3 == 0) REQUIRE(desk.flush());
  }
  REQUIRE(desk.end("r") == Taken::kYes);
  REQUIRE(desk.start("single") == Taken::kYes);
  REQUIRE(desk.out("single", 1, "only") == Taken::kYes);
  REQUIRE(desk.end("single") == Taken::kYes);
  REQUIRE(desk.flush());
  desk.journal.reset();
  REQUIRE(Plain(desk.file()).rows("SELECT count(*) FROM run_segments") == Texts{"5"});
}

// Changes one letter of the segment of a seq, as a disk does that says nothing about it.
void change_a_letter(const Desk& desk, int run, int first_seq) {
  const std::string id = "(" + std::to_string(run) + " << 32 | " + std::to_string(first_seq) + ")";
  REQUIRE(Plain(desk.file())
              .run("UPDATE run_segments SET data = CAST('X' || substr(CAST(data AS TEXT), 2) AS"
                   " BLOB) WHERE id = " +
                   id));
}

void check_all_but(const ItemPage& page, std::uint64_t from, std::uint64_t to) {
  std::uint64_t seq = 0;
  for (const StoredItem& item : page.items) {
    ++seq;
    CHECK(item.seq == seq);
    if (item.type == ItemType::kNote) {
      CHECK(seq == from);
      CHECK_THAT(item.payload,
                 Contains("items " + std::to_string(from) + " to " + std::to_string(to)));
      CHECK(item.meta == range_meta(from, to));
      seq = to;
    } else {
      CHECK(item.payload == payload_of(seq));
    }
  }
  CHECK(seq == kCount);
}

TEST_CASE("a damaged segment is read as a note, and the items around it as they were") {
  Desk desk;
  write_segments(desk);
  change_a_letter(desk, 1, 4);
  const ItemPage page = desk.items("r");
  check_all_but(page, 4, 6);
  CHECK(page.next_since == kCount);
  // From inside of it, and with a small page.
  const ItemPage inside = desk.items("r", 4, 2);
  REQUIRE(inside.items.size() == 2);
  CHECK(inside.items[0].type == ItemType::kNote);
  CHECK(inside.items[0].seq == 5);
  CHECK(inside.items[1].seq == 7);
  CHECK(inside.more);
  const auto tail = desk.reader()->tail("r", 7);
  REQUIRE(tail);
  CHECK(tail->items[0].type == ItemType::kNote);
}

TEST_CASE("items that were removed from the middle are noticed while reading and by a check") {
  Desk desk;
  write_segments(desk);
  REQUIRE(Plain(desk.file()).run("DELETE FROM run_segments WHERE id = 1 << 32 | 7"));
  check_all_but(desk.items("r"), 7, 9);
  const Status found = check_journal(desk.directory());
  CHECK(found.code() == "journal_corrupt");
  CHECK_THAT(found.message(), Contains("items 7 to 9 of run r"));
}

TEST_CASE("a run that has ended is read with a note for items that are missing at its end") {
  Desk desk;
  write_segments(desk);
  REQUIRE(Plain(desk.file()).run("DELETE FROM run_segments WHERE id = 1 << 32 | 10"));
  check_all_but(desk.items("r"), 10, 12);
  const ItemPage after = desk.items("r", 10);
  REQUIRE(after.items.size() == 1);
  CHECK(after.items[0].seq == 11);
  CHECK(after.next_since == kCount);
  CHECK(desk.items("r", kCount).items.empty());
  const ItemPage full = desk.items("r", 0, 9);
  CHECK(full.items.size() == 9);
  CHECK(full.more);
  CHECK_THAT(check_journal(desk.directory()).message(), Contains("items 10 to 12 of run r"));
}

TEST_CASE("a run that has ended is read with a note when all its items are missing") {
  Desk desk;
  write_segments(desk);
  REQUIRE(Plain(desk.file()).run("DELETE FROM run_segments WHERE id >> 32 = 2"));
  const ItemPage page = desk.items("single");
  REQUIRE(page.items.size() == 1);
  CHECK(page.items[0].type == ItemType::kNote);
  CHECK_THAT(check_journal(desk.directory()).message(), Contains("items 1 to 1 of run single"));
}

TEST_CASE("a note that ends a run stands for its last items, also for a cursor inside of them") {
  Desk desk;
  REQUIRE(desk.open());
  REQUIRE(desk.start("r") == Taken::kYes);
  REQUIRE(desk.out("r", 1, "one") == Taken::kYes);
  RunRecord run = desk.record("r");
  run.status = "completed";
  run.finished_at = desk.clock.wall().count();
  run.last_seq = 5;
  REQUIRE(desk.journal->put_run(run) == Taken::kYes);
  REQUIRE(desk.flush());
  const ItemPage page = desk.items("r");
  REQUIRE(page.items.size() == 2);
  CHECK(page.items[1].meta == range_meta(2, 5));
  CHECK(desk.items("r", 2).items.empty());
  CHECK(desk.items("r", 4).items.empty());
  CHECK(check_journal(desk.directory()).message().empty());
}

TEST_CASE("a check names the damaged items of each run") {
  Desk desk;
  write_segments(desk);
  CHECK(check_journal(desk.directory()));
  change_a_letter(desk, 1, 1);
  change_a_letter(desk, 1, 10);
  change_a_letter(desk, 2, 1);
  const Status found = check_journal(desk.directory());
  CHECK(found.code() == "journal_corrupt");
  CHECK_THAT(found.message(), Contains("of run r") && Contains("of run single"));
}

TEST_CASE("sums go on over commits and connections") {
  Desk desk;
  for (std::uint64_t seq = 1; seq <= kCount; ++seq) {
    REQUIRE(desk.open());
    REQUIRE(desk.start("r") == Taken::kYes);
    REQUIRE(desk.out("r", seq, payload_of(seq)) == Taken::kYes);
    REQUIRE(desk.flush());
    desk.journal.reset();
  }
  const Status whole = check_journal(desk.directory());
  CHECK(whole.message() == "");
  CHECK(Plain(desk.file())
            .rows("SELECT count(*), count(sum), count(DISTINCT sum_before) FROM run_segments") ==
        Texts{"12|12|12"});
  CHECK(desk.items("r").items.size() == kCount);
}

}  // namespace
}  // namespace gibbous::testing
