// Programs of two versions meet on one file: neither reads it wrong, and the newer one sets it
// aside when the older one has gone.
#include <csignal>
#include <filesystem>
#include <fstream>
#include <future>
#include <iterator>
#include <string>
#include <vector>

#include "runtime/journal/holder.h"
#include "runtime/journal/kill_request.h"
#include "runtime/journal/schema.h"
#include "runtime/journal/set_aside.h"
#include "tests/runtime/journal/desk.h"

namespace gibbous::testing {
namespace {

namespace fs = std::filesystem;
using Catch::Matchers::Contains;
using Texts = std::vector<std::string>;

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

Texts version_of(const Desk& desk) {
  return Plain(desk.file()).rows("PRAGMA user_version");
}

std::string this_version() {
  return std::to_string(kJournalVersion);
}

void set_version(const Desk& desk, int version) {
  REQUIRE(Plain(desk.file()).run("PRAGMA user_version = " + std::to_string(version)));
}

// --- A newer file -------------------------------------------------------------------------------

TEST_CASE("a newer file is refused by all that opens it, and left unchanged") {
  Desk desk;
  REQUIRE(desk.open());
  REQUIRE(desk.start("r") == Taken::kYes);
  REQUIRE(desk.flush());
  desk.journal.reset();
  set_version(desk, 99);
  const std::string before = bytes_of(desk.file());
  Status damage;
  for (const Status& status :
       {desk.open(), JournalReader::open(desk.directory()).status(),
        check_journal(desk.directory()), set_damaged_aside(desk.directory(), &damage).status(),
        request_kill(desk.directory(), "r", "TERM", desk.clock).status()}) {
    CHECK(status.code() == "journal_newer");
    CHECK_THAT(status.message(), Contains(desk.file()) && Contains("version 99"));
    CHECK_THAT(status.message(), Contains("works with version " + this_version()));
  }
  CHECK(bytes_of(desk.file()) == before);
}

TEST_CASE("a newer file whose tables mean nothing here is refused by its version") {
  Desk desk;
  REQUIRE(desk.open());
  desk.journal.reset();
  Plain plain(desk.file());
  REQUIRE(
      plain.run("PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = 'CREATE TABLE of "
                "a later SQLite' WHERE name = 'exec_runs'; PRAGMA user_version = 99"));
  CHECK(desk.open().code() == "journal_newer");
  CHECK(JournalReader::open(desk.directory()).status().code() == "journal_newer");
}

TEST_CASE("a writer whose file a newer program writes stops, and continues in its version") {
  Desk desk;
  REQUIRE(desk.open());
  REQUIRE(desk.start("r") == Taken::kYes);
  REQUIRE(desk.flush());
  const auto reader = desk.reader();
  CHECK(reader->is_current());
  set_version(desk, 99);
  REQUIRE(desk.out("r", 1, "later") == Taken::kYes);
  const Status status = desk.flush();
  CHECK(status.code() == "journal_newer");
  CHECK(desk.journal->stats().problem.code() == "journal_newer");
  CHECK(desk.tidy().code() == "journal_newer");
  CHECK_FALSE(reader->is_current());
  CHECK(reader->changes().status().code() == "journal_newer");
  CHECK(Plain(desk.file()).rows("SELECT count(*) FROM run_segments") == Texts{"0"});
  set_version(desk, static_cast<int>(kJournalVersion));
  REQUIRE(desk.flush());
  CHECK(desk.items("r").items.size() == 1);
  CHECK(desk.told.problems.size() == 1);
}

// --- An older file ------------------------------------------------------------------------------

// A file as an older program left it, with an ended run and one that has `status`.
void make_older(Desk& desk, const std::string& status) {
  REQUIRE(desk.open());
  REQUIRE(desk.start("ended") == Taken::kYes);
  REQUIRE(desk.end("ended") == Taken::kYes);
  RunRecord other = desk.record("other");
  other.status = status;
  if (status == "killed") other.finished_at = desk.clock.wall().count();
  REQUIRE(desk.journal->put_run(other) == Taken::kYes);
  REQUIRE(desk.flush());
  desk.journal.reset();
  set_version(desk, 9);
}

Texts files_aside(const Desk& desk) {
  Texts names;
  for (const auto& entry : fs::directory_iterator(desk.directory())) {
    const std::string path = entry.path().string();
    const bool is_aside = path.find(".set-aside-") != std::string::npos;
    if (is_aside && !path.ends_with("-wal") && !path.ends_with("-shm")) names.push_back(path);
  }
  return names;
}

TEST_CASE("an older file is set aside whole, and recording begins in a new one") {
  Desk desk;
  make_older(desk, "killed");
  std::vector<Status> told;
  desk.options.on_lost = [&told](const Status& status) { told.push_back(status); };
  const Status reading = JournalReader::open(desk.directory()).status();
  CHECK(reading.code() == "journal_older");
  CHECK_THAT(reading.message(), Contains("version 9") && Contains("next session"));
  REQUIRE(desk.open());
  const auto aside = files_aside(desk);
  REQUIRE(aside.size() == 1);
  REQUIRE(told.size() == 1);
  CHECK(told[0].code() == "journal_set_aside");
  CHECK_THAT(told[0].message(), Contains(desk.file()) && Contains(aside[0]));
  CHECK(Plain(aside[0]).rows("PRAGMA user_version") == Texts{"9"});
  CHECK(Plain(aside[0]).rows("SELECT run_id FROM exec_runs") == Texts{"ended", "other"});
  CHECK(version_of(desk) == Texts{this_version()});
  REQUIRE(desk.start("new") == Taken::kYes);
  REQUIRE(desk.flush());
  CHECK(desk.reader()->runs("", 10)->size() == 1);
  CHECK(told.size() == 1);
}

TEST_CASE("an older file is refused while runs in it are queued or go on") {
  for (const char* status : {"queued", "starting", "running"}) {
    INFO(status);
    Desk desk;
    make_older(desk, status);
    const std::string before = bytes_of(desk.file());
    const Status refused = desk.open();
    CHECK(refused.code() == "journal_older");
    CHECK_THAT(refused.message(), Contains(desk.file()) && Contains("(other)"));
    CHECK_THAT(refused.message(), Contains("version 9") && Contains("older program"));
    CHECK(request_kill(desk.directory(), "other", "", desk.clock).status().code() ==
          "journal_older");
    CHECK(bytes_of(desk.file()) == before);
    CHECK(files_aside(desk).empty());
  }
}

TEST_CASE("an older file is refused while the older program has it open") {
  Desk desk;
  make_older(desk, "killed");
  Program older(journal_child({"hold", desk.directory()}));
  REQUIRE(older.read_line() == "open");
  const Status refused = desk.open();
  CHECK(refused.code() == "journal_older");
  CHECK_THAT(refused.message(),
             Contains("process " + std::to_string(older.pid()) + " (journal_child)"));
  older.close_stdin();
  REQUIRE(older.wait());
  REQUIRE(desk.open());
  CHECK(files_aside(desk).size() == 1);
}

TEST_CASE("of several new processes one sets an older file aside, and the others wait for it") {
  Desk desk;
  make_older(desk, "killed");
  std::vector<std::future<Status>> openings;
  for (int i = 0; i < 6; ++i) {
    openings.push_back(std::async(std::launch::async, [&desk] {
      const ManualClock clock;
      JournalOptions options;
      options.directory = desk.directory();
      options.busy_timeout = kPatience;
      return Journal::create(std::move(options), clock).status();
    }));
  }
  for (auto& opening : openings) CHECK(opening.get().message().empty());
  CHECK(version_of(desk) == Texts{this_version()});
  CHECK(files_aside(desk).size() == 1);
}

TEST_CASE("processes are named in a list that has an end") {
  CHECK(names_of_processes({}).empty());
  const long none = 4'194'400;  // above the highest pid
  const std::string first = "process " + std::to_string(none);
  CHECK(names_of_processes({none}) == first);
  CHECK(names_of_processes({none, none + 1}) == first + " and process " + std::to_string(none + 1));
  CHECK_THAT(names_of_processes({none, none + 1, none + 2, none + 3, none + 4, none + 5, none + 6}),
             Contains(" and 2 others"));
}

}  // namespace
}  // namespace gibbous::testing
