// What programs say when they are refused something, and what is made of it. The lines are what the
// programs print, word for word.
#include "runtime/sandbox/refusal.h"

#include <cstdint>
#include <random>

#include "tests/support/catch.h"

namespace gibbous::testing {
namespace {

SandboxSpec workspace_profile() {
  SandboxSpec spec;
  spec.profile = "workspace";
  spec.read = {"/"};
  spec.write = {"/ws", "/tmp"};
  spec.unreadable = {"/home/me/.ssh", "/home/me/.aws", "/home/me/.netrc", "/run/docker.sock"};
  spec.unwritable = {"/ws/.git/hooks", "/ws/.git/config", "/home/me/.bashrc"};
  spec.pinned = {"/ws/.git"};
  return spec;
}

// "write /etc/x, read /home/me/.ssh/id"
std::string refusals(const SandboxSpec& spec, const std::string& directory,
                     const std::string& output) {
  std::string text;
  for (const Refusal& refusal : find_refusals(spec, directory, output)) {
    text += (text.empty() ? "" : ", ") + std::string(to_string(refusal.kind)) +
            (refusal.path.empty() ? "" : " " + refusal.path);
  }
  return text;
}

struct Line {
  const char* said;
  const char* expected;
};

void check_lines(const SandboxSpec& spec, const std::string& directory,
                 const std::vector<Line>& lines) {
  for (const Line& line : lines) {
    INFO(line.said);
    CHECK(refusals(spec, directory, line.said) == line.expected);
  }
}

}  // namespace

TEST_CASE("a refused write is found in the messages of shells, tools and languages") {
  // From a directory that may not be written, so that relative words count.
  check_lines(
      workspace_profile(), "/opt/app",
      {
          {"/bin/sh: 1: cannot create x: Read-only file system", "write /opt/app/x"},
          {"sh: 3: cannot create /etc/x: Permission denied", "write /etc/x"},
          {"bash: line 1: out.txt: Permission denied", "write /opt/app/out.txt"},
          {"bash: line 1: out: Read-only file system", "write /opt/app/out"},
          {"/bin/sh: can't create /etc/x: Read-only file system", "write /etc/x"},
          {"./run.sh: 3: ./run.sh: cannot create ../x: Read-only file system", "write /opt/x"},
          {"zsh: permission denied: out.txt", "write /opt/app/out.txt"},
          {"zsh: read-only file system: /etc/x", "write /etc/x"},
          {"touch: cannot touch '/srv/y': Read-only file system", "write /srv/y"},
          {"touch: cannot touch 'y': Read-only file system", "write /opt/app/y"},
          {"mkdir: cannot create directory \xe2\x80\x98"
           "a b\xe2\x80\x99: Read-only file system",
           "write /opt/app/a b"},
          {"mkdir: cannot create directory `old': Permission denied", "write /opt/app/old"},
          {"touch: cannot touch \"it's\": Read-only file system", "write /opt/app/it's"},
          {"cp: cannot create regular file '/etc/x': Permission denied", "write /etc/x"},
          {"mv: cannot move '/ws/a' to '/etc/a': Permission denied", "write /etc/a"},
          {"rm: cannot remove '/etc/x': Read-only file system", "write /etc/x"},
          {"rm: cannot remove 'x': Read-only file system", "write /opt/app/x"},
          {"ln: failed to create symbolic link '/usr/bin/x': Read-only file system",
           "write /usr/bin/x"},
          {"tar: etc/x: Cannot open: Read-only file system", "write /opt/app/etc/x"},
          {"tar: x: Cannot mkdir: Read-only file system", "write /opt/app/x"},
          {"install: cannot create regular file '/usr/local/bin/x': Read-only file system",
           "write /usr/local/bin/x"},
          {"/usr/bin/ld: cannot open output file /usr/x: Permission denied", "write /usr/x"},
          {"/usr/bin/ld: cannot open output file a.out: Permission denied", "write /opt/app/a.out"},
          {"cc1: fatal error: cannot open '/opt/x.o' for writing: Read-only file system",
           "write /opt/x.o"},
          {"PermissionError: [Errno 13] Permission denied: '/etc/x'", "write /etc/x"},
          {"OSError: [Errno 30] Read-only file system: 'x'", "write /opt/app/x"},
          {"OSError: [Errno 30] Read-only file system: '/etc/a' -> '/etc/b'",
           "write /etc/a, write /etc/b"},
          {"Error: EACCES: permission denied, open '/etc/x'", "write /etc/x"},
          {"Error: EROFS: read-only file system, mkdir '/x'", "write /x"},
          {"    at Error: EROFS: read-only file system, open 'x' {", "write /opt/app/x"},
          {"open /etc/x: read-only file system", "write /etc/x"},
          {"2024/01/02 10:00:00 open /etc/x: permission denied", "write /etc/x"},
          {"mkdir out: read-only file system", "write /opt/app/out"},
          {"error: could not lock config file .git/config: Read-only file system",
           "write /opt/app/.git/config"},
          {"java.io.FileNotFoundException: /etc/x (Permission denied)", "write /etc/x"},
          {"java.io.FileNotFoundException: out.txt (Read-only file system)",
           "write /opt/app/out.txt"},
          {"x.rb:1:in `initialize': Permission denied @ rb_sysopen - /etc/x (Errno::EACCES)",
           "write /etc/x"},
          {"in 'IO.sysopen': Read-only file system @ dir_s_mkdir - out (Errno::EROFS)",
           "write /opt/app/out"},
          {"PHP Warning:  fopen(/etc/x): Failed to open stream: Permission denied in /ws/a.php",
           "write /etc/x"},
          {"{\"level\":\"error\",\"msg\":\"open /etc/x: permission denied\"}", "write /etc/x"},
          {"failed to write to /etc/x, permission denied.", "write /etc/x"},
          {"make: /usr/local/bin/x: Permission denied", "write /usr/local/bin/x"},
      });
}

TEST_CASE("an unchangeable path of the workspace is found by relative names") {
  check_lines(
      workspace_profile(), "/ws/sub",
      {
          {"error: could not lock config file ../.git/config: Read-only file system",
           "write /ws/.git/config"},
          {"fatal: could not open '/ws/.git/hooks/x' for writing: Read-only file system",
           "write /ws/.git/hooks/x"},
          {"bash: ../.git/hooks/pre-commit: Read-only file system",
           "write /ws/.git/hooks/pre-commit"},
          {"rm: cannot remove '../.git/config': Device or resource busy", "write /ws/.git/config"},
          {"error: could not write config file ../.git/config: Device or resource busy",
           "write /ws/.git/config"},
          {"mv: cannot move '../.git' to '../x': Device or resource busy", "write /ws/.git"},
          {"rmdir: failed to remove 'mounted': Device or resource busy", ""},
          {"touch: cannot touch '/ws/../etc/x': Permission denied", "write /etc/x"},
      });
}

TEST_CASE("a refusal of a path that the profile allows is not blamed on the sandbox") {
  check_lines(workspace_profile(), "/ws",
              {
                  {"cat: secret: Permission denied", ""},
                  {"bash: line 1: ./script.sh: Permission denied", ""},
                  {"/bin/sh: 1: cannot create x: Permission denied", ""},
                  {"PermissionError: [Errno 13] Permission denied: 'x'", ""},
                  {"chown: changing ownership of 'x': Operation not permitted", ""},
                  {"touch: cannot touch '/tmp/x': Permission denied", ""},
                  {"ls: cannot open directory '/root': Permission denied", ""},
                  {"cat: /etc/shadow-: Permission denied", ""},
                  {"find: \xe2\x80\x98/root\xe2\x80\x99: Permission denied", ""},
                  {"grep: /root/x: Permission denied", ""},
                  {"cp: cannot open '/etc/shadow-' for reading: Permission denied", ""},
                  {"sh: 1: cannot open /dev/tty: Permission denied", ""},
                  {"cat: nothing: No such file or directory", ""},
              });
}

TEST_CASE("words that are not paths are not mistaken for paths") {
  const std::vector<Line> lines = {
      {"/bin/sh: Permission denied", ""},
      {"make: Permission denied", ""},
      {"git@github.com: Permission denied", ""},
      {"bash: kill: (123) - Operation not permitted", ""},
      {"unshare: unshare failed: Operation not permitted", ""},
      {"open: Permission denied", ""},
      {"request to https://example.org/a failed: permission denied", ""},
      {"Permission denied", ""},
      {"permission denied: 403", ""},
      {"Error: permission denied for table users", ""},
      {"see the section on permission denied and/or the like", ""},
      {"'permission denied'", ""},
      {"all is well in /etc/x", ""},
      // Not what the sandbox says, and cut.
      {"bash: line 1: /usr/bin/ping: Operation not permitted", ""},
      {"FAILED test_a.py::test_b - PermissionError: [Errno 13] Permission denied: '/ho...", ""},
      {"FAILED test_a.py::test_b - PermissionError: [Errno 13] Permission denied: '/ho\xe2\x80\xa6",
       ""},
  };
  check_lines(workspace_profile(), "/ws", lines);
  check_lines(workspace_profile(), "/opt/app", lines);
}

TEST_CASE("a read-only file system counts even when no path is named") {
  const char* const kRust =
      "Error: Os { code: 30, kind: ReadOnlyFilesystem, message: \"Read-only file system\" }";
  CHECK(refusals(workspace_profile(), "/opt", kRust) == "write");
  CHECK(refusals(workspace_profile(), "/opt", "Permission denied (os error 13)").empty());
  SandboxSpec whole = workspace_profile();
  whole.write = {"/"};
  CHECK(refusals(whole, "/opt", kRust).empty());
  CHECK(refusals(whole, "/opt", "sh: 1: cannot create /sys/x: Read-only file system") ==
        "write /sys/x");
}

TEST_CASE("npm names the path some lines after the error") {
  CHECK(refusals(workspace_profile(), "/ws",
                 "npm ERR! code EROFS\nnpm ERR! syscall mkdir\nnpm ERR! path /usr/lib/x\n"
                 "npm ERR! errno -30") == "write /usr/lib/x");
  CHECK(refusals(workspace_profile(), "/ws",
                 "npm error code EACCES\nnpm error syscall rename\nnpm error path /ws/a\n"
                 "npm error dest /usr/lib/a") == "write /usr/lib/a");
  CHECK(refusals(workspace_profile(), "/ws", "npm ERR! path /usr/lib/x").empty());
  CHECK(refusals(workspace_profile(), "/ws", "npm ERR! code EROFS\nok\nnpm ERR! path /usr/lib/x")
            .empty());
}

TEST_CASE("a hidden path is found as a refused read") {
  check_lines(
      workspace_profile(), "/home/me",
      {
          {"cat: .ssh/id: Permission denied", "read /home/me/.ssh/id"},
          {"cat: /home/me/.aws/config: No such file or directory", "read /home/me/.aws/config"},
          {"FileNotFoundError: [Errno 2] No such file or directory: '.aws/config'",
           "read /home/me/.aws/config"},
          // It was not there to be hidden.
          {"cat: /home/me/.netrc: No such file or directory", ""},
          {"Could not create directory '/home/me/.ssh' (Read-only file system).",
           "write /home/me/.ssh"},
          {"Cannot connect to the Docker daemon at unix:///run/docker.sock. Is it running?",
           "read /run/docker.sock"},
          {"dial unix /run/docker.sock: connect: connection refused", "read /run/docker.sock"},
      });
}

TEST_CASE("outside all trees a refusal is a read unless its line speaks of writing") {
  SandboxSpec spec = workspace_profile();
  spec.read = {"/usr"};
  check_lines(spec, "/ws",
              {
                  {"cat: /etc/x: Permission denied", "read /etc/x"},
                  {"ls: cannot open directory '/': Permission denied", "read /"},
                  {"open /etc/x: permission denied", "read /etc/x"},
                  {"touch: cannot touch '/etc/x': Permission denied", "write /etc/x"},
                  {"cat: /usr/x: Permission denied", ""},
              });
}

TEST_CASE("network errors are refusals while the network is not the machine's, and only those") {
  const std::vector<std::string> refused = {
      "curl: (6) Could not resolve host: example.org",
      "wget: unable to resolve host address 'example.org'",
      "fatal: unable to access 'https://example.org/a.git/': Could not resolve host: example.org",
      "socket.gaierror: [Errno -3] Temporary failure in name resolution",
      "WARNING: Retrying: Failed to establish a new connection: [Errno -2] Name or service not "
      "known",
      "npm ERR! request to https://registry.npmjs.org/x failed, reason: getaddrinfo EAI_AGAIN",
      "Error: getaddrinfo ENOTFOUND example.org",
      "ping: connect: Network is unreachable",
      "Error: connect ENETUNREACH 192.0.2.1:443",
      "java.net.UnknownHostException: example.org",
      "curl: (7) Failed to connect to localhost port 80: Connection refused",
      "curl: (7) Failed to connect to 127.0.0.1 port 80 after 0 ms: Couldn't connect to server",
      "Error: connect ECONNREFUSED 127.0.0.1:80",
      "ConnectionRefusedError: [Errno 111] Connection refused",
      "psql: error: connection to server at \"localhost\" (::1), port 5432 failed: Connection "
      "refused",
      "ERROR 2003 (HY000): Can't connect to MySQL server on '127.0.0.1:3306' (111)",
  };
  const std::vector<std::string> refused_when_off = {
      "ping: socket: Operation not permitted",
      "PermissionError: [Errno 1] Operation not permitted",
      "urllib.error.URLError: <urlopen error [Errno 1] Operation not permitted>",
      "dial tcp: lookup example.org: socket: operation not permitted",
      "curl: (7) Could not create socket: Operation not permitted",
  };
  const std::vector<std::string> never = {
      "dial unix /ws/run.sock: connect: connection refused",
      "curl: (28) Connection timed out after 1000 milliseconds",
      "websocket closed",
      "opened socket /tmp/a",
      "PermissionError: [Errno 1] Operation not permitted: 'x'",
  };
  SandboxSpec spec = workspace_profile();
  for (const SandboxNetwork network :
       {SandboxNetwork::kOn, SandboxNetwork::kLoopback, SandboxNetwork::kOff}) {
    spec.network = network;
    INFO("network " << to_string(network));
    const auto check = [&](const std::vector<std::string>& lines, bool expected) {
      for (const std::string& line : lines) {
        INFO(line);
        CHECK(refusals(spec, "/ws", line) == (expected ? "network" : ""));
      }
    };
    check(refused, network != SandboxNetwork::kOn);
    check(refused_when_off, network == SandboxNetwork::kOff);
    check(never, false);
  }
}

TEST_CASE("a refused connection may be one to a server of the session that is not there") {
  SandboxSpec spec = workspace_profile();
  spec.network = SandboxNetwork::kLoopback;
  const std::string refused =
      "curl: (7) Failed to connect to localhost port 80: Connection refused\n";
  CHECK(find_refusals(spec, "/ws", refused).front().may_be_own);
  const std::string unknown = "curl: (6) Could not resolve host: example.org\n";
  CHECK_FALSE(find_refusals(spec, "/ws", unknown).front().may_be_own);
  for (const std::string& both : {refused + unknown, unknown + refused}) {
    const auto found = find_refusals(spec, "/ws", both);
    REQUIRE(found.size() == 1);
    CHECK_FALSE(found.front().may_be_own);
  }
}

TEST_CASE("each refusal is reported once, up to the limit") {
  std::string output;
  for (int i = 0; i < 100; ++i) {
    output += "touch: cannot touch '/etc/x': Permission denied\n";
  }
  CHECK(refusals(workspace_profile(), "/ws", output) == "write /etc/x");
  for (int i = 0; i < 100; ++i) {
    output += "touch: cannot touch '/etc/" + std::to_string(i) + "': Permission denied\n";
  }
  CHECK(find_refusals(workspace_profile(), "/ws", output).size() == kMaxRefusals);
}

TEST_CASE("arbitrary bytes do no harm, and the findings are bounded") {
  constexpr std::uint32_t kSeed = 20;
  constexpr int kRounds = 3000;
  constexpr int kMaxPieces = 60;
  constexpr std::size_t kMaxLine = 4096;
  constexpr std::size_t kMaxByte = 255;
  const std::vector<std::string> pieces = {"permission denied",
                                           "Read-only file system",
                                           "EROFS",
                                           "EBUSY: resource busy or locked",
                                           "No such file or directory",
                                           "connection refused",
                                           "npm ERR! code EROFS",
                                           "npm ERR! path ",
                                           "\n",
                                           ": ",
                                           " ",
                                           "'",
                                           "\"",
                                           "`",
                                           "\xe2\x80\x98",
                                           "\xe2\x80\x99",
                                           "\xc2\xab",
                                           "\xc2",
                                           "/etc/x",
                                           "..",
                                           "/",
                                           "a b",
                                           "(",
                                           ")",
                                           "{",
                                           "=/",
                                           "[Errno 1]",
                                           "socket",
                                           "Operation not permitted",
                                           "/home/me/.ssh/id",
                                           std::string(1, '\0'),
                                           std::string(5000, 'x'),
                                           "unix:///",
                                           "(/"};
  std::mt19937 random(kSeed);
  SandboxSpec spec = workspace_profile();
  const auto below = [&random](std::size_t bound) {
    return std::uniform_int_distribution<std::size_t>(0, bound - 1)(random);
  };
  for (int round = 0; round < kRounds; ++round) {
    std::string output;
    for (std::size_t left = below(kMaxPieces); left > 0; --left) {
      if (below(3) == 0) {
        output += static_cast<char>(below(kMaxByte + 1));
      } else {
        output += pieces[below(pieces.size())];
      }
    }
    spec.network = static_cast<SandboxNetwork>(below(3));
    const auto found = find_refusals(spec, "/ws", output);
    REQUIRE(found.size() <= kMaxRefusals);
    for (const Refusal& refusal : found) {
      REQUIRE(refusal.line.size() <= kMaxLine);
      REQUIRE(refusal.line.find('\n') == std::string::npos);
      REQUIRE(refusal.path.size() <= 2 * kMaxLine);
      const bool path_expected = refusal.kind == RefusalKind::kRead;
      REQUIRE((!path_expected || !refusal.path.empty()));
      REQUIRE((refusal.path.empty() || refusal.path.front() == '/'));
    }
  }
}

TEST_CASE("what is read-only below a temporary directory of the session is shown, and refused") {
  SandboxSpec spec = workspace_profile();
  spec.write = {"/tmp/home/work", "/tmp", "/tmp/home/temp"};
  const auto refused = [&](const std::string& path) {
    return !find_refusals(spec, "/tmp/home/work",
                          "touch: cannot touch '" + path + "': Read-only file system\n")
                .empty();
  };
  CHECK_FALSE(refused("/tmp/home/new"));
  spec.own_temporary = true;
  CHECK(refused("/tmp/home/new"));
  CHECK_FALSE(refused("/tmp/home/temp/new"));
  CHECK_FALSE(refused("/tmp/home/work/new"));
}

TEST_CASE("the time for hostile lines is linear in their length") {
  constexpr std::size_t kBytes = std::size_t{64} << 10;
  for (const std::string part :
       {"'a", "`a ", "\"", "(/", ": ", "/ ", "permission denied '", "\xe2"}) {
    std::string output;
    while (output.size() < kBytes) output += part;
    INFO(part);
    CHECK(find_refusals(workspace_profile(), "/ws", output + " permission denied").size() <=
          kMaxRefusals);
  }
}

}  // namespace gibbous::testing
