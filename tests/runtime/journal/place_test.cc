// Where the journal may lie: behind links, on file systems without WAL.
#include "runtime/journal/place.h"

#include <filesystem>
#include <string>

#include "runtime/base/file_system.h"
#include "runtime/journal/set_aside.h"
#include "tests/runtime/journal/desk.h"

namespace gibbous::testing {
namespace {

namespace fs = std::filesystem;
using Texts = std::vector<std::string>;

TEST_CASE("a state directory behind a symbolic link is used") {
  Desk desk;
  const std::string real = desk.dir.path() + "/real#1?%";
  fs::create_directory(real);
  fs::create_directory_symlink(real, desk.dir.path() + "/link");
  desk.options.directory = desk.dir.path() + "/link/state";
  REQUIRE(desk.open());
  REQUIRE(desk.start("r") == Taken::kYes);
  REQUIRE(desk.flush());
  desk.journal.reset();
  CHECK(fs::exists(real + "/state/sessions.db"));
  CHECK(check_journal(desk.options.directory));
  const auto reader = JournalReader::open(desk.options.directory);
  REQUIRE(reader);
  CHECK((*reader)->run("r"));
}

TEST_CASE("a journal without WAL keeps and gives what it gets, also while another one writes") {
  Desk desk;
  desk.options.wal = false;
  REQUIRE(desk.open());
  REQUIRE(desk.start("r") == Taken::kYes);
  REQUIRE(desk.out("r", 1, "one") == Taken::kYes);
  REQUIRE(desk.flush());
  CHECK_FALSE(fs::exists(desk.file() + "-wal"));
  CHECK(Plain(desk.file()).rows("PRAGMA journal_mode") == Texts{"delete"});
  auto other = Journal::create(desk.options, desk.clock);
  REQUIRE(other);
  REQUIRE((*other)->put_run(desk.record("of another")) == Taken::kYes);
  REQUIRE(wait_for([&](JournalDone done) { (*other)->flush(std::move(done)); }));
  REQUIRE(desk.out("r", 2, "two") == Taken::kYes);
  REQUIRE(desk.flush());
  CHECK(desk.items("r").items.size() == 2);
  CHECK(desk.reader()->runs("", 10)->size() == 2);
}

TEST_CASE("a journal in WAL mode is changed where WAL does not work, and back") {
  Desk desk;
  for (const bool wal : {true, false, true}) {
    desk.options.wal = wal;
    REQUIRE(desk.open());
    REQUIRE(desk.start(wal ? "w" : "d") == Taken::kYes);
    REQUIRE(desk.flush());
    CHECK(Plain(desk.file()).rows("PRAGMA journal_mode") == Texts{wal ? "wal" : "delete"});
  }
}

TEST_CASE("network file systems are known by their type") {
  constexpr long kNfs = 0x6969;
  constexpr long kCifs = static_cast<int>(0xFF534D42);  // a negative number on some machines
  constexpr long kExt4 = 0xEF53;
  CHECK(file_system_of_type(kNfs).name == "nfs");
  CHECK_FALSE(file_system_of_type(kNfs).shares_memory);
  CHECK_FALSE(file_system_of_type(kCifs).shares_memory);
  CHECK(file_system_of_type(kExt4).shares_memory);
  CHECK_FALSE(file_system_of("/tmp").is_read_only);
  CHECK(file_system_of("/no/such/place").shares_memory);
}

}  // namespace
}  // namespace gibbous::testing
