// Cleanup commands: what the keeper executes for a run that was ended, or whose host died.
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "tests/runtime/keeper/harness.h"

namespace gibbous::testing {
namespace {

namespace fs = std::filesystem;

// A directory for files that cleanup commands make.
class Place {
 public:
  Place() {
    std::string name = fs::temp_directory_path() / "gibbous-cleanup-XXXXXX";
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  ~Place() { fs::remove_all(path_); }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;

  std::string file(const std::string& name) const { return path_ + "/" + name; }
  bool has(const std::string& name) const { return fs::exists(file(name)); }

 private:
  std::string path_;
};

CleanupCommand shell(const std::string& line) {
  return {{"/bin/sh", "-c", line}, {"PATH=/usr/bin:/bin"}, "/"};
}

StartRequest pausing(CleanupCommand cleanup) {
  StartRequest request = Harness::tree({"print", "up", "pause"});
  request.cleanup = std::move(cleanup);
  return request;
}

}  // namespace

TEST_CASE("a killed run's cleanup command is carried out before the kill is reported") {
  const Place place;
  Harness harness;
  const RunKey run = harness.start_running(pausing(shell(": >" + place.file("done"))));
  harness.client().kill(run, SIGKILL, Millis(0));
  REQUIRE(harness.wait_report(run));
  CHECK(place.has("done"));
  CHECK_FALSE(harness.run(run).reports[0].cleanup_failed);
}

TEST_CASE("a failing cleanup command is in the report") {
  Harness harness;
  const RunKey run = harness.start_running(pausing(shell("exit 1")));
  harness.client().kill(run, SIGKILL, Millis(0));
  REQUIRE(harness.wait_report(run));
  CHECK(harness.run(run).reports[0].cleanup_failed);
  const RunKey missing = harness.start_running(pausing({{"/no/such/program"}, {}, "/"}));
  harness.client().kill(missing, SIGKILL, Millis(0));
  REQUIRE(harness.wait_report(missing));
  CHECK(harness.run(missing).reports[0].cleanup_failed);
}

TEST_CASE(
    "a run that ends normally drops its cleanup command, or executes it, as the library asks") {
  const Place place;
  Harness harness;
  for (const bool grant : {false, true}) {
    const std::string name = grant ? "granted" : "let-go";
    StartRequest request = Harness::tree({"print", "up"});
    request.cleanup = shell(": >" + place.file(name));
    const RunKey run = harness.start_running(request);
    REQUIRE(harness.wait_exit(run));
    harness.client().cleanup_done(run, grant);
  }
  CHECK(harness.wait_for([&] { return place.has("granted"); }));
  CHECK_FALSE(place.has("let-go"));
}

TEST_CASE("a kill during a running cleanup command is reported when that command ends") {
  const Place place;
  Harness harness;
  StartRequest request = Harness::tree({"print", "up"});
  request.cleanup =
      shell("until [ -e " + place.file("go") + " ]; do sleep 0.01; done; : >" + place.file("done"));
  const RunKey run = harness.start_running(request);
  REQUIRE(harness.wait_exit(run));
  harness.client().cleanup_done(run, true);
  harness.client().kill(run, SIGTERM, Millis(0));
  std::ofstream(place.file("go")) << "go";
  REQUIRE(harness.wait_report(run));
  CHECK(place.has("done"));
  CHECK_FALSE(harness.run(run).reports[0].cleanup_failed);
}

TEST_CASE("cleanup commands are carried out when the host disconnects from its keeper") {
  const Place place;
  {
    Harness harness;
    harness.start_running(pausing(shell(": >" + place.file("first"))));
    harness.start_running(pausing(shell(": >" + place.file("second"))));
    harness.client().shutdown(Millis(100));
    CHECK(harness.wait_for([&] { return place.has("first") && place.has("second"); }));
  }
}

TEST_CASE("a cleanup command that is too large or empty fails the start") {
  Harness harness;
  const RunKey large = harness.start(pausing(shell(std::string(kMaxCleanupBytes, 'x'))));
  CHECK(harness.wait_for([&] { return !harness.run(large).failures.empty(); }));
  const RunKey empty = harness.start(pausing({{}, {}, "/"}));
  CHECK(harness.wait_for([&] { return !harness.run(empty).failures.empty(); }));
}

}  // namespace gibbous::testing
