// Programs of two versions meet on one file: neither reads it wrong, and the newer one migrates it
// when the older one has gone.
#include <csignal>
#include <filesystem>
#include <fstream>
#include <future>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "runtime/journal/holder.h"
#include "runtime/journal/journal_repair.h"
#include "runtime/journal/kill_request.h"
#include "runtime/journal/schema.h"
#include "tests/runtime/journal/old_journal.h"
#include "tests/support/program.h"

namespace gibbous::testing {
namespace {

namespace fs = std::filesystem;
using Catch::Matchers::Contains;
using Texts = std::vector<std::string>;

ProgramSpec child(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), program_directory() + "/journal_child");
  ProgramSpec spec;
  spec.argv = std::move(arguments);
  return spec;
}

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
  for (const Status& status :
       {desk.open(), JournalReader::open(desk.directory()).status(),
        check_journal(desk.directory()), repair_journal(desk.directory()).status(),
        request_kill(desk.directory(), "r", "TERM", desk.clock).status()}) {
    CHECK(status.code() == "journal_newer");
    CHECK_THAT(status.message(), Contains(desk.file()) && Contains("version 99"));
    CHECK_THAT(status.message(), Contains("works with version " + this_version()));
  }
  CHECK(bytes_of(desk.file()) == before);
  std::size_t files = 0;
  for (const auto& entry : fs::directory_iterator(desk.directory())) {
    files += entry.path().string().find("aside") == std::string::npos ? 0 : 1;
  }
  CHECK(files == 0);
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

TEST_CASE("a writer whose file a newer program has migrated stops, and continues in its version") {
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

TEST_CASE("an older file is migrated when the older process that has it open ends") {
  Desk desk;
  make_old_journal(desk.directory(), "version-5");
  Program older(child({"hold", desk.directory()}));
  REQUIRE(older.read_line() == "open");
  const std::string name = "process " + std::to_string(older.pid()) + " (journal_child)";
  for (const Status& status : {desk.open(), JournalReader::open(desk.directory()).status(),
                               repair_journal(desk.directory()).status()}) {
    CHECK(status.code() == "journal_older");
    CHECK_THAT(status.message(), Contains(desk.file()) && Contains("version 5"));
    CHECK_THAT(status.message(), Contains("version " + this_version()) && Contains(name));
  }
  CHECK(version_of(desk) == Texts{"5"});
  older.close_stdin();
  REQUIRE(older.wait());
  CHECK_THAT(JournalReader::open(desk.directory()).status().message(), Contains("next session"));
  REQUIRE(desk.open());
  CHECK(version_of(desk) == Texts{this_version()});
}

TEST_CASE("an older file waits for living workers that do not have it open") {
  Desk desk;
  make_old_journal(desk.directory(), "version-5");
  desk.options.wal = GENERATE(true, false);
  std::optional<bool> alive = true;
  desk.options.worker_alive = [&alive](const WorkerRecord& worker) {
    CHECK(worker.worker_id == "w-old");
    return alive;
  };
  const Status here = desk.open();
  CHECK(here.code() == "journal_older");
  CHECK_THAT(here.message(), Contains("process 4711"));
  alive.reset();  // cannot be seen from here, so that its lease decides
  desk.clock.advance(Millis{1'764'000'030'000} - desk.clock.wall());
  CHECK_THAT(desk.open().message(), Contains("another machine"));
  desk.clock.advance(Millis{1'764'000'090'000} - desk.clock.wall());
  CHECK(version_of(desk) == Texts{"5"});
  REQUIRE(desk.open());
  CHECK(version_of(desk) == Texts{this_version()});
}

TEST_CASE("of several new processes one migrates an older file, and the others wait for it") {
  Desk desk;
  make_old_journal(desk.directory(), "version-3");
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
  CHECK(desk.reader()->runs("", 10)->size() == 3);
}

TEST_CASE("a migration that is killed before its commit leaves the old file whole") {
  for (const OldJournal& old : kOldJournals) {
    INFO(old.name);
    Desk desk;
    make_old_journal(desk.directory(), old.name);
    const Texts before = Plain(desk.file()).rows("SELECT name, sql FROM sqlite_schema ORDER BY 1");
    Program killed(child({"migrate", desk.directory()}));
    const auto end = killed.wait();
    REQUIRE(end);
    CHECK(end->signal == SIGKILL);
    CHECK(version_of(desk) == Texts{std::to_string(old.version)});
    CHECK(Plain(desk.file()).rows("SELECT name, sql FROM sqlite_schema ORDER BY 1") == before);
    REQUIRE(desk.open());
    CHECK(desk.reader()->runs("", 10)->size() == (old.has_runs ? 3 : 0));
    CHECK(check_journal(desk.directory()).message().empty());
  }
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
