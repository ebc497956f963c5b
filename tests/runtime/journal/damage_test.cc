// Files that are damaged, foreign, locked or not ours: told clearly, and nothing recorded is lost.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "runtime/journal/set_aside.h"
#include "tests/runtime/journal/desk.h"

namespace gibbous::testing {
namespace {

namespace fs = std::filesystem;
using Catch::Matchers::Contains;

constexpr std::uint64_t kItems = 3'000;
constexpr std::size_t kPageBytes = 4'096;

// Two runs with items enough for some hundred pages, written and closed.
void write_runs(Desk& desk) {
  REQUIRE(desk.open());
  for (const char* id : {"one", "two"}) {
    REQUIRE(desk.start(id, id) == Taken::kYes);
    for (std::uint64_t seq = 1; seq <= kItems; ++seq) {
      REQUIRE(desk.out(id, seq, std::string(100, 'x') + std::to_string(seq)) == Taken::kYes);
    }
    REQUIRE(desk.end(id) == Taken::kYes);
  }
  REQUIRE(desk.journal->add_backlog({"one", 1, "one", "up", "text"}) == Taken::kYes);
  REQUIRE(desk.flush());
  desk.journal.reset();
}

void overwrite(const std::string& path, std::size_t at, const std::string& bytes) {
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(static_cast<std::streamoff>(at));
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  REQUIRE(file.good());
}

TEST_CASE("an intact journal is reported as intact") {
  Desk desk;
  CHECK(check_journal(desk.directory()).code() == "state_dir_missing");
  write_runs(desk);
  const Status status = check_journal(desk.directory());
  CHECK(status.message() == "");
}

TEST_CASE("a file that is not a database is an error that names it, until it is set aside") {
  Desk desk;
  write_runs(desk);
  overwrite(desk.file(), 0, std::string(2 * kPageBytes, 'g'));
  const Status opened = desk.open();
  CHECK(opened.code() == "journal_corrupt");
  CHECK_THAT(opened.message(), Contains(desk.file()));
  CHECK_THAT(opened.message(), Contains("--set-aside"));
  CHECK(check_journal(desk.directory()).code() == "journal_corrupt");
  CHECK(JournalReader::open(desk.directory()).status().code() == "journal_corrupt");
  Status damage;
  const auto aside = set_damaged_aside(desk.directory(), &damage);
  REQUIRE(aside);
  CHECK(damage.code() == "journal_corrupt");
  CHECK(fs::file_size(*aside) > kItems * 100);
  REQUIRE(desk.open());
  REQUIRE(desk.start("r") == Taken::kYes);
  CHECK(desk.flush());
}

TEST_CASE("a damaged journal is set aside under its writer, which continues in a new file") {
  Desk desk;
  REQUIRE(desk.open());
  REQUIRE(desk.start("before") == Taken::kYes);
  REQUIRE(desk.out("before", 1, "x") == Taken::kYes);
  REQUIRE(desk.end("before") == Taken::kYes);
  REQUIRE(desk.flush());
  REQUIRE(Plain(desk.file()).run("UPDATE run_segments SET data = 'y'"));
  Status damage;
  const auto aside = set_damaged_aside(desk.directory(), &damage);
  REQUIRE(aside);
  CHECK_THAT(damage.message(), Contains("items 1 to 1 of run before"));
  CHECK(Plain(*aside).rows("SELECT run_id FROM exec_runs") == std::vector<std::string>{"before"});
  REQUIRE(desk.start("later") == Taken::kYes);
  Status status = desk.flush();
  if (!status) status = desk.flush();  // the first one has found that the file is another
  REQUIRE(status);
  CHECK(desk.reader()->runs("", 10)->size() == 1);
  CHECK(set_damaged_aside(desk.directory(), &damage)->empty());
  CHECK(damage.ok());
}

TEST_CASE("a journal that a writer holds is not set aside") {
  Desk desk;
  write_runs(desk);
  REQUIRE(Plain(desk.file()).run("UPDATE run_segments SET data = 'y'"));
  Plain plain(desk.file());
  REQUIRE(plain.run("BEGIN IMMEDIATE"));
  Status damage;
  CHECK(set_damaged_aside(desk.directory(), &damage).status().code() == "journal_busy");
  CHECK(fs::exists(desk.file()));
}

TEST_CASE("a locked file is an outage, and waiting entries are written when it ends") {
  Desk desk;
  desk.options.busy_timeout = Millis{0};
  desk.options.max_queue_bytes = 4'000;
  REQUIRE(desk.open());
  REQUIRE(desk.start("r") == Taken::kYes);
  REQUIRE(desk.out("r", 1, "x") == Taken::kYes);
  REQUIRE(desk.flush());
  std::uint64_t seq = 1;
  std::uint64_t lost = 0;
  {
    Plain plain(desk.file());
    REQUIRE(plain.run("BEGIN IMMEDIATE"));
    REQUIRE(desk.out("r", ++seq, "waits") == Taken::kYes);
    CHECK(desk.flush().code() == "journal_busy");
    REQUIRE(desk.told.until([](const Told& all) { return !all.problems.empty(); }));
    CHECK_THAT(desk.told.problems[0].message(), Contains(desk.file()));
    CHECK(desk.journal->stats().degraded);
    CHECK(desk.journal->stats().problem.code() == "journal_busy");
    CHECK(desk.journal->durable_seq("r") == 1);
    // Readers go on, and what is too much is counted rather than held back.
    CHECK(desk.items("r").items.size() == 1);
    Taken taken = Taken::kYes;
    const std::string text(500, 'y');
    while ((taken = desk.out("r", seq + 1, text)) == Taken::kYes) ++seq;
    CHECK(taken == Taken::kNotKept);
    lost = 3;
    CHECK(desk.out("r", seq + 2, text) == Taken::kNotKept);
    CHECK(desk.out("r", seq + 3, text) == Taken::kNotKept);
    CHECK(desk.journal->stats().not_kept == lost);
    CHECK(desk.flush().code() == "journal_busy");
    CHECK(desk.told.problems.size() == 1);  // once
  }
  REQUIRE(desk.flush());
  CHECK_FALSE(desk.journal->stats().degraded);
  CHECK(desk.journal->stats().problem.ok());
  CHECK(desk.told.recoveries == 1);
  REQUIRE(desk.out("r", seq + lost + 1, "well again") == Taken::kYes);
  REQUIRE(desk.flush());
  const ItemPage page = desk.items("r");
  REQUIRE(page.items.size() == seq + 2);
  CHECK(page.items[seq].type == ItemType::kNote);
  CHECK(page.items[seq].seq == seq + 1);
  CHECK(page.items[seq + 1].payload == "well again");
}

TEST_CASE("an outage ends at the next successful try") {
  Desk desk;
  desk.options.busy_timeout = Millis{0};
  desk.options.retry_interval = Millis{1};
  REQUIRE(desk.open());
  {
    Plain plain(desk.file());
    REQUIRE(plain.run("BEGIN IMMEDIATE"));
    REQUIRE(desk.start("r") == Taken::kYes);
    REQUIRE(desk.told.until([](const Told& all) { return !all.problems.empty(); }));
  }
  REQUIRE(desk.told.until([](const Told& all) { return all.recoveries == 1; }));
  CHECK(desk.reader()->run("r"));
}

TEST_CASE("a journal that may not grow keeps what it has, and says that it is full") {
  Desk desk;
  desk.options.max_pages = 64;
  REQUIRE(desk.open());
  REQUIRE(desk.start("r") == Taken::kYes);
  std::uint64_t seq = 0;
  Status status;
  constexpr std::uint64_t kEnough = 1'000;
  while (status && seq < kEnough) {
    REQUIRE(desk.out("r", ++seq, std::string(1'000, 'x')) == Taken::kYes);
    status = desk.flush();
  }
  CHECK(status.code() == "journal_full");
  CHECK_THAT(status.message(), Contains(desk.file()));
  CHECK(desk.journal->durable_seq("r") == seq - 1);
  CHECK(desk.items("r").items.size() == seq - 1);
  // Closed in an outage: what is left is given up, what was recorded stays.
  CHECK(wait_for([&](JournalDone done) { desk.journal->close(std::move(done)); }).code() ==
        "journal_full");
  CHECK(desk.journal->stats().not_kept == 1);
  CHECK(desk.items("r").items.size() == seq - 1);
}

TEST_CASE("a journal whose file was removed continues in a new one") {
  Desk desk;
  REQUIRE(desk.open());
  REQUIRE(desk.start("r") == Taken::kYes);
  REQUIRE(desk.flush());
  for (const char* suffix : {"", "-wal", "-shm"}) fs::remove(desk.file() + suffix);
  REQUIRE(desk.start("later") == Taken::kYes);
  // The writer may notice before or after the flush is asked for.
  REQUIRE(desk.told.until([](const Told& all) { return !all.problems.empty(); }));
  CHECK(desk.told.problems[0].code() == "journal_unusable");
  (void)desk.flush();
  REQUIRE(desk.flush());
  CHECK(desk.reader()->run("later"));
}

TEST_CASE("links, special files and files that others may write to are refused") {
  Desk desk;
  fs::create_directory(desk.directory());
  fs::permissions(desk.directory(), fs::perms(0700));
  const std::string target = desk.dir.write("target", "");
  for (const char* suffix : {"", "-wal", "-shm", "-journal"}) {
    const std::string path = desk.file() + suffix;
    fs::create_symlink(target, path);
    CHECK(desk.open().code() == "journal_unusable");
    CHECK_THAT(desk.open().message(), Contains("symbolic link"));
    fs::remove(path);
  }
  CHECK(fs::file_size(target) == 0);
  REQUIRE(::mkfifo(desk.file().c_str(), 0600) == 0);
  CHECK_THAT(desk.open().message(), Contains("not a regular file"));
  fs::remove(desk.file());
  std::ofstream(desk.file()).put('\n');
  fs::permissions(desk.file(), fs::perms(0666));
  CHECK_THAT(desk.open().message(), Contains("others may write"));
  fs::remove(desk.file());
  fs::permissions(desk.directory(), fs::perms(0777));
  CHECK(desk.open().code() == "state_dir_unusable");
  fs::permissions(desk.directory(), fs::perms(0700));
  if (::geteuid() == 0) {
    std::ofstream(desk.file()).flush();
    fs::permissions(desk.file(), fs::perms(0600));
    REQUIRE(::chown(desk.file().c_str(), 65'534, 65'534) == 0);
    CHECK_THAT(desk.open().message(), Contains("another user"));
  }
}

// journal_child gives up root, for which there are no read-only directories.
std::string open_as_nobody(const Desk& desk) {
  if (::geteuid() == 0) {
    REQUIRE(::chmod(desk.dir.path().c_str(), 0755) == 0);
    for (const auto& entry : fs::directory_iterator(desk.directory())) {
      REQUIRE(::chown(entry.path().c_str(), 65'534, 65'534) == 0);
    }
    REQUIRE(::chown(desk.directory().c_str(), 65'534, 65'534) == 0);
  }
  Program program(journal_child({"open", desk.directory()}));
  const auto line = program.read_line();
  REQUIRE(line);
  return *line;
}

TEST_CASE("a directory that is read-only is an error that names the file") {
  Desk desk;
  fs::create_directory(desk.directory());
  fs::permissions(desk.directory(), fs::perms(0500));
  const std::string said = open_as_nobody(desk);
  fs::permissions(desk.directory(), fs::perms(0700));
  CHECK_THAT(said, Contains("journal_readonly"));
  CHECK_THAT(said, Contains(desk.file()));
  CHECK_THAT(said, Contains("writable"));
}

TEST_CASE("a journal in a directory that became read-only is an error, and stays unchanged") {
  Desk desk;
  write_runs(desk);
  fs::permissions(desk.directory(), fs::perms(0500));
  fs::permissions(desk.file(), fs::perms(0400));
  const std::string said = open_as_nobody(desk);
  fs::permissions(desk.directory(), fs::perms(0700));
  fs::permissions(desk.file(), fs::perms(0600));
  CHECK_THAT(said, Contains("journal_"));
  CHECK_THAT(said, Contains(desk.file()));
  if (::geteuid() == 0) {
    for (const auto& entry : fs::directory_iterator(desk.directory())) {
      REQUIRE(::chown(entry.path().c_str(), 0, 0) == 0);
    }
    REQUIRE(::chown(desk.directory().c_str(), 0, 0) == 0);
  }
  CHECK(desk.items("one").items.size() == kItems);
}

TEST_CASE("a log that is removed while a writer has it open costs nothing that was acknowledged") {
  Desk desk;
  REQUIRE(desk.open());
  REQUIRE(desk.start("r") == Taken::kYes);
  REQUIRE(desk.out("r", 1, "one") == Taken::kYes);
  REQUIRE(desk.flush());
  REQUIRE(desk.out("r", 2, "two") == Taken::kYes);
  REQUIRE(desk.flush());
  REQUIRE(fs::remove(desk.file() + "-wal"));
  REQUIRE(desk.out("r", 3, "three") == Taken::kYes);
  const Status told = desk.flush();
  CHECK(told.code() == "journal_unusable");
  CHECK_THAT(told.message(), Contains("log"));
  REQUIRE(desk.flush());
  const ItemPage page = desk.items("r");
  REQUIRE(page.items.size() == 3);
  CHECK(page.items[2].payload == "three");
  CHECK(check_journal(desk.directory()).message().empty());
}

}  // namespace
}  // namespace gibbous::testing
