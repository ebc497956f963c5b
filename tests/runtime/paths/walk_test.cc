#include "runtime/paths/walk.h"

#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "runtime/paths/answers.h"
#include "runtime/paths/mount_types.h"
#include "tests/support/catch.h"
#include "tests/support/remote_disk.h"

namespace gibbous::paths {
namespace {

namespace fs = std::filesystem;
using testing::RemoteDisk;
using testing::TempDir;

// A table in which this directory's mount is known, and some other is not local, so that paths are
// walked step by step.
MountTable careful_table() {
  MountTypes types;
  (void)types.now();
  std::string text;
  for (std::uint64_t id = 1; id < 5000; ++id)
    text += std::to_string(id) + " 1 8:1 / / rw - ext4 a rw\n";
  return MountTable::parse(text + "5000 1 0:5 / /far rw - nfs4 s rw\n");
}

void check_both(const std::string& path, Reached reached, const std::string& real) {
  const MountTable table = careful_table();
  for (const MountTable* mounts : {static_cast<const MountTable*>(nullptr), &table}) {
    const Walked walked = walk(path, mounts);
    INFO(path);
    CHECK(walked.reached == reached);
    CHECK(walked.real == real);
  }
}

TEST_CASE("walk: links are resolved from left to right, as the kernel does it") {
  const TempDir dir;
  const std::string base = fs::canonical(dir.path()).string();
  fs::create_directories(base + "/a/b");
  dir.write("a/b/file", "x");
  fs::create_symlink("a/b", base + "/link");
  fs::create_symlink(base + "/link/file", base + "/absolute");
  fs::create_symlink("gone", base + "/dangling");
  fs::create_symlink("loop", base + "/loop");
  check_both(base + "/a/b/file", Reached::kFound, base + "/a/b/file");
  check_both(base + "/link/file", Reached::kFound, base + "/a/b/file");
  check_both(base + "/absolute", Reached::kFound, base + "/a/b/file");
  check_both(base + "/link/../b/./file", Reached::kFound, base + "/a/b/file");
  check_both(base + "/link/none/x", Reached::kMissing, base + "/a/b/none/x");
  check_both(base + "/dangling/x", Reached::kMissing, base + "/gone/x");
  check_both(base + "/loop", Reached::kMissing, base + "/loop");
  check_both(base + "//a///b/", Reached::kFound, base + "/a/b");
  // What does not exist may be made before the path is used.
  check_both(base + "/new/../link/x", Reached::kMissing, base + "/a/b/x");
  check_both(base + "/new/er/../../link/../b", Reached::kMissing, base + "/a/b");
  check_both(base + "/a/b/file/../../link", Reached::kMissing, base + "/a/link");
  check_both(base + "/dangling/../link/file", Reached::kMissing, base + "/a/b/file");
  check_both("/", Reached::kFound, "/");
  check_both("/..", Reached::kFound, "/");
}

TEST_CASE("walk: a path that is missing says why") {
  const TempDir dir;
  dir.write("file", "x");
  CHECK(walk(dir.path() + "/none", nullptr).error == ENOENT);
  CHECK(walk(dir.path() + "/file/x", nullptr).error == ENOTDIR);
  CHECK(walk("/" + std::string(300, 'x'), nullptr).error == ENAMETOOLONG);
  CHECK(walk("/" + std::string(10'000, 'x'), nullptr).error == ENAMETOOLONG);
  CHECK(walk("", nullptr).error == ENAMETOOLONG);
}

TEST_CASE(
    "walk: a file system that does not answer is not waited for, however the path leads there") {
  RemoteDisk disk;
  if (!disk.mounted()) {
    WARN("not tested: " + disk.said());
    return;
  }
  const TempDir dir;
  fs::create_symlink(disk.directory(), dir.path() + "/far");
  MountTypes types;
  disk.die();
  for (const std::string& path :
       {disk.path("other"), disk.path("deep/er/path"), dir.path() + "/far/file",
        dir.path() + "/far/../" + fs::path(disk.directory()).filename().string() + "/x"}) {
    INFO(path);
    const Walked walked = walk(path, types.now().get());
    const bool is_its_own = walked.reached != Reached::kDoubtful;
    CHECK((!is_its_own || path.find("..") != std::string::npos));
    CHECK(walked.mount != 0);
  }
  CHECK(walk(disk.directory(), types.now().get()).reached == Reached::kFound);
  CHECK(walk(dir.path(), types.now().get()).reached == Reached::kFound);
  disk.live();
}

TEST_CASE("answers: what a judgement lacks is noted once, and counts when it is answered") {
  RemoteDisk disk;
  if (!disk.mounted()) {
    WARN("not tested: " + disk.said());
    return;
  }
  Answers answers(std::make_shared<MountTypes>());
  CHECK_FALSE(answers.real(disk.path("link/file")));
  CHECK_FALSE(answers.real(disk.path("link/file")));
  CHECK(answers.has_missing());
  const auto missing = answers.take_missing();
  REQUIRE(missing.size() == 1);
  CHECK(missing[0].path == disk.path("link/file"));
  CHECK_FALSE(answers.has_missing());
  answers.answer(missing[0].path, disk.path("directory/file"));
  CHECK(answers.real(disk.path("link/file")) == disk.path("directory/file"));
  CHECK_FALSE(answers.has_gaps());
  answers.end_questions();
  CHECK_FALSE(answers.real(disk.path("another")));
  CHECK_FALSE(answers.has_missing());
  CHECK(answers.has_gaps());
  CHECK(answers.real("/") == "/");
}

}  // namespace
}  // namespace gibbous::paths
