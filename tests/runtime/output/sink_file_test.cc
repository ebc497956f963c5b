// Where a file sink writes, and where it never does, while other programs move things.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <optional>

#include "tests/runtime/output/desk.h"

namespace gibbous::testing {
namespace {

using Catch::Matchers::Contains;

TEST_CASE("an invalid spec is refused with the name of its field") {
  Desk desk;
  std::string field;
  const auto wrong = [&](const char* name) { field = name; };
  SECTION("relative directory") {
    desk.spec.directory = "tmp", wrong("directory");
  }
  SECTION("no path") {
    desk.spec.path = "", wrong("path");
  }
  SECTION("absolute path") {
    desk.spec.path = "/etc/out.log", wrong("path");
  }
  SECTION("up") {
    desk.spec.path = "../out.log", wrong("path");
  }
  SECTION("up in the middle") {
    desk.spec.path = "a/../out.log", wrong("path");
  }
  SECTION("here") {
    desk.spec.path = "./out.log", wrong("path");
  }
  SECTION("a directory's name") {
    desk.spec.path = "out/", wrong("path");
  }
  SECTION("a NUL") {
    desk.spec.path = std::string("out\0.log", 8), wrong("path");
  }
  SECTION("a long name") {
    desk.spec.path = std::string(255, 'a'), wrong("path");
  }
  SECTION("too small") {
    desk.spec.max_bytes = kMinSinkBytes - 1, wrong("max_bytes");
  }
  SECTION("too large") {
    desk.spec.max_bytes = kMaxSinkBytes + 1, wrong("max_bytes");
  }
  SECTION("no file") {
    desk.spec.files = 0, wrong("files");
  }
  SECTION("too many files") {
    desk.spec.files = kMaxSinkFiles + 1, wrong("files");
  }
  const Status status = desk.open();
  CHECK(status.code() == "invalid_arguments");
  CHECK_THAT(status.message(), Catch::Matchers::StartsWith(field + ": expected"));
}

TEST_CASE("only regular files with a single link are written") {
  const bool with_openat2 = GENERATE(true, false);
  const TempDir outside;
  const TempDir dir;
  const std::string victim = outside.write("victim", "untouched");
  FileSinkSpec spec{dir.path(), "out.log", kRoomy};
  const fs::path path = fs::path(dir.path()) / "out.log";
  SECTION("a symbolic link") {
    fs::create_symlink(victim, path);
  }
  SECTION("a symbolic link to nothing") {
    fs::create_symlink(outside.path() + "/new", path);
  }
  SECTION("a hard link") {
    fs::create_hard_link(victim, path);
  }
  SECTION("a fifo") {
    REQUIRE(::mkfifo(path.c_str(), S_IRWXU) == 0);
  }
  SECTION("a directory") {
    fs::create_directory(path);
  }
  SECTION("a symbolic link on the way") {
    fs::create_directory_symlink(outside.path(), fs::path(dir.path()) / "logs");
    spec.path = "logs/out.log";
  }
  SECTION("a symbolic link on the way that stays inside") {
    fs::create_directory(fs::path(dir.path()) / "real");
    fs::create_directory_symlink("real", fs::path(dir.path()) / "logs");
    spec.path = "logs/out.log";
  }
  SECTION("a file on the way") {
    dir.write("logs", "a file");
    spec.path = "logs/out.log";
  }
  SinkFile file(spec, with_openat2);
  const SinkOutcome outcome = file.write({{"bytes", 0, 0}});
  CHECK(outcome.taken == 0);
  CHECK(outcome.status.code() == "unavailable");
  CHECK_THAT(outcome.status.message(), Contains(spec.path));
  CHECK(content(victim) == "untouched");
  CHECK(std::distance(fs::directory_iterator(outside.path()), {}) == 1);
}

TEST_CASE("without openat2 directories are still made and files still written") {
  const TempDir dir;
  SinkFile file({dir.path(), "a/b/out.log", kMinSinkBytes, 2}, /*with_openat2=*/false);
  const std::string text = numbered(kMinSinkBytes + 1);
  const SinkOutcome outcome = file.write({{text, 0, 0}});
  CHECK(outcome.status.ok());
  CHECK(outcome.taken == text.size());
  CHECK(content(dir.path() + "/a/b/out.log.1") == text.substr(0, kMinSinkBytes));
  CHECK(content(dir.path() + "/a/b/out.log") == text.substr(kMinSinkBytes));
}

TEST_CASE("a parent that becomes a link in the middle is not followed") {
  const TempDir outside;
  Desk desk;
  desk.spec.path = "logs/out.log";
  desk.spec.max_bytes = kMinSinkBytes;
  desk.spec.files = 3;
  REQUIRE(desk.open());
  desk.say(numbered(kMinSinkBytes));
  REQUIRE(desk.settle());
  fs::rename(desk.file("logs"), desk.file("moved"));
  fs::create_directory_symlink(outside.path(), desk.file("logs"));
  desk.say("more");
  REQUIRE(desk.wait_for_error());
  CHECK(fs::is_empty(outside.path()));
  CHECK_THAT(desk.told.errors[0], Contains("logs is not a directory of its own"));

  // Once it is a directory again, writing continues there.
  fs::remove(desk.file("logs"));
  desk.clock.advance(kSinkRetryInterval);
  desk.say(" and more");
  REQUIRE(desk.settle());
  CHECK(desk.text("logs/out.log") == "more and more");
  CHECK(desk.text("moved/out.log") == numbered(kMinSinkBytes));
  CHECK(desk.told.recoveries == 1);
}

TEST_CASE("a parent that is moved out of the directory gets no new file by rotation") {
  const TempDir outside;
  Desk desk;
  desk.spec.path = "logs/out.log";
  desk.spec.max_bytes = kMinSinkBytes;
  desk.spec.files = 2;
  REQUIRE(desk.open());
  desk.say(numbered(kMinSinkBytes));
  REQUIRE(desk.settle());
  fs::rename(desk.file("logs"), outside.path() + "/logs");
  desk.say("more");
  REQUIRE(desk.finish());
  CHECK(std::distance(fs::directory_iterator(outside.path() + "/logs"), {}) == 1);
  CHECK(desk.text("logs/out.log") == "more");
}

TEST_CASE("rotation moves a foreign link, never its target") {
  const TempDir outside;
  const std::string victim = outside.write("victim", "untouched");
  Desk desk;
  desk.spec.max_bytes = kMinSinkBytes;
  desk.spec.files = 2;
  REQUIRE(desk.open());
  desk.say(numbered(kMinSinkBytes));
  REQUIRE(desk.settle());
  fs::remove(desk.file());
  fs::create_symlink(victim, desk.file());
  fs::create_symlink(victim, desk.file("out.log.1"));
  desk.say("more");
  REQUIRE(desk.finish());
  CHECK(content(victim) == "untouched");
  CHECK_FALSE(desk.told.errors.empty());
}

TEST_CASE("a removed file is created again") {
  Desk desk;
  REQUIRE(desk.open());
  desk.say("before\n");
  REQUIRE(desk.settle());
  fs::remove(desk.file());
  desk.say("after\n");
  REQUIRE(desk.finish());
  CHECK(desk.text() == "after\n");
}

}  // namespace
}  // namespace gibbous::testing
