// The word for the policy that ships, in `gibbous policy diff`.
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tests/support/catch.h"
#include "tests/support/loop.h"
#include "tests/support/program.h"

using Catch::Matchers::Contains;
using namespace gibbous::testing;

namespace {

enum ExitCode { kDone = 0, kFailed = 1, kWrongUse = 2 };

class Directory {
 public:
  Directory() {
    std::ofstream(path("log.jsonl"))
        << R"({"effect":"start","command":"make x","workspace":"/w","mode":"auto"})"
        << "\n";
    write("ours");
  }
  void write(const std::string& name) const {
    std::filesystem::create_directories(path(name));
    std::ofstream(path(name + "/init.lua"))
        << "return { rules = { { id = 'ours.make', decision = 'deny', reason = 'Use ninja.',\n"
           "  program = 'make', match = { 'make' } } } }\n";
  }
  Outcome diff(const std::string& before, const std::string& after) const {
    return run_program({.argv = {command_path(), "policy", "diff", before, after, "--log",
                                 path("log.jsonl"), "--state", path("state")},
                        .cwd = directory_.path()});
  }

 private:
  std::string path(const std::string& name) const { return directory_.path() + "/" + name; }
  gibbous::testing::TempDir directory_;
};

TEST_CASE("policy diff takes 'shipped' for the policy that ships") {
  const Directory directory;
  const Outcome made = directory.diff("shipped", "ours");
  CHECK(made.status.code == kFailed);
  CHECK_THAT(made.out, Contains("allow -> deny  make x") && Contains("ours.make"));
  CHECK(directory.diff("shipped", "shipped").status.code == kDone);
}

TEST_CASE("a directory that is called shipped is named with ./") {
  const Directory directory;
  directory.write("shipped");
  CHECK(directory.diff("shipped", "./shipped").status.code == kFailed);
  CHECK(directory.diff("ours", "./shipped").status.code == kDone);
}

TEST_CASE("policy diff names a directory that is not there") {
  const Outcome made = Directory().diff("shipped", "missing");
  CHECK(made.status.code == kWrongUse);
  CHECK_THAT(made.err, Contains("missing"));
}

}  // namespace
