// ScriptMonitor: which changes are reported, how soon, and that it leaves the loop as it was.
#include "bindings/lua/source/script_monitor.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <climits>
#include <filesystem>
#include <fstream>
#include <thread>

#include "bindings/lua/source/snapshot.h"
#include "runtime/base/unique_fd.h"
#include "tests/support/catch.h"
#include "tests/support/loop.h"

using namespace gibbous;
using namespace gibbous::lua;
using gibbous::testing::Loop;
using gibbous::testing::TempDir;

namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

// After this long, a change would have been reported.
constexpr milliseconds kQuiet{700};
// Far below kPatience and the reconcile time of these tests, and far above the delays of a loaded
// machine.
constexpr milliseconds kSoon{10'000};

struct Monitored {
  Monitored()
      : monitor(ScriptMonitor::create(
            loop.get(), clock, [this] { ++changes; }, times())) {}
  explicit Monitored(MonitorTimes given)
      : monitor(ScriptMonitor::create(
            loop.get(), clock, [this] { ++changes; }, given)) {}
  ~Monitored() {
    bool closed = false;
    monitor->close([&closed] { closed = true; });
    CHECK(loop.until([&closed] { return closed; }));
  }
  // Without the reconcile timer, so that a test sees what the hints alone do.
  static MonitorTimes times() {
    MonitorTimes given;
    for (milliseconds* interval :
         {&given.reconcile_watched, &given.reconcile_unwatched, &given.reconcile_remote}) {
      *interval = milliseconds(600'000);
    }
    return given;
  }
  void monitor_files(const std::vector<std::string>& paths) {
    std::vector<MonitoredFile> files;
    for (const std::string& path : paths) files.push_back({path, hash_of_file(path)});
    monitor->set_files(std::move(files));
  }
  bool reported() {
    return loop.until([this] { return changes > 0; });
  }

  Loop loop;
  SystemClock clock;
  int changes = 0;
  std::unique_ptr<ScriptMonitor> monitor;
};

void write_in_place(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

}  // namespace

TEST_CASE("a write in place is reported once, within a second") {
  const TempDir dir;
  Monitored monitored;
  const std::string file = dir.write("a.lua", "return 1");
  monitored.monitor_files({file});
  const auto before = monitored.clock.now();
  write_in_place(file, "return 2");
  REQUIRE(monitored.reported());
  CHECK(monitored.clock.now() - before < kSoon);
  monitored.loop.run_for(kQuiet);
  CHECK(monitored.changes == 1);
}

TEST_CASE("a file that editors replace by a rename is reported again and again") {
  const TempDir dir;
  Monitored monitored;
  const std::string file = dir.write("a.lua", "return 0");
  for (int i = 1; i <= 3; ++i) {
    monitored.monitor_files({file});
    monitored.changes = 0;
    fs::rename(dir.write(".a.lua.tmp", "return " + std::to_string(i)), file);
    INFO(i);
    REQUIRE(monitored.reported());
  }
}

TEST_CASE("vim's way of writing, removal and a file that appears are reported") {
  const TempDir dir;
  Monitored monitored;
  const std::string file = dir.write("a.lua", "return 1");
  const std::string missing = dir.path() + "/sub/new.lua";
  SECTION("rename away, create, unlink") {
    monitored.monitor_files({file, missing});
    fs::rename(file, file + "~");
    write_in_place(file, "return 2");
    fs::remove(file + "~");
    CHECK(monitored.reported());
  }
  SECTION("removed") {
    monitored.monitor_files({file, missing});
    fs::remove(file);
    CHECK(monitored.reported());
  }
  SECTION("a file and its directory appear where there was none") {
    monitored.monitor_files({file, missing});
    dir.write("sub/new.lua", "return 1");
    CHECK(monitored.reported());
  }
}

TEST_CASE("a change that affects no listed byte is not reported") {
  const TempDir dir;
  Monitored monitored;
  const std::string file = dir.write("a.lua", "return 1");
  monitored.monitor_files({file});
  ::chmod(file.c_str(), 0600);
  write_in_place(file, "return 1");
  dir.write(".a.lua.swp", "x");
  dir.write("4913", "");
  dir.write("b.lua", "return 2");
  monitored.loop.run_for(kQuiet);
  CHECK(monitored.changes == 0);
}

TEST_CASE("a change between the load and the monitoring is not missed") {
  const TempDir dir;
  Monitored monitored;
  const std::string file = dir.write("a.lua", "return 1");
  const std::string loaded = hash_of_file(file);
  write_in_place(file, "return 2");
  monitored.monitor->set_files({{file, loaded}});
  CHECK(monitored.reported());
}

TEST_CASE("many writes are reported after at most the longest settle time") {
  const TempDir dir;
  Monitored monitored;
  const std::string file = dir.write("a.lua", "return 0");
  monitored.monitor_files({file});
  const auto before = monitored.clock.now();
  int writes = 0;
  // Never quiet for the settle time: every turn writes.
  REQUIRE(monitored.loop.until([&] {
    write_in_place(file, "return " + std::to_string(++writes));
    return monitored.changes > 0;
  }));
  // libuv counts from the beginning of its turn, so a timer may be early by as much as a turn
  // takes.
  constexpr milliseconds kTurn{50};
  CHECK(monitored.clock.now() - before >= MonitorTimes{}.settle - kTurn);
  CHECK(monitored.clock.now() - before < MonitorTimes{}.settle_most + kSoon);
}

TEST_CASE("a half-written file gets time, and is reported if it stays broken") {
  const TempDir dir;
  MonitorTimes times = Monitored::times();
  times.half_written = milliseconds(3000);
  Monitored monitored(times);
  const std::string file = dir.write("a.lua", "return 1");
  monitored.monitor_files({file});
  SECTION("completed in time") {
    write_in_place(file, "return {");
    const auto before = monitored.clock.now();
    monitored.loop.run_for(milliseconds(250));
    CHECK(monitored.changes == 0);
    write_in_place(file, "return { 1 }");
    REQUIRE(monitored.reported());
    CHECK(monitored.clock.now() - before < kSoon);
    monitored.loop.run_for(kQuiet);
    CHECK(monitored.changes == 1);
  }
  SECTION("left broken") {
    const auto before = monitored.clock.now();
    write_in_place(file, "return {");
    REQUIRE(monitored.reported());
    CHECK(monitored.clock.now() - before >= times.half_written);
    CHECK(monitored.clock.now() - before < kSoon);
  }
}

TEST_CASE("a link that is replaced on the way to the file is reported") {
  const TempDir dir;
  Monitored monitored;
  dir.write("v1/a.lua", "return 1");
  dir.write("v2/a.lua", "return 2");
  // As Kubernetes lays out a ConfigMap: a.lua -> ..data/a.lua, ..data -> v1.
  fs::create_directory(dir.path() + "/mounted");
  fs::create_symlink("../v1", dir.path() + "/mounted/..data");
  fs::create_symlink("..data/a.lua", dir.path() + "/mounted/a.lua");
  monitored.monitor_files({dir.path() + "/mounted/a.lua"});
  fs::create_symlink("../v2", dir.path() + "/mounted/..tmp");
  fs::rename(dir.path() + "/mounted/..tmp", dir.path() + "/mounted/..data");
  CHECK(monitored.reported());
}

TEST_CASE("a directory that is replaced as a whole is reported, and monitored afterwards") {
  const TempDir dir;
  Monitored monitored;
  const std::string file = dir.write("scripts/a.lua", "return 1");
  monitored.monitor_files({file});
  dir.write("next/a.lua", "return 2");
  fs::rename(dir.path() + "/scripts", dir.path() + "/old");
  fs::rename(dir.path() + "/next", dir.path() + "/scripts");
  REQUIRE(monitored.reported());
  monitored.monitor_files({file});
  monitored.changes = 0;
  write_in_place(file, "return 3");
  CHECK(monitored.reported());
}

TEST_CASE("a change while the monitor looks at other directories is not missed") {
  const TempDir dir;
  MonitorTimes times = Monitored::times();
  times.settle = milliseconds(20);
  Monitored monitored(times);
  const std::string first = dir.write("a.lua", "return 1");
  const std::string last = dir.write("z.lua", "return 1");
  std::vector<std::string> files = {first, last, dir.path() + "/sub/new.lua"};
  // There are so many directories that listening to them takes longer than the change.
  for (int i = 0; i < 200; ++i) {
    const std::string each = dir.path() + "/d" + std::to_string(i);
    fs::create_directory(each);
    files.push_back(each + "/new.lua");
  }
  monitored.monitor_files(files);

  const UniqueFd opens(::inotify_init1(IN_CLOEXEC));
  REQUIRE(::inotify_add_watch(opens.get(), last.c_str(), IN_OPEN) >= 0);
  const auto is_opened = [&opens](int patience_ms) {
    pollfd told{opens.get(), POLLIN, 0};
    if (::poll(&told, 1, patience_ms) <= 0) return false;
    char event[sizeof(inotify_event) + NAME_MAX + 1];
    return ::read(opens.get(), event, sizeof event) > 0;
  };
  // The first look has ended.
  REQUIRE(monitored.loop.until([&] { return is_opened(0); }));

  std::thread writer([&] {
    constexpr int kPatienceMs = 60'000;
    if (is_opened(kPatienceMs)) write_in_place(first, "return 2");
  });
  // The next look begins because of the directory, and opens the last file because of its time.
  const timespec times_of_last[] = {{1, 0}, {1, 0}};
  CHECK(::utimensat(AT_FDCWD, last.c_str(), times_of_last, 0) == 0);
  fs::create_directory(dir.path() + "/sub");
  CHECK(monitored.reported());
  writer.join();
}

TEST_CASE("without any hint the reconcile timer notices") {
  const TempDir dir;
  MonitorTimes times;
  times.reconcile_watched = milliseconds(100);
  Monitored monitored(times);
  // /proc sends no events; a directory that cannot be watched is the same: monitor a file below it.
  const std::string file = dir.write("deep/er/a.lua", "return 1");
  fs::create_directory_symlink(dir.path() + "/deep", dir.path() + "/way");
  monitored.monitor_files({dir.path() + "/way/er/a.lua"});
  fs::rename(dir.path() + "/deep", dir.path() + "/gone");
  CHECK(monitored.reported());
}

TEST_CASE("the monitor keeps no loop alive") {
  const TempDir dir;
  Monitored monitored;
  monitored.monitor_files({dir.write("a.lua", "return 1")});
  const auto before = monitored.clock.now();
  uv_run(monitored.loop.get(), UV_RUN_DEFAULT);
  CHECK(monitored.clock.now() - before < kSoon);
}

TEST_CASE("closing in the middle of a report reports nothing more") {
  const TempDir dir;
  Loop loop;
  const SystemClock clock;
  int changes = 0;
  bool closed = false;
  auto monitor = ScriptMonitor::create(loop.get(), clock, [&] { ++changes; });
  const std::string file = dir.write("a.lua", "return 1");
  monitor->set_files({{file, "another hash"}});
  monitor->close([&] { closed = true; });
  monitor->set_files({{file, ""}});
  CHECK(loop.until([&] { return closed; }));
  monitor.reset();
  CHECK(changes == 0);
}

TEST_CASE("a busy neighbour of a script delays no report") {
  const TempDir dir;
  MonitorTimes times = Monitored::times();
  times.settle_most = std::chrono::seconds(600);
  Monitored monitored(times);
  const std::string file = dir.write("scripts/a.lua", "return 1");
  monitored.monitor_files({file});
  write_in_place(file, "return 2");
  int writes = 0;
  // If these counted, the files would never seem to be at rest.
  CHECK(monitored.loop.until([&] {
    dir.write("scripts/.a.lua.swp", std::to_string(++writes));
    dir.write("build.log", std::to_string(writes));
    return monitored.changes > 0;
  }));
}

TEST_CASE("the monitor looks at the entries of files, of links on the way, and of missing parts") {
  const TempDir dir;
  dir.write("real/x/a.lua", "");
  fs::create_directory_symlink(dir.path() + "/real", dir.path() + "/link");
  const auto places = places_to_monitor(
      {{dir.path() + "/link/x/a.lua", "h"}, {dir.path() + "/none/at/all.lua", ""}});
  const auto has = [&places, &dir](const std::string& below, const std::string& name) {
    const auto found = places.find(dir.path() + below);
    return found != places.end() && found->second.count(name) == 1;
  };
  CHECK(has("/link/x", "a.lua"));
  CHECK(has("/real/x", "a.lua"));
  CHECK_FALSE(has("/real", "x"));  // that it goes is told of itself
  CHECK(has("", "link"));
  CHECK(has("", "none"));
  CHECK(places.count(dir.path() + "/none") == 0);
}
