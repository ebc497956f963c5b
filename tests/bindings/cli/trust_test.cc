// `gibbous trust` and `gibbous config`, and that no variable or option turns the managed layer off.
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "bindings/json/json.h"
#include "tests/support/catch.h"
#include "tests/support/conversation.h"
#include "tests/support/loop.h"
#include "tests/support/program.h"

using Catch::Matchers::Contains;
using gibbous::Json;
using namespace gibbous::testing;

namespace {

namespace fs = std::filesystem;

enum ExitCode { kDone = 0, kFailed = 1, kWrongUse = 2, kDenied = 3, kNeedsApproval = 4 };

class Project {
 public:
  Project() { fs::create_directories(dir_.path() + "/app/.gibbous"); }
  std::string workspace() const { return dir_.path() + "/app"; }
  void write(const std::string& name, const std::string& text) const {
    fs::create_directories(fs::path(workspace() + "/.gibbous/" + name).parent_path());
    dir_.write("app/.gibbous/" + name, text);
  }
  std::map<std::string, std::string> environment() const {
    return {{"HOME", dir_.path() + "/home"},
            {"XDG_CONFIG_HOME", dir_.path() + "/home/.config"},
            {"XDG_STATE_HOME", dir_.path() + "/home/.local/state"}};
  }
  Outcome run(std::vector<std::string> words, const std::string& input = "") const {
    words.insert(words.begin(), command_path());
    return run_program({.argv = std::move(words), .env = environment(), .cwd = workspace()}, input);
  }
  // The same where /etc has this in /etc/gibbous/config.lua: in a mount namespace of its own.
  Outcome run_managed(const std::string& config, const std::string& words,
                      const std::string& prepare = "true") const {
    dir_.write("managed.lua", config);
    const std::string etc = dir_.path() + "/etc";
    const std::string script =
        "mkdir -p " + etc + " && mount -t tmpfs none " + etc + " && chmod 755 " + etc +
        " && cp -a /etc/. " + etc + "/ 2>/dev/null; rm -rf " + etc + "/gibbous; mkdir " + etc +
        "/gibbous && cp " + dir_.path() + "/managed.lua " + etc + "/gibbous/config.lua && " +
        "chmod 644 " + etc + "/gibbous/config.lua && chown -R 0:0 " + etc +
        "/gibbous && mount --bind " + etc + " /etc && " + prepare + " && exec " + words;
    return run_program({.argv = {"/usr/bin/unshare", "-m", "/bin/sh", "-c", script},
                        .env = environment(),
                        .cwd = workspace()});
  }

 private:
  TempDir dir_;
};

bool can_unshare() {
  return ::geteuid() == 0 &&
         run_program({.argv = {"/usr/bin/unshare", "-m", "/bin/true"}, .env = {}, .cwd = ""})
                 .status.code == 0;
}

TEST_CASE("trust never answers itself without a terminal") {
  const Project project;
  project.write("config.lua", "return { limits = { max_queued = 5 } }");
  const Outcome outcome = project.run({"trust"}, "y\n");
  CHECK(outcome.status.code == kNeedsApproval);
  CHECK_THAT(outcome.err, Contains("is not trusted: a person has to look at it"));
  CHECK_THAT(project.run({"trust", "--list"}).out, Contains("nothing is trusted"));
}

TEST_CASE("what is trusted is listed, named when it changes, and revoked") {
  const Project project;
  project.write("config.lua", "return { limits = { max_queued = 5 } }");
  REQUIRE(project.run({"trust", "--yes"}).status.code == kDone);
  CHECK(project.run({"trust"}).status.code == kDone);
  CHECK_THAT(project.run({"trust", "--list"}).out,
             Contains("project") && Contains("/app/.gibbous"));
  project.write("policies/x.lua", "return {}");
  const Outcome changed = project.run({"config"});
  CHECK_THAT(changed.out, Contains("has changed since it was trusted (+ policies/x.lua)"));
  CHECK(project.run({"trust"}).status.code == kNeedsApproval);
  CHECK(project.run({"trust", "--revoke", "."}).status.code == kDone);
  const Outcome again = project.run({"trust", "--revoke", "."});
  CHECK(again.status.code == kFailed);
  CHECK_THAT(again.err, Contains("gibbous trust --list"));
}

TEST_CASE("trust names what it cannot use, and what is not there") {
  const Project project;
  fs::create_symlink("/etc/passwd", project.workspace() + "/.gibbous/x");
  const Outcome link = project.run({"trust", "--yes"});
  CHECK(link.status.code == kFailed);
  CHECK_THAT(link.err, Contains("it is a symbolic link"));
  fs::remove_all(project.workspace() + "/.gibbous");
  CHECK_THAT(project.run({"trust", "--yes"}).err, Contains("does not exist"));
}

TEST_CASE("policy check says what the layers say, too") {
  const Project project;
  project.write("policies/init.lua",
                "return { rules = { { id = 'team.no_ls', decision = 'deny', reason = 'Use find.',\n"
                "  program = 'ls', match = { 'ls' }, not_match = { 'cat x' } } } }\n");
  constexpr int kAllowed = 0;
  constexpr int kDeniedByPolicy = 20;
  CHECK(project.run({"policy", "check", "ls"}).status.code == kAllowed);
  REQUIRE(project.run({"trust", "--yes"}).status.code == kDone);
  const Outcome outcome = project.run({"policy", "check", "ls"});
  CHECK(outcome.status.code == kDeniedByPolicy);
  CHECK_THAT(outcome.out, Contains("project:team.no_ls"));
}

TEST_CASE("config shows each value with its place, what was refused, and no secrets") {
  const Project project;
  project.write("config.lua", "return {\n  limits = { max_queued = 5 },\n  mode = 'dangerous',\n}");
  REQUIRE(project.run({"trust", "--yes"}).status.code == kDone);
  const std::string user = project.environment()["XDG_CONFIG_HOME"] + "/gibbous";
  fs::create_directories(user);
  std::ofstream(user + "/config.lua") << "return { env = { API_TOKEN = 'hunter2hunter2' } }";
  const Outcome outcome = project.run({"config", "--json"});
  REQUIRE(outcome.status.code == kDone);
  const Json all = Json::parse(outcome.out);
  REQUIRE(all["values"].size() == 2);
  CHECK(all["values"][0]["value"] == "***");
  CHECK(all["values"][1]["field"] == "limits.max_queued");
  CHECK(all["values"][1]["layer"] == "project");
  CHECK(all["values"][1]["line"] == 2);
  REQUIRE(all["refused"].size() == 1);
  CHECK(all["refused"][0]["field"] == "mode");
  CHECK_THAT(project.run({"config"}).out, !Contains("hunter2") && Contains("in force"));
}

TEST_CASE("no option and no variable turns the managed layer off") {
  if (!can_unshare()) return;
  const Project project;
  const std::string config = "return { modes = { 'default', 'plan' } }";
  const std::string gibbous = command_path();
  const Outcome option = project.run_managed(config, gibbous + " call bg_status --mode dangerous");
  CHECK(option.status.code == kFailed);
  CHECK_THAT(option.err, Contains("/etc/gibbous/config.lua:1 allows: default, plan"));
  CHECK(project.run_managed(config, gibbous + " call bg_status --mode plan").status.code == kDone);
  const std::string nobody =
      "setpriv --reuid=65534 --regid=65534 --clear-groups env HOME=/tmp XDG_STATE_HOME=/tmp/none ";
  const Outcome user = project.run_managed(
      config, nobody + gibbous + " config --workspace / --mode dangerous", "cd /");
  CHECK(user.status.code == kFailed);
  CHECK_THAT(user.err, Contains("is not among the modes"));
  const Outcome share = project.run_managed(
      config, nobody + "GIBBOUS_SHARE=/tmp/x " + gibbous + " config --workspace /", "cd /");
  CHECK(share.status.code == kFailed);
  CHECK_THAT(share.err, Contains("GIBBOUS_SHARE names what others than root can change"));
}

TEST_CASE("up takes place within what is managed") {
  if (!can_unshare()) return;
  const Project project;
  std::ofstream(project.workspace() + "/services.lua")
      << "return { { name = 'a', command = 'echo hi' }, { name = 'b', command = 'echo ho' } }";
  const Outcome outcome =
      project.run_managed("return { scripts = '/etc/gibbous/none', modes = { 'auto' } }",
                          command_path() + " up services.lua");
  CHECK(outcome.status.code == kDone);
  CHECK_THAT(outcome.out, Contains("a | hi") && Contains("b | ho"));
}

TEST_CASE("a managed file of somebody else stops every start, with the fix") {
  if (!can_unshare()) return;
  const Project project;
  const Outcome outcome = project.run_managed("return {}", command_path() + " call bg_status",
                                              "chown 65534 /etc/gibbous/config.lua");
  CHECK(outcome.status.code == kFailed);
  CHECK_THAT(outcome.err, Contains("/etc/gibbous/config.lua") && Contains("chown root it"));
}

}  // namespace
