// Shared by the sandbox's tests: a small world with a workspace, an outside and a home, and a
// function that runs a program in a sandbox over it, as root or as nobody, with or without mount
// namespaces.
#pragma once

#include <fcntl.h>
#include <grp.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <vector>

#include "runtime/base/unique_fd.h"
#include "runtime/sandbox/sandbox.h"
#include "tests/support/catch.h"
#include "tests/support/loop.h"
#include "tests/support/patient_fork.h"

namespace gibbous::testing {

using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

inline constexpr uid_t kNobody = 65534;
inline constexpr int kExitFailed = 99;
inline constexpr std::uint32_t kAbiScope = 6;

struct BoxResult {
  int status = -1;     // of waitpid
  std::string output;  // stdout and stderr

  bool succeeded() const { return WIFEXITED(status) && WEXITSTATUS(status) == 0; }
};

inline std::string text_of(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// One combination of who starts and what the machine gives.
struct Machine {
  bool mounts;
  uid_t user;
};

inline std::string describe(const Machine& machine) {
  return std::string(machine.mounts ? "with" : "without") + " mount namespaces, as user " +
         std::to_string(machine.user);
}

// Root also tries as the user nobody.
inline std::vector<Machine> machines() {
  std::vector<Machine> all;
  for (const bool mounts : {true, false}) {
    if (mounts && !probe_sandbox_support().mount_namespaces) continue;
    all.push_back({mounts, ::geteuid()});
    if (::geteuid() == 0) all.push_back({mounts, kNobody});
  }
  return all;
}

class Box {
 public:
  explicit Box(Machine machine) : machine_(machine) {
    constexpr mode_t kEveryone = 0777;
    ::chmod(base_.path().c_str(), kEveryone);
    write("outside/file", "outside\n");
    write("outside/program", "#!/bin/sh\necho ran\n");
    write("outside/sub/file", "sub\n");
    write("workspace/file", "inside\n");
    write("workspace/sub/.git/hooks/pre-commit", "sub hook\n");
    write("scratch/file", "scratch\n");
    write("home/.ssh/id", "secret\n");
    write("home/.netrc", "secret\n");
    socket_.reset(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path("home/agent").copy(address.sun_path, sizeof address.sun_path - 1);
    REQUIRE(::bind(socket_.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
    REQUIRE(::listen(socket_.get(), 1) == 0);
    spec_.profile = "test";
    spec_.read = {"/usr",      "/bin", "/lib", "/lib64", "/etc", "/proc", program_directory(),
                  base_.path()};
    spec_.write = {path("workspace"), path("scratch")};
  }

  std::string path(const std::string& name) const { return base_.path() + "/" + name; }
  std::string write(const std::string& name, const std::string& text) const {
    return base_.write(name, text);
  }
  SandboxSpec& spec() { return spec_; }
  const Machine& machine() const { return machine_; }

  // A repository as git makes it, protected as a profile does it. False: there is no git.
  bool add_repository() {
    const auto git = run_outside({"git", "init", "-q", path("workspace")});
    if (!git.succeeded()) return false;
    write("workspace/.git/hooks/pre-commit", "");
    spec_.pinned = {path("workspace/.git")};
    spec_.unwritable = {path("workspace/.git/hooks"), path("workspace/.git/config")};
    return true;
  }

  BoxResult attack(const std::string& name, const std::vector<std::string>& arguments = {}) {
    std::vector<std::string> argv{fixture("escape"), name};
    argv.insert(argv.end(), arguments.begin(), arguments.end());
    return run(argv);
  }
  // `meanwhile` is called once the program is on its way: not in a thread, which must not allocate
  // while this one forks.
  BoxResult shell(const std::string& script, const std::function<void()>& meanwhile = {}) {
    return run_as({"/bin/sh", "-c", script}, true, meanwhile);
  }

  BoxResult run(const std::vector<std::string>& argv) { return run_as(argv, true, {}); }
  BoxResult run_outside(const std::vector<std::string>& argv) { return run_as(argv, false, {}); }

  // In a child that is the machine's user: prepares, and says what `look` makes of the outcome.
  std::string prepared(
      const std::function<std::string(const Result<std::unique_ptr<PreparedSandbox>>&)>& look) {
    return in_child([&] {
             const std::string text = look(PreparedSandbox::prepare(spec_, support()));
             (void)!::write(STDOUT_FILENO, text.data(), text.size());
             ::_exit(0);
           })
        .output;
  }
  std::string report() {
    return prepared([](const auto& prepared) {
      if (!prepared) return prepared.status().code() + ": " + prepared.status().message();
      std::string text;
      for (const std::string& line : (*prepared)->report().unprotected) text += line + "\n";
      return text;
    });
  }

 private:
  SandboxSupport support() const {
    SandboxSupport support = probe_sandbox_support();
    support.mount_namespaces = support.mount_namespaces && machine_.mounts;
    return support;
  }

  BoxResult in_child(const std::function<void()>& child,
                     const std::function<void()>& meanwhile = {}) {
    own(base_.path());
    std::array<int, 2> ends{};
    REQUIRE(::pipe2(ends.data(), O_CLOEXEC) == 0);
    UniqueFd reader(ends[0]);
    UniqueFd writer(ends[1]);
    const pid_t pid = gibbous::testing::patient_fork();
    if (pid == 0) {
      ::dup2(writer.get(), STDOUT_FILENO);
      ::dup2(writer.get(), STDERR_FILENO);
      if (machine_.user != ::geteuid() &&
          (::setgroups(0, nullptr) != 0 || ::setresgid(kNobody, kNobody, kNobody) != 0 ||
           ::setresuid(kNobody, kNobody, kNobody) != 0 || ::prctl(PR_SET_DUMPABLE, 1) != 0)) {
        ::_exit(kExitFailed);
      }
      child();
      ::_exit(kExitFailed);
    }
    writer.reset();
    if (meanwhile) meanwhile();
    BoxResult result;
    std::array<char, 4096> bytes;
    for (ssize_t count = 0; (count = ::read(reader.get(), bytes.data(), bytes.size())) > 0;) {
      result.output.append(bytes.data(), static_cast<std::size_t>(count));
    }
    ::waitpid(pid, &result.status, 0);
    return result;
  }

  BoxResult run_as(const std::vector<std::string>& argv, bool sandboxed,
                   const std::function<void()>& meanwhile) {
    return in_child([&] { become(argv, sandboxed); }, meanwhile);
  }

  void become(const std::vector<std::string>& argv, bool sandboxed) const {
    std::vector<char*> pointers;
    for (const std::string& word : argv) pointers.push_back(const_cast<char*>(word.c_str()));
    pointers.push_back(nullptr);
    std::vector<std::string> words = {"PATH=/usr/bin:/bin",    "HOME=" + path("scratch"),
                                      "GIT_AUTHOR_NAME=a",     "GIT_AUTHOR_EMAIL=a@b",
                                      "GIT_COMMITTER_NAME=a",  "GIT_COMMITTER_EMAIL=a@b",
                                      "GIT_CONFIG_NOSYSTEM=1", "TMPDIR=" + path("scratch")};
    std::vector<char*> environment;
    for (std::string& word : words) environment.push_back(word.data());
    environment.push_back(nullptr);
    const auto give_up = [](const std::string& why) {
      (void)!::write(STDOUT_FILENO, why.data(), why.size());
      ::_exit(kExitFailed);
    };
    const std::string cwd = path("workspace");
    std::unique_ptr<PreparedSandbox> sandbox;
    if (sandboxed) {
      auto prepared = PreparedSandbox::prepare(spec_, support());
      if (!prepared) give_up(prepared.status().message());
      sandbox = std::move(*prepared);
    }
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    SandboxFailure failure;
    if ((sandbox && !sandbox->enter_namespaces(&failure)) || ::chdir(cwd.c_str()) != 0 ||
        (sandbox && !sandbox->restrict_self(&failure))) {
      give_up(std::string(to_string(failure.step)) + " " +
              (failure.path == nullptr ? "" : failure.path) + ": " + std::strerror(failure.error));
    }
    ::execvpe(pointers[0], pointers.data(), environment.data());
    give_up(std::string("exec: ") + std::strerror(errno));
  }

  void own(const std::string& tree) const {
    if (machine_.user == ::geteuid()) return;
    (void)::lchown(tree.c_str(), machine_.user, machine_.user);
    for (const auto& entry : std::filesystem::recursive_directory_iterator(tree)) {
      (void)::lchown(entry.path().c_str(), machine_.user, machine_.user);
    }
  }

  Machine machine_;
  TempDir base_;
  UniqueFd socket_;
  SandboxSpec spec_;
};

}  // namespace gibbous::testing
