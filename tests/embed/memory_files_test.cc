// Scripts, policies and configuration that a host gives as bytes, and those that are built in.
#include <filesystem>
#include <string>

#include "tests/support/catch.h"
#include "tests/support/host.h"
#include "tests/support/loop.h"

namespace gibbous {
namespace {

using Catch::Matchers::Contains;
using testing::auto_mode;
using testing::Host;
using testing::TempDir;

constexpr char kTool[] =
    "local words = require 'words'\n"
    "return { toolsets = { { name = 'mine', tools = { tool { name = 'try', description = 'Tries.',"
    " permission = 'read', run = function() return words end } } } } }";
constexpr char kNothingAllowed[] =
    "return { modes = { auto = {} }, decide = function()\n"
    "  return { decision = 'deny', reason = 'by the policy from memory', rule = 'none' }\n"
    "end }";

Status error_of(RuntimeOptions options) {
  const auto made = Runtime::create(std::move(options));
  REQUIRE_FALSE(made.ok());
  return made.status();
}

TEST_CASE("memory: scripts from memory run, with modules of their own and of the shipped ones") {
  RuntimeOptions options = auto_mode();
  options.files["scripts/init.lua"] = kTool;
  options.files["scripts/words.lua"] = "require 'toolsets.shaped' return 'from memory'";
  Host host(std::move(options));
  CHECK(host.call("try", Json::object()).text == "from memory");
}

TEST_CASE("memory: a policy from memory decides") {
  RuntimeOptions options = auto_mode();
  options.files["policies/init.lua"] = kNothingAllowed;
  Host host(std::move(options));
  const CallResult result = host.call("bg_status", Json::object());
  CHECK(result.code == "denied");
  CHECK_THAT(result.message, Contains("by the policy from memory"));
}

TEST_CASE("memory: a configuration from memory counts") {
  RuntimeOptions options = auto_mode();
  options.files["config.lua"] = "return { toolsets = { 'wait' } }";
  Host host(std::move(options));
  CHECK(host.call("bg_status", Json::object()).code == "unknown_tool");
}

TEST_CASE("memory: faults name the file and the line") {
  RuntimeOptions options = auto_mode();
  options.files["scripts/init.lua"] = "return {\n  toolsets = = {} }";
  CHECK_THAT(error_of(options).message(), Contains("<host>/scripts/init.lua:2:"));
  options.files["scripts/init.lua"] = "\n\nerror 'no'";
  CHECK_THAT(error_of(options).message(), Contains("<host>/scripts/init.lua:3: no"));
  options.files = {{"config.lua", "return { colour = 1 }"}};
  CHECK_THAT(error_of(options).message(), Contains("<host>/config.lua: colour"));
}

TEST_CASE("memory: names that mean nothing, and a place that is named twice, are refused") {
  const auto refused = [](const std::string& name, const std::string& why,
                          std::string RuntimeOptions::*also = nullptr) {
    RuntimeOptions options = auto_mode();
    options.files[name] = "return {}";
    if (also != nullptr) options.*also = "/somewhere";
    const Status status = error_of(std::move(options));
    CHECK(status.code() == "invalid_arguments");
    CHECK_THAT(status.message(), Contains("files: " + why));
  };
  refused("init.lua", "expected names below scripts/ or policies/, or config.lua; got init.lua");
  refused("scripts/a.lua", "expected scripts/init.lua among them");
  refused("scripts/init.lua", "expected one of scripts/init.lua and scripts_dir, got both",
          &RuntimeOptions::scripts_dir);
  refused("policies/init.lua", "expected one of policies/init.lua and policies_dir, got both",
          &RuntimeOptions::policies_dir);
  refused("config.lua", "expected one of config.lua and config_file, got both",
          &RuntimeOptions::config_file);
}

TEST_CASE("memory: what ships is built in, whole: runs start, and the policy judges them") {
  RuntimeOptions options = auto_mode();
  options.share_dir = "<built-in>";
  Host host(std::move(options));
  const CallResult started = host.call("bg_start", {{"command", "echo built in"}});
  REQUIRE(started.ok);
  const CallResult refused = host.call("bg_start", {{"command", "rm -rf /"}});
  CHECK(refused.code == "denied");
}

TEST_CASE("memory: files in memory are neither watched nor lost at a reload") {
  RuntimeOptions options = auto_mode();
  options.watch_files = true;
  options.share_dir = "<built-in>";
  options.files["scripts/init.lua"] = kTool;
  options.files["scripts/words.lua"] = "return 'still here'";
  Host host(std::move(options));
  REQUIRE(host.runtime->reload().ok);
  CHECK(host.call("try", Json::object()).text == "still here");
}

TEST_CASE("memory: a directory that is called as the place in memory counts for nothing") {
  const TempDir dir;
  dir.write("<host>/scripts/words.lua", "return 'from the disk'");
  std::filesystem::current_path(dir.path());
  RuntimeOptions options = auto_mode();
  options.files["scripts/init.lua"] = kTool;
  const Status status = error_of(std::move(options));
  std::filesystem::current_path("/");
  CHECK_THAT(status.message(), Contains("words"));
}

}  // namespace
}  // namespace gibbous
