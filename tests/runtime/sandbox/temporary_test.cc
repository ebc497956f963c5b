// Which paths a command names in the machine's temporary directories, and what may be made there.
#include "runtime/sandbox/temporary.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "runtime/sandbox/socket_directory.h"
#include "tests/support/catch.h"

namespace gibbous {
namespace {

namespace fs = std::filesystem;
using Texts = std::vector<std::string>;

Texts named(std::string_view text, std::size_t budget = 100) {
  return named_below(text, {"/tmp", "/var/tmp"}, budget);
}

TEST_CASE("paths are named with options, quotes, addresses and in code") {
  CHECK(named("cat /tmp/a /tmp/b/c/") == Texts{"/tmp/a", "/tmp/b/c"});
  CHECK(named("x --file=/tmp/a @/tmp/b file:///tmp/c") == Texts{"/tmp/a", "/tmp/b", "/tmp/c"});
  CHECK(named("open('/tmp/with blank')") == Texts{"/tmp/with blank"});
  CHECK(named("PATH=/tmp/a:/tmp/b;ls>/tmp/c") == Texts{"/tmp/a", "/tmp/b", "/tmp/c"});
  CHECK(named("/var/tmp/x") == Texts{"/var/tmp/x"});
  CHECK(named("/tmp/a/../b /tmp/../etc /tmp/ /tmp /tmpx/y a/tmp/z").size() == 1);
}

TEST_CASE("a line that names very many is looked at in part, and once") {
  std::string line;
  for (int i = 0; i < 10'000; ++i) line += "/tmp/../";
  std::size_t budget = 50;
  CHECK(named_below(line, {"/tmp"}, budget).empty());
  CHECK(budget == 49);  // it is one name
  line.clear();
  for (int i = 0; i < 100; ++i) line += " /tmp/" + std::to_string(i);
  CHECK(named_below(line, {"/tmp"}, budget).size() == 49);
  CHECK(budget == 0);
}

TEST_CASE("the name of a group is the name of a directory, and leads nowhere else") {
  CHECK(is_temporary_group("4d23b87c3a58799d0d0bc720"));
  CHECK(is_temporary_group("a-1"));
  for (const char* name : {"", ".", "..", "a/b", "/tmp", "a b", "a_b"}) {
    CHECK_FALSE(is_temporary_group(name));
  }
  CHECK_FALSE(is_temporary_group(std::string(kMaxTemporaryGroupBytes + 1, 'a')));
}

TEST_CASE("sockets of tmux and screen have a directory of the group, which goes with it") {
  const std::string group = "sockets" + std::to_string(::getpid());
  const std::string outside = socket_directory(group, false);
  const std::string inside = socket_directory(group, true);
  CHECK(outside != inside);
  // "/tmux-4294967295/default" has to fit behind it.
  CHECK((outside + "/tmux-4294967295/default").size() < 108);
  {
    TemporaryGroups groups;
    for (const char* other : {"", "/tmp", "/tmp/x", "/etc"}) CHECK(!make_sockets(groups, other));
    CHECK(!make_sockets(groups, outside + "/.."));
    const auto held = make_sockets(groups, outside);
    REQUIRE(held != nullptr);
    CHECK(fs::status(outside).permissions() == fs::perms::owner_all);
    CHECK_FALSE(fs::exists(inside));
    // A run has moved it: the next one must not get the user's.
    fs::rename(fs::path(outside).parent_path(), fs::path(outside).parent_path().string() + "x");
    CHECK(make_sockets(groups, inside) != nullptr);
    CHECK(make_sockets(groups, outside) != nullptr);
    CHECK(fs::is_directory(outside));
    fs::create_directories(outside + "/tmux-0/default");
    fs::remove_all(fs::path(outside).parent_path().string() + "x");
  }
  fs::remove_all(fs::path(outside).parent_path());
}

TEST_CASE("what lives in a socket directory is removed with the group") {
  const std::string group = "gone" + std::to_string(::getpid());
  const std::string outside = socket_directory(group, false);
  {
    TemporaryGroups groups;
    REQUIRE(make_sockets(groups, outside) != nullptr);
    fs::create_directories(outside + "/tmux-0/default");
  }
  CHECK_FALSE(fs::exists(fs::path(outside).parent_path()));
}

TEST_CASE("a group's directories are made, made good again, and removed when they are empty") {
  const std::string group = "test" + std::to_string(::getpid());
  const std::string path = *temporary_path(group, "/tmp");
  {
    auto made = TemporaryGroup::make(group);
    REQUIRE(made.ok());
    REQUIRE((*made)->is_there());
    CHECK(fs::is_directory(path));
    // A run may do this to its own.
    fs::permissions(path, fs::perms::none);
    CHECK_FALSE((*made)->is_there());
    auto again = TemporaryGroup::make(group);
    REQUIRE(again.ok());
    CHECK((*again)->is_there());
    fs::remove(path);
    fs::create_symlink("/etc", path);
    CHECK_FALSE(has_temporary(group, "/tmp/passwd"));
    auto third = TemporaryGroup::make(group);
    REQUIRE(third.ok());
    CHECK(fs::symlink_status(path).type() == fs::file_type::directory);
    CHECK_FALSE(has_temporary(group, "/tmp/../../../../etc/passwd"));
  }
  // What was in its place is kept.
  CHECK(fs::exists(fs::path(path).parent_path()));
  fs::remove_all(fs::path(path).parent_path());
  {
    auto made = TemporaryGroup::make(group);
    REQUIRE(made.ok());
  }
  CHECK_FALSE(fs::exists(fs::path(path).parent_path()));
}

}  // namespace
}  // namespace gibbous
