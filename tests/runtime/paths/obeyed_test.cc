// The fingerprints of what git obeys: each thing that makes git run something is one, under every
// spelling, and what changes with ordinary work is none.
#include "runtime/paths/obeyed.h"

#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <string>

#include "runtime/paths/git_places.h"
#include "tests/support/catch.h"
#include "tests/support/loop.h"

namespace gibbous::paths {
namespace {

namespace fs = std::filesystem;
using Names = std::set<std::string>;

class Workspace {
 public:
  Workspace() {
    write(".git/HEAD", "ref: refs/heads/main\n");
    write(".git/config", kPlain);
    fs::create_directories(root() + "/.git/objects");
    fs::create_directories(root() + "/.git/refs");
  }
  std::string root() const { return fs::canonical(dir_.path()); }
  void write(const std::string& name, const std::string& text) const {
    fs::create_directories(fs::path(root() + "/" + name).parent_path());
    std::ofstream(root() + "/" + name) << text;
  }
  void configure(const std::string& more) const { write(".git/config", kPlain + more); }
  std::map<std::string, std::string> look() const {
    std::map<std::string, std::string> hashes;
    for (const Obeyed& each : find_git_places(root()).obeyed) {
      hashes[each.path.substr(root().size())] = each.hash;
    }
    return hashes;
  }
  // The things that differ, or are new, since the last call.
  Names changed() {
    Names names;
    auto now = look();
    for (const auto& [path, hash] : now) {
      if (last_[path] != hash) names.insert(path);
    }
    last_ = std::move(now);
    return names;
  }

 private:
  inline static const std::string kPlain =
      "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n";
  testing::TempDir dir_;
  std::map<std::string, std::string> last_;
};

TEST_CASE("ordinary work changes nothing that git obeys") {
  Workspace here;
  (void)here.changed();
  here.write(".git/refs/heads/main", "0000\n");
  here.write(".git/index", "x");
  here.write(".git/COMMIT_EDITMSG", "first\n");
  here.write(".git/hooks/pre-commit.sample", "#!/bin/sh\n");
  here.write(".git/commondir", ".\n");  // what holds the name
  here.write(".gitattributes", "*.txt text\n");
  here.write("src/a.c", "int x;\n");
  here.configure(
      "[user]\n\tname = Jane O'Neill\n\temail = j@example.org\n"
      "[branch \"feature/x\"]\n\tremote = origin\n\tmerge = refs/heads/feature/x\n");
  CHECK(here.changed() == Names{});
}

TEST_CASE("each thing that git obeys is named when it comes, and when it is another one") {
  Workspace here;
  (void)here.changed();
  for (const char* const name :
       {"hooks/pre-commit", "info/attributes", "objects/info/alternates", "commondir", "gitdir",
        "rebase-merge/git-rebase-todo", "sequencer/todo", "config.worktree"}) {
    const std::string path = std::string(".git/") + name;
    for (const char* const text : {"exec a\n", "exec b\n"}) {
      INFO(path << ": " << text);
      here.write(path, text);
      CHECK(here.changed() == Names{"//" + path});
    }
  }
  here.write(".gitmodules", "[submodule]\n");
  CHECK(here.changed() == Names{"//.gitmodules"});
  // To make it executable puts it in force.
  fs::permissions(here.root() + "/.git/hooks/pre-commit", fs::perms::owner_all);
  CHECK(here.changed() == Names{"//.git/hooks/pre-commit"});
  // What is as before has the same fingerprint.
  here.write(".git/sequencer/todo", "x");
  (void)here.changed();
  const auto before = here.look();
  here.write(".git/sequencer/todo", "y");
  here.write(".git/sequencer/todo", "x");
  CHECK(here.look() == before);
}

TEST_CASE("files of git that lead elsewhere are named, and no others of their names") {
  Workspace here;
  here.write(".git/packed-refs", "# pack-refs\n");
  here.write(".git/shallow", "0000\n");
  CHECK_FALSE(here.changed().contains("//.git/packed-refs"));
  for (const char* name : {"packed-refs", "shallow", "HEAD"}) {
    fs::remove(here.root() + "/.git/" + name);
    fs::create_symlink("/etc/hostname", here.root() + "/.git/" + name);
  }
  here.write(".git/info/grafts", "0000\n");
  CHECK(here.changed() ==
        Names{"//.git/packed-refs", "//.git/shallow", "//.git/HEAD", "//.git/info/grafts"});
}

TEST_CASE("keys of a configuration are named, and no spelling hides one") {
  Workspace here;
  (void)here.changed();
  here.configure("[core]\n\thooksPath = .husky\n[alias]\n\tst = !./x.sh\n");
  CHECK(here.changed() == Names{"//.git/config core.hookspath", "//.git/config alias.st"});
  for (const char* const text :
       {"[user] fsmonitor = ./x\n", "[user]\n\tname = x \\\n\tfsmonitor = ./x\n",
        "[user][core] fsmonitor = ./x\n", "[user]\n\tname = x\n[core]fsmonitor = ./x\n",
        "[user]\n\tname = \"a\\\n# b\"\n", "[branch \"x\"]\n\tremote = ext::sh -c x\n",
        "[user]\n\tname = x\r\n\tfsmonitor = ./x\n", "\f[core]\n\tname = x\n"}) {
    INFO(text);
    here.configure("");
    (void)here.changed();
    here.configure(text);
    CHECK_FALSE(here.changed().empty());
  }
}

TEST_CASE("files of the workspace that a configuration names are obeyed, too") {
  Workspace here;
  here.write(".husky/_/pre-commit", ". ../h\n");
  here.write(".husky/pre-commit", "npm test\n");
  here.write("tools/git.conf", "[core]\n\tfsmonitor = ./tools/watch.sh\n");
  here.write("tools/watch.sh", "a\n");
  here.write(".gitattributes", "*.bin filter=x\n");
  here.configure(
      "[core]\n\thooksPath = .husky/_\n[include]\n\tpath = ../tools/git.conf\n"
      "[filter \"x\"]\n\tclean = cat\n");
  (void)here.changed();
  for (const char* const name :
       {".husky/pre-commit", ".husky/_/pre-commit", "tools/watch.sh", ".gitattributes"}) {
    here.write(name, "evil\n");
    CHECK(here.changed() == Names{std::string("//") + name});
  }
  here.write("tools/git.conf", "[core]\n\tfsmonitor = ./tools/other.sh\n");
  CHECK(here.changed() == Names{"//tools/git.conf core.fsmonitor"});
  here.write("tools/readme", "nobody names it\n");
  CHECK(here.changed() == Names{});
}

TEST_CASE(
    "repositories below, of submodules and of worktrees are obeyed, and are things themselves") {
  Workspace here;
  (void)here.changed();
  here.write("vendor/lib/.git/HEAD", "ref: refs/heads/main\n");
  here.write("vendor/lib/.git/hooks/post-checkout", "x\n");
  CHECK(here.changed() == Names{"/vendor/lib//.git", "/vendor/lib//.git/hooks/post-checkout"});
  here.write(".git/modules/sub/HEAD", "ref: refs/heads/main\n");
  here.write(".git/modules/sub/config", "[core]\n\tworktree = ../../../sub\n");
  CHECK(here.changed() == Names{"//.git/modules/sub", "//.git/modules/sub/config core.worktree"});
  here.write("sub/.git", "gitdir: ../.git/modules/sub\n");
  CHECK(here.changed() == Names{"/sub//.git"});
  here.write("sub/.git", "gitdir: ../elsewhere\n");
  CHECK(here.changed() == Names{"/sub//.git"});
}

TEST_CASE("a fingerprint waits for no writer of a pipe, and is bounded") {
  Workspace here;
  fs::create_directories(here.root() + "/.git/hooks");
  REQUIRE(::mkfifo((here.root() + "/.git/hooks/pre-push").c_str(), 0600) == 0);
  CHECK(here.changed().contains("//.git/hooks/pre-push"));
  here.write(".git/hooks/commit-msg", std::string(1 << 20, 'x'));
  CHECK(here.changed() == Names{"//.git/hooks/commit-msg"});
  std::string many;
  for (int i = 0; i < 1000; ++i) many += "[alias]\n\tx" + std::to_string(i) + " = y\n";
  here.configure(many);
  const GitPlaces found = find_git_places(here.root());
  CHECK(found.obeyed.size() == kMaxObeyed + 1);
  CHECK(found.variables.at("GIT_ELSEWHERE") == std::vector<std::string>{kAnywhere});
}

TEST_CASE("a thing says when it was changed last, or a directory around it was put there") {
  Workspace here;
  here.write("old/.git/HEAD", "ref: x\n");
  here.write(".git/hooks/pre-commit", "x\n");
  const auto changed = [&](const std::string& path) {
    for (const Obeyed& each : find_git_places(here.root()).obeyed) {
      if (each.path == here.root() + path) return each.changed;
    }
    return std::int64_t{0};
  };
  const std::int64_t hook = changed("//.git/hooks/pre-commit");
  CHECK(hook > 0);
  CHECK(changed("/old//.git") > 0);
  fs::rename(here.root() + "/.git/hooks", here.root() + "/.git/other");
  fs::rename(here.root() + "/.git/other", here.root() + "/.git/hooks");
  CHECK(changed("//.git/hooks/pre-commit") >= hook);
  fs::create_directories(here.root() + "/in");
  fs::rename(here.root() + "/old", here.root() + "/in/old");
  struct stat info {};
  REQUIRE(::stat((here.root() + "/in").c_str(), &info) == 0);
  CHECK(changed("/in/old//.git") >= info.st_ctim.tv_sec * 1000);
}

}  // namespace
}  // namespace gibbous::paths
