// A journal that ends before what was committed: its log was cut, or an older copy was put back.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "runtime/journal/set_aside.h"
#include "tests/runtime/journal/desk.h"

namespace gibbous::testing {
namespace {

namespace fs = std::filesystem;
using Catch::Matchers::Contains;

// A desk that keeps what the journal says of lost records.
struct CutDesk : Desk {
  CutDesk() {
    options.on_lost = [this](const Status& status) {
      told.tell([&](Told& all) { all.problems.push_back(status); });
    };
    REQUIRE(open());
  }
  // Moves what the log has by now into the file.
  void checkpoint() const {
    Plain plain(file());
    REQUIRE(plain.run("PRAGMA wal_checkpoint(TRUNCATE)"));
  }
  // What a kill and then the loss of the log would leave.
  void lose_log() {
    fs::copy_file(file(), file() + ".kept");
    fs::copy_file(mark(), mark() + ".kept");
    journal.reset();
    fs::rename(file() + ".kept", file());
    fs::rename(mark() + ".kept", mark());
    for (const char* suffix : {"-wal", "-shm"}) fs::remove(file() + suffix);
  }
  std::string mark() const { return directory() + "/sessions.mark"; }
  void put(const std::string& id, std::uint64_t from, std::uint64_t to) {
    for (std::uint64_t seq = from; seq <= to; ++seq) out(id, seq, "line\n");
    REQUIRE(flush());
  }
};

TEST_CASE("shared memory of the journal that another program cuts ends no process") {
  CutDesk desk;
  desk.start("kept");
  desk.put("kept", 1, 3);
  const auto reader = desk.reader();
  for (const std::uintmax_t size : {0, 1, 4096}) {
    CAPTURE(size);
    fs::resize_file(desk.file() + "-shm", size);
    const std::uint64_t next = desk.items("kept").items.size() + 1;
    fs::resize_file(desk.file() + "-shm", size);
    desk.put("kept", next, next + 2);
    CHECK(desk.items("kept").items.size() == next + 2);
  }
  fs::resize_file(desk.file() + "-shm", 0);
  desk.journal.reset();
}

TEST_CASE("a journal whose log was removed while no process used it says which items are gone") {
  CutDesk desk;
  desk.start("kept");
  desk.put("kept", 1, 3);
  desk.checkpoint();
  desk.put("kept", 4, 9);
  desk.lose_log();
  CHECK(check_journal(desk.directory()).code() == "journal_cut");
  REQUIRE(desk.open());
  REQUIRE(desk.told.problems.size() == 1);
  CHECK(desk.told.problems.front().code() == "journal_cut");
  CHECK_THAT(desk.told.problems.front().message(), Contains("items 4 to 9 of run kept were"));
  desk.start("kept");
  desk.put("kept", 10, 10);
  const ItemPage page = desk.items("kept");
  REQUIRE(page.items.size() == 5);
  CHECK(page.items[3].type == ItemType::kNote);
  CHECK_THAT(page.items[3].payload, Contains("items 4 to 9"));
  CHECK(page.items[4].seq == 10);
  REQUIRE(desk.open());
  CHECK(desk.told.problems.size() == 1);
  CHECK(check_journal(desk.directory()));
}

TEST_CASE("the end of a run that is gone with the log is a note for its readers") {
  CutDesk desk;
  desk.start("over");
  desk.put("over", 1, 2);
  desk.end("over");
  REQUIRE(desk.flush());
  desk.checkpoint();
  desk.put("over", 3, 4);
  desk.lose_log();
  REQUIRE(desk.open());
  desk.start("other");
  REQUIRE(desk.flush());
  const ItemPage page = desk.items("over");
  REQUIRE(page.items.size() == 3);
  CHECK(page.items[2].type == ItemType::kNote);
}

TEST_CASE("a run that is gone with the log is named") {
  CutDesk desk;
  desk.start("first");
  desk.put("first", 1, 1);
  desk.checkpoint();
  desk.start("second");
  desk.put("second", 1, 1);
  desk.lose_log();
  REQUIRE(desk.open());
  REQUIRE(desk.told.problems.size() == 1);
  CHECK_THAT(desk.told.problems.front().message(), Contains("run second was recorded and then"));
  desk.start("third");
  REQUIRE(desk.flush());
  REQUIRE(desk.open());
  CHECK(desk.told.problems.size() == 1);
}

TEST_CASE("a journal whose log is gone is not set aside") {
  CutDesk desk;
  desk.start("kept");
  desk.put("kept", 1, 3);
  desk.checkpoint();
  desk.put("kept", 4, 9);
  desk.lose_log();
  Status damage;
  CHECK(set_damaged_aside(desk.directory(), &damage).status().code() == "journal_cut");
  CHECK(fs::exists(desk.file()));
}

TEST_CASE("a journal that was not cut says nothing") {
  CutDesk desk;
  desk.options.max_age = Millis(1);
  REQUIRE(desk.open());
  desk.start("run");
  desk.put("run", 1, 3);
  SECTION("after an end in order") {}
  SECTION("after retention has removed its newest run") {
    desk.end("run");
    REQUIRE(desk.flush());
    desk.clock.advance(std::chrono::hours(1));
    REQUIRE(desk.tidy());
    CHECK(desk.items("run").items.empty());
  }
  SECTION("after that, and a batch without items") {
    desk.start("newer");
    desk.put("newer", 1, 1);
    desk.end("newer");
    REQUIRE(desk.flush());
    desk.clock.advance(std::chrono::hours(1));
    REQUIRE(desk.tidy());
    REQUIRE(desk.items("newer").items.empty());
    DecisionRecord decision;
    decision.decision = "allow";
    desk.journal->add_decision(decision);
    REQUIRE(desk.flush());
  }
  SECTION("after its file was removed, and a run began that wrote nothing") {
    desk.put("run", 4, 4);
    desk.journal.reset();
    for (const char* suffix : {"", "-wal", "-shm"}) fs::remove(desk.file() + suffix);
    REQUIRE(desk.open());
    desk.start("silent");
    REQUIRE(desk.flush());
    REQUIRE(desk.open());
  }
  SECTION("after its file was removed") {
    desk.journal.reset();
    for (const char* suffix : {"", "-wal", "-shm"}) fs::remove(desk.file() + suffix);
  }
  SECTION("without a mark") {
    desk.journal.reset();
    fs::remove(desk.mark());
  }
  SECTION("with a mark that cannot be read") {
    desk.journal.reset();
    std::ofstream(desk.mark()) << std::string(1000, 'x');
  }
  SECTION("with a mark that is a link") {
    desk.journal.reset();
    fs::rename(desk.mark(), desk.directory() + "/elsewhere");
    fs::create_symlink("elsewhere", desk.mark());
    std::ofstream(desk.directory() + "/elsewhere") << "kept";
  }
  SECTION("with a mark that is a pipe") {
    desk.journal.reset();
    fs::remove(desk.mark());
    REQUIRE(::mkfifo(desk.mark().c_str(), 0600) == 0);
  }
  REQUIRE(desk.open());
  desk.start("next");
  desk.put("next", 1, 1);
  CHECK(desk.told.problems.empty());
  CHECK(desk.items("next").items.size() == 1);
  REQUIRE(desk.open());
  CHECK(desk.told.problems.empty());
}

TEST_CASE("two journals of one file take nothing for lost while both write") {
  CutDesk desk;
  CutDesk* const both = &desk;
  Desk other;
  other.options.directory = both->directory();
  other.options.on_lost = [&](const Status& status) {
    both->told.tell([&](Told& all) { all.problems.push_back(status); });
  };
  desk.start("one");
  for (std::uint64_t seq = 1; seq <= 20; ++seq) {
    desk.put("one", seq, seq);
    REQUIRE(other.open());
    const std::string id = "other-" + std::to_string(seq);
    other.start(id);
    other.out(id, 1, "line\n");
    REQUIRE(other.flush());
  }
  CHECK(desk.told.problems.empty());
}

}  // namespace
}  // namespace gibbous::testing
