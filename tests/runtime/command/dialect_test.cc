// Lines that shells read differently: which commands each of them runs, and what a program reads.
#include "runtime/command/dialect.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "tests/runtime/command/analysed.h"

namespace gibbous::command {
namespace {

using testing::Words;

constexpr Dialects kDashAlone = bit_of(Dialect::kDash);
constexpr Dialects kBashAlone = bit_of(Dialect::kBash);

Facts facts_in(const std::string& line, Dialects dialects, Dialects sh = kAnyDialect) {
  Place place = testing::place();
  place.dialects = dialects;
  place.sh = sh;
  return analyse(line, place, testing::knowledge());
}

bool runs(const Facts& facts, const std::string& command) {
  const Words all = testing::commands(facts);
  return std::any_of(all.begin(), all.end(),
                     [&](const std::string& each) { return each.starts_with(command); });
}

// Each line hides `mark x` from bash, which another shell runs.
struct Hidden {
  const char* shell;
  const char* line;
};

constexpr Hidden kHidden[] = {
    {"dash", "echo $'\\'; mark x #'"},
    {"dash", "echo $[1; mark x ]"},
    {"dash", "[[ a || mark x ]]"},
    {"dash", "[[ a\nmark x\n]]"},
    {"dash", "cat <<$'E'\n$E\nmark x\nE\n"},
    {"dash", "cat <<$\"E\"\n$E\nmark x\nE\n"},
    {"dash", "((mark x))"},
    {"dash", "false && : $(( ' )); mark x #' ))"},
    {"dash", "echo \"${v:-'}; \"; mark x #'}\""},
    {"dash", "echo \"${v/'}; \"; mark x #'}\""},
    {"dash", ": $(cat <<E)E\nmark x\nE\n"},
    {"dash", "cat <<E\n`echo \\\"`; mark y #\\\"`\nE\n mark x"},
    {"dash", "f() mark x; f"},
    {"dash", "for i in a; do function g {\nmark x\n}; done"},
    {"dash", "cat <<E\nE\\\n\n'\nE\nmark x #'"},
    {"posix", "echo \"${v:-'}; \"; mark x #'}\""},
    {"busybox", "echo $[1; mark x ]"},
    {"busybox", "((mark x))"},
    {"busybox", "false && : $(( \" )); mark x #\" ))"},
};

Dialects shell(const std::string& name) {
  return name == "posix" ? bit_of(Dialect::kPosixBash) : dialects_of(name, nullptr);
}

TEST_CASE("a command that bash takes for text is found where another shell runs it") {
  for (const Hidden& each : kHidden) {
    INFO(each.shell << ": " << each.line);
    CHECK(runs(facts_in(each.line, shell(each.shell)), "mark x"));
    CHECK(runs(facts_in(each.line, kAnyDialect), "mark x"));
  }
}

TEST_CASE("a shell in the line is read in its own dialect") {
  const std::string hidden = "echo $'\\'; mark x #'";
  const auto quoted = [&](const std::string& before) {
    std::string text = before;
    for (const char c : hidden) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return text + "'";
  };
  CHECK(runs(facts_in(quoted("dash -c '"), kBashAlone), "mark x"));
  CHECK(runs(facts_in("dash <<'E'\n" + hidden + "\nE\n", kBashAlone), "mark x"));
  CHECK(runs(facts_in("sh <<'E'\n" + hidden + "\nE\n", kBashAlone), "mark x"));
  CHECK(runs(facts_in("sh <<'E'\n" + hidden + "\nE\n", kBashAlone, kDashAlone), "mark x"));
  CHECK(runs(facts_in("ssh host '((mark x))'", kBashAlone, kBashAlone), "mark x"));
  CHECK_FALSE(runs(facts_in(quoted("bash -c '"), kDashAlone), "mark x"));
  CHECK_FALSE(runs(facts_in(quoted("eval '"), kBashAlone), "mark x"));
  CHECK(runs(facts_in(quoted("eval '"), kDashAlone), "mark x"));
}

TEST_CASE("what dash lacks changes nothing there") {
  const auto removed = [](const std::string& line, Dialects dialects) {
    return testing::paths(facts_in(line, dialects), AccessKind::kRemove);
  };
  CHECK(removed("x=/a; x+=b; rm $x", kDashAlone) == Words{"/a"});
  CHECK(removed("x=/a; x+=b; rm $x", kBashAlone) == Words{"/ab"});
  CHECK(removed("x=/a; printf -v x /b; rm $x", kDashAlone) == Words{"/a"});
  CHECK(removed("d=/a; declare d=/b; rm $d", kDashAlone) == Words{"/a"});
  CHECK(removed("pushd /b; rm x", kDashAlone) == Words{"/ws/x"});
  CHECK(removed("rm /{a,b}", kDashAlone) == Words{"/{a,b}"});
  CHECK(removed("cd build &> /dev/null && rm x", kDashAlone) == Words{"/ws/x"});
  CHECK(removed("cd build &> /dev/null && rm x", kBashAlone) == Words{"/ws/build/x"});
  CHECK(removed("f() { local d; rm $d; }; d=/a; f", kDashAlone).front() == "/a");
  CHECK(testing::paths(facts_in("echo 10>f", kDashAlone), AccessKind::kWrite) == Words{"/ws/f"});
}

TEST_CASE("a shell whose language is not read is doubted") {
  for (const char* name : {"zsh", "/usr/bin/zsh", "ksh93", "fish", "/opt/x/yash"}) {
    const Facts facts = facts_in("echo *(e:'mark x':)", dialects_of(name, nullptr));
    CHECK(testing::has(facts, Doubt::kUnparsed));
    CHECK(testing::has(facts_in("ls", dialects_of(name, nullptr)), Doubt::kUnparsed));
  }
  CHECK(testing::has(facts_in("mksh -c 'a |& b'", kBashAlone), Doubt::kUnparsed));
  CHECK_FALSE(testing::has(facts_in("mksh -c 'ls'", kBashAlone), Doubt::kUnparsed));
}

TEST_CASE("sh reads what its link leads to") {
  const auto sh_is = [](const char* target) {
    return [target](const std::string&) { return std::optional<std::string>(target); };
  };
  CHECK(dialects_of("sh", sh_is("/usr/bin/dash")) == kDashAlone);
  CHECK(dialects_of("/bin/sh", sh_is("/usr/bin/dash")) == kDashAlone);
  CHECK(dialects_of("sh", sh_is("/usr/bin/bash")) == bit_of(Dialect::kPosixBash));
  CHECK((dialects_of("sh", sh_is("/bin/busybox")) & bit_of(Dialect::kBusybox)) != 0);
  CHECK((dialects_of("sh", sh_is("/usr/bin/zsh")) & kForeignShell) != 0);
  CHECK(dialects_of("sh", sh_is("/usr/bin/sh")) == kAnyDialect);
  CHECK(dialects_of("sh", nullptr) == kAnyDialect);
  CHECK(dialects_of("-bash", nullptr) == kBashAlone);
  CHECK(dialects_of("bash5.2", nullptr) == kBashAlone);
  CHECK(dialects_of("python3", nullptr) == 0);
}

TEST_CASE("what all dialects read alike is found once") {
  const Facts facts = facts_in("f() { ls a | cat; }; f; sh -c 'ls {b}'", kAnyDialect);
  const Words all = testing::commands(facts);
  CHECK(std::count(all.begin(), all.end(), "ls a") == 1);
}

}  // namespace
}  // namespace gibbous::command
