// `gibbous asks`: the questions of a `gibbous session` in another process, listed and answered.
#include <unistd.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "tests/bindings/cli/asking.h"
#include "tests/support/catch.h"
#include "tests/support/conversation.h"
#include "tests/support/loop.h"
#include "tests/support/terminal_program.h"

using namespace gibbous::testing;
using Catch::Matchers::Contains;
using gibbous::Json;

namespace {

// A session whose client cannot ask, and terminals that can.
class Desk {
 public:
  explicit Desk(const std::vector<std::string>& more = {}) { begin(more); }
  void begin(const std::vector<std::string>& more = {}) { session.emplace(asking.options(more)); }
  Json build(const std::string& command = "make && make install") {
    return session->call("build", {{"command", command}}, "mine");
  }
  std::vector<std::string> words(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), {command_path(), "asks"});
    for (const char* word : {"--state"}) arguments.emplace_back(word);
    arguments.push_back(asking.dir().path() + "/state");
    return arguments;
  }
  Outcome asks(std::vector<std::string> arguments) const {
    return run_program({.argv = words(std::move(arguments)), .env = {}, .cwd = ""});
  }
  Json listed() const {
    const Outcome outcome = asks({"list", "--json"});
    REQUIRE(outcome.status.code == 0);
    return Json::parse(outcome.out)["asks"];
  }

  Asking asking;
  std::optional<Conversation> session;
};

std::string question_of(const Json& answer) {
  INFO(answer.dump());
  REQUIRE(answer["error"]["code"] == "needs_approval");
  return answer["error"]["data"]["question"];
}

}  // namespace

TEST_CASE("asks lists what waits, and an answer lets the call that comes again pass") {
  Desk desk;
  CHECK_THAT(desk.asks({}).out, Contains("no question waits for a person"));
  const std::string id = question_of(desk.build());
  const std::string list = desk.asks({}).out;
  // Control characters are made visible.
  for (const char* part : {"mine", "make && make install", "It\\x1b[2J builds.", "(test.ask)",
                           "the agent will call again"}) {
    CHECK_THAT(list, Contains(part));
  }
  CHECK_THAT(list, Contains(id));
  const std::string shown = desk.asks({"show", id.substr(0, 6)}).out;
  for (const char* part : {"Tool: build", "make install", "Allow once", "--session", "--always",
                           "--about rule", "gibbous asks deny "}) {
    CHECK_THAT(shown, Contains(part));
  }
  CHECK_THAT(shown, !Contains("--prefix"));
  const Outcome allowed = desk.asks({"allow", id.substr(0, 6)});
  CHECK(allowed.status.code == 0);
  CHECK_THAT(allowed.out, Contains(id) && Contains("allowed once by "));
  const Outcome again = desk.asks({"deny", id});
  CHECK(again.status.code == 1);
  CHECK_THAT(again.err, Contains("was already answered: allowed once by "));
  CHECK(desk.build()["result"]["text"] == "built with make && make install");
  CHECK(desk.build()["error"]["code"] == "needs_approval");
}

TEST_CASE("asks denies with a reason for the agent, and names what is wrong with an answer") {
  Desk desk;
  const std::string id = question_of(desk.build());
  struct Case {
    std::vector<std::string> words;
    int code;
    const char* text;
  };
  const std::vector<Case> cases = {
      {{"allow", "none"}, 1, "there is no open question 'none'"},
      {{"show", "none"}, 1, "there is no open question 'none'"},
      {{"allow"}, 2, "ID"},
      {{"allow", id, "--prefix", "make *"}, 2, "--prefix: this command offers none"},
      {{"allow", id, "--about", "prefix"}, 2, "this command offers no prefix"},
      {{"allow", id, "--about", "everything"}, 2, "--about"},
      {{"allow", id, "--about", "rule", "--once"}, 2, "--once"},
      {{"allow", id, "--session", "--always"}, 2, "--always"},
  };
  for (const Case& each : cases) {
    INFO(each.text);
    const Outcome outcome = desk.asks(each.words);
    CHECK(outcome.status.code == each.code);
    CHECK_THAT(outcome.err, Contains(each.text));
  }
  CHECK(desk.listed().size() == 1);
  const Outcome denied = desk.asks({"deny", id, "--reason", "use ninja", "--json"});
  CHECK(Json::parse(denied.out)["answer"]["decision"] == "deny");
  const Json answer = desk.build();
  CHECK(answer["error"]["code"] == "denied");
  CHECK_THAT(answer["error"]["message"].get<std::string>(), Contains("use ninja"));
}

TEST_CASE("an answer of asks may count for the session or always, and for the rule") {
  for (const auto& [option, other, passes] :
       std::vector<std::tuple<std::vector<std::string>, std::string, bool>>{
           {{"--session"}, "make", false},
           {{"--always"}, "make", false},
           {{"--about", "rule"}, "make", true}}) {
    Desk desk;
    std::vector<std::string> words = {"allow", question_of(desk.build())};
    words.insert(words.end(), option.begin(), option.end());
    CHECK(desk.asks(words).status.code == 0);
    for (int i = 0; i < 2; ++i) CHECK(desk.build().contains("result"));
    CHECK(desk.build(other).contains("result") == passes);
  }
}

TEST_CASE("asks --watch asks a person about each question, and leaves those without an answer") {
  Desk desk({"--asks"});
  const auto begin = [&](int id) {
    desk.session->send({{"id", id},
                        {"tool", "build"},
                        {"args", {{"command", "make " + std::to_string(id)}}},
                        {"session", "mine"}});
  };
  TerminalProgram watch({.argv = desk.words({"--watch"}), .env = {{"TERM", "dumb"}}, .cwd = ""});
  watch.until("Waiting for questions");
  begin(1);
  watch.until("make 1\r\nWhy: ");
  watch.until("[L]ater: ");
  watch.type("y\n");
  watch.until("allowed once by ");
  CHECK(desk.session->answer(1).contains("result"));
  // The client is faster.
  begin(2);
  watch.until("make 2\r\nWhy: ");
  watch.until("[L]ater: ");
  Json ask = desk.session->next_with("ask")["ask"];
  while (ask["call"] != 2) ask = desk.session->next_with("ask")["ask"];
  desk.session->send({{"answer", ask["id"]}, {"allow", true}});
  watch.until("was already answered: allowed once by gibbous session");
  CHECK(desk.session->answer(2).contains("result"));
  begin(3);
  watch.until("make 3\r\nWhy: ");
  watch.until("[L]ater: ");
  watch.type("\x04");
  CHECK(watch.wait().code == 0);
  CHECK(desk.listed().size() == 1);
}

TEST_CASE("a question of a host that was killed is not open, and the next host asks again") {
  Desk desk;
  const std::string id = question_of(desk.build());
  CHECK(desk.listed().size() == 1);
  desk.session->program().send_signal(SIGKILL);
  REQUIRE(desk.session->program().wait());
  CHECK(desk.listed().empty());
  const Outcome late = desk.asks({"allow", id});
  CHECK(late.status.code == 1);
  CHECK_THAT(late.err, Contains("the host of question " + id + " has ended"));
  desk.begin();
  CHECK(question_of(desk.build()) != id);
}

TEST_CASE("another user reads and answers nothing") {
  if (::geteuid() != 0) {
    WARN("not tested: only root can become another user");
    return;
  }
  Desk desk;
  const std::string id = question_of(desk.build());
  for (const std::string& directory :
       {desk.asking.dir().path(), desk.asking.dir().path() + "/state"}) {
    std::filesystem::permissions(directory, std::filesystem::perms(0755));
  }
  const std::string state = desk.asking.dir().path() + "/state";
  for (const std::string& command :
       {"cat " + state + "/asks/" + id + ".ask", "ls " + state + "/asks",
        command_path() + " asks --state " + state,
        command_path() + " asks allow " + id + " --state " + state}) {
    INFO(command);
    const Outcome outcome = run_program(
        {.argv = {"/usr/bin/setpriv", "--reuid=65534", "--clear-groups", "/bin/sh", "-c", command},
         .env = {},
         .cwd = "/"});
    CHECK(outcome.status.code != 0);
    CHECK(outcome.out.find("make") == std::string::npos);
  }
  CHECK(desk.listed().size() == 1);
}

TEST_CASE("a full disk leaves a question to the client") {
  const Asking asking;
  ProgramSpec spec;
  spec.argv = {"/bin/sh", "-c",           "ulimit -f 0; exec 2>/dev/null; exec \"$@\"",
               "sh",      command_path(), "session",
               "--asks"};
  for (const std::string& word : asking.options()) spec.argv.push_back(word);
  Conversation session(spec);
  session.send({{"id", 1}, {"tool", "build"}, {"args", Json::object()}});
  const Json ask = session.next_with("ask")["ask"];
  session.send({{"answer", ask["id"]}, {"allow", true}});
  CHECK(session.answer(1).contains("result"));
}
