// `gibbous session` as a client sees it: the built command, connected by pipes.
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "tests/support/catch.h"
#include "tests/support/conversation.h"
#include "tests/support/loop.h"

using namespace gibbous::testing;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

using gibbous::Json;

namespace {

constexpr milliseconds kPromptly{10'000};  // for what takes a second at most on an idle machine

std::vector<std::string> with_test_tools(const std::string& mode = "auto") {
  const std::string scripts =
      std::string(std::getenv("GIBBOUS_SOURCE_DIR")) + "/tests/bindings/cli/scripts";
  return {"--scripts", scripts, "--mode", mode};
}

bool has(const Json& text, const std::string& part) {
  return text.get<std::string>().find(part) != std::string::npos;
}

// Waits until a condition about other processes holds, for which there is no event.
template <typename Condition>
bool soon(const Condition& condition, milliseconds limit = kPromptly) {
  Loop loop;
  return loop.until(condition, limit);
}

}  // namespace

TEST_CASE("a call is answered with its id, its text and its data") {
  Conversation session(with_test_tools());
  for (const Json& id : {Json(1), Json("one"), Json(-2.5), Json("")}) {
    session.send({{"id", id}, {"tool", "echo"}, {"args", {{"text", "é \"x\""}}}});
    const Json answer = session.answer(id);
    CHECK(answer["result"]["text"] == "é \"x\"");
    CHECK(answer["result"]["data"] == Json({{"text", "é \"x\""}}));
  }
}

TEST_CASE("a numeric id keeps all its digits") {
  Conversation session(with_test_tools());
  session.program().write_line(R"({"id":12345678901234567890123,"tool":"echo"})");
  for (;;) {
    const auto line = session.program().read_line();
    REQUIRE(line);
    if (line->find("result") == std::string::npos) continue;
    CHECK(line->find("\"id\":12345678901234567890123,") != std::string::npos);
    break;
  }
}

TEST_CASE("calls run concurrently and are answered as they end") {
  Conversation session(with_test_tools());
  session.send({{"id", "slow"}, {"tool", "sleep"}, {"args", {{"ms", 300}}}});
  session.send({{"id", "quick"}, {"tool", "echo"}, {"args", Json::object()}});
  CHECK(session.next_with("result")["id"] == "quick");
  CHECK(session.next_with("result")["id"] == "slow");
}

TEST_CASE("a hundred calls in one write are all answered") {
  Conversation session(with_test_tools());
  constexpr int kCalls = 100;
  std::string lines;
  for (int id = 0; id < kCalls; ++id) {
    lines += Json({{"id", id}, {"tool", "echo"}, {"args", {{"text", std::to_string(id)}}}}).dump() +
             "\r\n\n";
  }
  session.program().write(lines);
  for (int id = 0; id < kCalls; ++id) {
    CHECK(session.answer(id)["result"]["text"] == std::to_string(id));
  }
}

TEST_CASE("a cancelled call answers with the error cancelled") {
  Conversation session(with_test_tools());
  session.send({{"id", 1}, {"tool", "sleep"}, {"args", {{"ms", 600'000}}}});
  session.send({{"cancel", 1}});
  CHECK(session.answer(1)["error"]["code"] == "cancelled");
  session.send({{"cancel", 1}});  // it has ended meanwhile, which is not an error
  session.send({{"cancel", 1}, {"id", "c"}});
  CHECK(session.answer("c")["cancel"]["found"] == false);
}

TEST_CASE("an id in flight cannot be reused") {
  Conversation session(with_test_tools());
  session.send({{"id", 1}, {"tool", "sleep"}, {"args", {{"ms", 600'000}}}});
  session.send({{"id", 1}, {"tool", "echo"}});
  const Json refused = session.next_with("error");
  CHECK_FALSE(refused.contains("id"));
  CHECK(refused["error"]["code"] == "duplicate_id");
  session.send({{"cancel", 1}});
  CHECK(session.answer(1)["error"]["code"] == "cancelled");
  session.send({{"id", 1}, {"tool", "echo"}});
  CHECK(session.answer(1).contains("result"));
}

TEST_CASE("errors of tools, scripts and callers have different codes") {
  Conversation session(with_test_tools());
  const Json raised = session.call("fail", Json::object())["error"];
  CHECK(raised["code"] == "too_blue");
  CHECK(raised["message"] == "The sky is too blue.");
  CHECK(raised["data"]["shade"] == 7);

  const Json mistake = session.call("crash", Json::object())["error"];
  CHECK(mistake["code"] == "script_error");
  CHECK(has(mistake["message"], "init.lua:"));

  const Json unknown = session.call("ecko", Json::object())["error"];
  CHECK(unknown["code"] == "unknown_tool");
  CHECK(has(unknown["message"], "echo"));

  const Json wrong = session.call("sleep", {{"ms", "long"}})["error"];
  CHECK(wrong["code"] == "invalid_arguments");
  CHECK(has(wrong["message"], "ms"));
}

TEST_CASE("a tool that never ends is stopped, and the others continue") {
  Conversation session(with_test_tools());
  session.send({{"id", "spin"}, {"tool", "spin"}});
  session.send({{"id", "echo"}, {"tool", "echo"}});
  CHECK(session.next_with("result")["id"] == "echo");
  const Json error = session.answer("spin")["error"];
  CHECK(error["code"] == "budget_exceeded");
  CHECK(has(error["message"], "init.lua:"));
}

TEST_CASE("a malformed line is refused with the reason") {
  Conversation session(with_test_tools());
  const std::vector<std::pair<std::string, std::string>> lines = {
      {"not json", "not valid JSON"},
      {"{\"id\":1", "not valid JSON"},
      {"[]", "not an array"},
      {"{\"tool\":\"echo\"}", "\"id\""},
      {std::string("{\"id\":1,\"tool\":\"\xff\"}"), "UTF-8"},
      {"{\"a\":" + std::string(100'000, '['), "nested deeper"},
      {std::string("{\"id\":1\0}", 9), "not valid JSON"},
  };
  for (const auto& [line, complaint] : lines) {
    INFO(complaint);
    session.program().write_line(line);
    const Json error = session.next_with("error")["error"];
    CHECK(error["code"] == "invalid_request");
    CHECK(has(error["message"], complaint));
  }
  CHECK(session.call("echo", Json::object()).contains("result"));
}

TEST_CASE("an invalid line is answered with its id") {
  Conversation session(with_test_tools());
  session.program().write_line(R"({"id":"w","tool":"echo","args":[1]})");
  CHECK(session.answer("w")["error"]["code"] == "invalid_request");
}

TEST_CASE("a line over the limit is refused once, and the next line is read") {
  Conversation session(with_test_tools());
  constexpr std::size_t kTooLong = std::size_t{11} << 20;
  session.program().write(std::string(kTooLong, 'x'));
  const Json refused = session.next_with("error");
  CHECK(refused["error"]["code"] == "invalid_request");
  CHECK(has(refused["error"]["message"], "at most 10485760 bytes, got a longer one"));
  session.program().write_line("still the same line");
  CHECK(session.call("echo", Json::object()).contains("result"));
  for (const Json& line : session.others()) CHECK_FALSE(line.contains("error"));
}

TEST_CASE("requested progress comes before the answer") {
  Conversation session(with_test_tools());
  CHECK(session.call("steps", Json::object()).contains("result"));
  for (const Json& line : session.others()) CHECK_FALSE(line.contains("progress"));

  session.others().clear();
  session.send({{"id", "p"}, {"tool", "steps"}, {"progress", true}});
  CHECK(session.answer("p").contains("result"));
  std::vector<Json> seen;
  for (const Json& line : session.others()) {
    if (line.contains("progress")) seen.push_back(line);
  }
  REQUIRE(seen.size() == 3);
  CHECK(seen[2] ==
        Json::parse(R"({"id":"p","progress":{"progress":3,"total":3,"message":"step 3"}})"));
}

TEST_CASE("events arrive by themselves, and a session's backlog can be drained") {
  Conversation session(with_test_tools());
  const Json started = session.call("bg_start", {{"command", "exit 3"}}, "mine");
  REQUIRE(started.contains("result"));
  const Json run = started["result"]["data"]["id"];
  CHECK(session.event("run_started")["run"] == run);
  const Json ended = session.event("run_ended");
  CHECK(ended["run"] == run);
  CHECK(ended["session"] == "mine");

  session.send({{"drain", "mine"}, {"id", "d"}});
  const Json drained = session.answer("d")["drain"];
  CHECK(drained["session"] == "mine");
  CHECK(drained["events"].size() >= 2);
  session.send({{"drain", "mine"}, {"id", "again"}});
  CHECK(session.answer("again")["drain"]["events"].empty());
}

TEST_CASE("a reload replaces the tools, and a broken script keeps the old ones and is named") {
  const TempDir scripts;
  const auto write_tool = [&scripts](const std::string& word) {
    scripts.write("init.lua",
                  "local t = tool { name = 'word', description = 'A word.', permission = 'read',\n"
                  "  input = schema.object {}, run = function() return '" +
                      word +
                      "' end }\n"
                      "return { toolsets = { { name = 'w', tools = { t } } } }\n");
  };
  write_tool("one");
  Conversation session({"--scripts", scripts.path(), "--mode", "auto"});
  CHECK(session.call("word", Json::object())["result"]["text"] == "one");

  scripts.write("init.lua", "local t =\n\nreturn {{\n");
  session.send({{"reload", true}, {"id", "r1"}});
  const Json broken = session.answer("r1")["reload"];
  CHECK(broken["ok"] == false);
  CHECK(has(broken["file"], "init.lua"));
  CHECK(broken["line"].get<int>() >= 1);
  CHECK(session.call("word", Json::object())["result"]["text"] == "one");

  write_tool("two");
  session.send({{"reload", true}});
  CHECK(session.next_with("reload")["reload"]["ok"] == true);
  CHECK(session.call("word", Json::object())["result"]["text"] == "two");
}

TEST_CASE("the end of input ends the session after quick calls are answered") {
  Outcome outcome = run_program({.argv =
                                     [] {
                                       std::vector<std::string> argv = {command_path(), "session"};
                                       for (const std::string& word : with_test_tools())
                                         argv.push_back(word);
                                       return argv;
                                     }()},
                                R"({"id":1,"tool":"echo","args":{"text":"no line end"}})");
  CHECK(outcome.status.code == 0);
  CHECK(outcome.out.find("no line end") != std::string::npos);
}

TEST_CASE("the end of input cancels running calls, and every call is answered") {
  Conversation session(with_test_tools());
  session.send({{"id", 1}, {"tool", "sleep"}, {"args", {{"ms", 600'000}}}});
  CHECK(session.call("echo", Json::object()).contains("result"));
  const auto before = steady_clock::now();
  session.program().close_stdin();
  CHECK(session.answer(1)["error"]["code"] == "cancelled");
  const auto status = session.program().wait(kPromptly);
  REQUIRE(status);
  CHECK(status->code == 0);
  CHECK(steady_clock::now() - before < kPromptly);
}

TEST_CASE("a signal ends the session, and every call is answered") {
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    Conversation session(with_test_tools());
    session.send({{"id", 1}, {"tool", "sleep"}, {"args", {{"ms", 600'000}}}});
    CHECK(session.call("echo", Json::object()).contains("result"));
    session.program().send_signal(number);
    CHECK(session.answer(1)["error"]["code"] == "cancelled");
    const auto status = session.program().wait(kPromptly);
    REQUIRE(status);
    CHECK(status->code == 0);
  }
}

TEST_CASE("the session ends when its reader goes away") {
  Conversation session(with_test_tools());
  CHECK(session.call("echo", Json::object()).contains("result"));
  session.program().close_stdout();
  const auto status = session.program().wait(kPromptly);
  REQUIRE(status);
  CHECK(status->code == 0);
}

TEST_CASE("a slow reader pauses the session's reading, loses no result and blocks no call") {
  Conversation session(with_test_tools());
  constexpr int kCalls = 200;
  constexpr int kBytes = 100'000;
  Program& program = session.program();
  // 20 MB of answers that the test does not read yet. The requests are small enough to fit into the
  // pipe.
  for (int id = 0; id < kCalls; ++id) {
    program.write_line(Json({{"id", id}, {"tool", "large"}, {"args", {{"bytes", kBytes}}}}).dump());
  }
  for (int id = 0; id < kCalls; ++id) {
    CHECK(session.answer(id)["result"]["text"].get<std::string>().size() == kBytes);
  }
  program.close_stdin();
  CHECK(program.wait(kPromptly));
}

TEST_CASE("a reader that never reads does not delay the end of the session") {
  Conversation session(with_test_tools());
  constexpr int kCalls = 50;
  for (int id = 0; id < kCalls; ++id) {
    session.send({{"id", id}, {"tool", "large"}, {"args", {{"bytes", 100'000}}}});
  }
  session.program().close_stdin();
  CHECK(session.program().wait(kPromptly));
}

TEST_CASE("no process outlives the session") {
  const std::string tree = "sleep 600 & setsid sleep 600 & exec sleep 600";
  const std::string mark = std::to_string(getpid()) + "-" +
                           std::to_string(steady_clock::now().time_since_epoch().count());
  const auto left = [&mark] { return processes_with("GIBBOUS_TEST_MARK", mark).size(); };
  const auto end_session = [](Conversation& session, const std::string& how) {
    if (how == "end of input") session.program().close_stdin();
    if (how == "SIGTERM") session.program().send_signal(SIGTERM);
    if (how == "SIGKILL") session.program().send_signal(SIGKILL);
    if (how == "no reader") session.program().close_stdout();
  };
  for (const std::string how : {"end of input", "SIGTERM", "SIGKILL", "no reader"}) {
    INFO(how);
    Conversation session(with_test_tools(), {{"GIBBOUS_TEST_MARK", mark}});
    const Json started = session.call("bg_start", {{"command", tree}});
    REQUIRE(started.contains("result"));
    CHECK(started["result"]["data"]["pid"].get<int>() > 0);
    // gibbous, its keeper, the warden and the three sleeps, at least.
    constexpr std::size_t kProcesses = 6;
    REQUIRE(soon([&] { return left() >= kProcesses; }));
    end_session(session, how);
    CHECK(session.program().wait(kPromptly));
    CHECK(soon([&] { return left() == 0; }));
  }
}

TEST_CASE("bg_kill kills a tree that spans several POSIX sessions") {
  const std::string mark = "kill-" + std::to_string(getpid());
  Conversation session(with_test_tools(), {{"GIBBOUS_TEST_MARK", mark}});
  const auto sleeping = [&mark] {
    const auto all = processes_with("GIBBOUS_TEST_MARK", mark);
    return std::count_if(all.begin(), all.end(), [](pid_t pid) {
      std::ifstream name("/proc/" + std::to_string(pid) + "/comm");
      std::string word;
      return name >> word && word == "sleep";
    });
  };
  const Json started =
      session.call("bg_start", {{"command", "sleep 600 & setsid sleep 600 & exec sleep 600"}});
  REQUIRE(started.contains("result"));
  REQUIRE(soon([&] { return sleeping() == 3; }));
  const Json killed = session.call("bg_kill", {{"id", started["result"]["data"]["id"]}});
  REQUIRE(killed.contains("result"));
  CHECK(soon([&] { return sleeping() == 0; }));
}

TEST_CASE("the mode decides, and a refusal suggests what to do") {
  Conversation standard(with_test_tools("default"));
  const Json ask = standard.call("bg_start", {{"command", "true"}})["error"];
  CHECK(ask["code"] == "needs_approval");
  CHECK(has(ask["message"], "mode"));

  Conversation plan(with_test_tools("plan"));
  CHECK(plan.call("bg_start", {{"command", "true"}})["error"]["code"] == "denied");
}

TEST_CASE("a session that cannot start reports that on stdout and stderr") {
  const TempDir empty;
  const Outcome outcome =
      run_program({.argv = {command_path(), "session", "--scripts", empty.path()}});
  CHECK(outcome.status.code == 1);
  CHECK(Json::parse(outcome.out).contains("error"));
  CHECK(outcome.err.find("gibbous: ") == 0);
}
