// What a sandboxed run has made as a repository does not run anything outside of a sandbox.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

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

// A workspace with a program that no rule knows, which makes a repository whose configuration and
// hooks write outside of the workspace.
struct Trap {
  TempDir dir;
  TempDir state;
  TempDir outside;  // what is run outside of a sandbox leaves a file here

  Trap() {
    const std::string evil = "touch " + outside.path() + "/got-out";
    dir.write("bin/frob",
              "#!/bin/sh\nset -e\ngit init -q vendor/made\ncd vendor/made\n"
              "git config core.fsmonitor '" +
                  evil + "; false'\necho 'all:; " + evil + "' > Makefile\necho '" + evil +
                  "' > x.sh\nchmod +x x.sh\necho hello > README\n");
    fs::permissions(dir.path() + "/bin/frob", fs::perms::owner_all);
  }
  RuntimeOptions options(const std::string& mode = "auto") const {
    RuntimeOptions made = testing::with_shell();
    made.mode = mode;
    made.workspace = dir.path();
    made.state_dir = state.path();
    made.environment = {{"PATH", dir.path() + "/bin:/usr/local/bin:/usr/bin:/bin"},
                        {"HOME", state.path() + "/home"}};
    return made;
  }
  bool got_out() const { return fs::exists(outside.path() + "/got-out"); }
};

bool can_try() {
  if (probe_sandbox_support().mount_namespaces) return true;
  WARN("not tested: no mount namespaces here");
  return false;
}

Json end(Host& host, const std::string& command) {
  return host.data("bg_start", {{"command", command}, {"until", {{"exit", true}}}});
}

const char* const kAttempts[] = {"git -C vendor/made status",
                                 "cd vendor/made && git status",
                                 "make -C vendor/made",
                                 "./vendor/made/x.sh",
                                 "sh vendor/made/x.sh",
                                 "cd vendor && cd made && git diff",
                                 "git --git-dir=vendor/made/.git --work-tree=vendor/made status",
                                 "D=vendor/made; git -C $D status",
                                 "git -C vendor/m* status",
                                 "cp -r vendor/made b && git -C b status"};

TEST_CASE("made repositories: what is in one runs confined, in this process and in later ones") {
  if (!can_try()) return;
  Trap trap;
  const auto attempt = [&](Host& host) {
    for (const char* const command : kAttempts) {
      INFO(command);
      (void)end(host, command);
      CHECK_FALSE(trap.got_out());
    }
  };
  {
    Host host(trap.options());
    (void)end(host, "frob");
    REQUIRE(fs::exists(trap.dir.path() + "/vendor/made/.git/config"));
    attempt(host);
    REQUIRE(host.runtime->reload().ok);
    attempt(host);
  }
  Host later(trap.options());
  attempt(later);
  // A person's own look does not: the trap works.
  (void)std::system(
      ("git -C '" + trap.dir.path() + "/vendor/made' status >/dev/null 2>&1").c_str());
  CHECK(trap.got_out());
}

TEST_CASE("made repositories: what lies in the session's own /tmp runs confined, too") {
  if (!can_try()) return;
  Trap trap;
  const std::string name = "made-" + testing::unique_word();
  trap.dir.write("bin/frobtmp", "#!/bin/sh\nfrob\nmv vendor/made /tmp/" + name + "\n");
  fs::permissions(trap.dir.path() + "/bin/frobtmp", fs::perms::owner_all);
  const auto attempt = [&](Host& host) {
    for (const std::string& command :
         {"git -C /tmp/" + name + " status", "cd /tmp/" + name + " && git status",
          "cd /tmp/" + name + " && make", "cd /tmp/" + name + " && ./x.sh",
          "cd /tmp; git -C " + name + " diff", "D=/tmp/" + name + "; git -C $D status"}) {
      const CallResult tried =
          host.call("bg_start", {{"command", command}, {"until", {{"exit", true}}}});
      INFO(command << ": " << tried.code << tried.message);
      CHECK((tried.code.empty() || tried.code == "needs_approval"));
      CHECK_FALSE(trap.got_out());
    }
  };
  {
    Host host(trap.options());
    (void)end(host, "frobtmp");
    const Json read = end(host, "cat /tmp/" + name + "/README");
    INFO(read.dump());
    REQUIRE(read.dump().find("hello") != std::string::npos);
    attempt(host);
  }
  Host later(trap.options());
  attempt(later);
}

TEST_CASE("made repositories: while the run that makes one goes on, it counts already") {
  if (!can_try()) return;
  Trap trap;
  Host host(trap.options());
  trap.dir.write("bin/frobd", "#!/bin/sh\nfrob\necho made\nsleep 600\n");
  fs::permissions(trap.dir.path() + "/bin/frobd", fs::perms::owner_all);
  const Json going = host.data("bg_start", {{"command", "frobd"}, {"until", {{"line", "made"}}}});
  REQUIRE(fs::exists(trap.dir.path() + "/vendor/made/x.sh"));
  (void)end(host, "git -C vendor/made status");
  CHECK_FALSE(trap.got_out());
  (void)host.data("bg_kill", {{"id", going["id"]}});
}

TEST_CASE("made repositories: modes that do not confine ask or deny, and say which run made it") {
  if (!can_try()) return;
  Trap trap;
  std::string run;
  {
    Host host(trap.options());
    run = end(host, "frob")["id"];
  }
  for (const char* const mode : {"ci", "plan"}) {
    Host host(trap.options(mode));
    const auto refused = host.call("shell", {{"command", "git -C vendor/made status"}});
    CHECK_FALSE(refused.ok);
    CHECK(refused.message.find("was made by the run " + run) != std::string::npos);
  }
  CHECK_FALSE(trap.got_out());
}

TEST_CASE("made repositories: with a person's approval it runs as if nobody had made it") {
  if (!can_try()) return;
  Trap trap;
  Host host(trap.options());
  (void)end(host, "frob");
  int asked = 0;
  std::string reason;
  (void)host.runtime->on_ask([&](AskRequest request) {
    ++asked;
    reason = request.reason;
    AskAnswer answer;
    answer.allow = true;
    answer.remember = AskAnswer::Remember::kSession;
    request.reply(answer);
  });
  const Json start = {{"command", "git -C vendor/made status"},
                      {"allow", {"repository"}},
                      {"until", {{"exit", true}}}};
  (void)host.data("bg_start", start);
  CHECK(trap.got_out());
  CHECK(asked == 1);
  CHECK(reason.find("vendor/made was made by the run") != std::string::npos);
  (void)host.data("bg_start", start);
  CHECK(asked == 1);
}

TEST_CASE(
    "made repositories: where nobody answers what a run has made, all counts until one does") {
  if (!can_try()) return;
  Trap trap;
  const std::string hold = trap.state.path() + "/hold";
  // Its helpers answer nothing as long as that file is there.
  const std::string keeper = trap.dir.path() + "/bin/keeper";
  trap.dir.write("bin/keeper", "#!/bin/sh\nif [ \"$1\" = " + std::string(paths::kHelperArgument) +
                                   " ]; then while [ -e " + hold +
                                   " ]; do sleep 0.05; done; fi\nexec " +
                                   testing::program_directory() + "/gibbous-keeper \"$@\"\n");
  fs::permissions(keeper, fs::perms::owner_all);
  RuntimeOptions options = trap.options();
  options.keeper_path = keeper;
  Host host(options);
  trap.state.write("hold", "");
  (void)end(host, "frob");
  (void)end(host, "git -C vendor/made status");
  CHECK_FALSE(trap.got_out());
  trap.dir.write("own/x.sh", "touch " + trap.outside.path() + "/own\n");
  (void)end(host, "sh own/x.sh");
  REQUIRE(host.runtime->reload().ok);
  (void)end(host, "sh own/x.sh");
  CHECK_FALSE(fs::exists(trap.outside.path() + "/own"));
  fs::remove(hold);
  CHECK(host.until([&] {
    (void)end(host, "sh own/x.sh");
    return fs::exists(trap.outside.path() + "/own");
  }));
  (void)end(host, "git -C vendor/made status");
  CHECK_FALSE(trap.got_out());
}

TEST_CASE("made repositories: one that is gone is forgotten") {
  if (!can_try()) return;
  Trap trap;
  {
    Host host(trap.options());
    (void)end(host, "frob");
  }
  fs::remove_all(trap.dir.path() + "/vendor");
  {
    Host host(trap.options());
    trap.dir.write("bin/other", "#!/bin/sh\ntrue\n");
    fs::permissions(trap.dir.path() + "/bin/other", fs::perms::owner_all);
    (void)end(host, "other");
  }
  // Somebody's own clone, later.
  trap.dir.write("vendor/made/x.sh", "touch " + trap.outside.path() + "/got-out\n");
  trap.dir.write("vendor/made/.git/HEAD", "ref: refs/heads/main\n");
  Host host(trap.options());
  (void)end(host, "sh vendor/made/x.sh");
  CHECK(trap.got_out());
}

TEST_CASE("made repositories: a record that nobody signed makes everything suspect") {
  if (!can_try()) return;
  Trap trap;
  {
    Host host(trap.options());
    (void)end(host, "frob");
  }
  const std::string record = trap.state.path() + "/made";
  REQUIRE(fs::exists(record));
  {
    std::ofstream file(record, std::ios::trunc);
    file << "gibbous-made 1 0000\n";
  }
  Host host(trap.options("ci"));
  CHECK_FALSE(host.call("shell", {{"command", "make -C vendor/made"}}).ok);
}

}  // namespace
}  // namespace gibbous
