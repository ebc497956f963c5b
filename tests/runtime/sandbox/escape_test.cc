// Attacks out of a sandbox: each is one start of fixture_escape, with and without mount namespaces,
// as root and as nobody.
#include <netinet/in.h>
#include <sys/shm.h>
#include <sys/socket.h>

#include <cstdlib>

#include "tests/runtime/sandbox/box.h"
#include "tests/support/patient_fork.h"

namespace gibbous::testing {
namespace {

struct Attack {
  std::string name;
  std::vector<std::string> arguments = {};
};

// Each must be refused; what it would have changed must be as it was.
void check_refused(Box& box, const std::vector<Attack>& attacks) {
  for (const Attack& attack : attacks) {
    std::string words = attack.name;
    for (const std::string& argument : attack.arguments) words += " " + argument;
    INFO(words << ", " << describe(box.machine()));
    const BoxResult result = box.attack(attack.name, attack.arguments);
    INFO(result.output);
    CHECK(result.succeeded());
    CHECK_THAT(result.output, StartsWith("refused"));
  }
}

void check_possible(Box& box, const std::vector<Attack>& attacks) {
  for (const Attack& attack : attacks) {
    INFO(attack.name << ", " << describe(box.machine()));
    CHECK(box.attack(attack.name, attack.arguments).output == "escaped\n");
  }
}

// Where the attempt would fail for other reasons too: refused by the sandbox, with EPERM.
void check_not_permitted(Box& box, const std::vector<Attack>& attacks) {
  for (const Attack& attack : attacks) {
    INFO(attack.name << ", " << describe(box.machine()));
    CHECK(box.attack(attack.name, attack.arguments).output == "refused EPERM\n");
  }
}

// A listener outside that says whether a process connected.
class Listener {
 public:
  explicit Listener(int type) : fd_(::socket(AF_INET, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    REQUIRE(::bind(fd_.get(), reinterpret_cast<sockaddr*>(&address), size) == 0);
    if (type == SOCK_STREAM) REQUIRE(::listen(fd_.get(), 1) == 0);
    ::getsockname(fd_.get(), reinterpret_cast<sockaddr*>(&address), &size);
    port_ = std::to_string(ntohs(address.sin_port));
    stream_ = type == SOCK_STREAM;
  }
  const std::string& port() const { return port_; }
  bool was_reached() const {
    char byte = 0;
    return stream_ ? UniqueFd(::accept(fd_.get(), nullptr, nullptr)).get() >= 0
                   : ::recv(fd_.get(), &byte, 1, 0) > 0;
  }

 private:
  UniqueFd fd_;
  std::string port_;
  bool stream_ = false;
};

UniqueFd listen_abstract(const std::string& name) {
  UniqueFd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  name.copy(address.sun_path + 1, sizeof address.sun_path - 1);
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  REQUIRE(::bind(fd.get(), reinterpret_cast<sockaddr*>(&address), size) == 0);
  REQUIRE(::listen(fd.get(), 1) == 0);
  return fd;
}

}  // namespace

TEST_CASE("files outside the write trees stay as they are") {
  for (const Machine& machine : machines()) {
    Box box(machine);
    const std::string file = box.path("outside/file");
    const std::string inside = box.path("workspace/file");
    const std::string workspace = box.path("workspace");
    check_refused(box, {{"write", {file}},
                        {"create", {box.path("outside/new")}},
                        {"mkdir", {box.path("outside/new")}},
                        {"write-through-symlink", {file, workspace}},
                        {"write-through-descriptor", {file}},
                        {"write-through-root", {file}},
                        {"write-through-cwd", {"outside/file"}},
                        {"rename", {inside, box.path("outside/moved")}},
                        {"rename", {file, workspace + "/moved"}},
                        {"rename", {file, box.path("outside/renamed")}},
                        {"exchange", {file, inside}},
                        {"rename", {workspace, box.path("elsewhere")}},
                        {"link", {file, workspace + "/linked"}},
                        {"link", {inside, box.path("outside/linked")}},
                        {"truncate", {file}},
                        {"open-truncate", {file}},
                        {"unlink", {file}},
                        {"rmdir", {box.path("outside/sub")}},
                        {"unlink", {"/etc/hostname"}},
                        {"write", {"/proc/sys/kernel/core_pattern"}},
                        {"write", {"/proc/sysrq-trigger"}}});
    CHECK(text_of(file) == "outside\n");
    CHECK(text_of(inside) == "inside\n");
    CHECK_FALSE(std::filesystem::exists(box.path("outside/new")));
  }
}

TEST_CASE("modes, times and attributes outside stay unchanged where mounts are available") {
  for (const Machine& machine : machines()) {
    if (!machine.mounts) continue;
    Box box(machine);
    const std::string file = box.path("outside/file");
    check_refused(box,
                  {{"chmod", {file}}, {"chown", {file}}, {"utimes", {file}}, {"setxattr", {file}}});
    check_possible(box, {{"chmod", {box.path("workspace/file")}}});
  }
}

TEST_CASE("no device can be created or opened") {
  for (const Machine& machine : machines()) {
    Box box(machine);
    const std::string node = box.path("workspace/node");
    check_refused(box, {{"mknod", {node}},
                        {"mknod-character", {node}},
                        {"open", {"/dev/mem"}},
                        {"open", {"/dev/kmsg"}},
                        {"open", {"/dev/loop0"}},
                        {"open", {"/dev/kvm"}}});
    constexpr mode_t kDevice = S_IFCHR | 0666;
    constexpr dev_t kNullDevice = 0x103;
    if (!machine.mounts || ::geteuid() != 0) continue;
    REQUIRE(::mknod(node.c_str(), kDevice, kNullDevice) == 0);
    check_refused(box, {{"open", {node}}});
  }
}

TEST_CASE("the network outside cannot be reached when it is off or loopback") {
  for (const Machine& machine : machines()) {
    for (const SandboxNetwork network : {SandboxNetwork::kOff, SandboxNetwork::kLoopback}) {
      Box box(machine);
      box.spec().network = network;
      const Listener tcp(SOCK_STREAM);
      const Listener udp(SOCK_DGRAM);
      const std::string name = "gibbous-test-" + std::to_string(::getpid());
      const UniqueFd abstract = listen_abstract(name);
      INFO(to_string(network));
      check_refused(box, {{"connect", {tcp.port()}}, {"abstract", {name}}, {"raw"}, {"packet"}});
      // In a separate network, a datagram without a receiver is not an error.
      (void)box.attack("udp", {udp.port()});
      CHECK_FALSE(tcp.was_reached());
      CHECK_FALSE(udp.was_reached());
      if (network == SandboxNetwork::kLoopback) continue;
      check_refused(box, {{"udp", {udp.port()}},
                          {"unix", {box.path("home/agent")}},
                          {"inet-high-bits"},
                          {"netfilter"}});
      check_possible(box, {{"socketpair"}});
    }
  }
}

TEST_CASE("with the network on only plain sockets can be made") {
  for (const Machine& machine : machines()) {
    Box box(machine);
    const Listener tcp(SOCK_STREAM);
    check_possible(box, {{"connect", {tcp.port()}}, {"inet-high-bits"}, {"socket-table"}});
    check_refused(box,
                  {{"packet"}, {"raw"}, {"vsock"}, {"alg"}, {"netfilter"}, {"socket-high-bits"}});
    if (probe_sandbox_support().landlock_abi < kAbiScope) continue;
    const std::string name = "gibbous-test-" + std::to_string(::getpid());
    const UniqueFd abstract = listen_abstract(name);
    check_refused(box, {{"abstract", {name}}});
  }
}

TEST_CASE("processes outside can be neither signalled nor inspected") {
  for (const Machine& machine : machines()) {
    Box box(machine);
    const pid_t victim = gibbous::testing::patient_fork();
    if (victim == 0) {
      // The victim has the same user, so that only the sandbox protects it.
      if (machine.user != ::geteuid()) {
        (void)!::setresgid(machine.user, machine.user, machine.user);
        (void)!::setresuid(machine.user, machine.user, machine.user);
        ::prctl(PR_SET_DUMPABLE, 1);
      }
      while (true) ::pause();
    }
    const std::string pid = std::to_string(victim);
    check_possible(box, {{"ptrace-child"}});  // debuggers and sanitizers
    check_refused(box, {{"ptrace", {pid}},
                        {"read-memory", {pid}},
                        {"memory-file", {pid}},
                        {"environment", {pid}},
                        {"read-through-root-of", {pid, box.path("home/.netrc")}},
                        {"pidfd-getfd", {pid}},
                        {"setns", {pid}},
                        {"limit", {pid}}});
    if (probe_sandbox_support().landlock_abi >= kAbiScope) {
      check_refused(box, {{"kill", {pid}}, {"tgkill", {pid}}, {"pidfd-signal", {pid}}});
    }
    ::kill(victim, SIGKILL);
    ::waitpid(victim, nullptr, 0);
  }
}

TEST_CASE("the attacks succeed without a sandbox") {
  for (const Machine& machine : machines()) {
    Box box(machine);
    const Listener tcp(SOCK_STREAM);
    const std::vector<Attack> attacks = {
        {"write", {box.path("outside/file")}},
        {"write-through-symlink", {box.path("outside/file"), box.path("workspace")}},
        {"write-through-descriptor", {box.path("outside/file")}},
        {"write-through-root", {box.path("outside/file")}},
        {"write-through-cwd", {"outside/file"}},
        {"link", {box.path("outside/file"), box.path("workspace/l")}},
        {"exchange", {box.path("outside/file"), box.path("scratch/file")}},
        {"rename", {box.path("outside/sub"), box.path("workspace/moved")}},
        {"read", {box.path("home/.ssh/id")}},
        {"list", {box.path("home/.ssh")}},
        {"unix", {box.path("home/agent")}},
        {"chmod", {box.path("outside/file")}},
        {"utimes", {box.path("outside/file")}},
        {"truncate", {box.path("outside/file")}},
        {"open-truncate", {box.path("outside/program")}},
        {"connect", {tcp.port()}},
        {"ptrace-child"}};
    for (const Attack& attack : attacks) {
      INFO(attack.name << ", " << describe(machine));
      std::vector<std::string> argv{fixture("escape"), attack.name};
      argv.insert(argv.end(), attack.arguments.begin(), attack.arguments.end());
      CHECK(box.run_outside(argv).output == "escaped\n");
    }
  }
}

TEST_CASE("system calls that lead out of a sandbox are refused") {
  for (const Machine& machine : machines()) {
    Box box(machine);
    const std::string workspace = box.path("workspace");
    check_not_permitted(box, {{"type"},
                              {"type-high-bits"},
                              {"io-uring"},
                              {"bind", {box.path("outside"), workspace}},
                              {"mount", {workspace}},
                              {"remount", {"/"}},
                              {"umount", {workspace}},
                              {"open-tree", {"/"}},
                              {"open-tree-attr", {"/"}},
                              {"chroot", {workspace}},
                              {"unshare-user"},
                              {"unshare-user-high-bits"},
                              {"unshare-mount"},
                              {"clone-user"},
                              {"bpf"},
                              {"keyctl"},
                              {"perf"},
                              {"open-by-handle", {box.path("outside/file"), "/"}},
                              {"set-clock"},
                              {"capabilities"},
                              {"read-memory", {std::to_string(::getpid())}}});
    CHECK(box.attack("clone3-user").output == "refused ENOSYS\n");
  }
}

TEST_CASE("System V memory outside cannot be attached where mounts are available") {
  constexpr std::size_t kBytes = 4096;
  constexpr int kEveryone = 0666;
  for (const Machine& machine : machines()) {
    Box box(machine);
    const int id = ::shmget(IPC_PRIVATE, kBytes, IPC_CREAT | kEveryone);
    REQUIRE(id >= 0);
    INFO(describe(machine));
    const std::string output = box.attack("shared-memory", {std::to_string(id)}).output;
    CHECK((output == "escaped\n") != machine.mounts);
    ::shmctl(id, IPC_RMID, nullptr);
  }
}

TEST_CASE("system calls by the numbers of other architectures are refused too") {
  for (const Machine& machine : machines()) {
    Box box(machine);
    for (const char* const name : {"x32", "x32-socket", "int80"}) {
      INFO(name << ", " << describe(machine));
#if defined(__x86_64__)
      // SIGSEGV: this kernel does not know those numbers at all.
      const std::string output = box.attack(name).output;
      CHECK((output == "refused SIGSYS\n" || output == "refused SIGSEGV\n"));
#endif
    }
  }
}

TEST_CASE("an unreadable path is empty or refused, even in a writable home") {
  for (const Machine& machine : machines()) {
    if (!machine.mounts) continue;
    for (const bool writable : {false, true}) {
      Box box(machine);
      if (writable) box.spec().write.push_back(box.path("home"));
      box.spec().unreadable = {box.path("home/.ssh"), box.path("home/.netrc"),
                               box.path("home/agent"), box.path("home/none")};
      std::filesystem::create_directory_symlink("home/.ssh", box.path("keys"));
      check_refused(box, {{"read", {box.path("home/.ssh/id")}},
                          {"read", {box.path("keys/id")}},
                          {"read", {"/proc/self/root" + box.path("home/.ssh/id")}},
                          {"list", {box.path("home/.ssh")}},
                          {"read", {box.path("home/.netrc")}},
                          {"unix", {box.path("home/agent")}},
                          {"umount", {box.path("home/.ssh")}},
                          {"rmdir", {box.path("home/.ssh")}},
                          {"unlink", {box.path("home/.netrc")}},
                          {"chmod", {box.path("home/.ssh")}},
                          {"rename", {box.path("home/.ssh"), box.path("home/ssh")}},
                          {"rename", {box.path("home/.netrc"), box.path("workspace/netrc")}},
                          {"link", {box.path("home/.netrc"), box.path("workspace/netrc")}},
                          {"create", {box.path("home/.ssh/authorized_keys")}}});
      (void)box.attack("rename", {box.path("home"), box.path("moved")});
      CHECK(text_of(box.path("home/.ssh/id")) == "secret\n");
      CHECK(text_of(box.path("home/.netrc")) == "secret\n");
    }
  }
}

TEST_CASE("a repository's hooks and configuration can be neither changed nor replaced") {
  for (const Machine& machine : machines()) {
    if (!machine.mounts) continue;
    Box box(machine);
    if (!box.add_repository()) return;
    const std::string git = box.path("workspace/.git");
    const std::string config = text_of(git + "/config");
    check_refused(box, {{"rename", {git, box.path("workspace/git")}},
                        {"exchange", {git, box.path("workspace/sub")}},
                        {"rmdir", {git}},
                        {"write", {git + "/hooks/pre-commit"}},
                        {"create", {git + "/hooks/post-checkout"}},
                        {"rename", {git + "/hooks", git + "/h"}},
                        {"exchange", {git + "/hooks", git + "/refs"}},
                        {"write", {git + "/config"}},
                        {"truncate", {git + "/config"}},
                        {"unlink", {git + "/config"}},
                        {"chmod", {git + "/config"}},
                        {"rename", {git + "/HEAD", git + "/config"}},
                        {"rename", {git + "/config", git + "/c"}},
                        {"umount", {git + "/config"}}});
    check_possible(box, {{"create", {git + "/new"}}});
    CHECK(text_of(git + "/config") == config);
  }
}

// git takes its configuration from the directory that .git/commondir names, and runs what that says
// (core.fsmonitor) for the next process that asks for the status.
constexpr char kTakeOver[] =
    "mkdir .git/evil && cp -r .git/objects .git/refs .git/evil/ && "
    "printf '[core]\n\trepositoryformatversion = 0\n\tfsmonitor = \"touch %s; false\"\n' "
    "\"$PWD/escaped\" > .git/evil/config && echo evil > .git/commondir";

TEST_CASE("a run cannot make git obey another configuration outside") {
  for (const bool occupied : {false, true}) {
    for (const Machine& machine : machines()) {
      if (!machine.mounts) continue;
      INFO(describe(machine) << ", occupied: " << occupied);
      Box box(machine);
      if (!box.add_repository()) return;
      const std::string git = box.path("workspace/.git");
      REQUIRE(box.shell("git add file && git commit -qm one").succeeded());
      if (occupied) box.spec().occupied = {git + "/commondir"};
      CHECK(box.shell(kTakeOver).succeeded() != occupied);
      (void)box.run_outside({"git", "-C", box.path("workspace"), "status"});
      CHECK(std::filesystem::exists(box.path("workspace/escaped")) != occupied);
    }
  }
}

TEST_CASE("names in a repository that git obeys can be neither made nor replaced") {
  for (const Machine& machine : machines()) {
    if (!machine.mounts) continue;
    Box box(machine);
    if (!box.add_repository()) return;
    const std::string git = box.path("workspace/.git");
    std::filesystem::remove_all(git + "/hooks");
    box.spec().unwritable = {git + "/config"};
    box.spec().occupied = {git + "/commondir", git + "/hooks/"};
    check_refused(box, {{"create", {git + "/commondir"}},
                        {"write", {git + "/commondir"}},
                        {"truncate", {git + "/commondir"}},
                        {"unlink", {git + "/commondir"}},
                        {"chmod", {git + "/commondir"}},
                        {"rename", {git + "/HEAD", git + "/commondir"}},
                        {"rename", {git + "/commondir", git + "/c"}},
                        {"umount", {git + "/commondir"}},
                        {"create", {git + "/hooks/post-commit"}},
                        {"rmdir", {git + "/hooks"}},
                        {"rename", {git + "/refs", git + "/hooks"}},
                        {"exchange", {git + "/hooks", git + "/refs"}}});
    CHECK(text_of(git + "/commondir") == ".\n");
  }
}

TEST_CASE("a directory above an unwritable path cannot be moved away") {
  for (const Machine& machine : machines()) {
    if (!machine.mounts) continue;
    Box box(machine);
    box.spec().unwritable = {box.path("workspace/sub/.git/hooks")};
    check_refused(box, {{"rename", {box.path("workspace/sub"), box.path("workspace/away")}},
                        {"rename", {box.path("workspace/sub/.git"), box.path("workspace/away")}},
                        {"write", {box.path("workspace/sub/.git/hooks/pre-commit")}}});
  }
}

TEST_CASE("a link made in one sandbox does not widen the next") {
  for (const Machine& machine : machines()) {
    Box box(machine);
    REQUIRE(box.shell("ln -s " + box.path("outside") + " build").succeeded());
    box.spec().write.push_back(box.path("workspace/build"));
    CHECK_THAT(box.report(), Contains("invalid_request") && Contains("programs inside"));
    box.spec().write.pop_back();
    box.spec().read.push_back(box.path("workspace/build"));
    CHECK_THAT(box.report(), Contains("invalid_request"));
  }
}

TEST_CASE("the whole file system as a write tree leaves credentials and the kernel alone") {
  for (const Machine& machine : machines()) {
    if (!machine.mounts) continue;
    Box box(machine);
    box.spec().write = {"/"};
    box.spec().unreadable = {box.path("home/.ssh")};
    check_possible(box, {{"create", {box.path("outside/new")}}});
    check_refused(box, {{"read", {box.path("home/.ssh/id")}},
                        {"write", {"/proc/sys/kernel/core_pattern"}},
                        {"open", {"/dev/kmsg"}},
                        {"open", {"/dev/mem"}},
                        {"mkdir", {"/gibbous-test"}}});
  }
}

}  // namespace gibbous::testing
