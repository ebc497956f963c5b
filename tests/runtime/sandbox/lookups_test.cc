// What is kept of paths from start to start, and that nothing outdated is.
#include "runtime/sandbox/lookups.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "runtime/paths/mount_types.h"
#include "tests/support/catch.h"
#include "tests/support/loop.h"

namespace gibbous::testing {
namespace {

namespace fs = std::filesystem;

// Longer than the steps in which file times advance here.
constexpr std::chrono::milliseconds kSettled{20};

class Kept {
 public:
  const Lookups::Found& find(const std::string& path) {
    lookups_.begin(mounts_.now().get());
    const Lookups::Found& found = lookups_.find(path, "unreadable");
    REQUIRE(lookups_.status().ok());
    return found;
  }
  // Looks at the path until that takes no look at the disk.
  void settle(const std::string& path) {
    Loop loop;
    REQUIRE(loop.until([&] {
      const auto before = lookups_.made();
      (void)find(path);
      return lookups_.made() == before;
    }));
  }

 private:
  paths::MountTypes mounts_;
  Lookups lookups_{kSettled};
};

}  // namespace

TEST_CASE("what is made at a path that was looked up is found") {
  const TempDir dir;
  const std::string home = fs::canonical(dir.path()) / "home";
  fs::create_directory(home);
  Kept kept;
  kept.settle(home + "/.kube/config");
  CHECK_FALSE(kept.find(home + "/.kube/config").exists());
  dir.write("home/.kube/config", "");
  CHECK(kept.find(home + "/.kube/config").exists());
  kept.settle(home + "/.kube/config");
  CHECK(kept.find(home + "/.kube/config").exists());
  fs::rename(home + "/.kube", home + "/.other");
  CHECK_FALSE(kept.find(home + "/.kube/config").exists());
}

TEST_CASE("a path is followed anew once a link on the way leads elsewhere") {
  const TempDir dir;
  const std::string root = fs::canonical(dir.path());
  dir.write("one/key", "");
  dir.write("two/key", "");
  fs::create_symlink("one", root + "/link");
  Kept kept;
  kept.settle(root + "/link/key");
  CHECK(kept.find(root + "/link/key").path == root + "/one/key");
  fs::create_symlink("two", root + "/next");
  fs::rename(root + "/next", root + "/link");
  const Lookups::Found& found = kept.find(root + "/link/key");
  CHECK(found.path == root + "/two/key");
  CHECK(found.way == root + "/two/key");
  CHECK(found.links_are_in == std::vector<std::string>{root});
}

TEST_CASE("a file time that a program has set hides no change from the next look") {
  const TempDir dir;
  const std::string home = fs::canonical(dir.path()) / "home";
  fs::create_directory(home);
  const auto pretend = [&] {
    constexpr time_t kFarAway = 4'000'000'000;
    const timespec times[2] = {{kFarAway, 0}, {kFarAway, 0}};
    REQUIRE(::utimensat(AT_FDCWD, home.c_str(), times, 0) == 0);
  };
  pretend();
  Kept kept;
  kept.settle(home + "/.npmrc");
  dir.write("home/.npmrc", "");
  pretend();
  CHECK(kept.find(home + "/.npmrc").exists());
}

TEST_CASE("another kind of file in the place of one is seen") {
  const TempDir dir;
  const std::string root = fs::canonical(dir.path());
  dir.write("secret", "");
  Kept kept;
  kept.settle(root + "/secret");
  CHECK(S_ISREG(kept.find(root + "/secret").type));
  fs::remove(root + "/secret");
  fs::create_directory(root + "/secret");
  CHECK(S_ISDIR(kept.find(root + "/secret").type));
}

}  // namespace gibbous::testing
