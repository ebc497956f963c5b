// The policy in a runtime: verdicts on commands, reloads under load, approvals, the decision log,
// and text typed into a shell. The policies here are small additions to the shipped ones.
#include <sys/stat.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "gibbous/approvals.h"
#include "gibbous/doctor.h"
#include "gibbous/policy.h"
#include "runtime/journal/journal_reader.h"
#include "tests/support/catch.h"
#include "tests/support/host.h"
#include "tests/support/loop.h"

namespace gibbous {
namespace {

using testing::Host;
using testing::TempDir;

// Rules about echo, so that nothing depends on the shipped rules.
std::string policy_with(const std::string& rules, const std::string& cases = "{}") {
  return "local modes = require 'modes'\n"
         "return { modes = modes, decide = require('decide').by(modes),\n"
         "  knowledge = require 'knowledge', rules = {\n" +
         rules + "}, cases = " + cases + " }\n";
}

constexpr char kAskAboutSecret[] =
    "{ id = 'test.secret', decision = 'ask', reason = 'Say please.', program = 'echo',\n"
    "  argument = { 'secret*' }, match = { 'echo secret' } },\n";
constexpr char kDenyForbidden[] =
    "{ id = 'test.forbidden', decision = 'deny', reason = 'Say something else.', program = "
    "'echo',\n"
    "  argument = { 'forbidden' }, match = { 'echo forbidden' } },\n";

class World {
 public:
  explicit World(const std::string& policy, const std::string& mode = "auto") {
    std::filesystem::create_directories(policies_.path() + "/p");
    write(policy);
    options_ = testing::auto_mode();
    options_.mode = mode;
    options_.policies_dir = policies_.path() + "/p";
    options_.state_dir = state_.path() + "/state";
    options_.watch_files = false;
  }

  void write(const std::string& policy) const {
    std::ofstream(policies_.path() + "/p/init.lua") << policy;
  }
  void start() { host_ = std::make_unique<Host>(options_); }
  Host& host() { return *host_; }
  void stop() { host_.reset(); }
  RuntimeOptions& options() { return options_; }
  std::string state() const { return options_.state_dir; }

  // Returns the decisions in the journal after the host has ended.
  std::vector<Json> decisions() {
    stop();
    auto reader = JournalReader::open(options_.state_dir);
    if (!reader) FAIL(reader.status().message());
    auto records = (*reader)->decisions({}, 1'000);
    if (!records) FAIL(records.status().message());
    std::vector<Json> all;
    for (const DecisionRecord& each : *records) all.push_back(Json::parse(each.record_json));
    return all;
  }

 private:
  TempDir policies_;
  TempDir state_;
  RuntimeOptions options_;
  std::unique_ptr<Host> host_;
};

CallResult echo(Host& host, const std::string& what) {
  return host.call("bg_start", {{"command", "echo " + what}});
}

TEST_CASE("a rule that denies holds for the start of a command, in dangerous mode too") {
  World world(policy_with(kDenyForbidden), "dangerous");
  world.start();
  const CallResult denied = echo(world.host(), "forbidden");
  CHECK(denied.code == "denied");
  CHECK(denied.message.find("Say something else.") != std::string::npos);
  CHECK(denied.message.find("test.forbidden") != std::string::npos);
  const Json data = Json::parse(denied.data);
  CHECK(data["rule"] == "test.forbidden");
  CHECK(data["line"].get<int>() > 1);
  CHECK(echo(world.host(), "hello").ok);
}

TEST_CASE("a decide that allows what a rule denies is not obeyed") {
  World world(
      "return { modes = { auto = {} }, knowledge = require 'knowledge', rules = {\n" +
      std::string(kDenyForbidden) +
      "}, decide = function() return { decision = 'allow', rule = 'test.everything' } end }\n");
  world.start();
  CHECK(echo(world.host(), "forbidden").code == "denied");
  CHECK(echo(world.host(), "hello").ok);
}

TEST_CASE("a person is asked once about a command that matches an ask rule, and sees it parsed") {
  World world(policy_with(kAskAboutSecret));
  world.start();
  std::vector<AskRequest> asked;
  world.host().runtime->on_ask([&](AskRequest request) {
    request.answer(true, "");
    asked.push_back(std::move(request));
  });
  CHECK(echo(world.host(), "'sec'ret | cat").ok);
  REQUIRE(asked.size() == 1);
  CHECK(asked[0].rule == "test.secret");
  CHECK(asked[0].reason == "Say please.");
  CHECK(asked[0].effect == "call");
  CHECK(asked[0].command == "echo 'sec'ret | cat");
  REQUIRE(asked[0].commands.size() == 2);
  CHECK(asked[0].commands[0] == "echo secret");
  CHECK(asked[0].line > 1);
}

TEST_CASE("rules that are read late judge the first call, even after a reload") {
  RuntimeOptions options = testing::auto_mode();
  options.lazy_policy = true;
  options.watch_files = false;
  for (const bool reload : {false, true}) {
    Host host(options);
    if (reload) REQUIRE(host.runtime->reload().ok);
    const CallResult denied = host.call("bg_start", {{"command", "r''m -rf /"}});
    CHECK(denied.code == "denied");
    CHECK(denied.message.find("machine.remove_root") != std::string::npos);
    if (reload) REQUIRE(host.runtime->reload().ok);
    CHECK(host.call("bg_start", {{"command", "rm -rf /"}}).code == "denied");
    CHECK(host.call("bg_start", {{"command", "echo hello"}}).ok);
  }
}

TEST_CASE("without an approver an ask says how to get it approved") {
  World world(policy_with(kAskAboutSecret));
  world.start();
  const CallResult result = echo(world.host(), "secret");
  CHECK(result.code == "needs_approval");
  CHECK(result.message.find("gibbous asks") != std::string::npos);
}

TEST_CASE("an answer that arrives after the runtime has gone has no effect") {
  World world(policy_with(kAskAboutSecret));
  world.start();
  std::vector<AskRequest> asked;
  world.host().runtime->on_ask([&](AskRequest request) { asked.push_back(std::move(request)); });
  std::string code;
  world.host().runtime->call({"bg_start", R"({"command":"echo secret"})"},
                             [&](const CallResult& result) { code = result.code; });
  REQUIRE(world.host().until([&] { return !asked.empty(); }));
  world.stop();
  CHECK((code == "cancelled" || code == "shutdown"));
  AskAnswer answer;
  answer.allow = true;
  answer.remember = AskAnswer::Remember::kAlways;
  asked[0].reply(answer);
  auto approvals = list_approvals(world.state());
  REQUIRE(approvals);
  CHECK(approvals->empty());
}

TEST_CASE("an answer for the session counts in this session alone") {
  World world(policy_with(kAskAboutSecret));
  world.start();
  int asked = 0;
  world.host().runtime->on_ask([&](const AskRequest& request) {
    ++asked;
    AskAnswer answer;
    answer.allow = true;
    answer.remember = AskAnswer::Remember::kSession;
    request.reply(answer);
  });
  const Json arguments = {{"command", "echo secret"}};
  CHECK(world.host().call("bg_start", arguments, "one").ok);
  CHECK(world.host().call("bg_start", arguments, "one").ok);
  CHECK(asked == 1);
  CHECK(world.host().call("bg_start", arguments, "two").ok);
  CHECK(asked == 2);
}

TEST_CASE(
    "a remembered approval outlives the runtime, in its mode and looser ones, until it is "
    "revoked") {
  World world(policy_with(kAskAboutSecret));
  world.start();
  world.host().runtime->on_ask([&](const AskRequest& request) {
    AskAnswer answer;
    answer.allow = true;
    answer.remember = AskAnswer::Remember::kAlways;
    answer.who = "tester";
    request.reply(answer);
  });
  REQUIRE(echo(world.host(), "secret").ok);
  world.stop();

  world.start();
  CHECK(echo(world.host(), "secret").ok);
  CHECK(echo(world.host(), "secret other").code == "needs_approval");
  auto approvals = list_approvals(world.state());
  REQUIRE(approvals);
  REQUIRE(approvals->size() == 1);
  CHECK(approvals->front().subject == "echo secret");
  CHECK(approvals->front().mode == "auto");
  CHECK(approvals->front().who == "tester");
  world.stop();

  world.options().mode = "default";  // stricter
  world.start();
  CHECK(echo(world.host(), "secret").code == "needs_approval");
  world.stop();

  world.options().mode = "auto";
  world.start();
  REQUIRE(revoke_approval(world.state(), approvals->front().id));
  CHECK(echo(world.host(), "secret").code == "needs_approval");
}

TEST_CASE("an approval holds in looser modes than the one in which it was given") {
  World world(policy_with(kAskAboutSecret), "default");
  world.start();
  world.host().runtime->on_ask([&](const AskRequest& request) {
    AskAnswer answer;
    answer.allow = true;
    answer.remember = AskAnswer::Remember::kAlways;
    request.reply(answer);
  });
  REQUIRE(echo(world.host(), "secret").ok);
  world.stop();

  world.options().mode = "auto";
  world.start();
  CHECK(echo(world.host(), "secret").ok);
  world.stop();

  world.options().mode = "plan";
  world.start();
  CHECK(echo(world.host(), "secret").code == "denied");
}

TEST_CASE("an approval of a rule counts for all that the rule asks about, never against a deny") {
  World world(policy_with(std::string(kAskAboutSecret) + kDenyForbidden));
  world.start();
  int asked = 0;
  world.host().runtime->on_ask([&](const AskRequest& request) {
    ++asked;
    AskAnswer answer;
    answer.allow = true;
    answer.remember = AskAnswer::Remember::kSession;
    answer.about = AskAnswer::About::kRule;
    request.reply(answer);
  });
  CHECK(echo(world.host(), "secret").ok);
  CHECK(echo(world.host(), "secrets of others").ok);
  CHECK(asked == 1);
  CHECK(echo(world.host(), "secret forbidden").code == "denied");
}

TEST_CASE("text typed into a shell is judged in the shell's current directory") {
  TempDir scripts;
  std::ofstream(scripts.path() + "/init.lua") << R"(
local talk = tool {
  name = 'talk', description = 'Types lines into a shell.', permission = 'execute',
  input = schema.object { lines = schema.array(schema.string {}) },
  run = function(args)
    local shell, err = run.start { argv = { 'sh' }, stdin = 'pipe' }
    if not shell then tool.error(err.code, err.message) end
    for _, line in ipairs(args.lines) do
      local ok, refused = shell:write(line)
      if not ok then tool.error(refused.code, refused.message) end
    end
    shell:close_stdin()
    shell:wait { any = { { kind = 'exit' } }, timeout_ms = 20000 }
    return 'done'
  end,
}
return { toolsets = { { name = 'talk', tools = { talk } } } }
)";
  World world(policy_with(
      "{ id = 'test.outside', decision = 'deny', reason = 'Stay inside.', access = 'write',\n"
      "  path = 'system', match = { 'echo x > /etc/x' } },\n"));
  world.options().scripts_dir = scripts.path();
  world.start();
  const auto talk = [&](const Json& lines) {
    const CallResult result = world.host().call("talk", {{"lines", lines}});
    UNSCOPED_INFO(result.message);
    return result.code;
  };
  CHECK(talk({"echo hello\n"}) == "");
  CHECK(talk({"echo x > /etc/gibbous-test\n"}) == "denied");
  CHECK(talk({"cd /etc\n", "echo x > gibbous-test\n"}) == "denied");
  CHECK(talk({"F=/etc/gibbous-test\n", "echo x > \"$F\"\n"}) == "denied");
  CHECK(talk({"echo x > /e", "tc/gibbous-test\n"}) == "denied");
}

TEST_CASE("a typed line that stands for an earlier one is judged as the line that runs") {
  TempDir scripts;
  std::ofstream(scripts.path() + "/init.lua") << R"(
local talk = tool {
  name = 'talk', description = 'Types keys into a shell.', permission = 'execute',
  input = schema.object {
    shell = schema.string {}, pty = schema.boolean {}, keys = schema.array(schema.string {}),
  },
  run = function(args)
    local stdin = not args.pty and 'pipe' or nil
    local shell, err = run.start { command = args.shell, pty = args.pty, stdin = stdin }
    if not shell then tool.error(err.code, err.message) end
    -- Until it has shown its prompt, a shell dies of the interrupt that <C-c> makes.
    if args.pty then
      shell:wait { any = { wait.screen(shell, '[#$]') }, timeout_ms = 20000 }
    end
    local ok, refused
    for _, keys in ipairs(args.keys) do
      ok, refused = shell:send_keys(keys)
      if not ok then break end
    end
    shell:kill { grace_ms = 0 }
    shell:wait { any = { { kind = 'exit' } }, timeout_ms = 20000 }
    if not ok then tool.error(refused.code, refused.message) end
    return 'done'
  end,
}
return { toolsets = { { name = 'talk', tools = { talk } } } }
)";
  World world(policy_with(std::string(kAskAboutSecret) + kDenyForbidden));
  world.options().scripts_dir = scripts.path();
  world.start();
  const auto talk = [&](const Json& keys, const char* shell = "bash --norc --noprofile",
                        bool pty = true) {
    const CallResult result =
        world.host().call("talk", {{"shell", shell}, {"pty", pty}, {"keys", keys}});
    UNSCOPED_INFO(result.message);
    return result.code;
  };
  const std::string asks = "needs_approval";
  CHECK(talk({"echo hi<Enter>", "!!<Enter>", "!echo<Enter>"}) == "");
  CHECK(talk({"echo hi<Enter>", "!echo:s/hi/forbidden/<Enter>"}) == "denied");
  CHECK(talk({"echo hi<Enter>", "^hi^forbidden<Enter>"}) == "denied");
  CHECK(talk({"echo hi<Enter>fc -s hi=forbidden<Enter>"}) == "denied");
  CHECK(talk({"echo hi<Enter>", "!!:s/hi/sec", "ret/<Enter>"}) == asks);
  // The line that ran is the one that counts for the next.
  CHECK(talk({"echo hi<Enter>", "!!:s/hi/forb/<Enter>", "!!:s/forb/forbidden/<Enter>"}) ==
        "denied");
  CHECK(talk({"echo hi<Enter>", "!!:s/hi/forb/:p<Enter>", "!!idden<Enter>"}) == "denied");
  CHECK(talk({"echo hi<Enter>", "!!:s/hi/ho/:p<Enter>", "!!<Enter>"}) == "");
  // What is not known is asked about.
  CHECK(talk({"!rm<Enter>"}) == asks);
  CHECK(talk({"fc<Enter>"}) == asks);
  CHECK(talk({"echo hi<Enter>", "true && fc -s<Enter>"}) == asks);
  CHECK(talk({"cat<Enter>", "echo hi<Enter>", "!!<Enter>"}) == asks);
  CHECK(talk({"echo hi<C-c>", "!!<Enter>"}) == asks);
  CHECK(talk({"!rm<Enter>"}, "bash --norc --noprofile -i", false) == asks);
  CHECK(talk({"!rm<Enter>"}, "bash +H") == asks);
  CHECK(talk({"echo 'hi!x'<Enter>", "echo hi!<Enter>", "set +H<Enter>", "!rm<Enter>"}) == "");
  // A shell without a history, or without a terminal, takes the line as it is.
  CHECK(talk({"!rm<Enter>"}, "dash") == "");
  CHECK(talk({"!rm<Enter>"}, "bash", false) == "");
}

TEST_CASE("the environment that a start sets is judged with it") {
  TempDir scripts;
  std::ofstream(scripts.path() + "/init.lua") << R"(
local go = tool {
  name = 'go', description = 'Starts true with a variable.', permission = 'execute',
  input = schema.object { name = schema.string {} },
  run = function(args)
    local one, err = run.start { argv = { 'true' }, env = { [args.name] = './evil.so' } }
    if not one then tool.error(err.code, err.message) end
    return 'started'
  end,
}
return { toolsets = { { name = 'go', tools = { go } } } }
)";
  World world(
      policy_with("{ id = 'test.variable', decision = 'deny', reason = 'Not this one.',\n"
                  "  doubt = 'executing_variable', match = { 'LD_PRELOAD=./x.so true' } },\n"));
  world.options().scripts_dir = scripts.path();
  world.start();
  CHECK(world.host().call("go", {{"name", "HARMLESS"}}).ok);
  CHECK(world.host().call("go", {{"name", "LD_PRELOAD"}}).code == "denied");
}

TEST_CASE("the files that a start copies output into are judged with it") {
  TempDir scripts;
  std::ofstream(scripts.path() + "/init.lua") << R"(
local go = tool {
  name = 'go', description = 'Starts echo with a log.', permission = 'execute',
  input = schema.object { path = schema.string {} },
  run = function(args)
    local one, err = run.start { argv = { 'echo', 'x' }, log = { path = args.path } }
    if not one then tool.error(err.code, err.message) end
    return 'started'
  end,
}
return { toolsets = { { name = 'go', tools = { go } } } }
)";
  World world(policy_with(
      "{ id = 'test.hooks', decision = 'deny', reason = 'No hooks.', access = 'write',\n"
      "  path = 'protected', match = { 'echo x > .git/hooks/pre-commit' } },\n"));
  TempDir workspace;
  world.options().scripts_dir = scripts.path();
  world.options().workspace = workspace.path();
  world.start();
  CHECK(world.host().call("go", {{"path", "out.log"}}).ok);
  CHECK(world.host().call("go", {{"path", ".git/hooks/pre-commit"}}).code == "denied");
}

TEST_CASE("a test function that raises or never ends denies the command") {
  const auto with_test = [](const std::string& body) {
    return policy_with(
        "{ id = 'test.function', decision = 'ask', reason = 'Look.',\n"
        "  program = 'echo', test = function(command)\n"
        "    if command.argv[2] ~= 'bad' then return command.argv[2] == 'asked' end\n" +
        body + "\n  end, match = { 'echo asked' } },\n");
  };
  for (const char* body : {"error('broken')", "while true do end", "return command.no.such"}) {
    INFO(body);
    World world(with_test(body));
    world.start();
    CHECK(echo(world.host(), "good").ok);
    const CallResult result = echo(world.host(), "bad");
    CHECK(result.code == "denied");
    CHECK(result.message.find("test.function") != std::string::npos);
  }
}

TEST_CASE("a broken policy that is saved during a load of calls never judges one of them") {
  World world(policy_with(kDenyForbidden));
  world.start();
  Runtime& runtime = *world.host().runtime;
  int ended = 0;
  int wrong = 0;
  constexpr int kCalls = 60;
  for (int at = 0; at < kCalls; ++at) {
    const bool forbidden = at % 2 == 0;
    const std::string command = forbidden ? "echo forbidden" : "echo fine";
    runtime.call({"bg_start", Json{{"command", command}}.dump()},
                 [&, forbidden](const CallResult& result) {
                   ++ended;
                   // Too many runs at once is not a verdict.
                   if (forbidden ? result.code != "denied" : result.code == "denied") ++wrong;
                 });
    if (at % 6 == 0) {
      const std::vector<std::string> broken = {
          "return {",                                             // no Lua
          "error('half written')",                                // raises
          policy_with("{ id = 'test.x', decison = 'deny' },\n"),  // a typo
          policy_with(kDenyForbidden,
                      "{ { name = 'c', deny = { 'echo fine' } } }"),  // fails its case
          ""};
      world.write(broken[static_cast<std::size_t>(at / 6) % broken.size()]);
      const ReloadResult result = runtime.reload();
      CHECK_FALSE(result.ok);
      CHECK(result.generation == 1);
    }
    runtime.poll();
  }
  REQUIRE(world.host().until([&] { return ended == kCalls; }));
  CHECK(wrong == 0);
  CHECK(world.host().saw_event("reload_failed"));
  world.write(policy_with(kAskAboutSecret));
  CHECK(runtime.reload().ok);
  CHECK(echo(world.host(), "forbidden").code != "denied");
}

TEST_CASE("a policy that others can write to is refused, and doctor says so") {
  World world(policy_with(kDenyForbidden));
  const std::string file = world.options().policies_dir + "/init.lua";
  REQUIRE(::chmod(file.c_str(), 0666) == 0);
  world.start();
  CHECK(world.host().runtime->policy_error().find("chmod go-w") != std::string::npos);
  CHECK(echo(world.host(), "fine").code == "denied");
  bool found = false;
  for (const Finding& finding : examine(world.options())) {
    if (finding.name != "policy") continue;
    found = true;
    CHECK(finding.grade == Finding::Grade::kProblem);
    CHECK(finding.value.find("can be written by others") != std::string::npos);
  }
  CHECK(found);
}

TEST_CASE("decisions are only in the journal, or in a file if there is no journal") {
  TempDir dir;
  for (const bool journal : {true, false}) {
    World world(policy_with(kDenyForbidden));
    world.options().config_file =
        dir.write("config.lua", std::string("return { journal = { enabled = ") +
                                    (journal ? "true" : "false") + " } }\n");
    world.start();
    CHECK(echo(world.host(), "forbidden").code == "denied");
    world.stop();
    std::ifstream file(world.state() + "/decisions.jsonl");
    std::string line;
    CHECK(file.good() != journal);
    CHECK(std::filesystem::exists(world.state() + "/sessions.db") == journal);
    if (journal) {
      REQUIRE(world.decisions().size() == 1);
      CHECK(world.decisions()[0]["rule"] == "test.forbidden");
    } else {
      REQUIRE(std::getline(file, line));
      CHECK(Json::parse(line)["rule"] == "test.forbidden");
    }
  }
}

TEST_CASE("a call continues when its decision cannot be recorded, and the host gets the reason") {
  TempDir dir;
  World world(policy_with(kDenyForbidden));
  world.options().state_dir = dir.write("state", "no directory");
  world.start();
  CHECK(echo(world.host(), "hello").ok);
  const auto said = [&] {
    for (const Event& event : world.host().events) {
      if (event.json.find("decisions are not recorded") != std::string::npos) return true;
    }
    return false;
  };
  CHECK(world.host().until(said));
}

TEST_CASE("an approval that cannot be stored counts once, and the host gets the reason") {
  TempDir dir;
  World world(policy_with(kAskAboutSecret));
  world.options().state_dir = dir.write("state", "no directory");
  world.start();
  world.host().runtime->on_ask([](const AskRequest& request) {
    AskAnswer answer;
    answer.allow = true;
    answer.remember = AskAnswer::Remember::kAlways;
    request.reply(answer);
  });
  CHECK(echo(world.host(), "secret").ok);
  const auto said = [&] {
    for (const Event& event : world.host().events) {
      if (event.json.find("the approval counts only this once") != std::string::npos) return true;
    }
    return false;
  };
  CHECK(world.host().until(said));
}

TEST_CASE("every decision is in the log, with rule, policy and generation, and without secrets") {
  World world(policy_with(kDenyForbidden));
  world.start();
  CHECK(echo(world.host(), "forbidden").code == "denied");
  CHECK(world.host().call("bg_start", {{"command", "API_TOKEN=abcdef123456 echo x"}}).ok);
  const std::vector<Json> decisions = world.decisions();
  REQUIRE(decisions.size() >= 3);
  const Json& denied = decisions[0];
  CHECK(denied["decision"] == "deny");
  CHECK(denied["rule"] == "test.forbidden");
  CHECK(denied["effect"] == "call");
  CHECK(denied["command"] == "echo forbidden");
  CHECK(denied["generation"] == 1);
  CHECK(denied["id"].get<std::string>().size() == 8);
  CHECK_FALSE(denied["policy"].get<std::string>().empty());
  for (const Json& decision : decisions) {
    CHECK(decision.dump().find("abcdef123456") == std::string::npos);
  }
}

TEST_CASE("an old log under a new policy shows which verdicts change") {
  World old_world(policy_with(kAskAboutSecret));
  World new_world(policy_with(kDenyForbidden));
  PolicyOptions options;
  options.mode = "auto";
  options.policies_dir = old_world.options().policies_dir;
  auto before = Policy::load(options);
  options.policies_dir = new_world.options().policies_dir;
  auto after = Policy::load(options);
  REQUIRE(before);
  REQUIRE(after);
  const std::string log =
      R"({"effect":"start","command":"echo secret","mode":"auto","workspace":"/w","decision":"ask"})"
      "\nnot json\n"
      R"({"effect":"start","command":"echo forbidden","mode":"auto","workspace":"/w","decision":"allow"})"
      "\n"
      R"({"effect":"start","command":"echo fine","mode":"auto","workspace":"/w","decision":"allow"})"
      "\n";
  std::size_t read = 0;
  const auto changes = (*before)->compare(**after, log, &read);
  CHECK(read == 3);
  REQUIRE(changes.size() == 2);
  CHECK(changes[0].record == 1);
  CHECK(changes[0].before == "ask");
  CHECK(changes[0].after == "allow");
  CHECK(changes[1].command == "echo forbidden");
  CHECK(changes[1].after == "deny");
}

TEST_CASE("an invalid request is answered with its error") {
  PolicyOptions options;
  options.mode = "auto";
  World world(policy_with(kDenyForbidden));
  options.policies_dir = world.options().policies_dir;
  auto policy = Policy::load(options);
  REQUIRE(policy);
  const auto error = [&](const std::string& request) {
    const Json answer = Json::parse((*policy)->check(request));
    return answer.contains("error") ? answer["error"]["message"].get<std::string>() : "none";
  };
  CHECK(error("{") == "the request is not a JSON object");
  CHECK(error("[]").find("must be an object") != std::string::npos);
  CHECK(error("{}").find("command") != std::string::npos);
  CHECK(error(R"({"comand":"ls"})").find("did you mean 'command'?") != std::string::npos);
  CHECK(error(R"({"command":1})").find("command must be a string") != std::string::npos);
  CHECK(error(R"({"command":"ls","argv":["ls"]})").find("not both") != std::string::npos);
  CHECK(error(R"({"argv":[]})").find("argv") != std::string::npos);
  CHECK(error(R"({"command":"ls","id":7})") == "none");
  CHECK(Json::parse((*policy)->check(R"({"id":7,"command":"echo forbidden"})"))["id"] == 7);
  // Texts alone are read without a parser; blanks, escapes and other characters change nothing.
  const auto shown = [&](const std::string& asked) { return Json::parse((*policy)->check(asked)); };
  CHECK(shown(R"( { "command" : "a \"b\" c" , "id" : "x\ty" } )") ==
        shown(R"({"command":"a \u0022b\u0022 c","id":"x\ty"})"));
  CHECK(shown(R"({"command":"\u00e9","id":"x"})")["id"] == "x");
  CHECK_FALSE(shown(R"({"command":"ls","id":null})").contains("id"));
  for (const char* wrong : {R"({"command":"ls",})", R"({"command":"ls")", R"({"command":"ls"}x)",
                            R"({"command":"ls","nonsense":"x"})", "{}", R"({"cwd":"/x"})",
                            "{\"command\":\"l\ns\"}", R"({"command":"\x"})"}) {
    CHECK(shown(wrong).contains("error"));
  }
}

}  // namespace
}  // namespace gibbous
