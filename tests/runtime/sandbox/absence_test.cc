// What a profile hides is hidden by absence: it is not granted, whether it exists or not.
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <string>

#include "runtime/sandbox/landlock.h"
#include "runtime/sandbox/lookups.h"
#include "runtime/sandbox/ruleset.h"
#include "tests/runtime/sandbox/box.h"

namespace gibbous::testing {
namespace {

namespace fs = std::filesystem;

// Runs a script in the box that calls `later`, which waits until this has done something outside.
BoxResult run_while(Box& box, const std::string& script, const std::function<void()>& outside) {
  const auto fifo = [&](const char* name) {
    constexpr mode_t kEveryone = 0666;
    const std::string path = box.path(std::string("workspace/") + name);
    REQUIRE(::mkfifo(path.c_str(), kEveryone) == 0);
    return UniqueFd(::open(path.c_str(), O_RDWR | O_CLOEXEC));
  };
  const UniqueFd begun = fifo("begun");
  const UniqueFd go = fifo("go");
  return box.shell("later() { echo > begun; read line < go; }\n" + script, [&] {
    constexpr int kPatienceMillis = 30'000;
    pollfd told{begun.get(), POLLIN, 0};
    (void)::poll(&told, 1, kPatienceMillis);
    outside();
    (void)!::write(go.get(), "\n", 1);
  });
}

TEST_CASE("what is hidden and does not exist when a run begins is not readable once it does") {
  for (const Machine& machine : machines()) {
    INFO(describe(machine));
    Box box(machine);
    box.write("home/.config/tool/settings", "settings\n");
    box.spec().unreadable = {box.path("home/.ssh"), box.path("home/.kube"),
                             box.path("home/.config/gh/token"), box.path("home/.token")};
    const BoxResult result = run_while(
        box,
        "later; cat ../home/.kube/config ../home/.config/gh/token ../home/.token ../home/.ssh/id; "
        "cat ../home/.config/tool/settings ../home/.netrc",
        [&] {
          box.write("home/.kube/config", "LEAKED kube\n");
          box.write("home/.config/gh/token", "LEAKED gh\n");
          box.write("home/.token", "LEAKED token\n");
        });
    INFO(result.output);
    CHECK(result.output.find("LEAKED") == std::string::npos);
    CHECK(result.output.find("settings\n") != std::string::npos);
    CHECK(result.output.find("secret\n") != std::string::npos);  // of .netrc, which is not hidden
  }
}

TEST_CASE("without mount namespaces, too, what is hidden cannot be read") {
  for (const Machine& machine : machines()) {
    if (machine.mounts) continue;
    INFO(describe(machine));
    Box box(machine);
    fs::create_directory_symlink("home/.ssh", box.path("keys"));
    fs::create_directory_symlink(box.path("outside"), box.path("home/.aws"));
    box.spec().unreadable = {box.path("home/.ssh"), box.path("home/.netrc"), box.path("home/.aws")};
    for (const char* path : {"../home/.ssh/id", "../keys/id", "../home/.netrc", "../outside/file",
                             "/proc/self/cwd/../home/.netrc"}) {
      INFO(path);
      CHECK_FALSE(box.shell(std::string("cat ") + path).succeeded());
    }
    CHECK(box.report().find("home/.netrc can be read") == std::string::npos);
  }
}

TEST_CASE("of devices, a sandbox has those that every program needs, and no other") {
  for (const Machine& machine : machines()) {
    INFO(describe(machine));
    Box box(machine);
    box.spec().read = {"/"};
    const BoxResult result = box.shell(R"(
      for each in /dev/null /dev/zero /dev/urandom /dev/random /dev/full; do
        (exec 3<$each) || echo "not $each"
      done
      for each in /dev/* /dev/*/*; do
        case $each in
          /dev/null|/dev/zero|/dev/full|/dev/random|/dev/urandom|/dev/tty|/dev/ptmx) continue;;
          /dev/pts/*|/dev/shm/*|/dev/std*|/dev/fd*) continue;;
        esac
        if [ -c "$each" ] || [ -b "$each" ]; then (exec 3<"$each") 2>/dev/null && echo "open $each"; fi
      done
      echo done)");
    CHECK(result.output == "done\n");
  }
}

TEST_CASE("terminals of others are not there, and new ones can be made") {
  for (const Machine& machine : machines()) {
    if (!machine.mounts || !probe_sandbox_support().private_terminals) continue;
    INFO(describe(machine));
    Box box(machine);
    box.spec().read = {"/"};
    int master = -1;
    int slave = -1;
    std::array<char, 64> name{};
    REQUIRE(::openpty(&master, &slave, name.data(), nullptr, nullptr) == 0);
    const UniqueFd ours(master);
    const UniqueFd other(slave);
    (void)::fchown(slave, machine.user, machine.user);
    const BoxResult theirs = box.shell("(exec 3<>" + std::string(name.data()) + ") && echo open");
    CHECK(theirs.output.find("open\n") == std::string::npos);
    const BoxResult own =
        box.shell("script -qec 'tty; echo made' /dev/null </dev/null; ls /dev/pts");
    INFO(own.output);
    CHECK(own.output.find("made") != std::string::npos);
    CHECK(own.output.find("/dev/pts/0") != std::string::npos);
  }
}

TEST_CASE(
    "a socket that is made after a run began cannot be reached where its directory is hidden") {
  for (const Machine& machine : machines()) {
    if (!machine.mounts) continue;
    INFO(describe(machine));
    Box box(machine);
    const std::string directory = box.path("scratch/tmux-0");
    const std::string path = directory + "/default";
    box.spec().unreadable = box.spec().claimed = {directory};
    UniqueFd server;
    bool was_private = false;
    const BoxResult result = run_while(
        box, "later; '" + fixture("escape") + "' unix " + path + "; ls " + directory, [&] {
          struct stat made {};
          constexpr mode_t kOthers = 077;
          was_private = ::stat(directory.c_str(), &made) == 0 && made.st_uid == machine.user &&
                        (made.st_mode & kOthers) == 0;
          server.reset(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
          sockaddr_un address{};
          address.sun_family = AF_UNIX;
          path.copy(address.sun_path, sizeof address.sun_path - 1);
          REQUIRE(::bind(server.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
          REQUIRE(::listen(server.get(), 1) == 0);
          constexpr mode_t kEveryone = 0777;
          (void)::chmod(path.c_str(), kEveryone);
        });
    INFO(result.output);
    CHECK(was_private);
    CHECK(result.output.rfind("refused", 0) == 0);
    CHECK(result.output.find("default\n") == std::string::npos);
  }
}

// Makes the rules for a tree again and again until two are the same: file times have to settle.
class Rules {
 public:
  explicit Rules(const std::string& tree) : tree_(tree) {
    auto resolved = resolve_path(tree, "read");
    read_.push_back(std::move(**resolved));
    hidden_ = {tree + "/home/.ssh", tree + "/home/.config/gh"};
  }
  std::shared_ptr<const Ruleset> get() {
    lookups_.begin(nullptr);
    auto made = rulesets_.get(
        {landlock_abi(), SandboxNetwork::kOn, read_, {}, {}, {}, {}, hidden_, &lookups_});
    REQUIRE(made.ok());
    return *made;
  }
  std::shared_ptr<const Ruleset> settled() {
    Loop loop;
    auto before = get();
    std::shared_ptr<const Ruleset> same;
    (void)loop.until([&] {
      auto now = get();
      if (now == before) same = now;
      before = now;
      return same != nullptr;
    });
    return same;
  }

 private:
  std::string tree_;
  std::vector<ResolvedPath> read_;
  std::vector<std::string> hidden_;
  Lookups lookups_;
  Rulesets rulesets_;
};

TEST_CASE("rules are used again until something on the way to what is hidden has changed") {
  const TempDir dir;
  const std::string tree = fs::canonical(dir.path());
  dir.write("home/.config/tool/settings", "");
  Rules rules(tree);
  const auto first = rules.settled();
  REQUIRE(first != nullptr);
  dir.write("home/.config/tool/more", "");  // in what is granted whole
  CHECK(rules.get() == first);
  dir.write("home/.config/new", "");
  const auto second = rules.settled();
  CHECK(second != first);
  fs::rename(tree + "/home/.config", tree + "/home/.old");
  CHECK(rules.get() != second);
}

}  // namespace
}  // namespace gibbous::testing
