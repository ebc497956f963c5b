// Which keeper is used, and which is refused before it is started.
#include "runtime/keeper/keeper_program.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "runtime/keeper/keeper_note.h"
#include "runtime/keeper/wire.h"
#include "tests/runtime/keeper/harness.h"

namespace gibbous::testing {
namespace {

namespace fs = std::filesystem;
using Catch::Matchers::Contains;

std::string own_keeper() {
  return program_directory() + "/gibbous-keeper";
}

// A copy of the keeper whose note is changed by `change`.
template <typename Change>
std::string changed_keeper(const TempDir& directory, Change change) {
  std::ifstream file(own_keeper(), std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(file), {}};
  KeeperNote note;
  note.version = wire::kVersion;
  const std::string ours(reinterpret_cast<const char*>(&note), sizeof note);
  const std::size_t at = bytes.find(ours);
  REQUIRE(at != std::string::npos);
  change(note);
  bytes.replace(at, sizeof note, reinterpret_cast<const char*>(&note), sizeof note);
  const std::string path = directory.write("gibbous-keeper", bytes);
  ::chmod(path.c_str(), 0700);
  return path;
}

// What find_keeper() says of a path that a configuration names.
Status refused(const std::string& path) {
  const auto found = find_keeper(path);
  CHECK_FALSE(found.ok());
  CHECK_THAT(found.status().message(), Contains(path));
  return found.status();
}

TEST_CASE("GIBBOUS_KEEPER names the keeper, and a configured path takes precedence") {
  const TempDir directory;
  const std::string copy = directory.path() + "/gibbous-keeper";
  fs::copy_file(own_keeper(), copy);
  ::setenv("GIBBOUS_KEEPER", "/nonexistent/from-the-variable", 1);
  CHECK_THAT(find_keeper("").status().message(), Contains("/nonexistent/from-the-variable"));
  CHECK(find_keeper(copy).value() == copy);
  ::setenv("GIBBOUS_KEEPER", copy.c_str(), 1);
  CHECK(find_keeper("").value() == copy);
  ::unsetenv("GIBBOUS_KEEPER");
  CHECK(find_keeper("").value() == own_keeper());
}

TEST_CASE("what is no keeper of this version is refused before it is started") {
  const TempDir directory;
  CHECK(refused("/nonexistent/gibbous-keeper").code() == "keeper_not_found");
  CHECK(refused(directory.path()).code() == "keeper_not_found");
  CHECK(refused(directory.write("data", "text")).code() == "keeper_not_found");
  const Status other = refused("/bin/true");
  CHECK(other.code() == "keeper_mismatch");
  CHECK_THAT(other.message(), Contains("no gibbous-keeper") && Contains("GIBBOUS_KEEPER"));
}

TEST_CASE("a keeper of another version is refused with both versions") {
  const TempDir directory;
  const Status other =
      refused(changed_keeper(directory, [](KeeperNote& note) { note.version = 4711; }));
  CHECK(other.code() == "keeper_mismatch");
  CHECK_THAT(other.message(), Contains("version 4711") &&
                                  Contains("this library " + std::to_string(wire::kVersion)));
}

TEST_CASE("a note that is damaged is no note") {
  const TempDir directory;
  const auto check = [&](auto change) {
    CHECK(refused(changed_keeper(directory, change)).code() == "keeper_mismatch");
  };
  check([](KeeperNote& note) { note.name_bytes = 0xFFFF'FFFF; });
  check([](KeeperNote& note) { note.text_bytes = 0xFFFF'FFFF; });
  check([](KeeperNote& note) { note.name_bytes = note.text_bytes = 0; });
  check([](KeeperNote& note) { note.name[0] = 'X'; });
  const std::string cut = directory.write("cut", std::string("\x7f") + "ELF");
  ::chmod(cut.c_str(), 0700);
  CHECK(find_keeper(cut).ok());  // too short for a program: it shows itself when it runs
}

TEST_CASE("the keeper that is built in needs no file") {
  if (built_in_keeper().empty()) {
    CHECK(find_keeper(kBuiltInKeeper).status().code() == "keeper_not_found");
    return;
  }
  Harness harness(kBuiltInKeeper);
  const RunKey run = harness.start(Harness::tree({"exit", "3"}));
  REQUIRE(harness.wait_for([&] { return !harness.run(run).exits.empty(); }));
  const std::string process = "/proc/" + std::to_string(harness.client().keeper_pid());
  CHECK_THAT(fs::read_symlink(process + "/exe").string(), Contains("memfd:gibbous-keeper"));
  // It does not hold its own program, nor a descriptor of its host.
  std::size_t held = 0;
  for (const auto& each : fs::directory_iterator(process + "/fd")) {
    std::error_code gone;
    const std::string target = fs::read_symlink(each.path(), gone).string();
    held += target.find("memfd:") != std::string::npos ? 1 : 0;
  }
  CHECK(held == 0);
}

}  // namespace
}  // namespace gibbous::testing
