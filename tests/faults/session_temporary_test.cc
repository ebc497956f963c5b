// Sandboxed runs of a session share temporary directories of their own: what one writes the next
// one reads, also outside the sandbox; what others of this machine put into theirs is absent.
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <string>

#include "runtime/base/unique_fd.h"
#include "runtime/sandbox/sandbox.h"
#include "tests/support/catch.h"
#include "tests/support/host.h"
#include "tests/support/loop.h"

namespace gibbous {
namespace {

namespace fs = std::filesystem;
using Catch::Matchers::Contains;
using testing::auto_mode;
using testing::Host;
using testing::TempDir;
using testing::unique_word;

constexpr const char* kTools = R"(
local go = tool {
  name = 'go', permission = 'execute',
  description = 'Runs a command to its end, in the sandbox that is named.',
  input = schema.object { command = schema.string {}, sandbox = schema.string {} },
  run = function(args)
    local h, err = run.start { command = args.command, sandbox = args.sandbox, merge_stderr = true }
    if not h then tool.error(err.code, err.message) end
    wait { any = { wait.exit(h) } }
    return { data = { output = h:tail { lines = 200 }.text, sandbox = h:info().sandbox } }
  end,
}
local see = tool {
  name = 'see', permission = 'read',
  description = 'Looks for a file for a moment.',
  input = schema.object { path = schema.string {} },
  run = function(args)
    local r = wait { any = { wait.file(args.path) }, timeout_ms = 300 }
    return { data = { seen = r.ok } }
  end,
}
return { toolsets = { require 'toolsets.bg', { name = 'temporary', tools = { go, see } } } }
)";

// What a host leaves stays for days: the cases take theirs away.
std::set<std::string>& directories() {
  static std::set<std::string> all;
  return all;
}

struct Place {
  Place() {
    options = auto_mode();
    options.mode = "dangerous";
    options.workspace = dir.path();
    options.state_dir = state.path();
    options.files["scripts/init.lua"] = kTools;
    // What the environment names is seen, too.
    options.environment = {{"PATH", "/usr/bin:/bin"}, {"HOME", "/nonexistent"}};
  }
  ~Place() {
    for (const std::string& files : directories()) {
      const std::string group = fs::path(files).parent_path();
      for (const char* around : {"", "/var", "/dev/shm"}) {
        const std::string rest = around == std::string("/dev/shm") ? group.substr(4) : group;
        std::error_code ignored;
        fs::remove_all(around + rest, ignored);
      }
    }
    directories().clear();
  }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;
  TempDir dir;
  TempDir state;
  RuntimeOptions options;
};

Json go(Host& host, const std::string& sandbox, const std::string& command,
        const std::string& session = "a") {
  Json said = host.data("go", {{"command", command}, {"sandbox", sandbox}}, session);
  if (said["sandbox"].is_object() && said["sandbox"].contains("temporary")) {
    directories().insert(said["sandbox"]["temporary"].get<std::string>());
  }
  return said;
}

std::string inside(Host& host, const std::string& command, const std::string& session = "a") {
  return go(host, "workspace", command, session)["output"];
}

std::string outside(Host& host, const std::string& command, const std::string& session = "a") {
  return go(host, "none", command, session)["output"];
}

bool not_tested() {
  if (probe_sandbox_support().mount_namespaces) return false;
  WARN("not tested: no mount namespaces here");
  return true;
}

// A name in each of the machine's temporary directories that nothing has.
std::string fresh(const std::string& directory = "/tmp") {
  return directory + "/gibbous-test-" + unique_word();
}

struct Removed {
  explicit Removed(std::string name) : path(std::move(name)) {}
  ~Removed() { fs::remove_all(path); }
  std::string path;
};

TEST_CASE("session temporary: a home there is read, and the workspace in it is written") {
  if (not_tested()) return;
  Place place;
  const TempDir home;
  home.write("settings", "mine\n");
  const std::string workspace = home.path() + "/project";
  fs::create_directory(workspace);
  place.options.workspace = workspace;
  place.options.environment = {{"PATH", "/usr/bin:/bin"}, {"HOME", home.path()}};
  Host host(place.options);
  CHECK(inside(host, "cat ~/settings") == "mine\n");
  CHECK(inside(host, "echo evil > ~/settings || echo refused").find("refused") !=
        std::string::npos);
  CHECK(inside(host, "touch ~/new || echo refused").find("refused") != std::string::npos);
  CHECK(inside(host, "rm ~/settings || echo refused").find("refused") != std::string::npos);
  CHECK(inside(host, "echo yes > here && cat here") == "yes\n");
  CHECK(fs::exists(workspace + "/here"));
  CHECK_FALSE(fs::exists(home.path() + "/new"));
  CHECK(inside(host, "echo x > /tmp/mine; cat /tmp/mine") == "x\n");
}

TEST_CASE("session temporary: what a run writes, the session's next one reads, and no other") {
  if (not_tested()) return;
  Place place;
  Host host(place.options);
  for (const char* directory : {"/tmp", "/var/tmp", "/dev/shm"}) {
    const std::string path = fresh(directory);
    INFO(path);
    CHECK(inside(host, "echo one > " + path + "; cat " + path) == "one\n");
    CHECK_FALSE(fs::exists(path));
    CHECK(inside(host, "cat " + path) == "one\n");
    CHECK_THAT(inside(host, "cat " + path, "b"), Contains("No such file"));
    CHECK_THAT(outside(host, "cat " + path, "b"), Contains("No such file"));
    CHECK(go(host, "readonly", "cat " + path)["output"] == "one\n");
    CHECK_THAT(go(host, "readonly", "echo two > " + path)["output"].get<std::string>(),
               directory == std::string("/dev/shm") ? Contains("") : Contains("Read-only"));
    (void)inside(host, "rm " + path);
  }
}

TEST_CASE(
    "session temporary: outside the sandbox, the path is the same file while a run names it") {
  if (not_tested()) return;
  Place place;
  Host host(place.options);
  const std::string path = fresh();
  (void)inside(host, "echo one > " + path + "; mkdir " + path + ".d; echo in > " + path + ".d/f");
  CHECK(outside(host, "cat " + path + "; echo two >> " + path) == "one\n");
  CHECK(outside(host, "cat '" + path + ".d/f'") == "in\n");
  CHECK(inside(host, "cat " + path) == "one\ntwo\n");
  CHECK(host.until([&] { return !fs::exists(fs::symlink_status(path)); }));
  CHECK(host.data("see", {{"path", path}}, "a")["seen"] == true);
  CHECK(host.data("see", {{"path", path}}, "b")["seen"] == false);
  // The machine's own file has its name.
  const Removed own(fresh());
  std::ofstream(own.path) << "machine\n";
  CHECK(outside(host, "cat " + own.path) == "machine\n");
}

TEST_CASE(
    "session temporary: what a command or its environment names is seen, the rest is absent") {
  if (not_tested()) return;
  Place place;
  const Removed file(fresh());
  const Removed tree(fresh());
  std::ofstream(file.path) << "named\n";
  fs::create_directories(tree.path + "/bin");
  std::ofstream(tree.path + "/beside") << "beside\n";
  std::ofstream(tree.path + "/run.sh") << "cat $(dirname $0)/beside\n";
  Host host(place.options);
  CHECK(inside(host, "cat " + file.path) == "named\n");
  CHECK(inside(host, "cat \"" + file.path + "\"; echo more >> " + file.path) == "named\n");
  CHECK(inside(host, "sh " + tree.path + "/run.sh") == "beside\n");
  // No trace of what was shown is left; the workspace is seen.
  const std::string workspace = *fs::relative(place.dir.path(), "/tmp").begin();
  CHECK(inside(host, "cd /tmp; ls -A; ls -A /var/tmp") == workspace + "\n");
}

TEST_CASE("session temporary: a socket that is made on the machine later cannot be reached") {
  if (not_tested()) return;
  Place place;
  Host host(place.options);
  const Removed socket_path(fresh());
  const Json started =
      host.data("bg_start", {{"command", "true"}, {"until", {{"exit", true}}}}, "a");
  const UniqueFd server(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  socket_path.path.copy(address.sun_path, sizeof address.sun_path - 1);
  REQUIRE(::bind(server.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
  REQUIRE(::listen(server.get(), 1) == 0);
  const std::string name = fs::path(socket_path.path).filename();
  const std::string connect =
      "python3 -c \"import socket; s = socket.socket(socket.AF_UNIX); "
      "s.connect('/t' + 'mp/" +
      name + "'); print('connected')\"";
  CHECK_THAT(inside(host, connect), Contains("FileNotFoundError"));
  CHECK_THAT(outside(host, connect), Contains("connected"));
}

TEST_CASE("session temporary: runtime directories are private, and usable") {
  if (not_tested()) return;
  Place place;
  Host host(place.options);
  const std::string own = "/run/user/" + std::to_string(::geteuid());
  if (!fs::exists("/run/user")) {
    WARN("not tested: there is no /run/user here");
    return;
  }
  CHECK(inside(host, "stat -c %a " + own + "; ls /run/user; touch " + own + "/x && ls " + own) ==
        "700\n" + std::to_string(::geteuid()) + "\nx\n");
  CHECK_FALSE(fs::exists(own + "/x"));
}

TEST_CASE("session temporary: they outlive the host that a session had, empty ones do not") {
  if (not_tested()) return;
  Place place;
  const std::string path = fresh();
  std::string kept, empty;
  {
    Host host(place.options);
    kept = go(host, "workspace", "echo kept > " + path)["sandbox"]["temporary"];
    CHECK(fs::exists(kept + path.substr(4)));
    empty = go(host, "workspace", "true", "b")["sandbox"]["temporary"];
    CHECK(fs::exists(empty));
  }
  testing::Loop loop;
  CHECK(loop.until([&] { return !fs::exists(empty); }));
  {
    Host again(place.options);
    CHECK(inside(again, "cat " + path) == "kept\n");
    CHECK(inside(again, "rm " + path) == "");
  }
  CHECK(loop.until([&] { return !fs::exists(kept); }));
}

TEST_CASE("session temporary: a link in them leads nobody outside, and nothing follows one") {
  if (not_tested()) return;
  Place place;
  Host host(place.options);
  const std::string path = fresh();
  const Removed secret(fresh());
  std::ofstream(secret.path) << "secret\n";
  (void)inside(host, "ln -s / " + path + "; ln -s $PWD/none " + path + ".dangling");
  CHECK(host.data("see", {{"path", path + secret.path}}, "a")["seen"] == false);
  // A run that takes the place of what the next one is to see stops that one, or keeps its own.
  (void)inside(host, "ln -s /etc /tmp/" + fs::path(secret.path).filename().string() + " || true");
  CHECK_THAT(inside(host, "cat " + secret.path), !Contains("root:"));
}

TEST_CASE("session temporary: what a run does to them neither widens nor stops the next one") {
  if (not_tested()) return;
  Place place;
  const std::string own = "/run/user/" + std::to_string(::geteuid());
  const std::string path = fresh();
  const Removed outside_file(fresh());
  std::ofstream(outside_file.path) << "outside\n";
  TempDir victim;
  place.options.workspace = place.dir.path() + "/work";
  fs::create_directory(place.options.workspace);
  const std::string around = place.dir.path();
  const std::string rename =
      "os.rename('" + around + "', '" + around + ".moved'); open('" + around + "', 'w')";
  for (const std::string& attack :
       {std::string("os.chmod('/tmp', 0); os.chmod('/var/tmp', 0)"),
        "os.rmdir('" + own + "'); open('" + own + "', 'w')",
        "os.symlink('" + victim.path() + "', '" + path + "')",
        "open('" + path + "', 'w'); os.chmod('" + path + "', 0)", rename}) {
    INFO(attack);
    {
      Host host(place.options);
      std::ofstream(place.options.workspace + "/attack.py")
          << "import os, shutil\nname = '" + path +
                 "'\nos.unlink(name) if os.path.islink(name) else shutil.rmtree(name, True)\n" +
                 attack + "\n";
      const std::string said = inside(host, "python3 attack.py");
      // It can do that to its own, but what is mounted there stays.
      if (attack == rename) {
        CHECK_THAT(said, Contains("busy"));
      } else {
        CHECK(said == "");
      }
    }
    RuntimeOptions next = place.options;
    next.environment->emplace("TMPDIR", path + "/in/deep");
    Host host(next);
    const Json said = go(host, "workspace", "ls " + outside_file.path.substr(0, 4) + "; echo on");
    INFO(said.dump());
    CHECK_THAT(said["output"].get<std::string>(), Contains("on\n"));
    CHECK(said["output"].get<std::string>().find(fs::path(outside_file.path).filename()) ==
          std::string::npos);
    CHECK(fs::is_empty(victim.path()));
    for (const Json& gap : said["sandbox"]["unprotected"]) {
      CHECK(gap.get<std::string>().find("whole machine") == std::string::npos);
    }
  }
}

TEST_CASE(
    "session temporary: links in the machine's /tmp work inside, as programs and directories") {
  if (not_tested()) return;
  Place place;
  const Removed tree(fresh());
  fs::create_directories(tree.path + "/v2/bin");
  std::ofstream(tree.path + "/v2/data") << "data\n";
  fs::create_symlink("/bin/echo", tree.path + "/v2/bin/say");
  fs::create_directory_symlink("v2", tree.path + "/current");
  const Removed link(fresh());
  fs::create_directory_symlink(tree.path + "/v2", link.path);
  Host host(place.options);
  CHECK(inside(host, tree.path + "/v2/bin/say hello") == "hello\n");
  CHECK(inside(host, "cat " + tree.path + "/current/data") == "data\n");
  CHECK(inside(host, "cat " + link.path + "/data") == "data\n");
  CHECK(inside(host, "cd " + link.path + " && cat data") == "data\n");
}

TEST_CASE("session temporary: a workspace that is /tmp stays the machine's") {
  if (not_tested()) return;
  Place place;
  const Removed file(fresh());
  std::ofstream(file.path) << "mine\n";
  place.options.workspace = "/tmp";
  Host host(place.options);
  const Json said = go(host, "workspace", "cat $(pwd)/" + fs::path(file.path).filename().string());
  CHECK(said["output"] == "mine\n");
  CHECK_THAT(said["sandbox"]["unprotected"].dump(), Contains("/tmp is the workspace"));
}

}  // namespace
}  // namespace gibbous
