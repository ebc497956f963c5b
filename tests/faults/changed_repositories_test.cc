// What sandboxed runs change or make of what git obeys is named, and policies know of it: in this
// process and in later ones, until it is gone, as it was, or a person says that it is fine.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>

#include "gibbous/policy.h"
#include "runtime/base/clock.h"
#include "runtime/paths/helper.h"
#include "runtime/sandbox/sandbox.h"
#include "tests/support/catch.h"
#include "tests/support/host.h"
#include "tests/support/loop.h"

namespace gibbous {
namespace {

namespace fs = std::filesystem;
using testing::Host;
using testing::TempDir;
using Names = std::set<std::string>;

// A workspace with a repository, a program that no rule knows and that makes another one, and a
// policy that denies git where a run has changed what it obeys.
struct Place {
  TempDir dir, state, policies;

  Place() {
    person("git init -q . && git -c user.name=a -c user.email=a@b commit -q --allow-empty -m x");
    program("frob", "git init -q vendor/made");
    program("mark", "git init -q marks/$$");
    policies.write("init.lua",
                   "local override, policy, modes = require 'override', require 'policy', require "
                   "'modes'\n"
                   "return { modes = modes, decide = policy.decider(modes), knowledge = require "
                   "'knowledge',\n"
                   "  rules = override.with(require 'rules', { {\n"
                   "    id = 'team.changed', decision = 'deny', reason = 'Look at it first.',\n"
                   "    program = 'git', access = 'read execute enter name', path = "
                   "'changed_by_runs',\n"
                   "    match = { 'git -C made_by_a_run status' } } }) }\n");
  }
  void program(const std::string& name, const std::string& text) const {
    dir.write("bin/" + name, "#!/bin/sh\nset -e\n" + text + "\n");
    fs::permissions(dir.path() + "/bin/" + name, fs::perms::owner_all);
  }
  // Outside of any sandbox.
  void person(const std::string& command) const {
    INFO(command);
    REQUIRE(std::system(("cd '" + dir.path() + "' && (" + command + ") >/dev/null 2>&1").c_str()) ==
            0);
  }
  RuntimeOptions options() const {
    RuntimeOptions made = testing::with_shell();
    made.mode = "auto";
    made.workspace = dir.path();
    made.state_dir = state.path();
    made.policies_dir = policies.path();
    made.environment = {{"PATH", dir.path() + "/bin:/usr/local/bin:/usr/bin:/bin"},
                        {"HOME", state.path() + "/home"}};
    return made;
  }
  std::string record() const {
    std::ifstream file(state.path() + "/changed");
    return {std::istreambuf_iterator<char>(file), {}};
  }
};

bool can_try() {
  if (probe_sandbox_support().mount_namespaces) return true;
  WARN("not tested: no mount namespaces here");
  return false;
}

std::string end(Host& host, const std::string& command) {
  return host.data("bg_start", {{"command", command}, {"until", {{"exit", true}}}})["id"];
}

bool is_denied(Host& host, const std::string& command) {
  const CallResult result =
      host.call("bg_start", {{"command", command}, {"until", {{"exit", true}}}});
  INFO(command << ": " << result.code << " " << result.message);
  CHECK((result.ok || result.message.find("Look at it first") != std::string::npos));
  return !result.ok;
}

// What the events about the run name, once its end was looked after.
Names named(Host& host, const std::string& run, const char* field) {
  Names names;
  const std::string later = end(host, "mark");
  REQUIRE(host.until([&] {
    return std::any_of(host.events.begin(), host.events.end(), [&](const Event& event) {
      return event.name == "repositories_changed" && Json::parse(event.json)["run"] == later;
    });
  }));
  for (const Event& event : host.events) {
    const Json json = Json::parse(event.json);
    if (event.name != "repositories_changed" || json["run"] != run) continue;
    for (const Json& each : json[field]) CHECK(names.insert(each).second);
  }
  return names;
}

TEST_CASE("changed repositories: what a run makes counts, in this process and in later ones") {
  if (!can_try()) return;
  Place place;
  {
    Host host(place.options());
    CHECK_FALSE(is_denied(host, "git -C vendor/made status || true"));
    const std::string run = end(host, "frob");
    CHECK(named(host, run, "made") == Names{"vendor/made"});
    CHECK(named(host, run, "changed") == Names{});
    CHECK(is_denied(host, "git -C vendor/made status"));
    CHECK(is_denied(host, "cd vendor && cd made && git log"));
    CHECK_FALSE(is_denied(host, "git status"));
    REQUIRE(host.runtime->reload().ok);
    CHECK(is_denied(host, "git -C vendor/made status"));
  }
  {
    Host later(place.options());
    CHECK(is_denied(later, "git -C vendor/made status"));
    // Without a runtime, too.
    PolicyOptions options;
    options.policies_dir = place.policies.path();
    options.workspace = place.dir.path();
    options.state_dir = place.state.path();
    options.mode = "auto";
    options.tested = false;
    auto policy = Policy::load(options);
    REQUIRE(policy);
    const auto check = Json::parse((*policy)->check(R"({"command":"git -C vendor/made log"})"));
    CHECK(check["rule"] == "team.changed");
    // Once it is gone, it is forgotten.
    place.person("rm -rf vendor");
    end(later, "ls | frobnicate || true");
    CHECK_FALSE(is_denied(later, "git status"));
    CHECK(later.until([&] { return place.record().find("vendor") == std::string::npos; }));
  }
}

TEST_CASE("changed repositories: the steps of a rebase and hooks in the workspace are named") {
  if (!can_try()) return;
  Place place;
  place.dir.write(".husky/pre-commit", "npm test\n");
  place.person("git config core.hooksPath .husky");
  place.program("todo",
                "mkdir .git/rebase-merge; echo 'exec x' > .git/rebase-merge/git-rebase-todo");
  place.program("husky",
                "echo evil > .husky/pre-commit; mkdir -p .husky; echo x > .husky/post-merge");
  Host host(place.options());
  const std::string first = end(host, "todo");
  CHECK(named(host, first, "changed") == Names{".git/rebase-merge/git-rebase-todo"});
  CHECK(named(host, first, "made") == Names{});
  CHECK(is_denied(host, "git status"));
  const std::string second = end(host, "husky");
  CHECK(named(host, second, "changed") == Names{".husky/pre-commit", ".husky/post-merge"});
  // What is gone, or as it was, is not in question any more.
  place.program("undo",
                "rm -r .git/rebase-merge .husky/post-merge; echo 'npm test' > .husky/pre-commit");
  const std::string third = end(host, "undo");
  INFO(host.data("bg_output", {{"id", third}}).dump());
  CHECK(named(host, third, "changed") == Names{".husky/pre-commit"});
  CHECK_FALSE(is_denied(host, "git status"));
  CHECK(place.record().find("/.git/rebase-merge") == std::string::npos);
  CHECK(place.record().find("/.husky") == std::string::npos);
}

TEST_CASE("changed repositories: what a person changes between two runs is theirs") {
  if (!can_try()) return;
  Place place;
  place.program("nothing", "git status");
  Host host(place.options());
  end(host, "nothing");
  (void)is_denied(host, "git --version");
  place.person(
      "git config core.pager cat; echo x > .git/hooks/pre-commit; git init -q deep/er/own");
  // The clock of files is that coarse.
  const std::int64_t now = SystemClock().wall().count();
  REQUIRE(host.until([&] { return SystemClock().wall().count() > now + 20; }));
  const std::string run = end(host, "nothing");
  CHECK(named(host, run, "changed") == Names{});
  CHECK_FALSE(is_denied(host, "git status"));
}

TEST_CASE("changed repositories: a clone that a person makes between two runs is protected") {
  if (!can_try()) return;
  Place place;
  place.program("attack",
                "echo x > clone/.git/config || echo refused; mv clone/.git y || echo held");
  Host host(place.options());
  end(host, "frob");
  place.person("git init -q clone; git -C clone config core.pager cat");
  const std::string run = end(host, "attack");
  const std::string said = host.data("bg_output", {{"id", run}}).dump();
  INFO(said);
  CHECK(said.find("refused") != std::string::npos);
  CHECK(said.find("held") != std::string::npos);
  CHECK(named(host, run, "changed") == Names{});
}

TEST_CASE("changed repositories: while a run goes on, what it has made counts, and is named once") {
  if (!can_try()) return;
  Place place;
  place.program("frobd", "frob\necho made\nsleep 600");
  place.program("other", "git init -q vendor/other");
  Host host(place.options());
  const Json going = host.data("bg_start", {{"command", "frobd"}, {"until", {{"line", "made"}}}});
  CHECK(is_denied(host, "cd vendor/made && git fetch"));
  const std::string other = end(host, "other");
  CHECK(named(host, other, "made") == Names{"vendor/made", "vendor/other"});
  (void)host.data("bg_kill", {{"id", going["id"]}});
  CHECK(named(host, going["id"], "made") == Names{});
}

TEST_CASE("changed repositories: where nobody answers, all counts until one does") {
  if (!can_try()) return;
  Place place;
  const std::string hold = place.state.path() + "/hold";
  // Its helpers answer nothing as long as that file is there.
  place.program("keeper", "if [ \"$1\" = " + std::string(paths::kHelperArgument) +
                              " ]; then while [ -e " + hold + " ]; do sleep 0.05; done; fi\nexec " +
                              testing::program_directory() + "/gibbous-keeper \"$@\"");
  RuntimeOptions options = place.options();
  options.keeper_path = place.dir.path() + "/bin/keeper";
  Host host(options);
  place.state.write("hold", "");
  end(host, "frob");
  CHECK(is_denied(host, "git fetch"));
  REQUIRE(host.runtime->reload().ok);
  CHECK(is_denied(host, "git fetch"));
  fs::remove(hold);
  CHECK(host.until([&] { return !is_denied(host, "git fetch"); }));
  CHECK(is_denied(host, "git -C vendor/made status"));
}

TEST_CASE("changed repositories: a damaged record makes all suspect, and a person can remove it") {
  if (!can_try()) return;
  Place place;
  {
    Host host(place.options());
    end(host, "frob");
  }
  REQUIRE(place.record().find("/vendor/made//.git") != std::string::npos);
  Host host(place.options());
  CHECK_FALSE(is_denied(host, "git status"));
  CHECK(is_denied(host, "git -C vendor/made status"));
  place.state.write("changed", "gibbous-changed 1\n/work\t-\n");
  CHECK(is_denied(host, "git status"));
  place.state.write("changed", "gibbous-changed 1\n");
  CHECK_FALSE(is_denied(host, "git -C vendor/made status"));
}

}  // namespace
}  // namespace gibbous
