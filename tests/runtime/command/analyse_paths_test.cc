// The paths that the analyser finds in lines, wherever their shells are by then.
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "runtime/paths/walk.h"
#include "tests/runtime/command/analysed.h"

namespace gibbous::command {
namespace {

using namespace testing;

TEST_CASE("relative paths begin in the shell's directory") {
  CHECK(removed("cd /etc && rm x ../y") == Words{"/etc/x", "/y"});
  CHECK(removed("cd sub && cd .. && rm x") == Words{"/ws/x"});
  CHECK(facts("cd /etc && rm x").commands.back().cwd == "/etc");
}

TEST_CASE("a cd that may have failed gives both directories") {
  CHECK(removed("cd /etc; rm x") == Words{"/etc/x", "/ws/x"});
  CHECK(removed("cd /etc || exit; rm x") == Words{"/etc/x"});
}

TEST_CASE("cd in a subshell or a pipeline ends there") {
  CHECK(removed("(cd /etc && :); rm x") == Words{"/ws/x"});
  CHECK(removed("cd /etc | rm x") == Words{"/ws/x"});
}

TEST_CASE("the paths of a command begin in the directory before the command changes it") {
  const auto entered = [](const std::string& line) {
    return paths(facts(line), AccessKind::kEnter);
  };
  CHECK(entered("cd a") == Words{"/ws/a"});
  CHECK(facts("cd a").commands[0].cwd == "/ws");
  CHECK(entered("cd a && cd b") == Words{"/ws/a", "/ws/a/b"});
  CHECK(entered("(cd a && cd b); cd c") == Words{"/ws/a", "/ws/a/b", "/ws/c"});
  CHECK(entered("cd ..") == Words{"/"});
  CHECK(entered("pushd a") == Words{"/ws/a"});
  CHECK(entered("command cd a && builtin cd b") == Words{"/ws/a", "/ws/a/b"});
  CHECK(entered("eval 'cd a'") == Words{"/ws/a"});
  CHECK(entered("f() { cd \"$1\"; }; f a") == Words{"/ws/a"});
  CHECK(entered("env -C a cat x") == Words{"/ws/a"});
  CHECK(entered("cd -- -a && cd b") == Words{"/ws/-a", "/ws/-a/b"});
}

TEST_CASE("a redirection is opened before its command changes the directory") {
  CHECK(written("cd a > log") == Words{"/ws/log"});
  CHECK(written("{ cd a; } > log") == Words{"/ws/log"});
  CHECK(written("f() { cd a; }; f > log") == Words{"/ws/log"});
  CHECK(written("eval 'cd a' > log") == Words{"/ws/log"});
  CHECK(written("builtin cd a > log") == Words{"/ws/log"});
  CHECK(written("cd a > log && exec > log2") == Words{"/ws/log", "/ws/a/log2"});
  CHECK(written("cd a && printf x > f") == Words{"/ws/a/f"});
}

TEST_CASE("paths after a change of the directory are opened in the new one") {
  const auto read = [](const std::string& line) { return paths(facts(line), AccessKind::kRead); };
  const auto run = [](const std::string& line) { return paths(facts(line), AccessKind::kExecute); };
  CHECK(read("cd a && cat x") == Words{"/ws/a/x"});
  CHECK(read("cd a && read y < x") == Words{"/ws/a/x"});
  CHECK(read("cd a && mapfile < x") == Words{"/ws/a/x"});
  CHECK(read("env -C a cat x; cat y") == Words{"/ws/a/x", "/ws/y"});
  CHECK(read("y=$(cd a; cat x) cat z") == Words{"/ws/a/x", "/ws/x", "/ws/z"});
  CHECK(run("cd a && . ./x") == Words{"/ws/a/x"});
  CHECK(run("cd a && ./x") == Words{"/ws/a/x"});
  CHECK(run("env -C a ./x") == Words{"/ws/a/x"});
  CHECK(removed("time cd a && rm x") == Words{"/ws/a/x"});
  CHECK(removed("cd a && b || rm x") == Words{"/ws/a/x", "/ws/x"});
}

TEST_CASE("cd - leads to the directory before the last change") {
  CHECK(removed("cd a && cd - && rm x") == Words{"/ws/x"});
  CHECK(removed("cd a && cd - && cd - && rm x") == Words{"/ws/a/x"});
  CHECK(removed("cd a && cd && cd - && rm x") == Words{"/ws/a/x"});
  CHECK(removed("cd a && rm $OLDPWD/x $PWD/y") == Words{"/ws/x", "/ws/a/y"});
  CHECK(removed("pushd a && popd && cd - && rm x") == Words{"/ws/a/x"});
  CHECK(removed("OLDPWD=a; cd - && rm x") == Words{"/ws/a/x"});
  CHECK(removed("cd && rm x") == Words{"/home/u/x"});
}

TEST_CASE("a directory that only the running shell knows is unknown") {
  const auto unknown = [](const std::string& line) { return (classes(line) & kUnknownPath) != 0; };
  CHECK(unknown("pushd a && popd && rm x"));
  CHECK(unknown("pushd a && pushd && rm x"));
  CHECK(unknown("pushd a && pushd +1 && rm x"));
  CHECK(unknown("pushd a && pushd -0 && rm x"));
  CHECK(unknown("cd -P a/.. && rm x"));
  CHECK(unknown("CDPATH=/etc; cd a && rm x"));
  CHECK(unknown("OLDPWD=$x; cd - && rm x"));
  CHECK(unknown("cd a; cd - && rm x"));  // when the first fails, OLDPWD is as it came
  CHECK(!unknown("CDPATH=/etc; cd ./a && rm x"));
  CHECK(!unknown("pushd -n a && rm x"));
  CHECK(!unknown("cd -L a/.. && rm x"));
}

TEST_CASE("cd to an unknown directory leads to an unknown place") {
  CHECK((classes("cd \"$d\" && rm x") & kUnknownPath) != 0);
}

TEST_CASE("redirections are accesses with resolved paths") {
  CHECK(written("echo a > ../b >> /c 2> d") == Words{"/b", "/c", "/ws/d"});
  CHECK(paths(facts("cat < /etc/x"), AccessKind::kRead) == Words{"/etc/x"});
  CHECK(written("{ echo a; } > /x") == Words{"/x"});
  CHECK(written("x=; $x > /x") == Words{"/x"});
}

TEST_CASE("a descriptor that is copied is not a file") {
  CHECK(written("a 2>&1 >&2").empty());
  CHECK(written("a >& /x") == Words{"/x"});
}

TEST_CASE("classes of paths are inside, outside, and the policy's own") {
  CHECK((classes("rm a") & kInWorkspace) != 0);
  CHECK((classes("rm /etc/x") & kOutside) != 0);
  CHECK((classes("rm /etc/x") & knowledge().class_bit("protected")) != 0);
  CHECK((classes("rm sub/.git/hooks/x") & knowledge().class_bit("protected")) != 0);
  CHECK((classes("rm .") & kWorkspaceRoot) != 0);
  CHECK((classes("rm -r /") & kHoldsWorkspace) != 0);
}

TEST_CASE("a path after an unknown part is partly known") {
  CHECK((classes("rm /tmp/$x") & kPartlyKnown) != 0);
  CHECK((classes("rm $x/y") & kUnknownPath) != 0);
  CHECK(removed("rm /tmp/a/$x") == Words{"/tmp/a"});
}

TEST_CASE("a pattern stands for everything in a directory") {
  const Facts found = facts("rm -r /etc/*");
  const Access& access = found.commands[0].accesses[0];
  CHECK(access.contents);
  CHECK(access.recursive);
  CHECK(access.path == "/etc");
}

TEST_CASE("tildes expand to the home directory") {
  CHECK(removed("rm ~/x") == Words{"/home/u/x"});
  CHECK(removed("rm \"$HOME/x\"") == Words{"/home/u/x"});
  CHECK(removed("rm '~/x'") == Words{"/ws/~/x"});
}

TEST_CASE("braces make words, and too many make a doubt") {
  CHECK(removed("rm /{a,b}/c") == Words{"/a/c", "/b/c"});
  CHECK(removed("rm f{1..3}") == Words{"/ws/f1", "/ws/f2", "/ws/f3"});
}

TEST_CASE("symlinks in the existing part of a path are followed") {
  char name[] = "/tmp/gibbous-analyse-XXXXXX";
  REQUIRE(::mkdtemp(name) != nullptr);
  const std::filesystem::path base = std::filesystem::canonical(name);
  std::filesystem::create_directory(base / "work");
  std::filesystem::create_directory(base / "secret");
  std::filesystem::create_directory_symlink(base / "secret", base / "work" / "link");
  Place here = place();
  here.workspace = here.cwd = (base / "work").string();
  here.resolve = ::gibbous::paths::real_path;
  const Facts found = analyse("cat link/x; rm link", here, knowledge());
  std::filesystem::remove_all(base);
  CHECK(paths(found, AccessKind::kRead) == Words{(base / "secret" / "x").string()});
  CHECK((found.commands[0].accesses[0].classes & kOutside) != 0);
  // What is removed is the link.
  CHECK(paths(found, AccessKind::kRemove) == Words{(base / "work" / "link").string()});
}

}  // namespace
}  // namespace gibbous::command
