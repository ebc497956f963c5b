// Versions of the file: older ones are brought up, newer and foreign ones are left alone.
#include "runtime/journal/schema.h"

#include <filesystem>
#include <fstream>
#include <string>

#include "runtime/journal/journal_repair.h"
#include "runtime/journal/place.h"
#include "runtime/journal/segment.h"
#include "tests/runtime/journal/desk.h"

namespace gibbous::testing {
namespace {

namespace fs = std::filesystem;
using Catch::Matchers::Contains;

// The file as an earlier version of this program has left it.
void make_version(const Desk& desk, std::size_t version) {
  REQUIRE(check_place(desk.directory(), true));
  auto database = Database::open(desk.file(), Database::Mode::kWrite, Millis{0});
  REQUIRE(database);
  REQUIRE(prepare_file(**database));
  REQUIRE(migrate(**database, journal_migrations().first(version)));
}

TEST_CASE("an older version is migrated with all its contents") {
  Desk desk;
  make_version(desk, 1);
  {
    Plain plain(desk.file());
    REQUIRE(
        plain.run("INSERT INTO exec_runs (number, run_id, session_id, status, command,"
                  " queued_at, updated_at, last_seq) VALUES (1, 'old', 's', 'running', 'c', 1,"
                  " 1, 1); INSERT INTO run_segments VALUES (1 << 32 | 1, 5, '[[0,0,0,3,0]]',"
                  " 'abc')"));
    CHECK(plain.rows("SELECT count(*) FROM sqlite_schema WHERE name = 'decisions'") ==
          std::vector<std::string>{"0"});
  }
  CHECK(JournalReader::open(desk.directory()).status().code() == "journal_older");
  REQUIRE(desk.open());
  REQUIRE(desk.start("old") == Taken::kYes);
  REQUIRE(desk.out("old", 2, "def") == Taken::kYes);
  REQUIRE(desk.journal->add_decision({}) == Taken::kYes);
  REQUIRE(desk.flush());
  const ItemPage page = desk.items("old");
  REQUIRE(page.items.size() == 2);
  CHECK(page.items[0].payload == "abc");
  CHECK(page.items[0].created_at == 5);
  CHECK(page.items[1].payload == "def");
  CHECK(desk.reader()->decisions({}, 10)->size() == 1);
  Plain plain(desk.file());
  CHECK(plain.rows("PRAGMA user_version") ==
        std::vector<std::string>{std::to_string(journal_migrations().size())});
}

TEST_CASE("messages of an older version are for the agent, also after a repair") {
  Desk desk;
  make_version(desk, 4);
  REQUIRE(Plain(desk.file())
              .run("INSERT INTO backlog_messages (session_id, owner, seq, run_id, event, payload,"
                   " created_at) VALUES ('s', 'w', 1, 'r', 'run_ended', '{}', 1)"));
  REQUIRE(repair_journal(desk.directory()));
  const auto messages = desk.reader()->backlog("s", 0, 10);
  REQUIRE(messages);
  REQUIRE(messages->size() == 1);
  CHECK(messages->front().for_agent);
}

TEST_CASE("a file that is older than the queue is migrated with its runs") {
  Desk desk;
  make_version(desk, 2);
  REQUIRE(Plain(desk.file())
              .run("INSERT INTO exec_runs (number, run_id, session_id, status, command, queued_at,"
                   " updated_at) VALUES (1, 'old', 's', 'running', 'c', 1, 1)"));
  const auto report = repair_journal(desk.directory());
  REQUIRE(report);
  CHECK(report->runs == 1);
  const RunRecord run = *desk.reader()->run("old");
  CHECK(run.attempt == 1);
  CHECK(run.owner.empty());
}

TEST_CASE("another program's database is refused and left unchanged") {
  Desk desk;
  fs::create_directory(desk.directory());
  fs::permissions(desk.directory(), fs::perms(0700));
  Plain(desk.file()).run("CREATE TABLE exec_runs (id)");
  CHECK(desk.open().code() == "journal_foreign");
  CHECK(Plain(desk.file()).rows("SELECT name FROM sqlite_schema") ==
        std::vector<std::string>{"exec_runs"});
}

TEST_CASE("a migration that fails leaves the old version") {
  Desk desk;
  make_version(desk, 1);
  auto database = Database::open(desk.file(), Database::Mode::kWrite, Millis{0});
  REQUIRE(database);
  const Migration broken[] = {{""}, {"CREATE TABLE half (id); CREATE TABLE half (id)"}};
  CHECK_FALSE(migrate(**database, broken));
  CHECK(*(*database)->number("PRAGMA user_version") == 1);
  CHECK(*(*database)->number("SELECT count(*) FROM sqlite_schema WHERE name = 'half'") == 0);
}

TEST_CASE("a segment's text is read only if it is whole and inside its data") {
  std::vector<SegmentEntry> entries;
  REQUIRE(parse_segment("[[0,0,0,3,0],[3,12,3,2,1]]", 6, &entries));
  REQUIRE(entries.size() == 2);
  CHECK(entries[1].type == ItemType::kEvent);
  CHECK(entries[1].delay == 12);
  CHECK(entries[1].meta_bytes == 1);
  for (const char* text :
       {"", "[", "[]", "[[0,0,0,3,0]", "[[0,0,0,3,0]]x", "[[0,0,0,7,0]]", "[[0,0,4,3,0]]",
        "[[0,0,-1,3,0]]", "[[9,0,0,3,0]]", "[[-1,0,0,3,0]]", "[[0,0,0,3]]", "[[0,0,0,3,0],]",
        "[[0,0,0,99999999999999999999,0]]", "[[0,0,9223372036854775807,1,0]]"}) {
    INFO(text);
    CHECK_FALSE(parse_segment(text, 6, &entries));
  }
}

}  // namespace
}  // namespace gibbous::testing
