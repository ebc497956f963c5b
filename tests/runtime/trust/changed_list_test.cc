// What is remembered of the things that git obeys and runs have changed.
#include "runtime/trust/changed_list.h"

#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "tests/support/catch.h"
#include "tests/support/loop.h"

namespace gibbous::trust {
namespace {

bool same(const std::vector<Changed>& a, const std::vector<Changed>& b) {
  return encode_changed(a) == encode_changed(b);
}

TEST_CASE("changed things go through a text, whatever they are called") {
  const std::vector<Changed> all = {{"/w", "-", "/w/a b//.git"},
                                    {"/w", "12ab", "/w//.git/config alias.x\ty\n\\"},
                                    {"/w x", "*", "/w x//"}};
  const auto back = decode_changed(encode_changed(all));
  REQUIRE(back);
  CHECK(same(*back, all));
  CHECK((*back)[1].path == all[1].path);
  CHECK(decode_changed(encode_changed({}))->empty());
}

TEST_CASE("a text with any fault has no changed things") {
  for (const char* const text :
       {"", "gibbous-changed 2\n", "gibbous-changed 1", "gibbous-changed 1\n/w\t-\n",
        "gibbous-changed 1\n/w\t-\t/w//x", "gibbous-changed 1\nw\t-\t/w//x\n",
        "gibbous-changed 1\n/w\t\t/w//x\n", "gibbous-changed 1\n/w\t-\t/w//x\ty\n",
        "gibbous-changed 1\n\n"}) {
    INFO(text);
    const auto read = decode_changed(text);
    REQUIRE_FALSE(read);
    CHECK(read.status().code() == "changed_damaged");
  }
  CHECK_FALSE(decode_changed("gibbous-changed 1\n" + std::string(kMaxChangedFileBytes, 'x')));
}

TEST_CASE("a changed thing is in its repository, or in the workspace") {
  CHECK(directory_of({"/w", "-", "/w/a//.git/config core.pager"}) == "/w/a");
  CHECK(directory_of({"/w", "-", "/w//.git"}) == "/w");
  CHECK(directory_of({"/w", "-", "/word//.git/worktrees/x/gitdir"}) == "/w");
}

TEST_CASE("the list is shared, bounded and refuses another's file") {
  const testing::TempDir dir;
  const std::string state = dir.path() + "/state";
  const ChangedList list(state);
  CHECK(list.list()->empty());
  REQUIRE(list.change([](std::vector<Changed>& all) {
    for (std::size_t i = 0; i <= kMaxChanged; ++i)
      all.push_back({"/w", "-", "/w/" + std::to_string(i) + "//"});
    return true;
  }));
  CHECK(ChangedList(state).list()->size() == kMaxChanged);
  CHECK(list.list()->front().path == "/w/1//");
  std::filesystem::rename(list.path(), state + "/other");
  REQUIRE(::symlink("other", list.path().c_str()) == 0);
  CHECK(list.list().status().code() == "state_file_unusable");
  CHECK_FALSE(list.change([](std::vector<Changed>& all) {
    all.clear();
    return true;
  }));
}

}  // namespace
}  // namespace gibbous::trust
