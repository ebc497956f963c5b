// Ids, "did you mean", words for a shell, and the table of mounts.
#include <set>

#include "runtime/base/mounts.h"
#include "runtime/base/nearest.h"
#include "runtime/base/random_id.h"
#include "runtime/base/shell_quote.h"
#include "tests/support/catch.h"

using gibbous::did_you_mean;
using gibbous::nearest_name;
using gibbous::shell_quote;

TEST_CASE("ids have eight letters and digits") {
  std::set<std::string> seen;
  constexpr int kIds = 2000;
  for (int i = 0; i < kIds; ++i) {
    const std::string id = gibbous::random_id();
    REQUIRE(id.size() == gibbous::kIdChars);
    REQUIRE(
        id.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789") ==
        std::string::npos);
    seen.insert(id);
  }
  REQUIRE(seen.size() == kIds);
}

TEST_CASE("a slightly wrong name gets the right one as a suggestion") {
  const std::vector<std::string> known = {"bg_start", "bg_status", "bg_output", "bg_kill"};
  REQUIRE(nearest_name("bg_strat", known) == "bg_start");
  REQUIRE(nearest_name("bg_stauts", known) == "bg_status");
  REQUIRE(nearest_name("BG_KILL", known) == "bg_kill");
  REQUIRE(nearest_name("bgoutput", known) == "bg_output");
}

TEST_CASE("an abbreviation gets the name that it stands for, before a name that it resembles") {
  REQUIRE(nearest_name("cmd", {"cwd", "command", "commands"}) == "command");
  REQUIRE(nearest_name("scripts", {"managed_dir", "scripts_dir"}) == "scripts_dir");
  REQUIRE(nearest_name("desc", {"data", "description"}) == "description");
  REQUIRE(nearest_name("tol", {"tool", "policy"}) == "tool");
  REQUIRE(nearest_name("prot", {"port", "protocol"}) == "port");
  REQUIRE(nearest_name("x", {"xylophone"}).empty());
  REQUIRE(nearest_name("mand", {"command"}).empty());
}

TEST_CASE("a name unlike all others gets no suggestion") {
  REQUIRE(nearest_name("frobnicate", {"bg_start", "bg_kill"}).empty());
  REQUIRE(nearest_name("", {"bg_start"}).empty());
  REQUIRE(nearest_name(std::string(10'000, 'x'), {"bg_start"}).empty());
}

TEST_CASE("a message ends with the nearest name in its own quotes, or without one") {
  CHECK(did_you_mean("mode") == "; did you mean 'mode'?");
  CHECK(did_you_mean("mode", '"') == "; did you mean \"mode\"?");
  CHECK(did_you_mean("").empty());
}

TEST_CASE("a word is quoted where a shell would give it a meaning") {
  CHECK(shell_quote("a-b_c.d/e:f=g@h%i+j,k9") == "a-b_c.d/e:f=g@h%i+j,k9");
  CHECK(shell_quote("") == "''");
  CHECK(shell_quote("a b") == "'a b'");
  CHECK(shell_quote("~") == "'~'");
  CHECK(shell_quote("it's") == R"('it'\''s')");
  CHECK(shell_quote("\xC3\xA4") == "'\xC3\xA4'");
}

TEST_CASE("mounts are read with their escapes undone, and odd lines are left out") {
  const auto mounts = gibbous::parse_mounts(
      "36 35 98:0 /part /mnt/two\\040words rw,noatime master:1 shared:2 - ext4 /dev/sda1 "
      "rw,discard\n"
      "30 24 0:26 / /cg rw - cgroup2 none rw\n"
      "\nnonsense\n - \n1 2 3 4 - x y z\n1 2 3 / /end - t s o\\04");
  REQUIRE(mounts.size() == 3);
  CHECK(mounts[0].root == "/part");
  CHECK(mounts[0].point == "/mnt/two words");
  CHECK(mounts[0].type == "ext4");
  CHECK(mounts[0].options == "rw,discard");
  CHECK(mounts[1].type == "cgroup2");
  CHECK(mounts[2].options == "o\\04");
  CHECK(!gibbous::own_mounts().empty());
}
