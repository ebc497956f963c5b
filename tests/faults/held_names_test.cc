// Names in a repository that git obeys stay held while anything may be left in a sandbox.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "runtime/sandbox/sandbox.h"
#include "tests/support/catch.h"
#include "tests/support/host.h"
#include "tests/support/loop.h"

namespace gibbous {
namespace {

namespace fs = std::filesystem;
using testing::auto_mode;
using testing::Host;
using testing::TempDir;

TEST_CASE("held names: a daemon that hides from its run cannot take one") {
  if (!probe_sandbox_support().mount_namespaces) {
    WARN("not tested: no mount namespaces here");
    return;
  }
  TempDir dir;
  TempDir state;
  dir.write(".git/HEAD", "ref: refs/heads/main\n");
  dir.write(".git/config", "[core]\n");
  const std::string commondir = dir.path() + "/.git/commondir";
  RuntimeOptions options = auto_mode();
  options.mode = "dangerous";
  options.workspace = dir.path();
  options.state_dir = state.path();
  options.sandbox = "workspace";
  const std::string word = testing::unique_word();
  {
    Host host(options);
    // It lowers both limits that carry the mark, and leaves session and environment.
    const std::string hides =
        "ulimit -x 1; ulimit -R 1000; setsid env -i PATH=/usr/bin:/bin bash -c '"
        "for i in 1 2 3 4 5 6 7 8 9 10; do (echo evil > .git/commondir) 2>/dev/null && exit; "
        "sleep 0.1; done; : " +
        word + "' & sleep 0.3";
    const std::string id = host.data("bg_start", {{"command",
                                                   "bash -c "
                                                   "\"" +
                                                       hides + "\""}})["id"];
    REQUIRE(host.until([&] { return fs::exists(commondir); }));
    REQUIRE(host.until([&] {
      return host.data("bg_status", {{"id", id}}).dump().find("\"running\"") == std::string::npos;
    }));
    REQUIRE(host.until([&] { return testing::processes_with(word).empty(); }));
    std::ifstream file(commondir);
    std::string text;
    std::getline(file, text);
    CHECK(text != "evil");
    // It stays for the next run, and goes with the host.
    CHECK(fs::exists(commondir));
    (void)host.data("bg_start", {{"command", "true"}, {"until", {{"exit", true}}}});
    CHECK(fs::exists(commondir));
  }
  testing::Loop loop;
  CHECK(loop.until([&] { return !fs::exists(commondir); }));
}

TEST_CASE("held names: a repository below the workspace cannot be led to run a program") {
  if (!probe_sandbox_support().mount_namespaces) {
    WARN("not tested: no mount namespaces here");
    return;
  }
  TempDir dir;
  TempDir state;
  const auto git = [&](const std::string& command) {
    return std::system(("cd '" + dir.path() + "' && git -c user.name=a -c user.email=a@b " +
                        command + " >/dev/null 2>&1")
                           .c_str());
  };
  REQUIRE(git("init -q vendor/lib") == 0);
  REQUIRE(git("-C vendor/lib commit -q --allow-empty -m first") == 0);
  RuntimeOptions options = auto_mode();
  options.mode = "dangerous";
  options.workspace = dir.path();
  options.state_dir = state.path();
  options.sandbox = "workspace";
  Host host(options);
  const std::string attack =
      "cd vendor/lib; mkdir -p .git/evil; echo '[core] fsmonitor = \"touch ../../pwned; false\"' > "
      ".git/evil/config; echo evil > .git/commondir; git config core.fsmonitor 'touch "
      "../../pwned'; "
      "echo 'touch ../../pwned' > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit; "
      "mv .git .old; mv ../lib ../moved; echo tried; "
      "git -c user.name=a -c user.email=a@b commit -q --allow-empty -m second && echo committed";
  const auto done = host.data("bg_start", {{"command", attack}, {"until", {{"exit", true}}}});
  const auto said = host.data("bg_output", {{"id", done["id"]}}).dump();
  INFO(said);
  CHECK(said.find("committed") != std::string::npos);
  CHECK(git("-C vendor/lib status") == 0);
  CHECK(git("-C vendor/lib commit -q --allow-empty -m third") == 0);
  CHECK_FALSE(fs::exists(dir.path() + "/pwned"));
  CHECK(fs::exists(dir.path() + "/vendor/lib/.git/config"));
}

TEST_CASE("held names: repositories that a sandboxed run makes are named once it has ended") {
  if (!probe_sandbox_support().landlock_abi) {
    WARN("not tested: no Landlock here");
    return;
  }
  TempDir dir;
  TempDir state;
  RuntimeOptions options = auto_mode();
  options.mode = "dangerous";
  options.workspace = dir.path();
  options.state_dir = state.path();
  options.sandbox = "workspace";
  Host host(options);
  const auto made = [&](const std::string& run) {
    Json named;
    for (const Event& event : host.events) {
      const Json json = Json::parse(event.json);
      if (event.name == "repositories_changed" && json["run"] == run) named = json["made"];
    }
    return named;
  };
  const auto end = [&](const std::string& command) {
    return host.data("bg_start", {{"command", command}, {"until", {{"exit", true}}}})["id"]
        .get<std::string>();
  };
  const std::string first = end("git init -q vendor/made && git init -q 'with space'");
  REQUIRE(host.until([&] { return !made(first).is_null(); }));
  CHECK(made(first).size() == 2);
  CHECK(made(first).dump().find("\"vendor/made\"") != std::string::npos);
  CHECK(made(first).dump().find("\"with space\"") != std::string::npos);
  // Those that were there are not named again.
  const std::string second = end("git -C vendor/made status; git init -q third");
  REQUIRE(host.until([&] { return !made(second).is_null(); }));
  CHECK(made(second) == Json::array({"third"}));
}

TEST_CASE("held names: runs start while another one makes and removes a repository") {
  TempDir dir;
  TempDir state;
  RuntimeOptions options = auto_mode();
  options.workspace = dir.path();
  options.state_dir = state.path();
  options.sandbox = "workspace";
  Host host(options);
  host.start("while git init -q lib && rm -rf lib; do :; done");
  constexpr int kStarts = 30;
  for (int i = 0; i < kStarts; ++i) {
    CHECK(host.data("bg_start", {{"command", "true"}, {"until", {{"exit", true}}}}).contains("id"));
  }
}

}  // namespace
}  // namespace gibbous
