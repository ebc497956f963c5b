// The tables of a file, and the text of a segment.
#include "runtime/journal/schema.h"

#include <filesystem>
#include <string>

#include "runtime/journal/segment.h"
#include "tests/runtime/journal/desk.h"

namespace gibbous::testing {
namespace {

namespace fs = std::filesystem;

TEST_CASE("another program's database is refused and left unchanged") {
  Desk desk;
  fs::create_directory(desk.directory());
  fs::permissions(desk.directory(), fs::perms(0700));
  Plain(desk.file()).run("CREATE TABLE exec_runs (id)");
  CHECK(desk.open().code() == "journal_foreign");
  CHECK(Plain(desk.file()).rows("SELECT name FROM sqlite_schema") ==
        std::vector<std::string>{"exec_runs"});
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
