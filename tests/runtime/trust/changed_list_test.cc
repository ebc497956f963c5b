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

TEST_CASE("changed things keep their names, whatever they are") {
  const testing::TempDir dir;
  const ChangedList list(dir.path());
  const std::vector<Changed> all = {{"/w", "-", "/w/a b//.git"},
                                    {"/w", "12ab", "/w//.git/config alias.x\ty\n\\"},
                                    {"/w x", "*", "/w x//"}};
  REQUIRE(list.change([&](std::vector<Changed>& written) {
    written = all;
    return true;
  }));
  const auto back = list.list();
  REQUIRE(back);
  REQUIRE(back->size() == all.size());
  for (std::size_t at = 0; at < all.size(); ++at) CHECK((*back)[at].path == all[at].path);
}

TEST_CASE("a text with any fault has no changed things") {
  const testing::TempDir dir;
  const ChangedList list(dir.path());
  for (const std::string& text :
       {std::string(), std::string("gibbous-changed 1"), std::string("gibbous-changed 1\n/w\t-\n"),
        std::string("gibbous-changed 1\n/w\t-\t/w//x"),
        std::string("gibbous-changed 1\nw\t-\t/w//x\n"),
        std::string("gibbous-changed 1\n/w\t\t/w//x\n"),
        std::string("gibbous-changed 1\n/w\t-\t/w//x\ty\n"), std::string("gibbous-changed 1\n\n"),
        "gibbous-changed 1\n" + std::string(kMaxStateTableBytes, 'x')}) {
    INFO(text.substr(0, 40));
    std::ofstream(list.path()) << text;
    CHECK(list.list().status().code() == "changed_damaged");
  }
  std::ofstream(list.path()) << "gibbous-changed 2\n";
  CHECK(list.list().status().code() == "changed_newer");
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
