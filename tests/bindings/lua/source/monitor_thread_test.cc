// A monitor on a thread of its own: its callbacks come on the loop, and it ends with close().
#include "bindings/lua/source/monitor_thread.h"

#include <fstream>
#include <thread>

#include "bindings/lua/source/snapshot.h"
#include "tests/support/catch.h"
#include "tests/support/loop.h"

using namespace gibbous;
using namespace gibbous::lua;
using gibbous::testing::Loop;
using gibbous::testing::TempDir;

namespace {

class Beside {
 public:
  explicit Beside(std::function<void()> on_change)
      : monitor_(monitor_beside(loop_.get(), std::move(on_change))) {
    REQUIRE(monitor_ != nullptr);
  }
  ~Beside() {
    if (monitor_) close();
  }
  void close() {
    bool closed = false;
    monitor_->close([&closed] { closed = true; });
    CHECK(loop_.until([&closed] { return closed; }));
    monitor_.reset();
  }
  Loop& loop() { return loop_; }
  ScriptMonitor& monitor() { return *monitor_; }

 private:
  Loop loop_;
  std::unique_ptr<ScriptMonitor> monitor_;
};

void write(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

}  // namespace

TEST_CASE("a monitor beside the loop reports each change on the loop's thread") {
  const TempDir dir;
  const std::string file = dir.write("a.lua", "return 1");
  int changes = 0;
  bool here = true;
  const auto loop_thread = std::this_thread::get_id();
  Beside beside([&] {
    ++changes;
    here = here && std::this_thread::get_id() == loop_thread;
  });
  for (int change = 1; change <= 2; ++change) {
    beside.monitor().set_files({{file, hash_of_file(file)}});
    write(file, "return " + std::to_string(change + 1));
    REQUIRE(beside.loop().until([&] { return changes == change; }));
  }
  CHECK(here);
}

TEST_CASE("a monitor beside the loop keeps no loop alive until it is closed") {
  Beside beside([] {});
  CHECK(uv_loop_alive(beside.loop().get()) == 0);
}

TEST_CASE("a monitor beside the loop that is closed with a change on its way reports nothing") {
  const TempDir dir;
  const std::string file = dir.write("a.lua", "return 1");
  int changes = 0;
  Beside beside([&changes] { ++changes; });
  beside.monitor().set_files({{file, hash_of_file(file)}});
  write(file, "return 2");
  beside.monitor().check_soon();
  beside.close();
  CHECK(changes == 0);
}

TEST_CASE("many monitors begin and end at once") {
  const TempDir dir;
  const std::string file = dir.write("a.lua", "return 1");
  std::vector<std::unique_ptr<Beside>> all;
  for (int i = 0; i < 20; ++i) {
    all.push_back(std::make_unique<Beside>([] {}));
    all.back()->monitor().set_files({{file, hash_of_file(file)}});
  }
  all.clear();
}
