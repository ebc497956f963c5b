// What is known of the copies of a run: what is in them, and how much. (tests/policies tries those
// that runs have.)
#include "runtime/sandbox/copies.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/unique_fd.h"
#include "tests/runtime/sandbox/box.h"

namespace gibbous {
namespace {

using testing::Box;
using testing::Contains;
using testing::describe;
using testing::machines;
using testing::TempDir;

struct Place {
  Place() {
    dir.write("workspace/kept", "kept\n");
    dir.write("workspace/sub/kept", "kept\n");
    dir.write("upper/sub/.keep", "");
    ::unlink((dir.path() + "/upper/sub/.keep").c_str());
    copies.directory = dir.path();
    copies.near = dir.path() + "/workspace";
    copies.trees = {{dir.path() + "/workspace", dir.path() + "/upper"}};
  }
  std::string upper(const std::string& name) const { return dir.path() + "/upper/" + name; }
  std::string copied_up(const std::string& name) const {
    std::filesystem::copy_file(dir.path() + "/workspace/" + name, upper(name));
    std::filesystem::last_write_time(
        upper(name), std::filesystem::last_write_time(dir.path() + "/workspace/" + name));
    return upper(name);
  }
  TempDir dir;
  RunCopies copies;
};

TEST_CASE("changes: directories above and files copied as they are count as none") {
  Place place;
  CHECK(describe_changes(place.copies).empty());
  (void)place.copied_up("kept");
  CHECK(describe_changes(place.copies).empty());
  ::chmod(place.upper("kept").c_str(), 0700);
  CHECK(describe_changes(place.copies) == "changes were thrown away: 1 file (kept)");
}

TEST_CASE("changes: names that a person would look for come first, and say no more than a line") {
  Place place;
  for (const char* const name : {"upper/.git/index", "upper/b", "upper/a\n\x1b[1m", "upper/sub/c"})
    place.dir.write(name, "");
  CHECK(describe_changes(place.copies) ==
        "changes were thrown away: 4 files (a??[1m, b, sub/c, ...)");
  place.copies.near = "/elsewhere";
  CHECK_THAT(describe_changes(place.copies), Contains("(" + place.dir.path() + "/workspace/a"));
}

TEST_CASE("changes: no link is followed, out of the copy or out of the workspace") {
  Place place;
  place.dir.write("outside/file", "");
  std::filesystem::create_directory_symlink(place.dir.path() + "/outside", place.upper("link"));
  std::filesystem::create_directory_symlink(place.dir.path() + "/outside",
                                            place.dir.path() + "/workspace/turned");
  place.dir.write("upper/turned/file", "");
  CHECK(describe_changes(place.copies) == "changes were thrown away: 2 files (link, turned/file)");
  ::mkfifo(place.upper("fifo").c_str(), 0600);
  CHECK_THAT(describe_changes(place.copies), Contains("3 files (fifo"));
}

TEST_CASE("changes: many or deep ones cost no more than some thousand looks") {
  Place place;
  constexpr int kMany = 2500;
  for (int i = 0; i < kMany; ++i) place.dir.write("upper/" + std::to_string(i), "");
  CHECK_THAT(describe_changes(place.copies), Contains("at least 1999 files ("));
  Place deep;
  std::string path = deep.upper("d");
  constexpr int kDeep = 300;
  for (int i = 0; i < kDeep; ++i) {
    REQUIRE(::mkdir(path.c_str(), 0700) == 0);
    path += "/d";
  }
  CHECK_THAT(describe_changes(deep.copies), Contains("1 file"));
}

TEST_CASE("copies: what holds more than the limit is found once the disk has that much less") {
  Place place;
  begin_copies(place.copies, std::uint64_t{1} << 20);
  CHECK(place.copies.limit <= std::uint64_t{1} << 20);
  // As if the disk had had more: others write to it, too.
  place.copies.limit = 4096;
  place.copies.free_before += std::uint64_t{8} << 30;
  CopiesLook look = look_at_copies(place.copies);
  CHECK(look.measure);
  CHECK(look.taken == 0);
  CHECK_FALSE(look_at_copies(place.copies).measure);
  place.dir.write("upper/big", std::string(1 << 16, 'x'));
  note_copy_bytes(place.dir.path());
  look = look_at_copies(place.copies);
  CHECK(look.taken >= std::uint64_t{1} << 16);
}

TEST_CASE("copies: what others have taken ends no run before the disk is nearly full") {
  Place place;
  begin_copies(place.copies, std::uint64_t{1} << 20);
  place.copies.free_before += std::uint64_t{8} << 30;
  CHECK(look_at_copies(place.copies).measure);
  note_copy_bytes(place.dir.path());
  const CopiesLook look = look_at_copies(place.copies);
  CHECK(look.taken == 0);
  CHECK_FALSE(look.measure);
  place.copies.free_at_start = place.copies.free_before *= 8;
  CHECK(look_at_copies(place.copies).taken > 0);
}

TEST_CASE("without directories of a session a profile that copies can only read, and says so") {
  for (const auto& machine : machines()) {
    INFO(describe(machine));
    Box box(machine);
    box.spec().copied = true;
    const std::string said = box.prepared([](const auto& prepared) {
      return prepared ? (*prepared)->report().copies : prepared.status().message();
    });
    CHECK_THAT(said, Contains("can only be read"));
    const auto tried = box.shell("cat file; echo x > file; rm file; mkdir new; echo x > new/f; ls");
    INFO(tried.output);
    CHECK_THAT(tried.output, testing::StartsWith("inside\n"));
    CHECK(testing::text_of(box.path("workspace/file")) == "inside\n");
    CHECK_FALSE(std::filesystem::exists(box.path("workspace/new")));
  }
}

}  // namespace
}  // namespace gibbous
