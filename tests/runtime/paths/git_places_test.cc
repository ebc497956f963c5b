// Where git keeps the data of a linked worktree, and that a workspace cannot pose as one.
#include "runtime/paths/git_places.h"

#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "runtime/paths/question.h"
#include "tests/support/catch.h"
#include "tests/support/loop.h"

namespace gibbous::paths {
namespace {

namespace fs = std::filesystem;
using testing::TempDir;

void write(const fs::path& path, const std::string& text) {
  fs::create_directories(path.parent_path());
  std::ofstream(path) << text;
}

using Variables = std::map<std::string, std::vector<std::string>>;

Variables places(const std::string& workspace) {
  return find_git_places(workspace).variables;
}

// Makes what `git worktree add` makes.
void make_worktree(const fs::path& common, const fs::path& workspace) {
  write(common / "HEAD", "ref: refs/heads/main\n");
  fs::create_directories(common / "objects");
  write(workspace / ".git", "gitdir: " + (common / "worktrees/x").string() + "\n");
  write(common / "worktrees/x/gitdir", (workspace / ".git").string() + "\n");
}

TEST_CASE("a linked worktree is found with its repository anywhere") {
  const TempDir dir;
  const fs::path root = fs::canonical(dir.path());
  make_worktree(root / "repo/.git", root / "tree");
  Variables found = places(root / "tree");
  CHECK(found["GIT_COMMON"] == std::vector<std::string>{root / "repo/.git"});
  CHECK(found["GIT_WORKTREE"] == std::vector<std::string>{root / "repo/.git/worktrees/x"});
  CHECK(found["GIT_LINK"] == std::vector<std::string>{root / "tree/.git"});
  // A bare repository with its worktrees in it.
  make_worktree(root / "bare", root / "bare/feature");
  CHECK(places(root / "bare/feature")["GIT_COMMON"] == std::vector<std::string>{root / "bare"});
}

TEST_CASE("git obeys files in a repository, its submodules and its worktrees") {
  const TempDir dir;
  const fs::path git = fs::canonical(dir.path()) / "repo/.git";
  for (const char* each : {"modules/a", "modules/libs/b", "modules/a/modules/c"}) {
    write(git / each / "HEAD", "ref: refs/heads/main\n");
  }
  write(git / "worktrees/w/HEAD", "ref: refs/heads/w\n");
  write(git / "modules/file", "");
  fs::create_directory_symlink(git / "modules/a", git / "modules/link");
  std::vector<std::string> found = places(git.parent_path())["GIT_DIRS"];
  REQUIRE_FALSE(found.empty());
  CHECK(found.front() == git);
  std::sort(found.begin(), found.end());
  CHECK(found == std::vector<std::string>{git, git / "modules/a", git / "modules/a/modules/c",
                                          git / "modules/libs/b", git / "worktrees/w"});
  // In a worktree, those of its repository.
  make_worktree(dir.path() + "/far/.git", fs::canonical(dir.path()) / "tree");
  CHECK(places(fs::canonical(dir.path()) / "tree")["GIT_DIRS"].size() == 2);
  for (int i = 0; i < 100; ++i) fs::create_directories(git / "worktrees" / std::to_string(i));
  CHECK(places(git.parent_path())["GIT_DIRS"].size() == 64);
}

TEST_CASE("a repository is found through a link, and any file that names one is protected") {
  const TempDir dir;
  const fs::path root = fs::canonical(dir.path());
  write(root / "far/HEAD", "ref: refs/heads/main\n");
  fs::create_directories(root / "repo");
  fs::create_directory_symlink(root / "far", root / "repo/.git");
  CHECK(places(root / "repo")["GIT_DIRS"] == std::vector<std::string>{root / "far"});
  write(root / "sub/.git", "gitdir: ../far\n");
  CHECK(places(root / "sub")["GIT_LINK"] == std::vector<std::string>{root / "sub/.git"});
}

TEST_CASE("worktrees come before submodules, of which there may be too many") {
  const TempDir dir;
  const fs::path git = fs::canonical(dir.path()) / "repo/.git";
  for (int i = 0; i < 100; ++i) write(git / "modules" / std::to_string(i) / "HEAD", "ref: x\n");
  fs::create_directories(git / "worktrees/w");
  const std::vector<std::string> found = places(git.parent_path())["GIT_DIRS"];
  CHECK(found.size() == 64);
  CHECK(std::find(found.begin(), found.end(), git / "worktrees/w") != found.end());
}

TEST_CASE("git obeys files in repositories below the workspace, too") {
  const TempDir dir;
  const fs::path root = fs::canonical(dir.path()) / "repo";
  write(root / ".git/HEAD", "ref: refs/heads/main\n");
  write(root / "vendor/lib/.git/HEAD", "ref: refs/heads/main\n");
  write(root / "vendor/lib/.git/modules/x/HEAD", "ref: refs/heads/main\n");
  write(root / "sub/.git", "gitdir: ../elsewhere\n");
  write(root / "elsewhere/HEAD", "ref: refs/heads/main\n");
  write(root / "odd/.git", "nonsense\n");
  Variables found = places(root);
  CHECK(found["GIT_NESTED"] == std::vector<std::string>{root / "vendor/lib/.git"});
  CHECK(found["GIT_LINK"] == std::vector<std::string>{root / "sub/.git"});
  std::sort(found["GIT_DIRS"].begin(), found["GIT_DIRS"].end());
  CHECK(found["GIT_DIRS"] == std::vector<std::string>{root / ".git", root / "elsewhere",
                                                      root / "vendor/lib/.git",
                                                      root / "vendor/lib/.git/modules/x"});
}

TEST_CASE("of a worktree below the workspace, git obeys the repository, too") {
  const TempDir dir;
  const fs::path root = fs::canonical(dir.path()) / "project";
  write(root / ".bare/HEAD", "ref: refs/heads/main\n");
  write(root / ".bare/worktrees/feature/commondir", "../..\n");
  write(root / "feature/.git", "gitdir: ../.bare/worktrees/feature\n");
  const std::vector<std::string> found = places(root)["GIT_DIRS"];
  CHECK(std::count(found.begin(), found.end(), (root / ".bare").string()) == 1);
  CHECK(std::count(found.begin(), found.end(), (root / ".bare/worktrees/feature").string()) == 1);
  // The workspace's own may be such a file.
  write(root / ".git", "gitdir: ./.bare\n");
  const std::vector<std::string> own = places(root)["GIT_DIRS"];
  CHECK(std::count(own.begin(), own.end(), (root / ".bare").string()) == 1);
}

TEST_CASE("a directory that is not a linked worktree has no such places") {
  const TempDir dir;
  fs::create_directories(dir.path() + "/repo/.git");
  for (const char* name : {"/repo", "", "/nowhere"}) {
    CHECK(places(dir.path() + name)["GIT_COMMON"].empty());
  }
}

TEST_CASE("a workspace cannot declare itself a worktree of its parent") {
  const TempDir dir;
  const fs::path root = fs::canonical(dir.path());
  const fs::path workspace = root / "p/worktrees/x";
  SECTION("by naming itself") {
    write(root / "p/HEAD", "ref");
    fs::create_directories(root / "p/objects");
    write(workspace / ".git", "gitdir: " + workspace.string());
    write(workspace / "gitdir", (workspace / ".git").string());
    CHECK(places(workspace)["GIT_COMMON"].empty());
  }
  SECTION("by naming something in itself") {
    make_worktree(workspace / "fake", workspace);
    CHECK(places(workspace)["GIT_COMMON"].empty());
  }
  SECTION("by naming a directory that does not name it") {
    make_worktree(root / "repo", root / "tree");
    write(workspace / ".git", "gitdir: " + (root / "repo/worktrees/x").string());
    CHECK(places(workspace)["GIT_COMMON"].empty());
  }
  SECTION("with a fifo instead of a file") {
    fs::create_directories(workspace);
    REQUIRE(::mkfifo((workspace / ".git").c_str(), 0600) == 0);
    CHECK(places(workspace)["GIT_COMMON"].empty());  // and it does not wait for a writer
  }
}

TEST_CASE("places of git go through a text, and one that is no such text is incomplete") {
  const GitPlaces some{
      {{"GIT_DIRS", {"/a/.git", "/b c/.git"}}, {"GIT_LINK", {"/d"}}},
      false,
      {{"/a//.git/config core.pager", "12ab", 1790000000123, false}, {"/a//.git", "34", 5, true}}};
  GitPlaces back = git_places_of(to_text(some));
  CHECK(back.variables["GIT_DIRS"] == some.variables.at("GIT_DIRS"));
  CHECK(back.variables["GIT_LINK"] == some.variables.at("GIT_LINK"));
  CHECK(back.variables.size() == 7);
  CHECK_FALSE(back.complete);
  REQUIRE(back.obeyed.size() == 2);
  CHECK(back.obeyed[0].path == "/a//.git/config core.pager");
  CHECK(back.obeyed[0].hash == "12ab");
  CHECK(back.obeyed[0].changed == 1790000000123);
  CHECK_FALSE(back.obeyed[0].is_repository);
  CHECK(back.obeyed[1].is_repository);
  CHECK(git_places_of("all\nOBEYED /a\nOBEYED /a b\nREPOSITORY /a b x\n").obeyed.empty());
  CHECK(git_places_of(to_text({{}, true, {}})).complete);
  const GitPlaces odd{{{"GIT_DIRS", {"/a\nb/.git", "/c/.git"}}}, true, {}};
  CHECK(git_places_of(to_text(odd)).variables["GIT_DIRS"] == std::vector<std::string>{"/c/.git"});
  CHECK_FALSE(git_places_of(to_text(odd)).complete);
  const GitPlaces many{
      {{"GIT_DIRS", std::vector<std::string>(70, "/" + std::string(1000, 'x'))}}, true, {}};
  CHECK(to_text(many).size() <= kMaxAnswerBytes);
  CHECK_FALSE(git_places_of(to_text(many)).complete);
  CHECK_FALSE(git_places_of("").complete);
  CHECK(git_places_of("all\nnonsense\nOTHER /x\nGIT_DIRS x\n").variables.size() == 7);
}

TEST_CASE("a short look tells whether places still hold") {
  const TempDir dir;
  const fs::path root = fs::canonical(dir.path()) / "repo";
  write(root / ".git/HEAD", "ref: refs/heads/main\n");
  write(root / "vendor/a/.git/HEAD", "ref: refs/heads/main\n");
  write(root / "src/x", "");
  const GitPlaces found = find_git_places(root);
  CHECK(still_holds(found, root));
  write(root / "src/y", "");
  write(root / ".git/refs/heads/main", "0\n");
  CHECK(still_holds(found, root));
  SECTION("not with another repository in a directory of the workspace") {
    write(root / "clone/.git/HEAD", "ref: refs/heads/main\n");
    CHECK_FALSE(still_holds(found, root));
    CHECK(still_holds(find_git_places(root), root));
  }
  SECTION("nor with one beside one that was found") {
    write(root / "vendor/b/.git", "gitdir: ../a/.git\n");
    CHECK_FALSE(still_holds(found, root));
  }
  SECTION("nor with another worktree or submodule of its own") {
    write(root / ".git/worktrees/w/HEAD", "ref: x\n");
    CHECK_FALSE(still_holds(found, root));
  }
  SECTION("nor when its own is another one, or gone") {
    fs::remove_all(root / ".git");
    CHECK_FALSE(still_holds(found, root));
    make_worktree(root.parent_path() / "far", root);
    CHECK_FALSE(still_holds(found, root));
  }
  CHECK_FALSE(still_holds({}, root));
}

TEST_CASE("a helper answers where git keeps things") {
  const TempDir dir;
  const std::string root = fs::canonical(dir.path());
  fs::create_directories(root + "/a/.git");
  const Question question{Ask::kGitPlaces, root, {}};
  const auto sent = encode(question);
  REQUIRE(sent);
  const auto received = decode_question(*sent);
  REQUIRE(received);
  const Answer said = answer(*received);
  CHECK(git_places_of(said.text).variables["GIT_NESTED"] ==
        std::vector<std::string>{root + "/a/.git"});
}

}  // namespace
}  // namespace gibbous::paths
