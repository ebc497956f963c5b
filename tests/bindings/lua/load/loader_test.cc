// How scripts are found, read and compiled: require, snapshots, syntax errors, budgets.
#include "bindings/lua/load/loader.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "bindings/lua/source/source_words.h"
#include "tests/bindings/lua/load/generation_fixture.h"
#include "tests/support/catch.h"

using namespace gibbous;
using namespace gibbous::lua;
using gibbous::testing::base_name;
using gibbous::testing::Scripts;

namespace {

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::string names_in(const std::string& source) {
  std::string text;
  for (const RequiredName& each : required_names(source)) {
    text += (text.empty() ? "" : " ") + each.name + ":" + std::to_string(each.line);
  }
  return text;
}

}  // namespace

TEST_CASE("literal requires are found, those in comments and strings are not") {
  CHECK(names_in("local a = require 'a.b'\nlocal c = require(\"c\")\nrequire [[d]]") ==
        "a.b:1 c:2 d:3");
  CHECK(names_in("-- require 'x'\n--[[ require 'y'\n ]] require 'z'").find("z:3") == 0);
  CHECK(
      names_in("local s = \"require 'x'\" .. 'require \"y\"' .. [==[ require 'z' ]] ]==]").empty());
  CHECK(names_in("t.require 'x' t:require 'y' prerequire 'z' require(name)").empty());
  CHECK(names_in("t[require 'x'] = '\\'' require 'y'") == "x:1 y:1");
  CHECK(names_in("require '").size() < 5);
  CHECK(names_in("--[==[ never closed require 'x'").empty());
}

TEST_CASE("a module is found in the user's directory first, then in the shipped one") {
  Scripts scripts;
  const testing::TempDir shipped;
  shipped.write("toolsets/a.lua", "return { name = 'shipped_a', tools = {} }");
  shipped.write("toolsets/b.lua", "return { name = 'shipped_b', tools = {} }");
  shipped.write("init.lua", "error('only the own init.lua counts')");
  scripts.options.shipped_scripts_dir = shipped.path();
  scripts.script("init.lua",
                 "return { toolsets = { require 'toolsets.a', require 'toolsets.b' } }");
  scripts.script("toolsets/a.lua", "return { name = 'own_a', tools = {} }");
  scripts.options.toolsets = {"own_a", "shipped_b"};
  CHECK(scripts.load() != nullptr);
  INFO(scripts.error().text());
  scripts.options.toolsets = {"shipped_a"};
  CHECK(scripts.load() == nullptr);
}

TEST_CASE("a module is a file, or a folder with an init.lua") {
  Scripts scripts;
  const testing::TempDir shipped;
  shipped.write("folder.lua", "return 'shipped'");
  scripts.options.shipped_scripts_dir = shipped.path();
  scripts.script("init.lua",
                 "assert(require 'a.b' == 'file' and require 'folder' == 'init')\n"
                 "assert(require 'both' == 'file')\n"
                 "return { toolsets = {} }");
  scripts.script("a/b.lua", "return 'file'");
  scripts.script("folder/init.lua", "return 'init'");
  scripts.script("both.lua", "return 'file'");
  scripts.script("both/init.lua", "return 'init'");
  CHECK(scripts.error().text().empty());
}

TEST_CASE("modules of policies/lib are required without the folder, the user's own first") {
  Scripts scripts;
  const testing::TempDir shipped;
  shipped.write("lib/limits.lua", "return 'shipped'");
  shipped.write("lib/matrix.lua", "return 'shipped'");
  scripts.options.shipped_policies_dir = shipped.path();
  scripts.policy("init.lua",
                 "assert(require 'limits' == 'own' and require 'matrix' == 'shipped')\n" +
                     std::string(testing::kAllowAll));
  scripts.policy("limits.lua", "return 'own'");
  CHECK(scripts.error().text().empty());
}

TEST_CASE("a folder with an init.lua is suggested like a file") {
  Scripts scripts;
  scripts.script("toolsets/bg/init.lua", "return {}");
  scripts.script("init.lua", "return require 'toolsets.bgg'");
  CHECK(contains(scripts.error().message, "did you mean 'toolsets.bg'?"));
}

TEST_CASE("a module runs once, and every require returns the same value") {
  Scripts scripts;
  scripts.script("init.lua",
                 "local a, b = require 'shared', require 'shared'\n"
                 "assert(a == b and a.count == 1, 'not the same')\n"
                 "assert(require 'user' == a)\n"
                 "return { toolsets = {} }");
  scripts.script("shared.lua", "return { count = 1 }");
  scripts.script("user.lua", "return require 'shared'");
  CHECK(scripts.error().text().empty());
}

TEST_CASE("scripts and policies have modules of their own") {
  Scripts scripts;
  scripts.script("init.lua", "assert(require 'same' == 'scripts') return { toolsets = {} }");
  scripts.script("same.lua", "return 'scripts'");
  scripts.policy("init.lua",
                 "assert(require 'same' == 'policies')\n" + std::string(testing::kAllowAll));
  scripts.policy("same.lua", "return 'policies'");
  CHECK(scripts.error().text().empty());
}

TEST_CASE("a module that is missing is reported where it is required, with the nearest name") {
  Scripts scripts;
  scripts.script("toolsets/bg.lua", "return { name = 'bg', tools = {} }");
  const std::string init = scripts.script("init.lua", "\n\nreturn require 'toolsets.bgg'");
  const ScriptError error = scripts.error();
  CHECK(error.file == init);
  CHECK(error.line == 3);
  CHECK(contains(error.message, "module 'toolsets.bgg' not found: no file "));
  CHECK(contains(error.message, "did you mean 'toolsets.bg'?"));
}

TEST_CASE("names that could leave the directory are not module names") {
  for (const char* name :
       {"../x", "/etc/passwd", "a..b", ".a", "a.", "", "a b", "a/b", "a\\0b", "ä"}) {
    Scripts scripts;
    scripts.script("init.lua", std::string("local x = require '") + name + "' return x");
    INFO(name);
    const ScriptError error = scripts.error();
    CHECK(contains(error.message, "a module name is words of letters, digits and _"));
    CHECK(error.line == 1);
  }
}

TEST_CASE("modules that require each other in a cycle are reported with the cycle") {
  Scripts scripts;
  scripts.script("init.lua", "local a = require 'a' return a");
  scripts.script("a.lua", "local b = require 'b' return b");
  scripts.script("b.lua", "local a = require 'a' return a");
  CHECK(contains(scripts.error().message, "in a cycle: a -> b -> a"));
}

TEST_CASE("every syntax error of every file that is reached is reported") {
  Scripts scripts;
  scripts.script("init.lua", "local a = require 'a'\nlocal b = require 'b'\nreturn {}");
  const std::string a = scripts.script("a.lua", "local x = = 1\nreturn require 'c'");
  scripts.script("b.lua", "return {}");
  const std::string c = scripts.script("c.lua", "return {}\n\nend");
  const std::string rule = scripts.policy("init.lua", "if then");
  CHECK(scripts.load() == nullptr);
  REQUIRE(scripts.failure.errors.size() == 3);
  CHECK(scripts.failure.errors[0].file == a);
  CHECK(scripts.failure.errors[0].line == 1);
  CHECK(contains(scripts.failure.errors[0].message, "unexpected symbol near '='"));
  CHECK(scripts.failure.errors[1].file == c);
  CHECK(scripts.failure.errors[1].line == 3);
  CHECK(scripts.failure.errors[2].file == rule);
  CHECK_FALSE(scripts.failure.policy);
}

TEST_CASE("a load that never ends is stopped with the file and line that ran") {
  Scripts scripts;
  scripts.options.load_budget = std::chrono::milliseconds(50);
  scripts.script("init.lua", "return require 'loop'");
  const std::string loop = scripts.script("loop.lua",
                                          "local function spin()\n  while true do end\nend\n"
                                          "while true do pcall(spin) end");
  const ScriptError error = scripts.error();
  CHECK(error.code == "budget_exceeded");
  CHECK(error.file == loop);
  CHECK(error.line >= 2);
}

TEST_CASE("a run-time error while loading names file and line, also below a long path") {
  Scripts scripts;
  const std::string deep = "a_directory_with_a_long_name/another_directory_with_a_long_name/";
  scripts.options.scripts_dir += "/" + deep;
  const std::string init = scripts.script(deep + "init.lua", "return require 'm'");
  const std::string file = scripts.script(deep + "m.lua", "local t\n\nreturn t.x");
  const ScriptError error = scripts.error();
  CHECK(error.file == file);
  CHECK(error.line == 3);
  CHECK(contains(error.message, "attempt to index local 't'"));
  scripts.script(deep + "m.lua", "\nlocal q = require 'gone' return q");
  const ScriptError missing = scripts.error();
  CHECK(missing.file == file);
  CHECK(missing.line == 2);
}

TEST_CASE("bytecode, large files and anything but files are refused") {
  Scripts scripts;
  scripts.script("init.lua", std::string("\x1bLJ\x02\x0a", 5));
  CHECK(contains(scripts.error().message, "attempt to load chunk with wrong mode"));
  scripts.script("init.lua", std::string(kMaxSourceBytes + 1, ' '));
  CHECK(contains(scripts.error().message, "is larger than 1048576 bytes"));
  scripts.script("init.lua", "return require 'pipe'");
  REQUIRE(::mkfifo((scripts.options.scripts_dir + "/pipe.lua").c_str(), 0600) == 0);
  CHECK(contains(scripts.error().text(), "pipe.lua: is not a regular file"));
}

TEST_CASE("a directory without init.lua is an error that names it") {
  Scripts scripts;
  scripts.options.scripts_dir = scripts.dir.path() + "/nowhere";
  CHECK(contains(scripts.error().message, "nowhere/init.lua does not exist"));
  REQUIRE(scripts.failure.files.size() >= 1);
  CHECK(scripts.failure.files.front().hash.empty());
}

TEST_CASE("symbolic links are followed wherever they point") {
  Scripts scripts;
  const std::string target =
      scripts.dir.write("elsewhere/tools.lua", "return { name = 'x', tools = {} }");
  scripts.script("init.lua", "return { toolsets = { require 'tools' } }");
  std::filesystem::create_symlink(target, scripts.options.scripts_dir + "/tools.lua");
  CHECK(scripts.error().text().empty());
}

TEST_CASE("after the load only modules that were loaded can be required") {
  Scripts scripts;
  scripts.policy("late.lua", "return {}");
  scripts.policy("init.lua",
                 "local early = require 'early'\n"
                 "return { modes = { default = {} }, decide = function(effect)\n"
                 "  assert(require 'early' == early)\n"
                 "  local name = 'la' .. 'te'\n"
                 "  require(name)\n"
                 "end }");
  scripts.policy("early.lua", "return {}");
  const auto generation = scripts.load();
  REQUIRE(generation != nullptr);
  const Verdict verdict = generation->policy().decide({});
  CHECK(verdict.rule == "policy_error");
  CHECK(contains(verdict.reason, "init.lua:5: require 'late': this module was not loaded"));
}

TEST_CASE("a snapshot notices files that moved or appeared since it was read") {
  const testing::TempDir dir;
  const std::string path = dir.write("a.lua", "one");
  Snapshot snapshot;
  REQUIRE(snapshot.read(path).ok());
  const auto missing = snapshot.read(dir.path() + "/b.lua");
  REQUIRE(missing.ok());
  CHECK(*missing == nullptr);
  CHECK(snapshot.still_true());
  CHECK(snapshot.watched().size() == 2);
  dir.write("b.lua", "now it is here");
  CHECK_FALSE(snapshot.still_true());
  Snapshot second;
  REQUIRE(second.read(path).ok());
  dir.write("a.lua", "two!");
  CHECK_FALSE(second.still_true());
  CHECK((*second.read(path))->text == "one");
}
