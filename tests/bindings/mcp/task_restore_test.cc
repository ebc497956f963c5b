// Tasks of earlier processes: what the journal has of them, and how they go on.
#include <string>
#include <utility>

#include "tests/bindings/mcp/fake_backend.h"
#include "tests/support/catch.h"

namespace gibbous::mcp {
namespace {

struct Restoring : Fixture {
  static Json declared(const Json& id, const std::string& method, Json params) {
    Json message = modern(id, method, std::move(params));
    message["params"]["_meta"][kMetaCapabilities]["extensions"][kTasksExtension] = Json::object();
    return message;
  }
  void look_for(const std::string& task, const Json& id = 1) {
    say(declared(id, "tasks/get", Json{{"taskId", task}}));
  }
  // The same, answered by the journal.
  Json get(const std::string& task) {
    look_for(task);
    if (!backend.lookups.empty()) backend.answer_lookup();
    if (!backend.run_lists.empty()) backend.notify_runs();
    return heard();
  }
  // A task of a process that has ended.
  TaskRecord& record(const std::string& id) {
    TaskRecord& made = backend.recorded[id];
    made.id = id;
    made.tool = "echo";
    made.began_at = clock.wall().count() - 20'000;
    made.created_at = clock.wall().count() - 10'000;
    made.updated_at = made.created_at;
    return made;
  }
  void add_run(const std::string& id, std::int64_t created, bool ended) {
    Json info{{"id", id}, {"state", "running"}, {"command", "make"}, {"created_ms", created}};
    if (ended) info.update(Json{{"state", "killed"}, {"ended_ms", created + 1}});
    backend.runs.push_back(info.dump());
  }
};

TEST_CASE("a task is recorded when it is made, and when it ends") {
  Restoring client;
  client.backend.known.front().permission = "read";
  client.say(
      Restoring::declared(1, "tools/call", Json{{"name", "echo"}, {"arguments", {{"a", 1}}}}));
  const Millis began = client.clock.wall();
  client.clock.advance(kTaskAfter);
  client.server.expire();
  const std::string id = client.heard()["result"]["taskId"];
  TaskRecord recorded = client.backend.recorded.at(id);
  CHECK(recorded.tool == "echo");
  CHECK(recorded.arguments == R"({"a":1})");
  CHECK(recorded.status.empty());
  CHECK(recorded.finished_at == 0);
  CHECK(recorded.began_at == began.count());
  CHECK(recorded.created_at == began.count() + kTaskAfter.count());

  client.backend.finish_text(1, "done");
  recorded = client.backend.recorded.at(id);
  CHECK(recorded.status == "completed");
  CHECK(Json::parse(recorded.outcome)["content"][0]["text"] == "done");
  CHECK(recorded.finished_at != 0);
}

TEST_CASE("the arguments of a call that may have effects are not recorded") {
  Restoring client;
  client.backend.known.front().permission = "execute";
  client.say(
      Restoring::declared(1, "tools/call", Json{{"name", "echo"}, {"arguments", {{"secret", 1}}}}));
  client.clock.advance(kTaskAfter);
  client.server.expire();
  CHECK(client.backend.recorded.at(client.heard()["result"]["taskId"]).arguments.empty());
}

TEST_CASE("the arguments with which a script has its call made again are recorded instead") {
  Restoring client;
  client.backend.known.front().permission = "read";
  client.say(
      Restoring::declared(1, "tools/call", Json{{"name", "echo"}, {"arguments", {{"a", 1}}}}));
  const auto repeat_with = client.backend.calls.at(1).request.on_repeat_with;
  const auto recorded = [&](const std::string& id) {
    return client.backend.recorded.at(id).arguments;
  };
  const auto become_task = [&] {
    client.clock.advance(kTaskAfter);
    client.server.expire();
    return client.heard()["result"]["taskId"].get<std::string>();
  };
  SECTION("before it is a task") {
    repeat_with(R"({"b":2})");
    CHECK(recorded(become_task()) == R"({"b":2})");
  }
  SECTION("when it is one, and the last ones count") {
    const std::string id = become_task();
    CHECK(recorded(id) == R"({"a":1})");
    repeat_with(R"({"b":2})");
    repeat_with(R"({"b":3})");
    CHECK(recorded(id) == R"({"b":3})");
    client.backend.finish_text(1, "done");
    client.server.expire();
    CHECK(client.backend.recorded.at(id).finished_at != 0);
  }
  SECTION("unless they are too long") {
    const std::string id = become_task();
    repeat_with(Json{{"b", std::string(TaskLimits{}.arguments_bytes, 'x')}}.dump());
    CHECK(recorded(id).empty());
  }
  SECTION("not for a cancelled request") {
    client.say(Fixture::notification("notifications/cancelled", Json{{"requestId", 1}}));
    repeat_with(R"({"b":2})");
    CHECK(client.backend.recorded.empty());
  }
}

TEST_CASE("a call that may have effects is not made again with other arguments either") {
  Restoring client;
  client.backend.known.front().permission = "execute";
  client.say(Restoring::declared(1, "tools/call", Json{{"name", "echo"}}));
  const auto repeat_with = client.backend.calls.at(1).request.on_repeat_with;
  const bool early = GENERATE(true, false);
  if (early) repeat_with(R"({"secret":1})");
  client.clock.advance(kTaskAfter);
  client.server.expire();
  const std::string id = client.heard()["result"]["taskId"];
  if (!early) repeat_with(R"({"secret":1})");
  CHECK(client.backend.recorded.at(id).arguments.empty());
}

TEST_CASE("a call that was made again may change with which arguments it is made the next time") {
  Restoring client;
  client.record("old").arguments = R"({"a":1})";
  client.get("old");
  client.backend.calls.at(1).request.on_repeat_with(R"({"b":2})");
  CHECK(client.backend.recorded.at("old").arguments == R"({"b":2})");
}

TEST_CASE("a subscription takes up tasks of an earlier process") {
  Restoring client;
  TaskRecord& task = client.record("old");
  task.status = "completed";
  task.outcome = R"({"content":[{"type":"text","text":"done"}]})";
  task.finished_at = task.updated_at;
  const Json wanted{{"notifications", {{"taskIds", {"old", "nobody's"}}}}};
  client.say(Restoring::declared("sub", "subscriptions/listen", wanted));
  CHECK(client.silent());
  client.backend.answer_lookup();
  CHECK(client.silent());
  client.backend.answer_lookup();
  REQUIRE(client.sink.lines.size() == 2);
  CHECK(client.next()["params"]["notifications"]["taskIds"] == Json::array({"old"}));
  const Json told = client.next();
  CHECK(told["method"] == "notifications/tasks");
  CHECK(told["params"]["status"] == "completed");

  // One that is cancelled meanwhile never begins.
  client.record("older").status = "completed";
  client.say(Restoring::declared("late", "subscriptions/listen",
                                 Json{{"notifications", {{"taskIds", {"older"}}}}}));
  client.say(Fixture::notification("notifications/cancelled", Json{{"requestId", "late"}}));
  client.backend.answer_lookup();
  CHECK(client.silent());
}

TEST_CASE("the result of a task that an earlier process finished is there") {
  Restoring client;
  TaskRecord& task = client.record("old");
  task.status = "completed";
  task.outcome = R"({"content":[{"type":"text","text":"done"}],"isError":false})";
  task.finished_at = task.updated_at;
  for (int time = 0; time < 2; ++time) {
    const Json got = client.get("old")["result"];
    CHECK(got["status"] == "completed");
    CHECK(got["result"]["content"][0]["text"] == "done");
  }
  task.id = "cancelled";
  client.backend.recorded["cancelled"] = task;
  client.backend.recorded["cancelled"].status = "cancelled";
  CHECK(client.get("cancelled")["result"]["status"] == "cancelled");
  // A word of a later version.
  task.id = "strange";
  client.backend.recorded["strange"] = task;
  client.backend.recorded["strange"].status = "paused";
  CHECK(client.get("strange")["result"]["status"] == "failed");
}

TEST_CASE("a call that only reads is made again, under the same id") {
  Restoring client;
  client.record("old").arguments = R"({"a":1})";
  const Json got = client.get("old")["result"];
  CHECK(got["status"] == "working");
  REQUIRE(client.backend.calls.size() == 1);
  CHECK(client.backend.calls.at(1).request.tool == "echo");
  CHECK(client.backend.calls.at(1).request.arguments == R"({"a":1})");
  client.get("old");
  CHECK(client.backend.calls.size() == 1);
  client.backend.report(1, 1, {}, "nearly");
  CHECK(client.get("old")["result"]["statusMessage"] == "nearly");
  client.backend.finish_text(1, "done");
  CHECK(client.get("old")["result"]["result"]["content"][0]["text"] == "done");
  CHECK(client.backend.recorded.at("old").status == "completed");
}

TEST_CASE("a question of a call that is made again has a key that the task never had") {
  Restoring client;
  client.record("old").arguments = "{}";
  Json get = Restoring::declared(1, "tasks/get", Json{{"taskId", "old"}});
  get["params"]["_meta"][kMetaCapabilities]["elicitation"] = Json::object();
  client.say(get);
  client.backend.answer_lookup();
  CHECK(client.heard()["result"]["status"] == "working");
  InputRequest question;
  question.call = 1;
  question.kind = "elicitation";
  question.params = R"({"message":"Sure?","requestedSchema":{"type":"object"}})";
  question.reply = [](const InputAnswer&) { return true; };
  client.server.on_input(std::move(question));
  const Json asked = client.get("old")["result"];
  CHECK(asked["status"] == "input_required");
  CHECK(asked["inputRequests"].size() == 1);
  CHECK_FALSE(asked["inputRequests"].contains("ask-1"));
}

TEST_CASE("two requests for one task make one call again") {
  Restoring client;
  client.record("old").arguments = "{}";
  client.look_for("old", 1);
  client.look_for("old", 2);
  client.backend.answer_lookup();
  client.backend.answer_lookup();
  CHECK(client.next()["result"]["status"] == "working");
  CHECK(client.heard()["result"]["status"] == "working");
  CHECK(client.backend.calls.size() == 1);
  client.say(Restoring::declared(3, "tasks/cancel", Json{{"taskId", "old"}}));
  CHECK(client.heard().contains("result"));
  CHECK(client.backend.calls.at(1).cancelled);
  CHECK(client.backend.recorded.at("old").status == "cancelled");
}

TEST_CASE("a task whose process has died says what became of it") {
  Restoring client;
  client.record("old");
  SECTION("without a run") {
    client.add_run("earlier", client.clock.wall().count() - 60'000, true);
    client.add_run("later", client.clock.wall().count(), false);
    const Json got = client.get("old")["result"];
    CHECK(got["status"] == "completed");
    CHECK(got["result"]["isError"] == true);
    const auto text = got["result"]["content"][0]["text"].get<std::string>();
    CHECK(text.find("its result is lost") != std::string::npos);
    CHECK(text.find("earlier") == std::string::npos);
    CHECK(text.find("later") == std::string::npos);
  }
  SECTION("with a run that has ended") {
    client.add_run("mine", client.clock.wall().count() - 15'000, true);
    const Json got = client.get("old")["result"];
    const auto text = got["result"]["content"][0]["text"].get<std::string>();
    CHECK(text.find("mine (killed): make") != std::string::npos);
  }
  SECTION("and goes on as long as its run does") {
    client.add_run("mine", client.clock.wall().count() - 15'000, false);
    const Json got = client.get("old")["result"];
    CHECK(got["status"] == "working");
    CHECK(got["statusMessage"] == "its server was restarted; run mine goes on");
    CHECK(client.get("old")["result"]["status"] == "working");
    client.backend.runs.clear();
    client.add_run("mine", client.clock.wall().count() - 15'000, true);
    CHECK(client.get("old")["result"]["status"] == "completed");
  }
  CHECK(client.backend.recorded.at("old").status.empty() == false);
}

TEST_CASE("a recorded task of another client is unknown") {
  Restoring client;
  client.record("another's").owner = "somebody";
  for (const char* id : {"another's", "nobody's"}) {
    INFO(id);
    CHECK(client.get(id)["error"]["code"] == kInvalidParams);
  }
}

TEST_CASE("a task of a process that is about to end is taken over when that has ended") {
  Restoring client;
  client.record("old").arguments = "{}";
  client.backend.recorded["old"].host_lives = true;
  client.look_for("old");
  client.backend.answer_lookup();
  CHECK(client.silent());
  client.backend.recorded["old"].host_lives = GENERATE(false, true);
  const bool still_lives = client.backend.recorded["old"].host_lives;
  client.clock.advance(*client.tasks.next_timeout());
  client.tasks.expire();
  client.backend.answer_lookup();
  const Json answer = client.heard();
  if (still_lives) {
    CHECK(answer["error"]["code"] == kInvalidParams);
  } else {
    CHECK(answer["result"]["status"] == "working");
  }
  CHECK(client.backend.lookups.empty());
}

TEST_CASE("a recorded task that this process has forgotten is unknown at once") {
  Restoring client;
  client.record("old").host_lives = true;
  client.backend.recorded["old"].is_own = true;
  CHECK(client.get("old")["error"]["code"] == kInvalidParams);
}

TEST_CASE("a task is not called unknown because the journal cannot be read") {
  Restoring client;
  client.record("old").arguments = "{}";
  client.backend.journal_works = false;
  const Json refused = client.get("old")["error"];
  CHECK(refused["code"] == kInternalError);
  const auto message = refused["message"].get<std::string>();
  CHECK(message.find("another process holds it. Ask again") != std::string::npos);
  // A subscription to it does not begin without it.
  client.say(Restoring::declared("sub", "subscriptions/listen",
                                 Json{{"notifications", {{"taskIds", {"old", "older"}}}}}));
  client.backend.answer_lookup();
  CHECK(client.silent());
  client.backend.answer_lookup();
  CHECK(client.heard()["error"]["code"] == kInternalError);
  client.backend.journal_works = true;
  CHECK(client.get("old")["result"]["status"] == "working");
}

TEST_CASE("a client that asks for more tasks than can be looked for at once is told to ask again") {
  Restoring client;
  client.record("old").arguments = "{}";
  const std::size_t most = TaskLimits{}.lookups;
  for (std::size_t each = 0; each < most; ++each) client.look_for("old", each);
  CHECK(client.silent());
  client.look_for("old", most);
  CHECK(client.heard()["error"]["code"] == kInternalError);
  for (std::size_t each = 0; each < most; ++each) client.backend.answer_lookup();
  CHECK(client.sink.lines.size() == most);
}

TEST_CASE("a journal that does not answer delays a request for a bounded time") {
  Restoring client;
  client.record("old");
  client.look_for("old");
  CHECK(client.silent());
  REQUIRE(client.tasks.next_timeout());
  client.clock.advance(*client.tasks.next_timeout());
  client.tasks.expire();
  CHECK(client.heard()["error"]["code"] == kInternalError);
  // It answers later, when no client waits.
  client.backend.answer_lookup();
  CHECK(client.silent());
}

TEST_CASE("a cancelled request for a task is not answered") {
  Restoring client;
  client.record("old");
  client.look_for("old", 7);
  client.say(Fixture::notification("notifications/cancelled", Json{{"requestId", 7}}));
  client.backend.answer_lookup();
  if (!client.backend.run_lists.empty()) client.backend.notify_runs();
  CHECK(client.silent());
}

TEST_CASE("an answer of the journal after the end of the table does no harm") {
  FakeBackend backend;
  ManualClock clock;
  {
    TaskTable table(backend, clock, false);
    table.look_up("", "old", {}, [](const Result<Task*>&) { FAIL("nobody waits"); });
  }
  backend.answer_lookup();
}

TEST_CASE("a result that is too long for the journal is recorded as such") {
  FakeBackend backend;
  ManualClock clock;
  TaskLimits limits;
  limits.recorded_bytes = 1'000;
  TaskTable table(backend, clock, false, limits);
  Task* task = table.add({"me", "echo", "", Millis{0}, 1, {}, nullptr});
  const std::string id = task->id;
  CallResult result;
  result.ok = true;
  result.text = std::string(5'000, 'x');
  table.finish(*task, result);
  CHECK(table.describe(*table.find("me", id), true)["result"]["isError"] == false);
  CHECK(Json::parse(backend.recorded.at(id).outcome)["isError"] == true);
}

}  // namespace
}  // namespace gibbous::mcp
