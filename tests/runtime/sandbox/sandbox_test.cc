// What must work in a sandbox, and what prepare says when something cannot be had. Attacks are in
// escape_test.cc.
#include "tests/runtime/sandbox/box.h"
#include "tests/support/patient_fork.h"

namespace gibbous::testing {
namespace {

Status prepare_status(const SandboxSpec& spec, const SandboxSupport& support) {
  return PreparedSandbox::prepare(spec, support).status();
}

SandboxSupport full_support() {
  SandboxSupport support = probe_sandbox_support();
  REQUIRE(support.landlock_abi > 0);
  REQUIRE(support.seccomp);
  return support;
}

}  // namespace

TEST_CASE("ordinary work succeeds in a sandbox") {
  for (const Machine& machine : machines()) {
    for (const SandboxNetwork network :
         {SandboxNetwork::kOn, SandboxNetwork::kLoopback, SandboxNetwork::kOff}) {
      Box box(machine);
      box.spec().network = network;
      INFO(describe(machine) << ", network " << to_string(network));
      const BoxResult result = box.shell(
          "set -e; echo hello > new; cat new | tr a-z A-Z; echo x > /dev/null; ls /proc/self "
          ">/dev/null; mkdir -p a/b; mv new a/b/new; mv a/b/new c; ln c d; chmod 600 c; ln -s c e; "
          "rm -r a c d e; mkfifo f; rm f; echo t > \"$TMPDIR/t\"; cat ../outside/file; "
          "head -c 1 /dev/urandom >/dev/null; echo s > /dev/shm/gibbous-$$; rm /dev/shm/gibbous-$$;"
          "pwd; exec 3<>/dev/ptmx; (exit 3) || echo three; kill -0 $$");
      CHECK(result.succeeded());
      CHECK(result.output == "HELLO\noutside\n" + box.path("workspace") + "\nthree\n");
    }
  }
}

TEST_CASE("git commits in a workspace whose hooks and configuration are protected") {
  for (const Machine& machine : machines()) {
    Box box(machine);
    if (!box.add_repository()) return;
    INFO(describe(machine));
    const BoxResult commit = box.shell(
        "set -e; git add file; git commit -qm one; echo more >> file; git commit -qam two; "
        "git branch other; git checkout -q other; git rebase -q HEAD~1; git stash list; git gc -q; "
        "git log --format=%s");
    INFO(commit.output);
    CHECK(commit.succeeded());
    CHECK_THAT(commit.output, Contains("two\none\n"));
    if (!machine.mounts) continue;
    CHECK_FALSE(box.shell("git config user.name mallory").succeeded());
    CHECK_FALSE(box.shell("rm -rf .git").succeeded());
    CHECK(box.shell("git log -1 --format=%s; git init -q other && cd other && git config a.b c")
              .succeeded());
  }
}

TEST_CASE("git works as ever beside the placeholders of names that it obeys") {
  for (const Machine& machine : machines()) {
    Box box(machine);
    if (!box.add_repository()) return;
    INFO(describe(machine));
    const std::string git = box.path("workspace/.git");
    box.spec().occupied = {git + "/commondir", git + "/hooks/"};
    const BoxResult work = box.shell(
        "set -e; git add file; git commit -qm one; git branch topic; echo 2 >> file; "
        "git commit -qam two; git stash list; echo 3 >> file; git stash -q; git stash pop -q; "
        "git commit -qam three; git checkout -q topic; echo t > t; git add t; git commit -qm t; "
        "git merge -q --no-edit -; GIT_SEQUENCE_EDITOR=true git rebase -q -i HEAD~1; "
        "git bisect start HEAD HEAD~1; git bisect reset; "
        "git worktree add -q \"$TMPDIR/wt\" -b wt; git -C \"$TMPDIR/wt\" status --short; "
        "echo w > \"$TMPDIR/wt/w\"; git -C \"$TMPDIR/wt\" add w; "
        "git -C \"$TMPDIR/wt\" commit -qm w; git worktree remove \"$TMPDIR/wt\"; "
        "git clone -q . \"$TMPDIR/clone\"; git fetch -q \"$TMPDIR/clone\"; "
        "git gc -q; git fsck; git log --oneline | wc -l");
    INFO(work.output);
    CHECK(work.succeeded());
  }
}

TEST_CASE("python runs threads, subprocesses and an event loop") {
  for (const Machine& machine : machines()) {
    for (const SandboxNetwork network : {SandboxNetwork::kOn, SandboxNetwork::kOff}) {
      Box box(machine);
      box.spec().network = network;
      if (!box.run_outside({"/usr/bin/python3", "-c", ""}).succeeded()) return;
      const BoxResult result =
          box.run({"/usr/bin/python3", "-c",
                   "import threading, subprocess, asyncio, multiprocessing, tempfile\n"
                   "t = threading.Thread(target=lambda: print('thread', flush=True))\n"
                   "t.start(); t.join()\n"
                   "print(subprocess.check_output(['echo', 'child'], text=True), end='')\n"
                   "async def main():\n"
                   "    p = await asyncio.create_subprocess_exec('true')\n"
                   "    print('ended', await p.wait())\n"
                   "asyncio.run(main())\n"
                   "l = multiprocessing.Lock()\n"
                   "tempfile.TemporaryFile().close()\n"});
      INFO(describe(machine));
      CHECK(result.output == "thread\nchild\nended 0\n");
    }
  }
}

TEST_CASE("a server in a loopback sandbox is reachable from within") {
  for (const Machine& machine : machines()) {
    Box box(machine);
    box.spec().network = SandboxNetwork::kLoopback;
    if (!box.run_outside({"/usr/bin/python3", "-c", ""}).succeeded()) return;
    const BoxResult result =
        box.run({"/usr/bin/python3", "-c",
                 "import socket\n"
                 "for family, host in ((2, '127.0.0.1'), (socket.AF_INET6, '::1')):\n"
                 "    s = socket.create_server((host, 8080), family=family)\n"
                 "    c = socket.create_connection((host, 8080))\n"
                 "    s.accept()[0].sendall(b'hello'); print(c.recv(5).decode())\n"
                 "u = socket.socket(socket.AF_UNIX); u.bind('here'); u.listen()\n"
                 "socket.socket(socket.AF_UNIX).connect('here')\n"});
    INFO(describe(machine) << result.output);
    CHECK(result.output == "hello\nhello\n");
  }
}

TEST_CASE("a sandboxed program may execute from memory and dies with its parent") {
  for (const Machine& machine : machines()) {
    Box box(machine);
    INFO(describe(machine));
    CHECK(box.attack("memory-program", {"/bin/true"}).output == "escaped\n");
    CHECK(box.attack("dies-with-parent").output == "escaped\n");
    CHECK_THAT(box.attack("secure-mode").output, StartsWith("refused"));
  }
}

TEST_CASE("no file outside the granted trees can be read") {
  for (const Machine& machine : machines()) {
    Box box(machine);
    box.spec().read = {"/usr", "/bin", "/lib", "/lib64", "/etc", program_directory()};
    INFO(describe(machine));
    CHECK(box.attack("read", {box.path("outside/file")}).output == "refused EACCES\n");
    CHECK(box.attack("read", {box.path("workspace/file")}).output == "escaped\n");
  }
}

TEST_CASE("a write tree may be named through a link") {
  for (const Machine& machine : machines()) {
    Box box(machine);
    std::filesystem::create_directory_symlink(box.path("workspace"), box.path("link"));
    box.spec().write = {box.path("link/"), box.path("missing")};
    INFO(describe(machine));
    CHECK(box.attack("write", {box.path("workspace/file")}).output == "escaped\n");
    CHECK(box.attack("write", {box.path("scratch/file")}).output != "escaped\n");
  }
}

TEST_CASE("an unreadable path inside an unwritable one stays hidden") {
  for (const Machine& machine : machines()) {
    if (!machine.mounts) continue;
    Box box(machine);
    box.write("workspace/keys/secret", "secret\n");
    box.write("workspace/keys/deep/secret", "secret\n");
    box.write("workspace/keys/public", "public\n");
    box.spec().unwritable = {box.path("workspace/keys")};
    box.spec().unreadable = {box.path("workspace/keys/secret"), box.path("workspace/keys/deep"),
                             box.path("workspace/keys/deep/secret")};
    INFO(describe(machine));
    CHECK(box.attack("read", {box.path("workspace/keys/secret")}).output != "escaped\n");
    CHECK(box.attack("read", {box.path("workspace/keys/deep/secret")}).output != "escaped\n");
    CHECK(box.attack("read", {box.path("workspace/keys/public")}).output == "escaped\n");
    CHECK(box.attack("write", {box.path("workspace/keys/public")}).output != "escaped\n");
  }
}

TEST_CASE("the report names what is not enforced") {
  for (const Machine& machine : machines()) {
    Box box(machine);
    box.spec().unreadable = {box.path("home/.ssh"), box.path("home/.none")};
    box.spec().unwritable = {box.path("workspace/file"), box.path("workspace/.git/hooks")};
    const std::string report = box.report();
    INFO(describe(machine));
    CHECK_THAT(report, Contains("workspace/.git/hooks does not exist yet"));
    CHECK_THAT(report, !Contains(".none"));
    CHECK_THAT(report, !Contains("home/.ssh can be read"));
    const bool lists = report.find("the names in " + box.path("home/.ssh") + " can be listed") !=
                       std::string::npos;
    CHECK(lists == !machine.mounts);
    CHECK((report.find("workspace/file can be changed") != std::string::npos) == !machine.mounts);
    // In what may be changed, only a mount hides something.
    box.spec().unreadable.push_back(box.path("workspace/sub"));
    const bool reads = box.report().find("workspace/sub can be read") != std::string::npos;
    CHECK(reads == !machine.mounts);
    box.spec().unreadable.pop_back();
    // Landlock alone does it when nothing around is granted.
    box.spec().read = {"/usr"};
    CHECK_THAT(box.report(), !Contains(".ssh"));
    box.spec().write = {box.path("missing")};
    CHECK_THAT(box.report(), Contains("none of the trees under `write` exists"));
  }
}

TEST_CASE("a path outside all write trees needs no protection and no message") {
  for (const Machine& machine : machines()) {
    Box box(machine);
    std::filesystem::create_directory_symlink(box.path("workspace"), box.path("link"));
    std::filesystem::create_directory_symlink(box.path("outside"), box.path("away"));
    box.spec().write = {box.path("link")};
    box.spec().unwritable = {box.path("home/.bashrc"),     box.path("away/file"),
                             box.path("away/none"),        "/nowhere/at/all",
                             box.path("workspace/../x"),   box.path("link/file"),
                             box.path("outside/sub/file"), box.path("file")};
    box.spec().pinned = {box.path("home/.config"), box.path("outside/sub")};
    INFO(describe(machine));
    const std::string report = box.report();
    CHECK_THAT(report, !Contains("exist") && !Contains("link/file is reached") &&
                           !Contains("away") && !Contains("outside/sub"));
    // By another name it is in the workspace.
    box.spec().unwritable = {box.path("link/missing")};
    CHECK_THAT(box.report(), Contains("link/missing does not exist yet: it can be made\n"));
  }
}

TEST_CASE("links and missing names in a write tree are reported") {
  for (const Machine& machine : machines()) {
    Box box(machine);
    std::filesystem::create_symlink(box.path("workspace/file"), box.path("workspace/inner"));
    std::filesystem::create_symlink(box.path("outside/file"), box.path("workspace/outer"));
    std::filesystem::create_symlink(box.path("nowhere"), box.path("workspace/dangling"));
    box.spec().unwritable = {box.path("workspace/inner"), box.path("workspace/outer")};
    INFO(describe(machine));
    const std::string report = box.report();
    CHECK_THAT(report, Contains("workspace/inner is reached through a link: ") &&
                           Contains("workspace/file is protected, the link is not") &&
                           Contains("workspace/outer is reached through a link: the link can be "
                                    "replaced"));
    box.spec().unwritable = {box.path("workspace/dangling"), box.path("workspace/none")};
    box.spec().pinned = {box.path("workspace/pin")};
    CHECK_THAT(box.report(),
               Contains("do not exist yet and can be made: " + box.path("workspace/dangling") +
                        ", " + box.path("workspace/none") + "\n") &&
                   Contains("workspace/pin does not exist yet: it can be made\n"));
    // Nothing can be created in a tree that is wholly read-only.
    box.spec().unwritable = {box.path("workspace/sub"), box.path("workspace/sub/none")};
    box.spec().pinned = {};
    CHECK((box.report().find("exist yet") == std::string::npos) == machine.mounts);
  }
}

TEST_CASE("many missing names make one message of bounded length") {
  constexpr int kNames = 100;
  constexpr std::size_t kMaxSentence = 600;
  Box box(machines().front());
  for (int i = 0; i < kNames; ++i) {
    box.spec().unwritable.push_back(box.path("workspace/none" + std::to_string(i)));
  }
  box.spec().pinned = {box.path("workspace/" + std::string(200, 'x') + "/" + std::string(200, 'y') +
                                "/" + std::string(100, 'z'))};
  const std::string report = box.report();
  CHECK_THAT(report, Contains("workspace/none0, ") && Contains(" more\n") &&
                         Contains("zz does not exist yet: it can be made"));
  CHECK(report.size() < 2 * kMaxSentence);
}

TEST_CASE("a wrong profile is refused with the field's name") {
  const SandboxSupport support = full_support();
  SandboxSpec spec;
  spec.profile = "mine";
  const auto message = [&] {
    const Status status = prepare_status(spec, support);
    return status.code() + " " + status.message();
  };
  spec.read = {"usr"};
  CHECK(message() == "invalid_request sandbox mine: read: usr is not absolute");
  spec.read = {std::string("/usr\0/x", 7)};
  CHECK_THAT(message(), Contains("read: a path has a NUL in it"));
  spec.read = {"/" + std::string(kMaxSandboxPathBytes, 'x')};
  CHECK_THAT(message(), Contains("read: a path is too long"));
  spec.read.assign(kMaxSandboxPaths, "/usr");
  CHECK(prepare_status(spec, support).ok());
  spec.pinned = {"/usr"};
  CHECK_THAT(message(), Contains("pinned: more than 4096 paths"));
  spec = {};
  for (const char* const path : {"/proc", "/proc/self", "/sys", "/dev", "/dev/null"}) {
    spec.write = {path};
    CHECK_THAT(message(), Contains("invalid_request") && Contains("belongs to the kernel"));
  }
}

TEST_CASE("prepare fails when the machine cannot do what is requested") {
  const SandboxSupport support = full_support();
  SandboxSpec spec;
  spec.profile = "mine";
  SandboxSupport poor = support;
  poor.landlock_abi = 0;
  CHECK(prepare_status(spec, poor).code() == "sandbox_unavailable");
  poor = support;
  poor.seccomp = false;
  CHECK(prepare_status(spec, poor).code() == "sandbox_unavailable");
  poor = support;
  poor.network_namespaces = false;
  CHECK(prepare_status(spec, poor).ok());
  spec.network = SandboxNetwork::kLoopback;
  CHECK_THAT(prepare_status(spec, poor).message(), Contains("network namespace"));
  spec.network = SandboxNetwork::kOn;
  spec.min_landlock_abi = support.landlock_abi + 1;
  CHECK_THAT(prepare_status(spec, support).message(), Contains("Landlock ABI"));
}

TEST_CASE("older Landlock still makes a sandbox, and the report says what it lacks") {
  SandboxSupport support = full_support();
  for (std::uint32_t abi = 1; abi <= support.landlock_abi; ++abi) {
    SandboxSupport old = support;
    old.landlock_abi = abi;
    const auto prepared = PreparedSandbox::prepare({}, old);
    INFO(abi);
    REQUIRE(prepared.ok());
    std::string report;
    for (const std::string& line : (*prepared)->report().unprotected) report += line;
    CHECK((report.find("signalled") != std::string::npos) == (abi < kAbiScope));
  }
}

TEST_CASE("a protected path that vanished after prepare fails the start") {
  for (const Machine& machine : machines()) {
    if (!machine.mounts || machine.user != ::geteuid()) continue;
    Box box(machine);
    box.spec().unwritable = {box.path("workspace/file")};
    const auto prepared = PreparedSandbox::prepare(box.spec(), probe_sandbox_support());
    REQUIRE(prepared.ok());
    std::filesystem::remove(box.path("workspace/file"));
    std::filesystem::create_symlink(box.path("outside/file"), box.path("workspace/file"));
    const pid_t pid = gibbous::testing::patient_fork();
    if (pid == 0) {
      SandboxFailure failure;
      const bool as_expected = !(*prepared)->enter_namespaces(&failure) &&
                               failure.step == SandboxStep::kProtect && failure.error == ELOOP &&
                               failure.path == box.path("workspace/file");
      ::_exit(as_expected ? 0 : 1);
    }
    int status = -1;
    ::waitpid(pid, &status, 0);
    CHECK(status == 0);
  }
}

TEST_CASE("a probe leaves the caller unchanged and no child behind") {
  const auto before = std::filesystem::read_symlink("/proc/self/ns/mnt");
  (void)probe_sandbox_support();
  CHECK(std::filesystem::read_symlink("/proc/self/ns/mnt") == before);
  CHECK(::prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 0);
  CHECK((::waitpid(-1, nullptr, __WALL | WNOHANG) == -1 && errno == ECHILD));
}

}  // namespace gibbous::testing
