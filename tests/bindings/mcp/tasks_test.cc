// Calls that become tasks: when, for whom, and what their clients can do with them.
#include <string>

#include "tests/bindings/mcp/fake_backend.h"
#include "tests/support/catch.h"

namespace gibbous::mcp {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;

const Json kTaking = Json{{"extensions", {{kTasksExtension, Json::object()}}}};
const Json kTakingAndAsking = Json{{"extensions", {{kTasksExtension, Json::object()}}},
                                   {"elicitation", Json::object()},
                                   {"sampling", Json::object()}};

struct Tasking : Fixture {
  using Fixture::Fixture;

  static Json declared(const Json& id, const std::string& method, Json params = Json::object(),
                       const Json& capabilities = kTaking) {
    Json message = modern(id, method, std::move(params));
    message["params"]["_meta"][kMetaCapabilities] = capabilities;
    return message;
  }
  static Json call(const Json& id, const Json& capabilities = kTaking) {
    return declared(id, "tools/call", Json{{"name", "echo"}, {"arguments", Json::object()}},
                    capabilities);
  }
  Json get(const std::string& task) {
    return ask(declared("get", "tasks/get", Json{{"taskId", task}}));
  }
  Json about(const std::string& method, const std::string& task, Json params = Json::object()) {
    params["taskId"] = task;
    return ask(declared("about", method, std::move(params)));
  }
  void pass(Nanos time) {
    clock.advance(time);
    server.expire();
    tasks.expire();
  }
  // Makes a call that becomes a task, and returns its id.
  std::string task(const Json& id = 1, const Json& capabilities = kTaking) {
    say(call(id, capabilities));
    pass(kTaskAfter);
    return heard()["result"]["taskId"];
  }
  InputRequest input(CallId about_call, const std::string& name) {
    InputRequest request;
    request.call = about_call;
    request.id = name;
    request.kind = "elicitation";
    request.params = R"({"message":"Sure?","requestedSchema":{"type":"object"}})";
    request.reply = [this, name](const InputAnswer& answer) {
      answers[name] = answer;
      return true;
    };
    return request;
  }

  std::map<std::string, InputAnswer> answers;
};

TEST_CASE("server/discover declares tasks") {
  Tasking client;
  const Json found = client.ask(Fixture::modern(1, "server/discover"));
  CHECK(found["result"]["capabilities"]["extensions"][kTasksExtension] == Json::object());
}

TEST_CASE("a call that goes on becomes a task, and its result is there when it ends") {
  Tasking client;
  client.say(Tasking::call(7));
  CHECK(client.server.next_timeout() == Nanos(kTaskAfter));
  client.pass(kTaskAfter - milliseconds(1));
  CHECK(client.silent());
  client.pass(milliseconds(1));
  const Json made = client.heard();
  CHECK(made["id"] == 7);
  const Json& task = made["result"];
  CHECK(task["resultType"] == "task");
  CHECK(task["status"] == "working");
  CHECK(task["ttlMs"].is_null());
  CHECK(task["pollIntervalMs"].is_number_integer());
  CHECK(task["createdAt"] == "2023-11-14T22:13:30.000Z");
  CHECK_FALSE(task.contains("task"));
  const std::string id = task["taskId"];
  CHECK(id.size() >= 24);

  Json got = client.get(id)["result"];
  CHECK(got["resultType"] == "complete");
  CHECK(got["status"] == "working");
  CHECK_FALSE(got.contains("result"));

  client.backend.finish_text(1, "done at last");
  CHECK(client.silent());
  got = client.get(id)["result"];
  CHECK(got["resultType"] == "complete");
  CHECK(got["status"] == "completed");
  CHECK(got["ttlMs"].get<std::int64_t>() > 0);
  CHECK(got["result"]["content"][0]["text"] == "done at last");
  CHECK(got["result"]["isError"] == false);
  CHECK(client.server.requests_in_flight() == 0);
}

TEST_CASE("a call that ends soon is answered with its result") {
  Tasking client;
  client.say(Tasking::call(1));
  client.pass(seconds(1));
  client.backend.finish_text(1, "quick");
  CHECK(client.heard()["result"]["resultType"] == "complete");
  client.pass(hours(1));
  CHECK(client.silent());
}

TEST_CASE("a client that does not declare tasks never gets one") {
  Tasking client;
  client.say(Fixture::modern(1, "tools/call", Json{{"name", "echo"}}));
  client.handshake();
  client.say(Fixture::request(2, "tools/call", Json{{"name", "echo"}}));
  // In this revision there is nothing to declare.
  Json legacy = Fixture::request(3, "tools/call", Json{{"name", "echo"}});
  legacy["params"]["_meta"][kMetaCapabilities] = kTaking;
  client.say(legacy);
  client.pass(hours(1));
  CHECK(client.silent());
  for (const CallId call : {1, 2, 3}) {
    client.backend.finish_text(call, "late");
    CHECK(client.heard()["result"]["content"][0]["text"] == "late");
  }
}

TEST_CASE("methods of tasks need the declared extension") {
  Tasking client;
  const std::string id = client.task();
  for (const char* method : {"tasks/get", "tasks/update", "tasks/cancel"}) {
    INFO(method);
    const Json refused = client.ask(
        Fixture::modern(2, method, Json{{"taskId", id}, {"inputResponses", Json::object()}}));
    CHECK(refused["error"]["code"] == kMissingCapability);
    CHECK(refused["error"]["data"]["requiredCapabilities"]["extensions"][kTasksExtension] ==
          Json::object());
  }
  const Json refused = client.ask(
      Fixture::modern(3, "subscriptions/listen", Json{{"notifications", {{"taskIds", {id}}}}}));
  CHECK(refused["error"]["code"] == kMissingCapability);
}

TEST_CASE("tasks cannot be listed or waited for") {
  Tasking client;
  for (const char* method : {"tasks/list", "tasks/result"}) {
    INFO(method);
    CHECK(client.ask(Tasking::declared(1, method))["error"]["code"] == kMethodNotFound);
  }
  client.handshake();
  CHECK(client.ask(Fixture::request(2, "tasks/get", Json{{"taskId", "x"}}))["error"]["code"] ==
        kMethodNotFound);
}

TEST_CASE("an unknown task is an error, and so is a wrong request") {
  Tasking client;
  const std::string id = client.task();
  for (const char* method : {"tasks/get", "tasks/update", "tasks/cancel"}) {
    INFO(method);
    client.say(Tasking::declared(1, method,
                                 Json{{"taskId", "nobody's"}, {"inputResponses", Json::object()}}));
    client.backend.answer_lookup();
    CHECK(client.heard()["error"]["code"] == kInvalidParams);
    CHECK(client.ask(Tasking::declared(1, method))["error"]["code"] == kInvalidParams);
    CHECK(client.ask(Tasking::declared(1, method, Json{{"taskId", 7}}))["error"]["code"] ==
          kInvalidParams);
  }
  CHECK(client.about("tasks/update", id)["error"]["code"] == kInvalidParams);
  CHECK(client.about("tasks/update", id, Json{{"inputResponses", 1}})["error"]["code"] ==
        kInvalidParams);
}

TEST_CASE("one client never sees the task of another") {
  Tasking client;
  const std::string id = client.task();
  FakeSink sink;
  ServerOptions options = Fixture::with_tasks(Fixture::with_version({}), &client.tasks);
  options.client = "another";
  Server other(client.backend, sink, client.clock, options);
  for (const char* method : {"tasks/get", "tasks/update", "tasks/cancel"}) {
    INFO(method);
    const Json asked =
        Tasking::declared(1, method, Json{{"taskId", id}, {"inputResponses", Json::object()}});
    other.receive(asked.dump());
    CHECK(Json::parse(sink.lines.back())["error"]["code"] == kInvalidParams);
  }
  other.receive(
      Tasking::declared(2, "subscriptions/listen", Json{{"notifications", {{"taskIds", {id}}}}})
          .dump());
  CHECK(Json::parse(sink.lines.back())["params"]["notifications"] == Json::object());
  CHECK(client.get(id)["result"]["status"] == "working");
}

TEST_CASE("an error of the tool is a result of the task") {
  Tasking client;
  const std::string id = client.task();
  client.backend.fail(1, "run_not_found", "There is no such run");
  const Json got = client.get(id)["result"];
  CHECK(got["status"] == "completed");
  CHECK(got["result"]["isError"] == true);
  CHECK(got["result"]["content"][0]["text"] == "There is no such run");
  CHECK_FALSE(got.contains("error"));
}

TEST_CASE("a task whose script breaks has failed") {
  Tasking client;
  const std::string id = client.task();
  client.backend.fail(1, "script_error", "tool.lua:3: oh");
  const Json got = client.get(id)["result"];
  CHECK(got["status"] == "failed");
  CHECK(got["error"]["code"] == kInternalError);
  CHECK(got["error"]["message"] == "tool.lua:3: oh");
  CHECK_FALSE(got.contains("result"));
}

TEST_CASE("a cancelled task is over at once, and cancelling again changes nothing") {
  Tasking client;
  const std::string id = client.task();
  for (int time = 0; time < 2; ++time) {
    const Json done = client.about("tasks/cancel", id)["result"];
    CHECK(done["resultType"] == "complete");
    CHECK_FALSE(done.contains("taskId"));
    CHECK_FALSE(done.contains("status"));
    CHECK(client.get(id)["result"]["status"] == "cancelled");
  }
  CHECK(client.backend.calls.at(1).cancelled);
  client.backend.fail(1, "cancelled", "cancelled");
  CHECK(client.get(id)["result"]["status"] == "cancelled");

  const std::string finished = client.task(2);
  client.backend.finish_text(2, "done");
  CHECK(client.about("tasks/cancel", finished).contains("result"));
  CHECK(client.get(finished)["result"]["status"] == "completed");
  CHECK_FALSE(client.backend.calls.at(2).cancelled);
}

TEST_CASE("a request that was answered with a task can no longer be cancelled") {
  Tasking client;
  const std::string id = client.task(5);
  client.say(Fixture::notification("notifications/cancelled", Json{{"requestId", 5}}));
  CHECK(client.get(id)["result"]["status"] == "working");
  CHECK_FALSE(client.backend.calls.at(1).cancelled);
}

TEST_CASE("a call that is cancelled before it becomes a task never does") {
  Tasking client;
  client.say(Tasking::call(5));
  client.say(Fixture::notification("notifications/cancelled", Json{{"requestId", 5}}));
  client.pass(hours(1));
  CHECK(client.silent());
  CHECK(client.backend.calls.at(1).cancelled);
}

TEST_CASE("a task asks its client through inputRequests") {
  Tasking client;
  const std::string id = client.task(1, kTakingAndAsking);
  client.server.on_input(client.input(1, "first"));
  client.server.on_input(client.input(1, "second"));
  CHECK(client.silent());
  Json got = client.get(id)["result"];
  CHECK(got["status"] == "input_required");
  REQUIRE(got["inputRequests"].size() == 2);
  const std::string first = got["inputRequests"].begin().key();
  CHECK(got["inputRequests"][first]["method"] == "elicitation/create");
  CHECK(got["inputRequests"][first]["params"]["message"] == "Sure?");

  const Json yes{{"action", "accept"}, {"content", Json::object()}};
  Json done =
      client.about("tasks/update", id,
                   Json{{"inputResponses", {{first, yes}, {"unknown", {{"ignored", true}}}}}});
  CHECK(done["result"]["resultType"] == "complete");
  CHECK(client.answers["first"].result == yes.dump());
  got = client.get(id)["result"];
  CHECK(got["status"] == "input_required");
  REQUIRE(got["inputRequests"].size() == 1);
  const std::string second = got["inputRequests"].begin().key();
  CHECK(second != first);

  client.about("tasks/update", id, Json{{"inputResponses", {{second, yes}}}});
  CHECK(client.answers["second"].result == yes.dump());
  CHECK(client.get(id)["result"]["status"] == "working");
  // A key is never used again.
  client.server.on_input(client.input(1, "third"));
  const Json asked = client.get(id)["result"]["inputRequests"];
  CHECK_FALSE(asked.contains(first));
  CHECK_FALSE(asked.contains(second));
}

static AskRequest policy_question(std::optional<AskAnswer>* answer) {  // about call 1
  AskRequest question;
  question.call = 1;
  question.id = "question";
  question.tool = "echo";
  question.command = "make";
  question.reply = [answer](const AskAnswer& given) {
    *answer = given;
    return true;
  };
  return question;
}

TEST_CASE("the policy's question about a task is answered by its client") {
  Tasking client;
  const std::string id = client.task(1, kTakingAndAsking);
  std::optional<AskAnswer> answer;
  client.server.on_ask(policy_question(&answer));
  const Json asked = client.get(id)["result"]["inputRequests"];
  const Json once{{"action", "accept"}, {"content", {{"answer", "once"}}}};
  client.about("tasks/update", id, Json{{"inputResponses", {{asked.begin().key(), once}}}});
  REQUIRE(answer);
  CHECK(answer->allow);
}

TEST_CASE("an answer that does not fit the question of a task is refused, and the question stays") {
  Tasking client;
  const std::string id = client.task(1, kTakingAndAsking);
  std::optional<AskAnswer> policy;
  client.server.on_ask(policy_question(&policy));
  const std::string of_policy = client.get(id)["result"]["inputRequests"].begin().key();
  InputRequest script = client.input(1, "script");
  script.check = [](const std::string& result) {
    const bool fits =
        Json::parse(result).value("content", Json()).value("size", Json()).is_number();
    return fits ? Status() : Status::error("invalid_answer", "answer.size: expected integer");
  };
  client.server.on_input(std::move(script));
  const Json asked = client.get(id)["result"]["inputRequests"];
  REQUIRE(asked.size() == 2);
  std::string of_script;
  for (const auto& [key, request] : asked.items()) {
    if (key != of_policy) of_script = key;
  }
  const auto accepting = [](Json content) {
    return Json{{"action", "accept"}, {"content", std::move(content)}};
  };
  const Json once = accepting({{"answer", "once"}});
  const Json ten = accepting({{"size", 10}});
  struct Case {
    Json script;
    Json policy;
    const char* problem;
  };
  const std::vector<Case> cases = {
      {accepting({{"size", "x"}}), once, "answer.size: expected integer"},
      {Json(5), once, "expected an object"},
      {ten, accepting({{"answer", "everything"}}), "content.answer: expected one of the choices"},
      {ten, accepting({{"answer", true}}), "content.answer: expected one of the choices"},
      {ten, Json{{"action", "accept"}}, "content.answer: expected one of the choices"},
      {ten, Json{{"action", "agree"}}, "action: expected accept, decline or cancel"},
      {ten, Json{{"content", 1}}, "action: expected accept, decline or cancel"},
  };
  for (const Case& each : cases) {
    INFO(each.problem);
    const Json refused = client.about(
        "tasks/update", id,
        Json{{"inputResponses", {{of_policy, each.policy}, {of_script, each.script}}}});
    CHECK(refused["error"]["code"] == kInvalidParams);
    const auto message = refused["error"]["message"].get<std::string>();
    CHECK(message.find("inputResponses.ask-") == 0);
    CHECK(message.find(each.problem) != std::string::npos);
    // None of them is taken.
    CHECK_FALSE(policy);
    CHECK(client.answers.empty());
    CHECK(client.get(id)["result"]["inputRequests"] == asked);
  }
  const Json taken = client.about("tasks/update", id,
                                  Json{{"inputResponses", {{of_policy, once}, {of_script, ten}}}});
  CHECK(taken["result"]["resultType"] == "complete");
  REQUIRE(policy);
  CHECK(policy->allow);
  CHECK(client.answers.at("script").result == ten.dump());
}

TEST_CASE("a client of a task that cannot be asked is not") {
  Tasking client;
  const std::string id = client.task();
  client.server.on_input(client.input(1, "question"));
  CHECK(client.answers["question"].result.empty());
  CHECK(client.get(id)["result"]["status"] == "working");
}

TEST_CASE("a question that is over, or that nobody answers, leaves the task") {
  Tasking client;
  const std::string id = client.task(1, kTakingAndAsking);
  client.server.on_input(client.input(1, "withdrawn"));
  client.server.on_withdrawn("withdrawn");
  CHECK(client.get(id)["result"]["status"] == "working");

  client.server.on_input(client.input(1, "late"));
  REQUIRE(client.tasks.next_timeout());
  client.pass(*client.tasks.next_timeout());
  CHECK(client.answers["late"].result.empty());
  CHECK(client.get(id)["result"]["status"] == "working");
  CHECK_FALSE(client.tasks.next_timeout());

  client.server.on_input(client.input(1, "open"));
  client.backend.finish_text(1, "done");
  CHECK(client.answers.count("open") == 1);
  CHECK(client.get(id)["result"]["status"] == "completed");
}

TEST_CASE("a tool says when its calls become tasks") {
  Tasking client;
  SECTION("sooner") {
    client.backend.uses["echo"].after = milliseconds(2'000);
    client.say(Tasking::call(1, kTakingAndAsking));
    client.pass(milliseconds(2'000));
    CHECK(client.heard()["result"]["resultType"] == "task");
    client.say(Tasking::call(2, kTakingAndAsking));
    client.server.on_input(client.input(2, "question"));
    CHECK(client.heard()["result"]["resultType"] == "input_required");
  }
  SECTION("at once, also where it asks") {
    client.backend.uses["echo"].after = milliseconds(0);
    client.say(Tasking::call(1, kTakingAndAsking));
    client.pass(milliseconds(50));
    CHECK(client.heard()["result"]["resultType"] == "task");
    client.say(Tasking::call(2, kTakingAndAsking));
    client.server.on_input(client.input(2, "question"));
    const std::string id = client.heard()["result"]["taskId"];
    CHECK(client.get(id)["result"]["status"] == "input_required");
  }
  SECTION("never") {
    client.backend.uses["echo"].kind = TaskUse::Kind::kNever;
    client.say(Tasking::call(1));
    client.pass(hours(1));
    CHECK(client.silent());
  }
  SECTION("always, so that clients without tasks cannot call it") {
    client.backend.uses["echo"].kind = TaskUse::Kind::kRequired;
    const Json refused = client.ask(Fixture::modern(1, "tools/call", Json{{"name", "echo"}}));
    CHECK(refused["error"]["code"] == kMissingCapability);
    CHECK(refused["error"]["data"]["requiredCapabilities"]["extensions"][kTasksExtension] ==
          Json::object());
    client.handshake();
    CHECK(client.ask(Fixture::request(2, "tools/call", Json{{"name", "echo"}})).contains("error"));
    CHECK(client.backend.calls.empty());
    client.say(Tasking::call(3));
    client.pass(milliseconds(500));
    CHECK(client.heard()["result"]["resultType"] == "task");
  }
}

TEST_CASE("a call that asked before it was a task becomes one when its client has returned") {
  Tasking client;
  client.say(Tasking::call(1, kTakingAndAsking));
  client.server.on_input(client.input(1, "question"));
  const Json asked = client.heard()["result"];
  CHECK(asked["resultType"] == "input_required");
  client.pass(kTaskAfter);
  CHECK(client.silent());
  Json again = Tasking::call(2, kTakingAndAsking);
  again["params"]["requestState"] = asked["requestState"];
  again["params"]["inputResponses"][asked["inputRequests"].begin().key()] =
      Json{{"action", "decline"}};
  client.say(again);
  CHECK(client.silent());
  client.pass(kTaskAfter);
  const Json made = client.heard();
  CHECK(made["id"] == 2);
  CHECK(made["result"]["resultType"] == "task");
}

TEST_CASE("what a task reports is its message, and no progress is sent") {
  Tasking client;
  Json call = Tasking::call(1);
  call["params"]["_meta"]["progressToken"] = 1;
  client.say(call);
  client.pass(kTaskAfter);
  const std::string id = client.heard()["result"]["taskId"];
  client.backend.report(1, 1, 2, "half done");
  CHECK(client.silent());
  CHECK(client.get(id)["result"]["statusMessage"] == "half done");
}

TEST_CASE("a subscription hears of its tasks only") {
  Tasking client;
  const std::string wanted = client.task(1, kTakingAndAsking);
  const std::string other = client.task(2, kTakingAndAsking);
  client.say(Tasking::declared("sub", "subscriptions/listen",
                               Json{{"notifications", {{"taskIds", {wanted, "unknown", 7}}}}}));
  client.backend.answer_lookup();  // it is none of an earlier process either
  const Json known = client.heard();
  CHECK(known["method"] == "notifications/subscriptions/acknowledged");
  CHECK(known["params"]["notifications"]["taskIds"] == Json::array({wanted}));

  client.server.on_input(client.input(2, "other"));
  CHECK(client.silent());
  client.server.on_input(client.input(1, "question"));
  Json told = client.heard();
  CHECK(told["method"] == "notifications/tasks");
  CHECK(told["params"]["_meta"][kMetaSubscription] == "sub");
  CHECK(told["params"]["taskId"] == wanted);
  CHECK(told["params"]["status"] == "input_required");
  CHECK(told["params"]["inputRequests"].size() == 1);
  CHECK_FALSE(told["params"].contains("resultType"));
  client.server.on_withdrawn("question");
  CHECK(client.heard()["params"]["status"] == "working");
  client.backend.finish_text(1, "done");
  told = client.heard();
  CHECK(told["params"]["status"] == "completed");
  CHECK(told["params"]["result"]["content"][0]["text"] == "done");

  // What has ended before is told at once.
  client.say(Tasking::declared("again", "subscriptions/listen",
                               Json{{"notifications", {{"taskIds", {wanted}}}}}));
  CHECK(client.next()["params"]["notifications"]["taskIds"] == Json::array({wanted}));
  CHECK(client.heard()["params"]["status"] == "completed");
}

TEST_CASE("a client has a bounded number of tasks, and the oldest that are over are forgotten") {
  FakeBackend backend;
  ManualClock clock;
  TaskLimits limits;
  limits.going = 2;
  limits.kept = 2;
  limits.kept_bytes = 1'000;
  TaskTable table(backend, clock, false, limits);
  const auto waiter = std::make_shared<int>(0);
  Task* first = table.add({"me", "echo", "", Millis{0}, 1, {}, waiter});
  Task* second = table.add({"me", "echo", "", Millis{0}, 2, {}, waiter});
  REQUIRE(first != nullptr);
  REQUIRE(second != nullptr);
  CHECK(table.add({"me", "echo", "", Millis{0}, 3, {}, waiter}) == nullptr);
  CHECK(table.add({"you", "echo", "", Millis{0}, 3, {}, waiter}) != nullptr);
  CHECK(waiter.use_count() == 4);
  const std::string ids[] = {first->id, second->id};
  CHECK(ids[0] != ids[1]);
  CallResult result;
  result.ok = true;
  table.finish(*first, result);
  table.finish(*second, result);
  CHECK(waiter.use_count() == 2);
  clock.advance(seconds(1));
  Task* third = table.add({"me", "echo", "", Millis{0}, 4, {}, waiter});
  REQUIRE(third != nullptr);
  const std::string last = third->id;
  result.text = std::string(5'000, 'x');
  table.finish(*third, result);
  // The newest stays, although its result is longer than all may be.
  CHECK(table.find("me", last) != nullptr);
  CHECK(table.find("me", ids[0]) == nullptr);
  CHECK(table.find("me", ids[1]) == nullptr);
  clock.advance(limits.kept_time);
  CHECK(table.find("me", last) == nullptr);
}

TEST_CASE("a result that is too long for a client is replaced") {
  FakeBackend backend;
  ManualClock clock;
  TaskLimits limits;
  limits.result_bytes = 1'000;
  TaskTable table(backend, clock, false, limits);
  Task* task = table.add({"me", "echo", "", Millis{0}, 1, {}, nullptr});
  CallResult result;
  result.ok = true;
  result.text = std::string(5'000, 'x');
  table.finish(*task, result);
  const Json told = table.describe(*task, true);
  CHECK(told["result"]["isError"] == true);
  CHECK(told["result"].dump().size() < 1'000);
}

TEST_CASE("a task outlives the server that made it") {
  Tasking client;
  std::string id;
  FakeSink sink;
  {
    Server exchange(client.backend, sink, client.clock,
                    Fixture::with_tasks(Fixture::with_version({}), &client.tasks));
    exchange.receive(Tasking::call(1).dump());
    client.clock.advance(kTaskAfter);
    exchange.expire();
    id = Json::parse(sink.lines.back())["result"]["taskId"];
  }
  client.backend.report(1, 1, {}, "still there");
  CHECK(client.get(id)["result"]["statusMessage"] == "still there");
  client.backend.finish_text(1, "done");
  CHECK(client.get(id)["result"]["status"] == "completed");
}

TEST_CASE("the end of the server withdraws the questions of tasks") {
  Tasking client;
  client.task(1, kTakingAndAsking);
  client.server.on_input(client.input(1, "question"));
  client.server.shut_down();
  client.tasks.shut_down();
  CHECK(client.answers.count("question") == 1);
  client.backend.fail(1, "shutdown", "");
  CHECK(client.silent());
}

}  // namespace
}  // namespace gibbous::mcp
