// Questions that are answered elsewhere: in another terminal, by another process of this user,
// while a client shows them or after their call was told to come again.
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "bindings/host/ask_files.h"
#include "bindings/host/ask_record.h"
#include "gibbous/approvals.h"
#include "gibbous/asks.h"
#include "runtime/sandbox/sandbox.h"
#include "tests/bindings/host/ask_desk.h"
#include "tests/support/catch.h"

namespace gibbous {
namespace {

namespace fs = std::filesystem;
using Catch::Matchers::Contains;
using testing::Desk;
using testing::kPush;
using testing::question_of;

TEST_CASE("asks: a call that no client can ask about waits for a person, and may come again") {
  Desk desk;
  const CallResult first = desk.call();
  const std::string id = question_of(first);
  CHECK_THAT(first.message,
             Contains("Waiting for a person: gibbous asks") && Contains(" (question " + id + ")"));
  const OpenAsk open = desk.open();
  CHECK(open.ask.id == id);
  CHECK(open.ask.command == kPush);
  CHECK(open.ask.rule == "git.push");
  CHECK_FALSE(open.waits);
  CHECK(open.expires > open.opened);
  CHECK(desk.host->saw_event("ask_opened"));

  const auto outcome = desk.allow(id);
  REQUIRE(outcome);
  CHECK(outcome->taken);
  CHECK_THAT(outcome_text(*outcome), Contains("allowed once by ann at "));
  CHECK(desk.asks().empty());
  CHECK(desk.host->saw_event("ask_answered"));
  // It counts once, for exactly this call.
  CHECK(desk.call("git push origin other").code == "needs_approval");
  CHECK(desk.call(kPush, {{"cwd", "/"}}).code == "needs_approval");
  CHECK(desk.call(kPush, {}, "another session").code == "needs_approval");
  CHECK(desk.call().ok);
  CHECK(desk.call().code == "needs_approval");
}

TEST_CASE("asks: a call that comes again finds its question still open") {
  Desk desk;
  const std::string id = question_of(desk.call());
  CHECK(question_of(desk.call()) == id);
  CHECK(desk.asks().size() == 1);
  CHECK(question_of(desk.call(kPush, {}, "another session")) != id);
  CHECK(desk.asks().size() == 2);
}

TEST_CASE("asks: a refusal tells the call that comes again why") {
  Desk desk;
  const std::string id = question_of(desk.call());
  REQUIRE(desk.deny(id, "push to a branch"));
  const CallResult again = desk.call();
  CHECK(again.code == "denied");
  CHECK_THAT(again.message, Contains("push to a branch"));
  // The next one is another question.
  CHECK(question_of(desk.call()) != id);
}

TEST_CASE("asks: a script that has changed since is another question") {
  Desk desk;
  desk.begin([](RuntimeOptions& options) { options.mode = "default"; });
  desk.dir.write("x.sh", "echo one\n");
  REQUIRE(desk.allow(question_of(desk.call("bash x.sh"))));
  desk.dir.write("x.sh", "echo two\n");
  CHECK(desk.call("bash x.sh").code == "needs_approval");
}

TEST_CASE("asks: what is another question each time is not told to come again") {
  Desk desk;
  desk.begin([](RuntimeOptions& options) { options.mode = "default"; });
  // What is not there may be anything later.
  const CallResult refused = desk.call("bash later.sh");
  CHECK(question_of(refused).empty());
  CHECK_THAT(refused.message, Contains("no person can be asked here"));
}

TEST_CASE("asks: typed text is shown where it is asked about, and written nowhere") {
  Desk desk;
  desk.begin([](RuntimeOptions& options) { options.mode = "default"; });
  desk.show();
  const std::size_t start = desk.begin_call("cat", {{"pty", true}});
  REQUIRE(desk.host->until([&] { return desk.shown.size() == 1; }));
  desk.shown.front().answer(true, "");
  const std::string run = Json::parse(desk.result(start).data)["id"];
  const Json keys = {{"id", run}, {"keys", "sesame<Enter>"}};
  (void)desk.host->runtime->call({"bg_input", keys.dump(), ""}, [](const CallResult&) {});
  REQUIRE(desk.host->until([&] { return desk.shown.size() == 2; }));
  CHECK_THAT(desk.shown.back().arguments, Contains("sesame"));
  const OpenAsk open = desk.open();
  CHECK(open.ask.tool == "bg_input");
  CHECK(asks_json({open}).find("sesame") == std::string::npos);
}

TEST_CASE("asks: a terminal's answer reaches a call that a client shows, and is withdrawn there") {
  Desk desk;
  desk.show();
  const std::size_t call = desk.begin_call();
  REQUIRE(desk.host->until([&] { return desk.shown.size() == 1; }));
  const OpenAsk open = desk.open();
  CHECK(open.waits);
  CHECK(open.ask.id == desk.shown.front().id);
  REQUIRE(desk.allow(open.ask.id));
  CHECK(desk.result(call).ok);
  CHECK(desk.withdrawn == std::vector<std::string>{open.ask.id});
  // The client is late.
  AskAnswer late;
  CHECK_FALSE(desk.shown.front().reply(late));
}

TEST_CASE("asks: a terminal that is later than the client is told who answered") {
  Desk desk;
  desk.show();
  const std::size_t call = desk.begin_call();
  const OpenAsk open = desk.open();
  AskAnswer first;
  first.allow = true;
  first.who = "client";
  CHECK(desk.shown.front().reply(first));
  CHECK(desk.result(call).ok);
  const auto late = desk.deny(open.ask.id, "no");
  REQUIRE_FALSE(late);
  CHECK(late.status().code() == "ask_answered");
  CHECK_THAT(late.status().message(), Contains("already answered: allowed once by client at "));
  CHECK(find_ask(desk.state(), open.ask.id).status().code() == "ask_answered");
  CHECK(desk.withdrawn.empty());
}

TEST_CASE("asks: of two terminals one counts, and the other is told") {
  Desk desk;
  const std::string id = question_of(desk.call());
  constexpr int kTerminals = 8;
  std::vector<std::optional<Result<AskOutcome>>> outcomes(kTerminals);
  std::vector<std::thread> terminals;
  std::atomic<int> done = 0;
  for (int at = 0; at < kTerminals; ++at) {
    terminals.emplace_back([&, at] {
      AskAnswer given;
      given.allow = at % 2 == 0;
      given.who = "terminal " + std::to_string(at);
      outcomes[static_cast<std::size_t>(at)].emplace(
          answer_ask(desk.state(), id, given, testing::kPatience));
      ++done;
    });
  }
  const bool in_time = desk.host->until([&] { return done == kTerminals; });
  for (std::thread& each : terminals) each.join();
  REQUIRE(in_time);
  std::size_t counted = 0;
  bool allowed = false;
  for (const auto& each : outcomes) {
    if (!*each) CHECK((*each).status().code() == "ask_answered");
    if (!*each) continue;
    ++counted;
    allowed = (*each)->decision == "allow";
  }
  CHECK(counted == 1);
  CHECK(desk.call().ok == allowed);
}

TEST_CASE(
    "asks: the questions of several hosts are one list, and each host takes its own answers") {
  Desk desk;
  const std::string first = question_of(desk.call());
  RuntimeOptions options = testing::auto_mode();
  options.workspace = desk.dir.path();
  options.state_dir = desk.state();
  testing::Host other(std::move(options));
  const CallResult asked = other.call("bg_start", {{"command", kPush}});
  const std::string second = question_of(asked);
  REQUIRE(desk.asks().size() == 2);
  REQUIRE(desk.allow(first));
  CHECK(desk.asks().size() == 1);
  CHECK(desk.asks().front().ask.id == second);
  // The same call, but another host's.
  CHECK(question_of(other.call("bg_start", {{"command", kPush}})) == second);
  CHECK(desk.call().ok);
}

TEST_CASE("asks: an answer may be remembered, with the limits that a client's form has") {
  using Remember = AskAnswer::Remember;
  using About = AskAnswer::About;
  Desk desk;
  const std::string code = question_of(desk.call("python3 -c 'import os; os.remove(input())'"));
  CHECK(desk.allow(code, Remember::kAlways, About::kRule).status().code() == "invalid_arguments");
  CHECK(desk.allow(code, Remember::kAlways, About::kPrefix).status().code() == "invalid_arguments");
  const std::string push = question_of(desk.call());
  REQUIRE(desk.allow(push, Remember::kAlways, About::kPrefix));
  CHECK(desk.call("git push origin another").ok);
  CHECK(desk.call().ok);
  CHECK(desk.call().ok);
  const auto listed = list_approvals(desk.state());
  REQUIRE(listed);
  REQUIRE(listed->size() == 1);
  CHECK(listed->front().who == "ann");
  // Nothing else counts once it is revoked.
  REQUIRE(revoke_approval(desk.state(), listed->front().id));
  CHECK(desk.call().code == "needs_approval");
}

TEST_CASE(
    "asks: a client that can ask after all is shown the question of the call that comes again") {
  Desk desk;
  const std::string id = question_of(desk.call());
  desk.show();
  const std::size_t call = desk.begin_call();
  REQUIRE(desk.host->until([&] { return desk.shown.size() == 1; }));
  CHECK(desk.shown.front().id == id);
  desk.shown.front().answer(true, "");
  CHECK(desk.result(call).ok);
  CHECK(desk.asks().empty());
}

TEST_CASE("asks: a client without a person leaves the question to others") {
  Desk desk;
  (void)desk.host->runtime->on_ask([](const AskRequest& request) {
    AskAnswer nobody;
    nobody.no_approver = true;
    nobody.reason = "no window";
    request.reply(nobody);
  });
  const CallResult refused = desk.call();
  const std::string id = question_of(refused);
  CHECK_THAT(refused.message, Contains(" (no window).\nWaiting for a person: "));
  REQUIRE(desk.allow(id));
  CHECK(desk.call().ok);
}

TEST_CASE("asks: a call waits as long as the host says") {
  Desk desk;
  desk.begin([](RuntimeOptions& options) { options.ask_wait = std::chrono::seconds(3600); });
  const std::size_t call = desk.begin_call();
  const OpenAsk open = desk.open();
  CHECK(open.waits);
  CHECK_FALSE(desk.ended[call]);
  REQUIRE(desk.allow(open.ask.id));
  CHECK(desk.result(call).ok);
}

TEST_CASE("asks: a client that takes too long loses the question, which stays open") {
  Desk desk;
  desk.begin([](RuntimeOptions& options) { options.ask_wait = std::chrono::seconds(1); });
  desk.show();
  const std::string id = question_of(desk.call());
  CHECK(desk.withdrawn == std::vector<std::string>{id});
  CHECK_FALSE(desk.shown.front().reply(AskAnswer{}));
  REQUIRE(desk.allow(id));
  CHECK(desk.call().ok);
}

TEST_CASE("asks: a question that nobody answers in time is over") {
  Desk desk;
  desk.begin([](RuntimeOptions& options) { options.ask_keep = std::chrono::seconds(1); });
  const std::string id = question_of(desk.call());
  REQUIRE(desk.host->until([&] { return desk.asks().empty(); }));
  const auto late = desk.allow(id);
  CHECK(late.status().code() == "ask_answered");
  CHECK_THAT(late.status().message(), Contains("nobody answered it in time"));
  CHECK(question_of(desk.call()) != id);
}

TEST_CASE("asks: without time to keep it, a question ends with its call") {
  Desk desk;
  desk.begin([](RuntimeOptions& options) { options.ask_keep = std::chrono::seconds(0); });
  const CallResult refused = desk.call();
  CHECK(question_of(refused).empty());
  CHECK_THAT(refused.message, Contains("no person can be asked here"));
  CHECK(desk.asks().empty());
}

TEST_CASE("asks: a cancelled call takes its question along") {
  Desk desk;
  desk.show();
  const std::size_t call = desk.begin_call();
  const OpenAsk open = desk.open();
  CHECK(desk.host->runtime->cancel(desk.calls[call]));
  CHECK(desk.result(call).code == "cancelled");
  REQUIRE(desk.host->until([&] { return desk.asks().empty(); }));
  CHECK(desk.withdrawn == std::vector<std::string>{open.ask.id});
  CHECK_THAT(desk.allow(open.ask.id).status().message(),
             Contains("its call or its host has ended"));
}

TEST_CASE("asks: a reload leaves open questions as they are") {
  Desk desk;
  desk.show();
  const std::size_t call = desk.begin_call();
  const OpenAsk open = desk.open();
  CHECK(desk.host->runtime->reload().ok);
  CHECK(desk.asks().size() == 1);
  REQUIRE(desk.allow(open.ask.id));
  CHECK(desk.result(call).ok);
}

TEST_CASE("asks: a host that ends closes its questions, and the next one asks again") {
  Desk desk;
  desk.show();
  const std::size_t call = desk.begin_call();
  const OpenAsk open = desk.open();
  desk.host.reset();
  CHECK_FALSE(desk.ended[call]->ok);
  CHECK(desk.asks().empty());
  CHECK(answer_ask(desk.state(), open.ask.id, AskAnswer{}).status().code() == "ask_answered");
  desk.shown.clear();
  desk.begin();
  CHECK(question_of(desk.call()) != open.ask.id);
}

TEST_CASE("asks: the number of questions of a session that wait is bounded") {
  Desk desk;
  constexpr int kMost = 16;
  for (int at = 0; at < kMost; ++at) {
    CHECK_FALSE(question_of(desk.call("git push origin b" + std::to_string(at))).empty());
  }
  const CallResult more = desk.call("git push origin more");
  CHECK(question_of(more).empty());
  CHECK(desk.asks().size() == kMost);
  CHECK_FALSE(question_of(desk.call(kPush, {}, "another session")).empty());
}

TEST_CASE("asks: what looks like a secret is not shown to other terminals") {
  Desk desk;
  const CallResult first = desk.call("git push https://ann:hunter2@example.com/x z",
                                     {{"env", {{"API_TOKEN", "sesame"}}}});
  const std::string id = question_of(first);
  const auto open = find_ask(desk.state(), id);
  REQUIRE(open);
  const std::string text = asks_json({*open});
  CHECK(text.find("hunter2") == std::string::npos);
  CHECK(text.find("sesame") == std::string::npos);
  CHECK_THAT(text, Contains("git push") && Contains("***"));
}

TEST_CASE("asks: files are for this user alone, and links are not followed") {
  Desk desk;
  const std::string id = question_of(desk.call());
  const std::string directory = desk.state() + "/asks";
  struct stat info {};
  REQUIRE(::stat(directory.c_str(), &info) == 0);
  CHECK((info.st_mode & 0777) == 0700);
  REQUIRE(::stat((directory + "/" + id + ".ask").c_str(), &info) == 0);
  CHECK((info.st_mode & 0777) == 0600);
  // A directory that others may read is not used.
  fs::permissions(directory, fs::perms::owner_all | fs::perms::others_read);
  CHECK(list_asks(desk.state()).status().code() == "state_dir_unusable");
  fs::permissions(directory, fs::perms::owner_all);
  CHECK(desk.asks().size() == 1);
  fs::rename(directory, directory + ".real");
  fs::create_directory_symlink(directory + ".real", directory);
  CHECK_FALSE(list_asks(desk.state()));
}

TEST_CASE("asks: a forged question is not shown, and a forged answer does not count") {
  Desk desk;
  const std::string id = question_of(desk.call());
  const std::string directory = desk.state() + "/asks/";
  const auto write = [&](const std::string& name, const std::string& text) {
    std::ofstream(directory + name) << text;
    ::chmod((directory + name).c_str(), 0600);
  };
  const std::string answer = R"({"question":"","nonce":"x","allow":true,"who":"mallory"})";
  write(id + ".answer", "gibbous-ask 1 " + std::string(64, '0') + "\n" + answer);
  REQUIRE(desk.host->until([&] { return !fs::exists(directory + id + ".answer"); }));
  CHECK(desk.call().code == "needs_approval");
  // A genuine answer to another question, or to another text of this one.
  host::AskFiles files(desk.state());
  REQUIRE(files.open(false));
  AskAnswer allowing;
  allowing.allow = true;
  REQUIRE(files.put_answer(id, host::encode_reply({"another text", "nonce", allowing})));
  REQUIRE(desk.host->until([&] { return !fs::exists(directory + id + ".answer"); }));
  CHECK(desk.call().code == "needs_approval");
  // The text of the question is changed below a person's eyes.
  std::ifstream file(directory + id + ".ask");
  std::string text((std::istreambuf_iterator<char>(file)), {});
  text.replace(text.find(kPush), 8, "git pull");
  write("Forged12.ask", text);
  CHECK(desk.asks().size() == 1);
  write(id + ".ask", text);
  CHECK(desk.asks().empty());
  CHECK(answer_ask(desk.state(), id, allowing, {}).status().code() == "ask_not_found");
}

TEST_CASE("asks: a state directory that takes nothing leaves the question to the client") {
  Desk desk;
  std::ofstream(desk.top.path() + "/file") << "no directory";
  desk.begin([&](RuntimeOptions& options) { options.state_dir = desk.top.path() + "/file"; });
  CHECK_THAT(desk.call().message, Contains("no person can be asked here"));
  desk.show();
  const std::size_t call = desk.begin_call();
  REQUIRE(desk.host->until([&] { return desk.shown.size() == 1; }));
  desk.shown.front().answer(true, "");
  CHECK(desk.result(call).ok);
}

TEST_CASE("asks: a process of a run answers no question") {
  Desk desk;
  const std::string id = question_of(desk.call());
  // The lock of the question belongs to the host alone, not to what it starts.
  CHECK(desk.call("true").ok);
  const auto ids = list_asks(desk.state());
  REQUIRE(ids);
  CHECK(ids->size() == 1);
  for (const char* command : {"gibbous asks allow x", "gibbous --state /x asks deny x",
                              "XDG_STATE_HOME=/x gibbous asks", "gibbous asks --watch"}) {
    INFO(command);
    CHECK(desk.call(command).code == "denied");
  }
  CHECK(question_of(desk.call("gibbous top")) != "");
}

TEST_CASE("asks: what a confined run may do beyond its sandbox is allowed elsewhere, too") {
  if (!can_confine()) {
    WARN("not tested: no Landlock here");
    return;
  }
  Desk desk;
  const Json wish = {{"allow", {"network"}}};
  CHECK(desk.call("frobnicate").ok);
  const std::string id = question_of(desk.call("frobnicate", wish));
  const OpenAsk open = desk.open();
  CHECK(open.ask.rule == "sandbox.allow");
  CHECK_THAT(open.ask.subject, Contains("network"));
  REQUIRE(desk.allow(id));
  CHECK(desk.call("frobnicate", {{"allow", {"network", "write:~/.config/x"}}}).code ==
        "needs_approval");
  const CallResult started = desk.call("frobnicate", wish);
  REQUIRE(started.ok);
  const std::string run = Json::parse(started.data)["id"];
  Json event;
  REQUIRE(desk.host->until([&] {
    for (const Event& each : desk.host->events) {
      const Json json = Json::parse(each.json);
      if (each.name == "run_started" && json["run"] == run) event = json;
    }
    return !event.is_null();
  }));
  CHECK(event["sandbox"]["network"] == "on");
}

}  // namespace
}  // namespace gibbous
