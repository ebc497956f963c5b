// Random lines, and all that were ever missed, through real shells and the analyser: what ran must
// be a command of the facts, or there must be a doubt. command_differential runs many more.
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <map>
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
constexpr std::uint64_t kLines = 300;  // for each shell

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
  Shells() {
    for (const char* shell : testing::kShells)
      all_[shell] = std::make_unique<testing::Confinement>(own_directory(), shell);
  }
  // bash and dash are there; the others where they are installed.
  bool ok() const { return has("bash") && has("dash"); }
  bool has(const std::string& shell) const { return all_.at(shell)->ok(); }

  // What is wrong with it; "" if nothing is.
  std::string fault(const std::string& line, const std::string& shell) {
    const Facts facts = testing::facts_of(line, *knowledge_, shell);
    if (!facts.doubts.empty() || !has(shell)) return "";  // nothing can be missed
    testing::Confinement& confinement = *all_.at(shell);
    confinement.send(line);
    testing::Ran ran;
    if (!confinement.receive(&ran)) return "the confinement ended";
    if (testing::compare(facts, ran.marks) != testing::Verdict::kMissed) return "";
    return shell + " missed: " + testing::as_written(line) + "\n" + testing::described(facts);
  }

 private:
  std::shared_ptr<const Knowledge> knowledge_ = testing::by_hand();
  std::map<std::string, std::unique_ptr<testing::Confinement>> all_;
};

TEST_CASE("each command that a real shell runs is in the facts, or there is a doubt") {
  Shells shells;
  if (!shells.ok()) {
    WARN("skipped: bubblewrap cannot make a confinement here");
    return;
  }
  for (std::uint64_t seed = kFirstSeed; seed < kFirstSeed + kLines; ++seed) {
    for (const std::string shell : testing::kShells)
      CHECK(shells.fault(testing::Generator::line_for(shell, seed), shell) == "");
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
  for (const testing::Miss& miss : misses) CHECK(shells.fault(miss.line, miss.shell) == "");
}

TEST_CASE("one seed always gives the same lines") {
  CHECK(testing::Generator::line_for("bash", 7) == testing::Generator::line_for("bash", 7));
  CHECK(testing::Generator::line_for("bash", 7) != testing::Generator::line_for("bash", 8));
}

}  // namespace
}  // namespace gibbous::command
