#include "runtime/base/shell_program.h"

#include <sys/stat.h>

#include "tests/support/catch.h"
#include "tests/support/loop.h"

namespace gibbous {
namespace {

using Words = std::vector<std::string>;

TEST_CASE("bash runs a line without startup files and what the environment defines") {
  CHECK(shell_words("/usr/bin/bash", "ls -l") ==
        Words{"/usr/bin/bash", "--norc", "-p", "-c", "ls -l"});
  CHECK(shell_words("bash", "ls") == Words{"bash", "--norc", "-p", "-c", "ls"});
  CHECK(shell_words("/bin/sh", "ls") == Words{"/bin/sh", "-c", "ls"});
  CHECK(shell_words("/opt/bash/zsh", "ls") == Words{"/opt/bash/zsh", "-c", "ls"});
  CHECK(shell_words("/bin/rbash", "ls") == Words{"/bin/rbash", "-c", "ls"});
}

TEST_CASE("the default shell is a bash of the system or sh, whatever PATH says") {
  const std::string shell = default_shell();
  CHECK(shell.front() == '/');
  CHECK(has_shell(shell));
  CHECK((shell == kPlainShell || shell.substr(shell.rfind('/')) == "/bash"));
}

TEST_CASE("a shell is here when it is a program that can be executed") {
  const testing::TempDir dir;
  const std::string program = dir.write("program", "");
  REQUIRE(::chmod(program.c_str(), 0755) == 0);
  CHECK(has_shell(program));
  CHECK_FALSE(has_shell(dir.path() + "/missing"));
  CHECK_FALSE(has_shell(dir.path()));
  CHECK(has_shell("sh"));
  REQUIRE(::chmod(program.c_str(), 0644) == 0);
  CHECK_FALSE(has_shell(program));
}

}  // namespace
}  // namespace gibbous
