// What known programs mean that fail in a sandbox, and when their words mean nothing.
#include "runtime/sandbox/advice.h"

#include "tests/support/catch.h"

namespace gibbous::testing {
namespace {

SandboxSpec build_profile() {
  SandboxSpec spec;
  spec.profile = "build";
  spec.unreadable = {"/home/me/.ssh", "/home/me/.gnupg",  "/home/me/.netrc",
                     "/home/me/.aws", "/run/docker.sock", "/tmp/.X11-unix"};
  return spec;
}

struct Line {
  const char* line;
  const char* said;
  bool failed;
  const char* expected;  // a part of the way out; "": there is none
};

std::string advice(const SandboxSpec& spec, const Line& line) {
  std::string text;
  for (const Advice& each : find_advice(spec, {line.line, line.said, line.failed})) {
    text += (text.empty() ? "" : " / ") + each.way_out;
  }
  return text;
}

constexpr const char* kPublicKey = "git@example.org: Permission denied (publickey).\n";
constexpr const char* kFetch = "git fetch, clone or ls-remote runs outside as a line of its own";
constexpr const char* kByUser = "the user can run it outside";
constexpr const char* kAnother = "as a line of its own it runs outside";

const std::vector<Line> kMeant = {
    {"git fetch && make", kPublicKey, true, kFetch},
    {"git fetch", kPublicKey, true, kByUser},
    {"./release.sh", kPublicKey, true, kFetch},
    {"cd x; GIT_TRACE=1 git pull", "Host key verification failed.", true, kFetch},
    {"git push 2>&1 | tail", "fatal: could not read Username for 'https://x'", true, kFetch},
    {"ssh-add -l", "Could not open a connection to your authentication agent.", true, kByUser},
    {"git commit -S -m x", "error: gpg failed to sign the data", true, "--no-gpg-sign"},
    {"git commit", "No private key found for \"/home/u/.ssh/id\"?", true, "allow = [\"sign\"]"},
    {"git config user.name x",
     "error: could not lock config file .git/config: Read-only file system", true,
     "no run changes it"},
    {"npx husky", "error: could not write config file .git/config: Device or resource busy", true,
     "no run changes it"},
    {"npm ci", "npm error code E401\nnpm error Incorrect or missing password.", true, "registries"},
    {"npm i", "npm ERR! 404  '@acme/x@*' is not in this registry.", true, "registries"},
    {"mvn -B verify", "[ERROR] … status code: 401, reason phrase: Unauthorized (401)", true,
     "registries"},
    {"aws s3 ls && make", "Unable to locate credentials. You can configure…", true, kAnother},
    {"kubectl get pods", "The connection to the server localhost:8080 was refused", true, kByUser},
    {"docker ps; make", "Cannot connect to the Docker daemon at unix:///var/run/docker.sock.", true,
     kAnother},
    {"npx chromium --headless", "No usable sandbox! Update your kernel", true, "--no-sandbox"},
    {"npm test", "Failed to move to new namespace: PID namespaces supported", true, "--no-sandbox"},
    {"sudo make install", "sudo: effective uid is not 0, is sudo installed setuid root?", true,
     "rights"},
    {"ping -c1 x", "bash: line 1: /usr/bin/ping: Operation not permitted", true, "rights"},
    {"bwrap true", "bwrap: Creating new namespace failed: Operation not permitted", true, "rights"},
    {"kill 123", "bash: line 1: kill: (123) - Operation not permitted", true, "by its id"},
    {"pkill vite", "pkill: killing pid 123 failed: Operation not permitted", true, "by its id"},
    {"npm run stop", "Error: kill EPERM\n    at process.kill", true, "by its id"},
    {"gdb -p 123", "ptrace: Operation not permitted.", true, "same run"},
    {"xclock", "Error: Can't open display: :0", true, "xvfb-run"},
    {"lsof -i :3000", "", true, "cannot be seen"},
    {"ss -tlnp", "State  Recv-Q Send-Q Local Address:Port Peer Address:Port\n", false,
     "cannot be seen"},
};

const std::vector<Line> kNotMeant = {
    // The same words, shown by a program that reads them somewhere.
    {"grep -r publickey logs; false", kPublicKey, true, ""},
    {"cat build.log; exit 1", kPublicKey, true, ""},
    {"tail -n 50 npm-debug.log && false", "npm error code E401", true, ""},
    {"git log", kPublicKey, false, ""},
    {"git log --grep sudo", "sudo: effective uid is not 0", false, ""},
    {"npm test", kPublicKey, false, ""},
    {"node server.js", "Operation not permitted", true, ""},
    {"node server.js", "Error: connect ECONNREFUSED 127.0.0.1:8080", true, ""},
    {"git config user.name x", "error: could not lock config file .git/config: File exists", true,
     ""},
    {"npm i nonsense", "npm error code E404\nnpm error 404  'nonsense@*' is not in this registry",
     true, ""},
    {"pip install nonsense", "ERROR: No matching distribution found for nonsense", true, ""},
    {"cmp a b", "", true, ""},
    {"which lsof", "", true, ""},
    {"lsof -i :3000", "COMMAND PID USER\nnode 1 me", false, ""},
    {"make", "make: *** [Makefile:2: all] Error 1", true, ""},
};

TEST_CASE("where git fetch does not leave unasked, the way out is a person") {
  const auto all = find_advice(build_profile(), {"git fetch && make", kPublicKey, true, false});
  REQUIRE(all.size() == 1);
  CHECK(all.front().way_out.find(kAnother) != std::string::npos);
}

}  // namespace

TEST_CASE("a known program that fails in a sandbox gets one line with the way out") {
  for (const Line& line : kMeant) {
    INFO(line.line << ": " << line.said);
    const auto all = find_advice(build_profile(), {line.line, line.said, line.failed});
    REQUIRE(all.size() == 1);
    CHECK_THAT(all[0].way_out, Contains(line.expected));
  }
}

TEST_CASE("the same words mean nothing where another program says them, or nothing failed") {
  for (const Line& line : kNotMeant) {
    INFO(line.line << ": " << line.said);
    CHECK(advice(build_profile(), line).empty());
  }
}

TEST_CASE("what a profile does not hide is not blamed on it") {
  SandboxSpec spec;
  for (const Line& line : kMeant) {
    const std::string words = line.expected;
    const bool always = words == "--no-sandbox" || words == "rights" || words == "same run" ||
                        words == "by its id" || words == "cannot be seen";
    INFO(line.line << ": " << line.said);
    CHECK(advice(spec, line).empty() != always);
  }
}

TEST_CASE("advice is bounded, whatever the output is") {
  std::string output;
  for (int i = 0; i < 2000; ++i) {
    for (const Line& line : kMeant) output += std::string(line.said) + '\n';
  }
  output += std::string(100'000, 'x') + "no usable sandbox";
  const auto all = find_advice(build_profile(), {"./x.sh", output, true});
  CHECK(all.size() == kMaxAdvice);
  for (const Advice& each : all) CHECK(each.line.size() <= kMaxSandboxPathBytes);
}

}  // namespace gibbous::testing
