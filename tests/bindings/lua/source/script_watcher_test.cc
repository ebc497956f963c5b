// ScriptWatcher: which changes are reported, how soon, and that it leaves the loop as it was.
#include "bindings/lua/source/script_watcher.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "bindings/lua/source/snapshot.h"
#include "tests/support/catch.h"
#include "tests/support/loop.h"

using namespace gibbous;
using namespace gibbous::lua;
using gibbous::testing::Loop;
using gibbous::testing::TempDir;

namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

// Long enough that a change that would be reported has been.
constexpr milliseconds kQuiet{700};
// Far below kPatience and the reconcile time of these tests, far above what a loaded machine adds.
constexpr milliseconds kSoon{10'000};

struct Watched {
  Watched()
      : watcher(ScriptWatcher::create(
            loop.get(), clock, [this] { ++changes; }, times())) {}
  explicit Watched(WatchTimes given)
      : watcher(ScriptWatcher::create(
            loop.get(), clock, [this] { ++changes; }, given)) {}
  ~Watched() {
    bool closed = false;
    watcher->close([&closed] { closed = true; });
    CHECK(loop.until([&closed] { return closed; }));
  }
  // Without the reconcile timer, so that a test sees what the hints alone do.
  static WatchTimes times() {
    WatchTimes given;
    given.reconcile = milliseconds(600'000);
    return given;
  }
  void watch(const std::vector<std::string>& paths) {
    std::vector<WatchedFile> files;
    for (const std::string& path : paths) files.push_back({path, hash_of_file(path)});
    watcher->watch(std::move(files));
  }
  bool reported() {
    return loop.until([this] { return changes > 0; });
  }

  Loop loop;
  SystemClock clock;
  int changes = 0;
  std::unique_ptr<ScriptWatcher> watcher;
};

void write_in_place(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

}  // namespace

TEST_CASE("a write in place is reported once, within a second") {
  const TempDir dir;
  Watched watched;
  const std::string file = dir.write("a.lua", "return 1");
  watched.watch({file});
  const auto before = watched.clock.now();
  write_in_place(file, "return 2");
  REQUIRE(watched.reported());
  CHECK(watched.clock.now() - before < kSoon);
  watched.loop.run_for(kQuiet);
  CHECK(watched.changes == 1);
}

TEST_CASE("a file that editors replace by a rename is reported again and again") {
  const TempDir dir;
  Watched watched;
  const std::string file = dir.write("a.lua", "return 0");
  for (int i = 1; i <= 3; ++i) {
    watched.watch({file});
    watched.changes = 0;
    fs::rename(dir.write(".a.lua.tmp", "return " + std::to_string(i)), file);
    INFO(i);
    REQUIRE(watched.reported());
  }
}

TEST_CASE("vim's way of writing, removal and a file that appears are reported") {
  const TempDir dir;
  Watched watched;
  const std::string file = dir.write("a.lua", "return 1");
  const std::string missing = dir.path() + "/sub/new.lua";
  SECTION("rename away, create, unlink") {
    watched.watch({file, missing});
    fs::rename(file, file + "~");
    write_in_place(file, "return 2");
    fs::remove(file + "~");
    CHECK(watched.reported());
  }
  SECTION("removed") {
    watched.watch({file, missing});
    fs::remove(file);
    CHECK(watched.reported());
  }
  SECTION("a file and its directory appear where there was none") {
    watched.watch({file, missing});
    dir.write("sub/new.lua", "return 1");
    CHECK(watched.reported());
  }
}

TEST_CASE("a change that affects no listed byte is not reported") {
  const TempDir dir;
  Watched watched;
  const std::string file = dir.write("a.lua", "return 1");
  watched.watch({file});
  ::chmod(file.c_str(), 0600);
  write_in_place(file, "return 1");
  dir.write(".a.lua.swp", "x");
  dir.write("4913", "");
  dir.write("b.lua", "return 2");
  watched.loop.run_for(kQuiet);
  CHECK(watched.changes == 0);
}

TEST_CASE("a change between the load and watch is not missed") {
  const TempDir dir;
  Watched watched;
  const std::string file = dir.write("a.lua", "return 1");
  const std::string loaded = hash_of_file(file);
  write_in_place(file, "return 2");
  watched.watcher->watch({{file, loaded}});
  CHECK(watched.reported());
}

TEST_CASE("a storm of writes is reported after at most the longest settle time") {
  const TempDir dir;
  Watched watched;
  const std::string file = dir.write("a.lua", "return 0");
  watched.watch({file});
  const auto before = watched.clock.now();
  int writes = 0;
  // Never quiet for the settle time: every turn writes.
  REQUIRE(watched.loop.until([&] {
    write_in_place(file, "return " + std::to_string(++writes));
    return watched.changes > 0;
  }));
  // libuv counts from the beginning of its turn, so a timer may be early by as much as a turn
  // takes.
  constexpr milliseconds kTurn{50};
  CHECK(watched.clock.now() - before >= WatchTimes{}.settle - kTurn);
  CHECK(watched.clock.now() - before < WatchTimes{}.settle_most + kSoon);
}

TEST_CASE("a half-written file gets time, and is reported when it stays broken") {
  const TempDir dir;
  WatchTimes times = Watched::times();
  times.half_written = milliseconds(3000);
  Watched watched(times);
  const std::string file = dir.write("a.lua", "return 1");
  watched.watch({file});
  SECTION("completed in time") {
    write_in_place(file, "return {");
    const auto before = watched.clock.now();
    watched.loop.run_for(milliseconds(250));
    CHECK(watched.changes == 0);
    write_in_place(file, "return { 1 }");
    REQUIRE(watched.reported());
    CHECK(watched.clock.now() - before < kSoon);
    watched.loop.run_for(kQuiet);
    CHECK(watched.changes == 1);
  }
  SECTION("left broken") {
    const auto before = watched.clock.now();
    write_in_place(file, "return {");
    REQUIRE(watched.reported());
    CHECK(watched.clock.now() - before >= times.half_written);
    CHECK(watched.clock.now() - before < kSoon);
  }
}

TEST_CASE("a link that is exchanged on the way to the file is reported") {
  const TempDir dir;
  Watched watched;
  dir.write("v1/a.lua", "return 1");
  dir.write("v2/a.lua", "return 2");
  // As Kubernetes lays out a ConfigMap: a.lua -> ..data/a.lua, ..data -> v1.
  fs::create_directory(dir.path() + "/mounted");
  fs::create_symlink("../v1", dir.path() + "/mounted/..data");
  fs::create_symlink("..data/a.lua", dir.path() + "/mounted/a.lua");
  watched.watch({dir.path() + "/mounted/a.lua"});
  fs::create_symlink("../v2", dir.path() + "/mounted/..tmp");
  fs::rename(dir.path() + "/mounted/..tmp", dir.path() + "/mounted/..data");
  CHECK(watched.reported());
}

TEST_CASE("a directory that is replaced as a whole is reported, and watched afterwards") {
  const TempDir dir;
  Watched watched;
  const std::string file = dir.write("scripts/a.lua", "return 1");
  watched.watch({file});
  dir.write("next/a.lua", "return 2");
  fs::rename(dir.path() + "/scripts", dir.path() + "/old");
  fs::rename(dir.path() + "/next", dir.path() + "/scripts");
  REQUIRE(watched.reported());
  watched.watch({file});
  watched.changes = 0;
  write_in_place(file, "return 3");
  CHECK(watched.reported());
}

TEST_CASE("without any hint the reconcile timer notices") {
  const TempDir dir;
  WatchTimes times;
  times.reconcile = milliseconds(100);
  Watched watched(times);
  // /proc sends no events; a directory that cannot be watched is the same: watch a file below it.
  const std::string file = dir.write("deep/er/a.lua", "return 1");
  fs::create_directory_symlink(dir.path() + "/deep", dir.path() + "/way");
  watched.watch({dir.path() + "/way/er/a.lua"});
  fs::rename(dir.path() + "/deep", dir.path() + "/gone");
  CHECK(watched.reported());
}

TEST_CASE("the watcher keeps no loop alive") {
  const TempDir dir;
  Watched watched;
  watched.watch({dir.write("a.lua", "return 1")});
  const auto before = watched.clock.now();
  uv_run(watched.loop.get(), UV_RUN_DEFAULT);
  CHECK(watched.clock.now() - before < kSoon);
}

TEST_CASE("closing in the middle of a report reports nothing more") {
  const TempDir dir;
  Loop loop;
  const SystemClock clock;
  int changes = 0;
  bool closed = false;
  auto watcher = ScriptWatcher::create(loop.get(), clock, [&] { ++changes; });
  const std::string file = dir.write("a.lua", "return 1");
  watcher->watch({{file, "another hash"}});
  watcher->close([&] { closed = true; });
  watcher->watch({{file, ""}});
  CHECK(loop.until([&] { return closed; }));
  watcher.reset();
  CHECK(changes == 0);
}

TEST_CASE("a busy neighbour of a script puts no report off") {
  const TempDir dir;
  WatchTimes times = Watched::times();
  times.settle_most = std::chrono::seconds(600);
  Watched watched(times);
  const std::string file = dir.write("scripts/a.lua", "return 1");
  watched.watch({file});
  write_in_place(file, "return 2");
  int writes = 0;
  // If these counted, the files would never be seen to be at rest.
  CHECK(watched.loop.until([&] {
    dir.write("scripts/.a.lua.swp", std::to_string(++writes));
    dir.write("build.log", std::to_string(writes));
    return watched.changes > 0;
  }));
}

TEST_CASE("the watcher watches the entries of files, of links on the way, and of missing parts") {
  const TempDir dir;
  dir.write("real/x/a.lua", "");
  fs::create_directory_symlink(dir.path() + "/real", dir.path() + "/link");
  const auto places =
      places_to_watch({{dir.path() + "/link/x/a.lua", "h"}, {dir.path() + "/none/at/all.lua", ""}});
  const auto has = [&places, &dir](const std::string& below, const std::string& name) {
    const auto found = places.find(dir.path() + below);
    return found != places.end() && found->second.count(name) == 1;
  };
  CHECK(has("/link/x", "a.lua"));
  CHECK(has("/real/x", "a.lua"));
  CHECK(has("/real", "x"));
  CHECK(has("", "link"));
  CHECK(has("", "none"));
  CHECK(places.count(dir.path() + "/none") == 0);
}
