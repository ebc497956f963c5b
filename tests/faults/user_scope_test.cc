// A user in a login session, who cannot write to its control group: the user's systemd manager
// moves the keeper to where it can make groups for runs.
#include "tests/faults/user_scope.h"
#include "runtime/process/proc.h"

#include <chrono>
#include <sstream>

#include "runtime/process/user_scope.h"
#include "tests/runtime/journal/desk.h"

namespace gibbous::testing {
namespace {

constexpr const char* kManagerMoves = "move";

pid_t parent_of(pid_t pid) {
  const auto stat = read_stat(pid);
  return stat ? stat->parent : 0;
}

pid_t warden_of(pid_t keeper) {
  return parent_of(keeper);
}

bool mentions(const std::string& text, const std::string& part) {
  UNSCOPED_INFO(text);
  return text.find(part) != std::string::npos;
}

std::string doctor(const Login& login, const std::string& path,
                   const std::map<std::string, std::string>& more = {}) {
  ProgramSpec spec;
  spec.argv = UserSession::enter(login);
  for (const char* word : {"doctor", "--json"}) {
    if (spec.argv.size() == 4) spec.argv.push_back(command_path());
    spec.argv.emplace_back(word);
  }
  spec.env = more;
  spec.env["PATH"] = path;
  spec.env["HOME"] = login.home();
  spec.env.try_emplace("XDG_RUNTIME_DIR", login.runtime());
  spec.env["DBUS_SESSION_BUS_ADDRESS"] = "";
  spec.cwd = login.home();
  const Outcome outcome = run_program(spec);
  INFO(outcome.out << outcome.err);
  const Json all = Json::parse(outcome.out);
  for (const Json& finding : all["findings"]) {
    if (finding["name"] != "guarantee.hiding_daemons") continue;
    return finding["value"].get<std::string>() + ": " + finding.value("advice", "");
  }
  return "";
}

std::string usual_path(const FakeManager& manager) {
  return manager.bin() + ":" + std::getenv("PATH");
}

TEST_CASE("user scope: runs after the first answer have groups, and hide nothing from their end") {
  const Login login;
  if (!login.made()) return;
  const FakeManager manager(login, kManagerMoves);
  {
    UserSession session(login, manager);
    const pid_t keeper = session.keeper_in_scope();
    CHECK(group_of(warden_of(keeper)) == group_of(keeper));
    CHECK(group_of(warden_of(keeper)) == group_of(keeper));
    const std::string tag = unique_word();
    const UserSession::Run run = plant(session, tag);
    for (const int pid : processes_with(tag)) {
      INFO(group_of(pid));
      CHECK(has_group(pid));
      CHECK(group_of(pid) == group_of(run.leader));
    }
    const Json report = session.result("bg_kill", {{"id", run.id}});
    CHECK(report["survivors"].empty());
    CHECK(processes_with(tag).empty());
    // Its standard input, output and error, what it lists them with, and its own text.
    CHECK(std::stoi(file_text(manager.calls())) <= 5);
  }
}

TEST_CASE("user scope: every end of host and keeper ends what hides, too") {
  const Login login;
  if (!login.made()) return;
  const FakeManager manager(login, kManagerMoves);
  const std::vector<std::pair<const char*, std::function<void(UserSession&, pid_t)>>> all = {
      {"the input ends", [](UserSession& session, pid_t) { session.program().close_stdin(); }},
      {"the host is killed",
       [](UserSession& session, pid_t) { session.program().send_signal(SIGKILL); }},
      {"the keeper is killed", [](UserSession&, pid_t keeper) { ::kill(keeper, SIGKILL); }},
      {"host and keeper are killed",
       [](UserSession& session, pid_t keeper) {
         session.program().send_signal(SIGSTOP);  // otherwise the host would notice
         ::kill(keeper, SIGKILL);
         session.program().send_signal(SIGKILL);
       }},
  };
  for (const auto& [name, act] : all) {
    DYNAMIC_SECTION(name) {
      UserSession session(login, manager);
      const pid_t keeper = session.keeper_in_scope();
      const std::string tag = unique_word();
      (void)plant(session, tag);
      act(session, keeper);
      CHECK(ends(tag));
    }
  }
}

TEST_CASE("user scope: what host, keeper and warden left there, the next host ends") {
  const Login login;
  if (!login.made()) return;
  const FakeManager manager(login, kManagerMoves);
  const std::string tag = unique_word();
  {
    UserSession session(login, manager);
    const pid_t keeper = session.keeper_in_scope();
    const UserSession::Run run = plant(session, tag);
    const pid_t warden = warden_of(keeper);
    // The next host goes by what is recorded, which comes a little after the start.
    Plain journal(login.home() + "/state/sessions.db");
    Loop writing;
    REQUIRE(writing.until([&] {
      return journal.rows("SELECT status FROM exec_runs WHERE run_id = '" + run.id + "'") ==
             std::vector<std::string>{"running"};
    }));
    session.program().send_signal(SIGSTOP);
    // From above: the one that guards another continues it.
    for (const pid_t pid : {warden, keeper}) ::kill(pid, SIGSTOP);
    for (const pid_t pid : {warden, keeper}) ::kill(pid, SIGKILL);
    session.program().send_signal(SIGKILL);
    (void)session.program().wait();
    // The next host leaves alone what a warden still watches over.
    Loop loop;
    for (const pid_t pid : {warden, keeper}) {
      REQUIRE(loop.until([pid] {
        const auto stat = read_stat(pid);
        return !stat || !stat->alive();
      }));
    }
  }
  CHECK(processes_with(tag).size() == 1);  // the daemon; the leader's parent has ended
  UserSession next(login, manager);
  (void)next.result("bg_status", Json::object());
  CHECK(ends(tag));
}

TEST_CASE("user scope: a run that outlives its host goes on in it") {
  const Login login;
  if (!login.made()) return;
  const FakeManager manager(login, kManagerMoves);
  const std::string tag = unique_word();
  {
    UserSession session(login, manager);
    const pid_t keeper = session.keeper_in_scope();
    const UserSession::Run kept = session.start("exec sleep 6" + tag.substr(1, 6), true);
    session.program().send_signal(SIGKILL);
    (void)session.program().wait();
    const auto stat = read_stat(kept.leader);
    REQUIRE(stat);
    CHECK(stat->alive());
    CHECK(has_group(kept.leader));
    UserSession next(login, manager);
    Loop loop;
    CHECK(loop.until([&] {
      (void)next.result("bg_kill", {{"id", kept.id}});
      const auto now = read_stat(kept.leader);
      return !now || !now->alive();
    }));
    ::kill(keeper, SIGTERM);  // it would remember the end for the next host
  }
}

TEST_CASE("user scope: starts do not wait for a manager that hangs, and it is given up") {
  const Login login;
  if (!login.made()) return;
  const FakeManager manager(login, "exec sleep 600");
  UserSession session(login, manager);
  const pid_t keeper = keeper_of(session.start("exec sleep 600").leader);
  const std::string before = group_of(keeper);
  Loop loop;
  REQUIRE(loop.until([&] { return manager.was_called(); }));
  CHECK(UserSession::has_asker(keeper));
  for (int i = 0; i < 20; ++i) {
    const UserSession::Run run = session.start("true");
    CHECK(session.result("ended", {{"id", run.id}})["state"] == "completed");
  }
  CHECK(UserSession::has_asker(keeper));
  CHECK(loop.until([&] { return !UserSession::has_asker(keeper); }));
  CHECK(group_of(keeper) == before);
  const UserSession::Run run = session.start("true");
  CHECK(session.result("ended", {{"id", run.id}})["state"] == "completed");
}

TEST_CASE("user scope: what hangs ends with the keeper and with the host") {
  const Login login;
  if (!login.made()) return;
  const std::string word = "6" + unique_word().substr(1, 6);
  const FakeManager manager(login, "exec sleep " + word);
  const bool by_host = GENERATE(false, true);
  std::filesystem::remove(manager.calls());
  UserSession session(login, manager);
  const pid_t keeper = keeper_of(session.start("exec sleep 600").leader);
  Loop loop;
  REQUIRE(loop.until([&] { return !processes_with(word).empty(); }));
  if (by_host) {
    session.program().close_stdin();
    CHECK(session.program().wait()->code == 0);
  } else {
    ::kill(keeper, SIGKILL);
  }
  CHECK(loop.until([&] { return processes_with(word).empty(); }, kGone));
}

TEST_CASE("user scope: a manager that refuses, or moves nothing, changes nothing") {
  const Login login;
  if (!login.made()) return;
  const FakeManager manager(login, "exit 1");
  UserSession session(login, manager);
  const pid_t keeper = keeper_of(session.start("exec sleep 600").leader);
  const std::string before = group_of(keeper);
  Loop loop;
  REQUIRE(loop.until([&] { return manager.was_called(); }));
  CHECK(loop.until([&] { return !UserSession::has_asker(keeper); }));
  CHECK(group_of(keeper) == before);
  const UserSession::Run run = session.start("true");
  CHECK(session.result("ended", {{"id", run.id}})["state"] == "completed");
}

TEST_CASE("user scope: runs that start while the keeper is moved all start and all end") {
  const Login login;
  if (!login.made()) return;
  const FakeManager manager(login, "sleep 0.2; move");
  UserSession session(login, manager);
  const std::string word = "6" + unique_word().substr(1, 6);
  (void)session.start("exec sleep " + word);
  std::vector<UserSession::Run> runs;
  Loop loop;
  // Until some are born in the new place.
  REQUIRE(loop.until([&] {
    runs.push_back(session.start("exec sleep " + word));
    return has_group(runs.back().leader);
  }));
  for (int i = 0; i < 10; ++i) {
    runs.push_back(session.start("exec sleep " + word));
    CHECK(has_group(runs.back().leader));
  }
  for (const UserSession::Run& run : runs) {
    CHECK(session.result("bg_kill", {{"id", run.id}})["survivors"].empty());
  }
  CHECK(processes_with(word).size() == 1);  // the first
}

TEST_CASE("user scope: not with control groups off, and not in a run of another Gibbous") {
  const Login login;
  if (!login.made()) return;
  const FakeManager manager(login, kManagerMoves);
  SECTION("off") {
    UserSession session(login, manager, {{"GIBBOUS_CGROUPS", "off"}});
    const UserSession::Run run = session.start("exec sleep 0.6");
    const pid_t keeper = keeper_of(run.leader);
    const std::string before = group_of(keeper);
    (void)session.result("ended", {{"id", run.id}});
    CHECK(session.result("ended", {{"id", session.start("true").id}})["state"] == "completed");
    CHECK(group_of(keeper) == before);
    CHECK_FALSE(manager.was_called());
  }
  SECTION("nested") {
    UserSession session(login, manager, {{"GIBBOUS_CGROUPS", "off"}});
    const UserSession::Run run =
        session.start("GIBBOUS_CGROUPS= exec '" + command_path() + "' doctor --json > doctor.json");
    (void)session.result("ended", {{"id", run.id}});
    CHECK(mentions(file_text(login.home() + "/doctor.json"), "this is a run of another Gibbous"));
    CHECK_FALSE(manager.was_called());
  }
}

TEST_CASE("user scope: the doctor says whether it works, or what is missing") {
  const Login login;
  if (!login.made()) return;
  SECTION("it works") {
    const FakeManager manager(login, kManagerMoves);
    CHECK(doctor(login, usual_path(manager)).starts_with("yes: by a scope"));
  }
  SECTION("it refuses") {
    const FakeManager manager(login, "exit 1");
    CHECK(mentions(doctor(login, usual_path(manager)), "refused a scope"));
  }
  SECTION("it hangs") {
    const FakeManager manager(login, "exec sleep 600");
    CHECK(mentions(doctor(login, usual_path(manager)), "no scope within 5 s"));
  }
  SECTION("no tool") {
    const FakeManager manager(login, kManagerMoves);
    TempDir tools;
    ::chmod(tools.path().c_str(), 0755);
    std::filesystem::create_symlink("/usr/bin/setpriv", tools.path() + "/setpriv");
    CHECK(mentions(doctor(login, tools.path()), "busctl"));
  }
  SECTION("no manager") {
    CHECK(mentions(doctor(login, std::getenv("PATH")), "no systemd manager of this user"));
  }
  SECTION("off") {
    const FakeManager manager(login, kManagerMoves);
    CHECK(mentions(doctor(login, usual_path(manager), {{"GIBBOUS_CGROUPS", "off"}}),
                   "GIBBOUS_CGROUPS=off"));
  }
}

// Returns what starts a program beside a real manager; nothing, with a warning, where none can run.
std::vector<std::string> real_manager(const Login& login) {
  std::vector<std::string> before = {
      "/usr/bin/env",
      "unshare",
      "-m",
      std::string(std::getenv("GIBBOUS_SOURCE_DIR")) + "/tests/faults/user_manager.sh",
      login.group(),
      login.runtime()};
  ProgramSpec spec;
  spec.argv = before;
  spec.argv.emplace_back("true");
  const Outcome outcome = run_program(spec);
  if (outcome.status.code == 0) return before;
  WARN("skipped: " << outcome.err);
  return {};
}

TEST_CASE("user scope: a real systemd manager moves the keeper, and forgets the scope with it") {
  const Login login;
  if (!login.made()) return;
  const std::vector<std::string> before = real_manager(login);
  if (before.empty()) return;
  UserSession session(login, before);
  const pid_t keeper = session.keeper_in_scope();
  INFO(group_of(keeper));
  CHECK(group_of(keeper).starts_with(login.group() + "/user/"));
  CHECK(group_of(warden_of(keeper)) == group_of(keeper));
  const std::string tag = unique_word();
  const UserSession::Run run = plant(session, tag);
  CHECK(has_group(run.leader));
  CHECK_FALSE(login.has_no_scope());
  CHECK(session.result("bg_kill", {{"id", run.id}})["survivors"].empty());
  CHECK(processes_with(tag).empty());
  const std::string other = unique_word();
  (void)plant(session, other);
  Loop loop;
  SECTION("its host ends") {
    ::kill(keeper, SIGTERM);
    CHECK(ends(other));
    CHECK(loop.until([&] { return login.has_no_scope(); }));
  }
  SECTION("its keeper is killed") {
    ::kill(keeper, SIGKILL);
    CHECK(ends(other));
    CHECK(loop.until([&] { return login.has_no_scope(); }));
  }
  session.program().close_stdin();
  CHECK(session.program().wait());
}

}  // namespace
}  // namespace gibbous::testing
