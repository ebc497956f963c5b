#include "runtime/sandbox/placeholder.h"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <optional>

#include "tests/support/catch.h"
#include "tests/support/loop.h"
#include "tests/support/patient_fork.h"

namespace gibbous::testing {
namespace {

namespace fs = std::filesystem;

std::string text_at(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST_CASE("a placeholder holds a name, and is gone with its last holder") {
  const TempDir dir;
  for (const std::string name : {"/commondir", "/hooks/"}) {
    const std::string path = dir.path() + name;
    {
      std::optional<Placeholder> first = Placeholder::hold(path);
      REQUIRE(*first);
      const Placeholder second = Placeholder::hold(path);
      REQUIRE(second);
      first.reset();
      CHECK(fs::exists(path));
      if (name == "/commondir") CHECK(text_at(path) == ".\n");
    }
    CHECK_FALSE(fs::exists(path));
  }
}

TEST_CASE("a placeholder that a killed holder left is taken over, and then goes") {
  const TempDir dir;
  const std::string path = dir.path() + "/commondir";
  const pid_t pid = patient_fork();
  if (pid == 0) {
    const Placeholder held = Placeholder::hold(path);
    ::_exit(held ? 0 : 1);  // without destructors
  }
  int status = 0;
  ::waitpid(pid, &status, 0);
  REQUIRE(status == 0);
  REQUIRE(fs::exists(path));
  CHECK(Placeholder::hold(path));
  CHECK_FALSE(fs::exists(path));
}

TEST_CASE("what is there already is no placeholder, and stays") {
  const TempDir dir;
  dir.write("commondir", ".\n");  // of another mode
  dir.write("other", "text");
  fs::create_directory(dir.path() + "/hooks");
  fs::create_symlink("other", dir.path() + "/link");
  fs::create_symlink(dir.path(), dir.path() + "/around");
  for (const char* name : {"/commondir", "/other", "/hooks/", "/link", "/none/x", "/around/x"}) {
    INFO(name);
    CHECK_FALSE(Placeholder::hold(dir.path() + name));
  }
  CHECK(text_at(dir.path() + "/commondir") == ".\n");
  CHECK(fs::exists(dir.path() + "/hooks"));
  CHECK_FALSE(fs::exists(dir.path() + "/x"));
}

TEST_CASE("what somebody has written into a placeholder stays") {
  const TempDir dir;
  const std::string path = dir.path() + "/commondir";
  {
    const Placeholder held = Placeholder::hold(path);
    REQUIRE(held);
    fs::permissions(path, fs::perms::owner_write, fs::perm_options::add);
    std::ofstream(path) << "../main\n";
  }
  CHECK(text_at(path) == "../main\n");
}

TEST_CASE("a placeholder that is left stays") {
  const TempDir dir;
  const std::string path = dir.path() + "/commondir";
  Placeholder held = Placeholder::hold(path);
  REQUIRE(held);
  held.leave();
  held = Placeholder();
  CHECK(fs::exists(path));
}

TEST_CASE("a directory that somebody has filled meanwhile stays") {
  const TempDir dir;
  {
    const Placeholder held = Placeholder::hold(dir.path() + "/hooks/");
    REQUIRE(held);
    dir.write("hooks/pre-commit", "#!/bin/sh\n");
  }
  CHECK(fs::exists(dir.path() + "/hooks/pre-commit"));
}

}  // namespace
}  // namespace gibbous::testing
