// A user's login session as systemd makes one: a control group that the user cannot write to,
// beside one that belongs to the user's manager. The manager is systemd's own, or a `busctl` that
// does what it would. For root only.
#pragma once

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "runtime/base/mounts.h"
#include "runtime/base/unique_fd.h"
#include "runtime/process/cgroup_places.h"
#include "tests/faults/containment.h"
#include "tests/support/program.h"

namespace gibbous::testing {

inline constexpr uid_t kUser = 65534;

// "" also when it is about a process that ends while it is read.
inline std::string file_text(const std::string& path) {
  const std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

inline std::string group_of(pid_t pid) {
  return version2_group(file_text("/proc/" + std::to_string(pid) + "/cgroup"));
}

// In one of a run, in a scope.
inline bool has_group(pid_t pid) {
  const std::string group = group_of(pid);
  return group.find(".scope/gibbous-") != std::string::npos && !group.ends_with(kKeeperLeaf);
}

// The groups, and the user's runtime directory.
class Login {
 public:
  Login() {
    for (const Mount& mount : own_mounts()) {
      if (mount.type == "cgroup2" && mount.root == "/") mount_ = mount.point;
    }
    group_ = "/login-" + unique_word();
    std::error_code error;
    if (::geteuid() == 0 && !mount_.empty()) {
      std::filesystem::create_directories(directory() + "/session", error);
      std::filesystem::create_directories(directory() + "/user", error);
    }
    made_ = std::filesystem::is_directory(directory() + "/user", error);
    if (!made_) return;
    // What pid 1 does for a user's manager: it may move processes between the two.
    (void)::chown((directory() + "/cgroup.procs").c_str(), kUser, kUser);
    for (const char* name : {"", "/cgroup.procs", "/cgroup.subtree_control"}) {
      (void)::chown((directory() + "/user" + name).c_str(), kUser, kUser);
    }
    ::chmod(dir_.path().c_str(), 0755);
    for (const std::string& path : {runtime(), home()}) {
      std::filesystem::create_directory(path);
      ::chmod(path.c_str(), 0700);
      (void)::chown(path.c_str(), kUser, kUser);
    }
  }
  ~Login() {
    if (!made_) return;
    Loop loop;
    const bool removed = loop.until([this] { return remove(directory()); });
    INFO("left in it: " << left_in(directory()));
    CHECK(removed);
  }
  Login(const Login&) = delete;
  Login& operator=(const Login&) = delete;

  // Whether this machine lets the test make one.
  bool made() const {
    if (!made_) WARN("skipped: only root can make control groups for a user, where there are some");
    return made_;
  }
  const std::string& group() const { return group_; }
  std::string directory() const { return mount_ + group_; }
  std::string runtime() const { return dir_.path() + "/run"; }
  std::string home() const { return dir_.path() + "/home"; }
  const TempDir& dir() const { return dir_; }
  // Nothing is below the user's part, as when the last scope has ended.
  bool has_no_scope() const {
    std::error_code error;
    for (const auto& each : std::filesystem::recursive_directory_iterator(directory(), error)) {
      if (each.path().extension() == ".scope" && each.path() != directory() + "/init.scope" &&
          each.path().filename().string().starts_with("gibbous-")) {
        return false;
      }
    }
    return true;
  }

 private:
  // Names and states of the processes below it.
  static std::string left_in(const std::string& directory) {
    std::string text;
    std::error_code error;
    for (const auto& each : std::filesystem::recursive_directory_iterator(directory, error)) {
      if (each.path().filename() != "cgroup.procs") continue;
      std::ifstream pids(each.path());
      for (std::string pid; std::getline(pids, pid);) {
        text += file_text("/proc/" + pid + "/stat") + " " + file_text("/proc/" + pid + "/wchan");
        text += " in " + each.path().string() + "\n";
      }
    }
    return text;
  }
  static bool remove(const std::string& directory) {
    std::error_code error;
    for (const auto& each : std::filesystem::directory_iterator(directory, error)) {
      if (each.is_directory(error)) remove(each.path().string());
    }
    return ::rmdir(directory.c_str()) == 0 || errno == ENOENT;
  }

  TempDir dir_;
  std::string mount_;
  std::string group_;
  bool made_ = false;
};

// A `busctl` in a directory of its own, which does this with the scope ($unit, $pids).
class FakeManager {
 public:
  FakeManager(const Login& login, const std::string& does) : login_(login) {
    const std::string tool = login.dir().write("bin/busctl", R"(#!/bin/sh
unit= pids=
open=0
for descriptor in /proc/$$/fd/*; do open=$((open + 1)); done
echo "$open" >)" + calls() + R"(
while [ $# -gt 0 ]; do
  case $1 in
    *.scope) unit=$1 ;;
    PIDs)
      left=$3
      shift 3
      while [ "$left" -gt 0 ]; do
        pids="$pids $1"
        left=$((left - 1))
        shift
      done
      continue ;;
  esac
  shift
done
scope=)" + login.directory() + R"(/user/$unit
move() {
  mkdir "$scope"
  for pid in $pids; do
    echo "$pid" >"$scope/cgroup.procs"
  done
}
)" + does + "\n");
    ::chmod(tool.c_str(), 0755);
    std::filesystem::create_directory(login.dir().path() + "/calls");
    (void)::chown((login.dir().path() + "/calls").c_str(), kUser, kUser);
    listen_as_user(login.runtime() + "/bus");
  }
  std::string bin() const { return login_.dir().path() + "/bin"; }
  // Written at each call: how many descriptors the tool has.
  std::string calls() const { return login_.dir().path() + "/calls/fds"; }
  bool was_called() const { return std::filesystem::exists(calls()); }

 private:
  void listen_as_user(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    REQUIRE(path.size() < sizeof address.sun_path);
    std::memcpy(address.sun_path, path.c_str(), path.size());
    bus_.reset(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    // The kernel takes the owner from who listens.
    REQUIRE(::seteuid(kUser) == 0);
    const bool listens =
        ::bind(bus_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 &&
        ::listen(bus_.get(), 8) == 0;
    REQUIRE(::seteuid(0) == 0);
    REQUIRE(listens);
  }

  const Login& login_;
  UniqueFd bus_;
};

// A `gibbous session` of the user in that login session.
class UserSession {
 public:
  // `before`: what starts the session, with its arguments.
  UserSession(const Login& login, std::vector<std::string> before,
              std::map<std::string, std::string> env = {}) {
    const std::string scripts =
        std::string(std::getenv("GIBBOUS_SOURCE_DIR")) + "/tests/faults/scripts";
    const std::string config =
        login.dir().write("config.lua", "return { limits = { max_concurrent = 1000 } }\n");
    ProgramSpec spec;
    spec.argv = std::move(before);
    for (const std::string& word :
         {command_path(), std::string("session"), std::string("--mode"), std::string("dangerous"),
          std::string("--state"), login.home() + "/state", std::string("--scripts"), scripts,
          std::string("--config"), config, std::string("--workspace"), login.home()}) {
      spec.argv.push_back(word);
    }
    spec.env = std::move(env);
    spec.env["HOME"] = login.home();
    spec.env["XDG_RUNTIME_DIR"] = login.runtime();
    spec.env["DBUS_SESSION_BUS_ADDRESS"] = "";
    spec.cwd = login.home();
    session_.emplace(spec);
  }
  // In the login session's group, as the user, with the tool of that manager first in PATH.
  UserSession(const Login& login, const FakeManager& manager,
              std::map<std::string, std::string> env = {})
      : UserSession(login, enter(login),
                    with_path(std::move(env), manager.bin() + ":" + std::getenv("PATH"))) {}

  static std::vector<std::string> enter(const Login& login) {
    return {"/bin/sh", "-c",
            "echo $$ >" + login.directory() +
                "/session/cgroup.procs && exec setpriv --reuid 65534 --regid 65534 "
                "--clear-groups \"$@\"",
            "sh"};
  }

  Json result(const std::string& tool, const Json& args) {
    const Json answer = session_->call(tool, args);
    INFO(answer.dump());
    REQUIRE(answer.contains("result"));
    return answer["result"]["data"];
  }
  Program& program() { return session_->program(); }

  struct Run {
    std::string id;
    pid_t leader = 0;
  };
  Run start(const std::string& command, bool keep = false) {
    const Json started = result("start", {{"command", command}, {"keep", keep}});
    return {started["id"].get<std::string>(), started["pid"].get<pid_t>()};
  }
  // A run whose leader ends, and one that goes on; returns the keeper once it is in its scope.
  pid_t keeper_in_scope() {
    const Run first = start("exec sleep 600");
    const pid_t keeper = keeper_of(first.leader);
    REQUIRE(keeper > 0);
    Loop loop;
    CHECK(loop.until([&] { return group_of(keeper).ends_with(std::string("/") + kKeeperLeaf); }));
    // It knows its new place when what has asked for it is gone.
    CHECK(loop.until([&] { return !has_asker(keeper); }));
    (void)result("bg_kill", {{"id", first.id}});
    return keeper;
  }
  // Whether a child of the keeper asks the manager now.
  static bool has_asker(pid_t keeper) {
    std::vector<pid_t> children;
    append_children(keeper, children);
    return std::any_of(children.begin(), children.end(), [](pid_t pid) {
      return file_text("/proc/" + std::to_string(pid) + "/comm") == "gibbous-scope\n";
    });
  }

 private:
  static std::map<std::string, std::string> with_path(std::map<std::string, std::string> env,
                                                      const std::string& path) {
    env["PATH"] = path;
    return env;
  }

  std::optional<Conversation> session_;
};

// A command whose daemon has neither mark, session, parents nor environment. Prints "up" twice.
inline std::string hiding_daemon(const std::string& tag) {
  return "exec " + quoted(Steps{fixture("tree"), "tag", tag} +
                          block("double-fork",
                                {"setsid", "lower-limits", "print", "up", "clear-env", "pause"}) +
                          kStay);
}

// Starts that command and waits until it is complete.
inline UserSession::Run plant(UserSession& session, const std::string& tag) {
  const UserSession::Run run = session.start(hiding_daemon(tag));
  std::string output;
  Loop loop;
  REQUIRE(loop.until([&] {
    output += session.result("bg_output", {{"id", run.id}}).value("stdout", "");
    return lines_of(output) >= 2;
  }));
  REQUIRE(loop.until([&] { return processes_with(tag).size() == 2; }));
  return run;
}

inline bool ends(const std::string& tag) {
  Loop loop;
  return loop.until([&] { return processes_with(tag).empty(); }, kGone + milliseconds{2'000});
}

}  // namespace gibbous::testing
