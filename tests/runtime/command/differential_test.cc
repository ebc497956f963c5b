// Random lines, and all that were ever missed, through real shells and the analyser: what ran must
// be a command of the facts, or there must be a doubt. command_differential runs many more.
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>

#include "tests/runtime/command/differential/by_hand.h"
#include "tests/runtime/command/differential/confinement.h"
#include "tests/runtime/command/differential/generator.h"
#include "tests/runtime/command/differential/misses.h"
#include "tests/runtime/command/differential/verdict.h"
#include "tests/support/catch.h"

namespace gibbous::command {
namespace {

constexpr std::uint64_t kFirstSeed = 4'000'000;
constexpr std::uint64_t kLines = 300;
constexpr std::uint64_t kDashEvery = 5;

// Where this program is: the fixtures are beside it.
std::string own_directory() {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path().string();
}

std::string source_directory() {
  const char* given = std::getenv("GIBBOUS_SOURCE_DIR");
  return given == nullptr ? "." : given;
}

class Shells {
 public:
  Shells() : bash_(own_directory(), "bash"), dash_(own_directory(), "dash") {}
  bool ok() const { return bash_.ok() && dash_.ok(); }

  // What is wrong with it; "" if nothing is.
  std::string fault(const std::string& line, bool dash) {
    const Facts facts = testing::facts_of(line, *knowledge_);
    if (!facts.doubts.empty()) return "";  // nothing can be missed
    testing::Confinement& shell = dash ? dash_ : bash_;
    shell.send(line);
    testing::Ran ran;
    if (!shell.receive(&ran)) return "the confinement ended";
    if (testing::compare(facts, ran.marks) != testing::Verdict::kMissed) return "";
    return "missed: " + testing::as_written(line) + "\n" + testing::described(facts);
  }

 private:
  std::shared_ptr<const Knowledge> knowledge_ = testing::by_hand();
  testing::Confinement bash_;
  testing::Confinement dash_;
};

TEST_CASE("each command that a real shell runs is in the facts, or there is a doubt") {
  Shells shells;
  if (!shells.ok()) {
    WARN("skipped: bubblewrap cannot make a confinement here");
    return;
  }
  for (std::uint64_t seed = kFirstSeed; seed < kFirstSeed + kLines; ++seed) {
    const bool dash = seed % kDashEvery == 0;
    CHECK(shells.fault(testing::Generator(seed, dash).line(), dash) == "");
  }
}

TEST_CASE("commands that were once missed are found") {
  Shells shells;
  if (!shells.ok()) {
    WARN("skipped: bubblewrap cannot make a confinement here");
    return;
  }
  const auto misses = testing::misses_of(source_directory() + "/tests/runtime/command/misses.txt");
  REQUIRE(misses.size() > 50);
  for (const testing::Miss& miss : misses) CHECK(shells.fault(miss.line, miss.dash) == "");
}

TEST_CASE("one seed always gives the same lines") {
  CHECK(testing::Generator(7, false).line() == testing::Generator(7, false).line());
  CHECK(testing::Generator(7, false).line() != testing::Generator(8, false).line());
}

}  // namespace
}  // namespace gibbous::command
