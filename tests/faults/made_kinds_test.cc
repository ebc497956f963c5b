// Repositories of every kind that sandboxed runs make count as made by runs: those of submodules
// and worktrees, bare ones, and those that a link or an odd name hides. With git itself.
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <set>
#include <string>

#include "runtime/sandbox/sandbox.h"
#include "tests/support/catch.h"
#include "tests/support/host.h"
#include "tests/support/loop.h"

namespace gibbous {
namespace {

using testing::auto_mode;
using testing::Host;
using testing::TempDir;

namespace fs = std::filesystem;

class Workshop {
 public:
  Workshop() {
    // The workspace, and a repository outside with another one as its submodule.
    outside("git init -q '" + dir_.path() + "'");
    commit(dir_.path());
    outside("git init -q '" + source("inner") + "' && git init -q '" + source("outer") + "'");
    commit(source("inner"));
    outside("cd '" + source("outer") + "' && git -c protocol.file.allow=always submodule -q add '" +
            source("inner") + "' sub");
    commit(source("outer"));
  }

  std::string source(const std::string& name) const { return sources_.path() + "/" + name; }
  std::string path(const std::string& name) const { return dir_.path() + "/" + name; }
  void outside(const std::string& command) const {
    INFO(command);
    REQUIRE(std::system(("(" + command + ") >/dev/null 2>&1").c_str()) == 0);
  }
  void open() {
    RuntimeOptions options = auto_mode();
    options.mode = "dangerous";
    options.workspace = dir_.path();
    options.state_dir = state_.path();
    options.sandbox = "workspace";
    host_.emplace(options);
  }
  // Runs it in the sandbox, and returns what the event says that it has made.
  std::set<std::string> made_by(const std::string& command) {
    if (!host_) open();
    const auto run = host_->data("bg_start", {{"command", command}, {"until", {{"exit", true}}}});
    INFO(host_->data("bg_output", {{"id", run["id"]}}).dump());
    Json named;
    REQUIRE(host_->until([&] {
      for (const Event& event : host_->events) {
        const Json json = Json::parse(event.json);
        if (event.name == "repositories_changed" && json["run"] == run["id"]) {
          named = json["made"];
        }
      }
      return !named.is_null();
    }));
    return named.get<std::set<std::string>>();
  }

 private:
  void commit(const std::string& repository) const {
    outside("git -C '" + repository +
            "' -c user.name=a -c user.email=a@b commit -q --allow-empty -m first");
  }

  TempDir dir_, sources_, state_;
  std::optional<Host> host_;
};

using Names = std::set<std::string>;

bool can_test() {
  if (probe_sandbox_support().landlock_abi != 0) return true;
  WARN("not tested: no Landlock here");
  return false;
}

TEST_CASE("made kinds: a bare repository counts, also one in a directory with another name") {
  if (!can_test()) return;
  Workshop shop;
  CHECK(shop.made_by("git init -q --bare x.git; git init -q --bare src/package") ==
        Names{"x.git", "src/package"});
}

TEST_CASE("made kinds: a clone counts with its submodules") {
  if (!can_test()) return;
  Workshop shop;
  // What a command does not name of /tmp is not there.
  CHECK(shop.made_by("ls '" + shop.source("inner") +
                     "'; git -c protocol.file.allow=always clone -q --recurse-submodules '" +
                     shop.source("outer") + "' made") == Names{"made", "made/sub"});
}

TEST_CASE("made kinds: what git keeps for a submodule in the workspace's repository counts") {
  if (!can_test()) return;
  Workshop shop;
  CHECK(shop.made_by("mkdir -p .git/modules; git clone -q --separate-git-dir .git/modules/sub '" +
                     shop.source("inner") + "' sub") == Names{"sub", ".git/modules/sub"});
}

TEST_CASE("made kinds: a worktree that a run adds counts") {
  if (!can_test()) return;
  Workshop shop;
  CHECK(shop.made_by("git worktree add -q tree") == Names{"tree", ".git/worktrees/tree"});
}

TEST_CASE("made kinds: a repository that a link leads to counts at both places") {
  if (!can_test()) return;
  Workshop shop;
  CHECK(shop.made_by("git init -q a; mv a/.git a/repository; mkdir b; "
                     "ln -s ../a/repository b/.git; ln -s /nowhere a/.git") ==
        Names{"a", "b", "a/repository"});
}

TEST_CASE("made kinds: with a repository whose name cannot be passed on, all of them count") {
  if (!can_test()) return;
  Workshop shop;
  CHECK(shop.made_by("git init -q \"$(printf 'a\\nb')\"") == Names{"."});
}

TEST_CASE("made kinds: where not all were seen before a run, those that have come since count") {
  if (!can_test()) return;
  Workshop shop;
  shop.outside("cd '" + shop.path("") +
               "' && git init -q old && mkdir linked && ln -s ../old/.git "
               "linked/.git");
  // A link keeps the list from being complete.
  CHECK(shop.made_by("git init -q first") == Names{"first"});
  CHECK(shop.made_by("git -C first status; mkdir deep; git init -q deep/second") ==
        Names{"deep/second"});
}

TEST_CASE("made kinds: with more than are looked for, all of them count") {
  if (!can_test()) return;
  Workshop shop;
  CHECK(shop.made_by("for i in $(seq 70); do mkdir -p d$i/.git; done; git init -q deep/er/x")
            .contains("."));
}

}  // namespace
}  // namespace gibbous
