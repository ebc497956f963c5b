// Which variables' values a command may get, by whatever way they come there.
#include <algorithm>
#include <string>
#include <vector>

#include "runtime/command/analyse.h"
#include "runtime/command/flows.h"
#include "tests/runtime/command/differential/by_hand.h"
#include "tests/support/catch.h"

namespace gibbous::command {
namespace {

using Names = std::vector<std::string>;

Facts facts_of(const std::string& line) {
  Place place;
  place.workspace = place.cwd = "/ws";
  place.home = "/h";
  return analyse(line, place, *testing::by_hand());
}

// The commands called `last` are looked at.
Names held(const std::string& line) {
  Names all;
  for (const SimpleCommand& command : facts_of(line).commands) {
    if (command.program == "last")
      all.insert(all.end(), command.holds.begin(), command.holds.end());
  }
  return all;
}

bool holds(const std::string& line, const std::string& name) {
  const Names all = held(line);
  return std::find(all.begin(), all.end(), name) != all.end();
}

TEST_CASE("a word holds the variables that stand in it") {
  CHECK(held("last $S").front() == "S");
  CHECK(holds("last a-${S#x}-b", "S"));
  CHECK(holds("last \"${N:-${S:0:4}}\"", "S"));
  CHECK(holds("last <<< \"a $S\"", "S"));
  CHECK(held("last ${#S} ${S:+set} ${!S@}").empty());
  CHECK(held("last known '$S' $(date)").empty());
}

TEST_CASE("a value is followed through variables, whatever makes them") {
  for (const char* line : {"x=$S; last ${x#a}",
                           "x=a; x+=$S; last $x",
                           "a=(b $S); last ${a[@]}",
                           "m[k]=$S; last ${m[k]}",
                           "declare -l x=$S; last $x",
                           "declare -u x; x=$S; last $x",
                           "export x=$S; last ${x^}",
                           "for x in $S; do last $x; done",
                           "for x in a \"$S\"; do last $x; done",
                           "select x in $S; do last $x; done",
                           ": ${x:=$S}; last $x",
                           "read -r x <<< $S; last $x",
                           "mapfile -t x <<< $S; last ${x[0]}",
                           "printf -v x %s $S; last $x",
                           "printf -v \"$n\" %s $S; last $x",
                           "declare \"$n=$S\"; last $x",
                           "getopts a: o $S; last $OPTARG",
                           "[[ $S =~ (.*) ]]; last ${BASH_REMATCH[1]}",
                           ": $S; last $_",
                           "n=S; last ${!n}",
                           "IFS=,; x=a,$S; last $x",
                           "if true; then x=$S; else x=a; fi; last ${x%b}",
                           "x=$S; y=$x; z=${y%b}; last $z",
                           "last $x; x=$S",
                           "x=a; while true; do last $x; x=$y; y=$S; done"}) {
    INFO(line);
    CHECK(holds(line, "S"));
  }
}

TEST_CASE("a value is followed into functions, shells and other programs") {
  for (const char* line :
       {"f() { last $1; }; f $S", "f() { shift; last $1; }; f a $S", "f() { last \"$@\"; }; f $S",
        "f() { for a; do last $a; done; }; f a $S", "f() { g \"$@\"; }; g() { last $1; }; f $S",
        "f() { local t=$1; last $t; }; f $S", "set -- $S; last $1", "set -- a $S; shift; last $1",
        "f() { x=$S; }; f; last ${x%a}"}) {
    INFO(line);
    CHECK(holds(line, "S"));
  }
}

TEST_CASE("a known value replaces what a variable held") {
  CHECK(held("x=$S; x=a; last $x").empty());
  CHECK(held("x=$S; f() { last $1; }; f a").empty());
  CHECK_FALSE(holds("x=$S; x=$(date); last $x", "S"));
  CHECK_FALSE(holds("x=$S; last $y", "S"));
  CHECK_FALSE(holds("printf -v x %s $S; last $y", "S"));
  CHECK_FALSE(holds("n=$((n + S)); last $n", "S"));
}

TEST_CASE("what is too much to follow counts as anything") {
  std::string line = "for x in";
  for (int at = 0; at < 200; ++at) line += " $v" + std::to_string(at);
  CHECK(holds(line + "; do last $x; done", kAnyVariable));
  line = "x0=${S#a}";
  for (int at = 1; at < 200; ++at)
    line += ";x" + std::to_string(at) + "=${x" + std::to_string(at - 1) + "#a}";
  CHECK(holds(line + ";last ${x199#a}", kAnyVariable));
}

}  // namespace
}  // namespace gibbous::command
