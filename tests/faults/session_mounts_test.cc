// What sandboxed runs of a session see of the machine's temporary directories stays where it is,
// and the sockets of the session's own servers are among it.
#include <sys/stat.h>
#include <unistd.h>

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
using Catch::Matchers::Contains;
using testing::auto_mode;
using testing::Host;
using testing::TempDir;
using testing::unique_word;

constexpr const char* kTools = R"(
local function start(args, detach)
  local h, err = run.start {
    command = args.command, sandbox = args.sandbox, merge_stderr = true, detach = detach,
  }
  if not h then tool.error(err.code, err.message) end
  return h
end
local INPUT = schema.object { command = schema.string {}, sandbox = schema.string {} }
local go = tool {
  name = 'go', permission = 'execute', description = 'Runs a command to its end.', input = INPUT,
  run = function(args)
    local h = start(args)
    wait { any = { wait.exit(h) } }
    return { data = { output = h:tail { lines = 200 }.text } }
  end,
}
local begin = tool {
  name = 'begin', permission = 'execute', description = 'Starts a command that says ready.',
  input = INPUT,
  run = function(args)
    local h = start(args, true)
    wait { any = { wait.regex(h, 'ready'), wait.exit(h) } }
    return { data = { id = h.id, sandbox = h:info().sandbox } }
  end,
}
local ended = tool {
  name = 'ended', permission = 'read', description = 'Waits for a run, and returns its output.',
  input = schema.object { id = schema.string {} },
  run = function(args)
    local h = run.get(args.id)
    wait { any = { wait.exit(h) } }
    return { data = { output = h:tail { lines = 200 }.text } }
  end,
}
return { toolsets = { require 'toolsets.bg', { name = 'mounts', tools = { go, begin, ended } } } }
)";

struct Place {
  Place() {
    options = auto_mode();
    options.mode = "dangerous";
    options.workspace = dir.path();
    options.state_dir = state.path();
    options.files["scripts/init.lua"] = kTools;
    options.environment = {{"PATH", "/usr/bin:/bin"}, {"HOME", "/nonexistent"}};
  }
  ~Place() {
    std::error_code ignored;
    fs::remove_all(machine, ignored);
    for (const std::string& group : groups) fs::remove_all(group, ignored);
  }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;

  Json begin(Host& host, const std::string& sandbox, const std::string& command) {
    Json said = host.data("begin", {{"command", command}, {"sandbox", sandbox}}, "a");
    if (said["sandbox"].is_object() && said["sandbox"].contains("temporary")) {
      groups.push_back(fs::path(said["sandbox"]["temporary"].get<std::string>()).parent_path());
    }
    return said;
  }
  std::string go(Host& host, const std::string& sandbox, const std::string& command,
                 const std::string& session = "a") {
    return host.data("go", {{"command", command}, {"sandbox", sandbox}}, session)["output"];
  }
  std::string ended(Host& host, const Json& begun) {
    return host.data("ended", {{"id", begun["id"]}}, "a")["output"];
  }

  TempDir dir;
  TempDir state;
  std::string machine = "/tmp/gibbous-mounts-" + unique_word();  // a directory of the machine's
  std::vector<std::string> groups;
  RuntimeOptions options;
};

bool not_tested() {
  if (probe_sandbox_support().mount_namespaces) return false;
  WARN("not tested: no mount namespaces here");
  return true;
}

TEST_CASE("session mounts: another run cannot take away what one sees of the machine's /tmp") {
  if (not_tested()) return;
  Place place;
  Host host(place.options);
  fs::create_directories(place.machine + "/deep/work");
  std::ofstream(place.machine + "/deep/work/data") << "machine's\n";
  // The file `go` of the workspace says when the attempts are over.
  const std::string work = place.machine + "/deep/work";
  const Json reads = place.begin(host, "workspace",
                                 "cat " + work +
                                     "/data; echo ready; until [ -e go ]; do sleep 0.02; "
                                     "done; cat " +
                                     work + "/data; echo new > " + work + "/made");
  const std::string top = place.machine;
  const std::string said = place.go(
      host, "workspace",
      "cd /tmp; for d in gibbous-mounts-*; do for p in $d $d/deep $d/deep/work; do "
      "rmdir $p; rm -rf $p; mv $p moved; mv -T $p other; done; "
      "python3 -c \"import os; os.rename('$d', 'renamed')\"; done; "
      "mkdir swap; python3 -c \"import ctypes,sys; l=ctypes.CDLL(None); "
      "[l.renameat2(-100, b'swap', -100, d.encode(), 2) for d in sys.argv[1:]]\" gibbous-mounts-*; "
      "ls; echo tried");
  INFO(said);
  CHECK_THAT(said, Contains("tried"));
  CHECK_THAT(said, Contains("busy"));
  CHECK_THAT(said, !Contains("\nrenamed\n"));
  place.dir.write("go", "");
  const std::string output = place.ended(host, reads);
  CHECK(output == "machine's\nready\nmachine's\n");
  // And what was written there is the machine's.
  std::ifstream made(work + "/made");
  std::string text;
  std::getline(made, text);
  CHECK(text == "new");
  // Once it has ended, nothing is held any more.
  CHECK_THAT(place.go(host, "workspace", "ls -A /tmp"), !Contains("gibbous-mounts"));
}

TEST_CASE("session mounts: a run sees sockets of its session's own servers outside a sandbox") {
  if (not_tested()) return;
  Place place;
  Host host(place.options);
  fs::create_directories(place.machine);
  place.dir.write("server.py",
                  "import socket, sys\n"
                  "s = socket.socket(socket.AF_UNIX)\n"
                  "s.bind(sys.argv[1] + '/' + sys.argv[2]); s.listen()\n"
                  "print('ready', flush=True)\n"
                  "while True:\n  c, _ = s.accept(); c.sendall(b'served'); c.close()\n");
  place.dir.write("client.py",
                  "import socket, sys\n"
                  "s = socket.socket(socket.AF_UNIX)\n"
                  "try:\n  s.connect(open('where').read().strip() + sys.argv[1])\n"
                  "  print(s.recv(100).decode())\n"
                  "except OSError as e:\n  print('no', e)\n");
  // Nothing names the socket: the client reads its place from a file.
  place.dir.write("where", place.machine);
  (void)place.begin(host, "none", "python3 server.py " + place.machine + " app.sock");
  CHECK_THAT(place.go(host, "workspace", "python3 client.py /app.sock"), Contains("served"));
  // It can be neither removed nor replaced from there.
  (void)place.go(host, "workspace", "rm -f /tmp/gibbous-mounts-*/app.sock");
  CHECK(fs::is_socket(place.machine + "/app.sock"));
  // Another session does not have it.
  CHECK_THAT(place.go(host, "workspace", "python3 client.py /app.sock", "b"), Contains("no "));
  // Nor is what no process of the session has made.
  const TempDir others;
  place.dir.write("where", others.path());
  const std::string line = "cd '" + place.dir.path() + "' && exec python3 server.py " +
                           others.path() + " x.sock >/dev/null 2>&1 &\necho $!";
  FILE* pipe = ::popen(line.c_str(), "r");
  int pid = 0;
  REQUIRE(std::fscanf(pipe, "%d", &pid) == 1);
  (void)::pclose(pipe);
  REQUIRE(host.until([&] { return fs::is_socket(others.path() + "/x.sock"); }));
  CHECK_THAT(place.go(host, "workspace", "python3 client.py /x.sock"), Contains("no "));
  (void)::kill(pid, SIGKILL);
}

TEST_CASE("session mounts: sockets that lead out of a sandbox are not shown") {
  if (not_tested()) return;
  Place place;
  Host host(place.options);
  fs::create_directories(place.machine);
  // A program by the name of a terminal multiplexer.
  place.dir.write("server.py",
                  "import ctypes, socket, sys\n"
                  "ctypes.CDLL(None).prctl(15, b'tmux: server')\n"
                  "s = socket.socket(socket.AF_UNIX)\n"
                  "s.bind(sys.argv[1] + '/t.sock'); s.listen()\n"
                  "print('ready', flush=True)\ns.accept()\n");
  (void)place.begin(host, "none", "python3 server.py " + place.machine);
  REQUIRE(fs::is_socket(place.machine + "/t.sock"));
  const std::string said = place.go(host, "workspace", "ls -R /tmp");
  CHECK_THAT(said, !Contains("t.sock"));
}

}  // namespace
}  // namespace gibbous
