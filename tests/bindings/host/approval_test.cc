// An approval covers what a person saw, and no more: every rule that asks, the words of a command,
// the text of a script. And what a confined command asks for beyond its sandbox.
#include <netinet/in.h>
#include <sys/socket.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "gibbous/approvals.h"
#include "runtime/base/unique_fd.h"
#include "runtime/sandbox/sandbox.h"
#include "tests/support/catch.h"
#include "tests/support/host.h"
#include "tests/support/loop.h"

namespace gibbous {
namespace {

using Catch::Matchers::Contains;
using testing::Host;
using testing::TempDir;
using About = AskAnswer::About;

// A host whose person allows what is asked, and remembers it for the session.
class Desk {
 public:
  explicit Desk(const std::string& mode = "auto") {
    RuntimeOptions options = testing::auto_mode();
    options.mode = mode;
    options.workspace = dir.path();
    options.state_dir = state.path() + "/state";
    host.emplace(std::move(options));
    (void)host->runtime->on_ask([this](const AskRequest& request) {
      asked.push_back(request);
      asked.back().reply = nullptr;
      AskAnswer given;
      given.allow = allows;
      given.remember = AskAnswer::Remember::kSession;
      given.about = about;
      request.reply(given);
    });
  }
  CallResult run(const std::string& command, Json more = Json::object()) {
    more["command"] = command;
    return host->call("bg_start", more);
  }
  // How many questions the command leads to.
  std::size_t questions(const std::string& command) {
    const std::size_t before = asked.size();
    const CallResult result = run(command, {{"until", {{"exit", true}}}});
    INFO(command << ": " << result.message);
    CHECK(result.ok == allows);
    return asked.size() - before;
  }

  TempDir dir;
  TempDir state;
  std::optional<Host> host;
  std::vector<AskRequest> asked;
  About about = About::kCommand;
  bool allows = true;
};

TEST_CASE("approval: a rule that was approved opens nothing that another rule asks about") {
  Desk desk;
  desk.about = About::kRule;
  CHECK(desk.questions("git push origin z") == 1);
  CHECK(desk.asked.back().rules == std::vector<std::string>{"git.push"});
  CHECK(desk.asked.back().may_approve_rules);
  CHECK(desk.questions("git push origin q") == 0);
  CHECK(desk.questions("git push origin q; git push --force origin q") == 1);
  CHECK(desk.asked.back().rules.size() == 2);
  // Both were shown, and both are approved.
  CHECK(desk.questions("git push --force origin other; git push origin other") == 0);
  CHECK(desk.questions("git push origin q; python3 -c 'import os; os.system(input())'") == 1);
  CHECK_FALSE(desk.asked.back().may_approve_rules);
}

TEST_CASE("approval: what a person allowed for a session ends with it") {
  Desk desk;
  const auto push = [&desk] {
    CHECK(desk.host->call("bg_start", {{"command", "git push origin z"}}, "other").ok);
  };
  push();
  push();
  CHECK(desk.asked.size() == 1);
  CHECK(desk.host->runtime->end_session("other") == Refusal::kNone);
  push();
  CHECK(desk.asked.size() == 2);
}

TEST_CASE("approval: a rule opens no command that no rule knows") {
  Desk desk;
  desk.about = About::kRule;
  CHECK(desk.questions("git push origin z") == 1);
  CHECK(desk.questions("git push origin z; frobnicate") == 1);
  CHECK_FALSE(desk.asked.back().may_approve_rules);
  // That approved this very line.
  CHECK(desk.questions("git push origin z; frobnicate") == 0);
  CHECK(desk.questions("git push origin z; frobnicate again") == 1);
}

TEST_CASE("approval: catch-alls and inline code count for the command alone") {
  Desk desk("default");
  desk.about = About::kRule;
  CHECK(desk.questions("frobnicate 1") == 1);
  CHECK_FALSE(desk.asked.back().may_approve_rules);
  CHECK(desk.questions("frobnicate 1") == 0);
  CHECK(desk.questions("frobnicate 2") == 1);
}

TEST_CASE("approval: a command is the same with other blanks and quotes") {
  Desk desk;
  CHECK(desk.questions("git push origin z") == 1);
  CHECK(desk.questions("git  push   origin 'z'") == 0);
  CHECK(desk.questions("git push origin z2") == 1);
  CHECK(desk.questions("git push origin z > log") == 1);
  CHECK(desk.questions("git push 'origin z'") == 1);
}

TEST_CASE("approval: a prefix covers the same program, the same words and the same rules") {
  Desk desk;
  desk.about = About::kPrefix;
  CHECK(desk.questions("git push origin z") == 1);
  CHECK(desk.asked.back().prefix == "git push origin *");
  CHECK(desk.questions("git push origin q") == 0);
  CHECK(desk.questions("git push  origin q r") == 0);
  CHECK(desk.questions("git push elsewhere q") == 1);
  CHECK(desk.questions("git push origin q; true") == 1);
  CHECK(desk.questions("git push origin q > /tmp/x") == 1);
  CHECK(desk.questions("git push origin $(cat x)") == 1);
  CHECK(desk.questions("X=1 git push origin q") == 1);
  desk.about = About::kCommand;
  CHECK(desk.questions("git push origin --force q") == 1);
}

TEST_CASE("approval: prefixes are listed and revoked as other approvals") {
  Desk desk;
  (void)desk.host->runtime->on_ask([&](const AskRequest& request) {
    ++desk.asked.emplace_back().line;
    AskAnswer given;
    given.allow = true;
    given.remember = AskAnswer::Remember::kAlways;
    given.about = About::kPrefix;
    request.reply(given);
  });
  CHECK(desk.questions("git push origin z") == 1);
  const auto listed = list_approvals(desk.state.path() + "/state");
  REQUIRE(listed);
  REQUIRE(listed->size() == 1);
  CHECK(listed->front().kind == "prefix");
  CHECK_THAT(listed->front().subject, Contains("git push origin *") && Contains("git.push"));
  CHECK(desk.questions("git push origin other") == 0);
  REQUIRE(revoke_approval(desk.state.path() + "/state", listed->front().id));
  CHECK(desk.questions("git push origin third") == 1);
}

TEST_CASE("approval: a script that has changed is asked about again") {
  Desk desk("default");
  desk.dir.write("x.sh", "echo one\n");
  CHECK(desk.questions("bash x.sh") == 1);
  CHECK(desk.questions("bash x.sh") == 0);
  desk.dir.write("x.sh", "echo two\n");
  CHECK(desk.questions("bash x.sh") == 1);
  CHECK(desk.questions("bash x.sh") == 0);
  // What is not there when it is approved may be anything later.
  CHECK(desk.questions("bash later.sh") == 1);
  CHECK(desk.questions("bash later.sh") == 1);
}

TEST_CASE(
    "confined: what no rule knows runs in the sandbox, and gets more once a person allows it") {
  if (!can_confine()) {
    WARN("not tested: no Landlock here");
    return;
  }
  Desk desk;
  const auto sandbox = [&](const CallResult& started) {
    REQUIRE(started.ok);
    const std::string id = Json::parse(started.data)["id"];
    Json found;
    REQUIRE(desk.host->until([&] {
      for (const Event& event : desk.host->events) {
        const Json json = Json::parse(event.json);
        if (event.name == "run_started" && json["run"] == id) found = json;
      }
      return !found.is_null();
    }));
    return found.value("sandbox", Json());
  };
  CHECK(sandbox(desk.run("frobnicate"))["profile"] == "confined");
  CHECK(sandbox(desk.run("frobnicate"))["network"] == "loopback");
  CHECK(sandbox(desk.run("true; frobnicate"))["profile"] == "confined");
  CHECK(sandbox(desk.run("true"))["profile"] == "build");
  CHECK(desk.asked.empty());
  const CallResult wider = desk.run("frobnicate", {{"allow", {"network"}}});
  REQUIRE(desk.asked.size() == 1);
  CHECK(desk.asked.back().rule == "sandbox.allow");
  CHECK_THAT(desk.asked.back().reason, Contains("network"));
  CHECK(sandbox(wider)["network"] == "on");
  CHECK(sandbox(wider)["profile"] == "confined");
  // The approval is of this command with this wish.
  CHECK(desk.run("frobnicate", {{"allow", {"network"}}}).ok);
  CHECK(desk.asked.size() == 1);
  const CallResult writing = desk.run("frobnicate", {{"allow", {"network", "write:~/.config/x"}}});
  INFO(writing.message);
  CHECK(writing.ok);
  CHECK(desk.asked.size() == 2);
  desk.allows = false;
  CHECK(desk.run("frobnicate", {{"allow", {"read:~/.ssh/id_rsa"}}}).code == "denied");
  CHECK(desk.run("frobnicate", {{"allow", {"everything"}}}).code == "invalid_arguments");
}

TEST_CASE("confined: a refusal names the argument that asks for it") {
  if (!probe_sandbox_support().mount_namespaces) {
    WARN("not tested: no mount namespaces here");
    return;
  }
  Desk desk;
  desk.dir.write("tool.sh", "echo x > /var/lib/frobnicated; exit 0\n");
  const CallResult ended = desk.run("frobnicate; sh tool.sh", {{"until", {{"exit", true}}}});
  REQUIRE(ended.ok);
  CHECK_THAT(ended.text, Contains("the sandbox confined refused") &&
                             Contains("allow = [\"write:/var/lib/frobnicated\"]"));
  CHECK_FALSE(std::filesystem::exists("/var/lib/frobnicated"));
}

TEST_CASE("confined: what a person allowed really holds, also for what is not there yet") {
  if (!can_confine()) {
    WARN("not tested: no Landlock here");
    return;
  }
  // Neither in the workspace nor in a temporary directory.
  const std::filesystem::path outside =
      std::filesystem::current_path() / ("wished-" + testing::unique_word());
  std::error_code error;
  if (!std::filesystem::create_directory(outside, error)) {
    WARN("not tested: this user may not write here");
    return;
  }
  Desk desk;
  const std::string file = (outside / "new").string();
  desk.dir.write("tool.sh", "echo made > " + file + "\n");
  const std::string command = "frobnicate; sh tool.sh";
  const Json end = {{"until", {{"exit", true}}}};
  REQUIRE(desk.run(command, end).ok);
  CHECK_FALSE(std::filesystem::exists(file));
  Json wider = end;
  wider["allow"] = {"write:" + file};
  REQUIRE(desk.run(command, wider).ok);
  REQUIRE(desk.asked.size() == 1);
  // The directory is what can be granted, and what the person was shown.
  CHECK_THAT(desk.asked.front().reason,
             Contains("write:") && Contains(outside.filename().string()));
  CHECK(desk.asked.front().reason.find(file) == std::string::npos);
  CHECK(std::filesystem::exists(file));
  std::filesystem::remove_all(outside);
}

TEST_CASE(
    "build: a service of this machine is refused, named, and reached once a person allows it") {
  if (!can_confine() || !probe_sandbox_support().listeners) {
    WARN("not tested: nobody can decide about system calls here");
    return;
  }
  const UniqueFd server(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in own{};
  own.sin_family = AF_INET;
  own.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof own;
  auto* const any = reinterpret_cast<sockaddr*>(&own);
  REQUIRE(::bind(server.get(), any, size) == 0);
  REQUIRE(::listen(server.get(), 8) == 0);
  REQUIRE(::getsockname(server.get(), any, &size) == 0);
  const std::string port = std::to_string(ntohs(own.sin_port));
  Desk desk;
  std::filesystem::copy(testing::fixture("connects"), desk.dir.path() + "/reach");
  desk.dir.write("Makefile", "all:\n\t@./reach tcp 127.0.0.1 " + port + "\n");
  const CallResult refused = desk.run("make", {{"until", {{"exit", true}}}});
  CHECK_THAT(refused.text, Contains("refused EACCES") &&
                               Contains("the sandbox build refused: port " + port) &&
                               Contains("allow = [\"port:" + port + "\"]"));
  CHECK(desk.asked.empty());
  const Json wider = {{"until", {{"exit", true}}}, {"allow", {"port:" + port}}};
  for (int i = 0; i < 2; ++i) CHECK_THAT(desk.run("make", wider).text, Contains("reached"));
  REQUIRE(desk.asked.size() == 1);
  CHECK(desk.asked.back().rule == "sandbox.allow");
  CHECK_THAT(desk.asked.back().reason, Contains("port:" + port));
  for (const char* wrong : {"port:0", "port:x", "port:", "port:65536"}) {
    CHECK_FALSE(desk.run("make", {{"allow", {wrong}}}).ok);
  }
}

TEST_CASE("confined: what Gibbous keeps is shown to no run, whoever asks") {
  Desk desk;
  std::filesystem::create_directories(desk.state.path() + "/state");
  for (const char* kind : {"read:", "write:"}) {
    const Json wish = {{"allow", {kind + desk.state.path() + "/state/approvals"}}};
    const CallResult refused = desk.run("frobnicate", wish);
    CHECK(refused.code == "denied");
    CHECK_THAT(refused.message, Contains("names what Gibbous itself keeps"));
  }
  CHECK(desk.asked.empty());
}

TEST_CASE("confined: an executor that confines needs no sandbox, and another one is asked about") {
  RuntimeOptions options = testing::auto_mode();
  options.files["scripts/init.lua"] = R"(
local function executor(name, confines)
  return {
    name = name, settings = schema.object {}, confines = confines,
    prepare = function() return { argv = { '/bin/true' } } end,
  }
end
return {
  toolsets = { { name = 'boxes', tools = { tool {
    name = 'box', description = 'starts', permission = 'execute',
    input = schema.object { executor = schema.string {} },
    run = function(args)
      local handle, err = run.start { command = 'frobnicate', executor = args.executor }
      if not handle then tool.error(err.code, err.message) end
      return { data = { confined = handle:info().sandbox ~= nil } }
    end,
  } } } },
  executors = { executor('closed', true), executor('open', false) },
}
)";
  Host host(std::move(options));
  CHECK(host.data("box", {{"executor", "closed"}})["confined"] == false);
  const CallResult open = host.call("box", {{"executor", "open"}});
  CHECK(open.code == "needs_approval");
  CHECK_THAT(open.message, Contains("the executor open does not confine"));
}

TEST_CASE("confined: text typed into a shell that runs free is asked about") {
  Desk desk;
  desk.allows = false;
  const Json shell = desk.host->data("bg_start", {{"command", "sh"}, {"stdin", true}});
  CHECK(desk.host->call("bg_input", {{"id", shell["id"]}, {"keys", "true<Enter>"}}).ok);
  CHECK(desk.host->call("bg_input", {{"id", shell["id"]}, {"keys", "frobnicate<Enter>"}}).code ==
        "denied");
  CHECK(desk.asked.size() == 1);
}

}  // namespace
}  // namespace gibbous
