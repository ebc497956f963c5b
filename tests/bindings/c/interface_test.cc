// What a host does through the C interface: calls, host tools, functions, questions, runs.
#include <poll.h>

#include <string>
#include <thread>

#include "tests/bindings/c/host.h"

namespace gibbous {
namespace {

using Catch::Matchers::Contains;
using testing::CHost;
using testing::Taken;

Json tool(const std::string& name) {
  return {{"name", name},
          {"description", "For a test."},
          {"permission", "read"},
          {"input",
           {{"type", "object"},
            {"properties", {{"path", {{"type", "string"}}}}},
            {"required", {"path"}}}}};
}

std::string text(const Json& value) {
  return value.dump();
}

TEST_CASE("c: a call is answered by one result, with text and data") {
  CHost host;
  const Json result = host.call({{"tool", "bg_start"}, {"arguments", {{"command", "true"}}}});
  CHECK(result["ok"] == true);
  CHECK_THAT(result["text"].get<std::string>(), Contains("Process started"));
  CHECK(result["data"]["command"] == "true");
  REQUIRE(host.saw_event("run_ended"));
  const Json failed = host.call({{"tool", "bg_kill"}, {"arguments", {{"id", "nothing"}}}});
  CHECK(failed["ok"] == false);
  CHECK(failed["code"] == "run_not_found");
}

TEST_CASE("c: the descriptor is readable when there is something to do") {
  CHost host;
  // Nothing is left of the start.
  while (gib_poll(host.runtime, nullptr) == 1) {
  }
  REQUIRE(gib_call(host.runtime, R"({"tool":"bg_start","arguments":{"command":"echo x"}})") > 0);
  std::size_t results = 0;
  while (results == 0) {
    pollfd ready = {gib_fd(host.runtime), POLLIN, 0};
    REQUIRE(ready.fd >= 0);
    const auto timeout = gib_next_timeout(host.runtime);
    REQUIRE(::poll(&ready, 1, timeout < 0 ? 30'000 : static_cast<int>(timeout)) >= 0);
    gib_budget budget = {sizeof budget, 65536, 1000, 2000};
    REQUIRE(gib_poll(host.runtime, &budget) >= 0);
    gib_message message = {};
    message.size = sizeof message;
    while (gib_next(host.runtime, &message) == 1) results += message.kind == GIB_RESULT ? 1 : 0;
  }
  CHECK(results == 1);
}

TEST_CASE("c: a call is cancelled, and one that takes too long ends") {
  CHost host;
  const char* waiting = R"({"tool":"wait_for","arguments":{"port":1,"timeout":600000}})";
  const std::int64_t id = gib_call(host.runtime, waiting);
  REQUIRE(id > 0);
  CHECK(gib_cancel(host.runtime, id) == GIB_OK);
  REQUIRE(host.until(GIB_RESULT));
  CHECK(host.last().json["code"] == "cancelled");
  CHECK(gib_cancel(host.runtime, id) == GIB_NOT_FOUND);
  CHECK_THAT(gib_error(host.runtime), Contains("ended"));
  const Json late = host.call({{"tool", "wait_for"},
                               {"arguments", {{"port", 1}, {"timeout", 600'000}}},
                               {"timeout_ms", 30}});
  CHECK(late["code"] == "timeout");
}

TEST_CASE("c: a host tool is called, reports progress, and is answered once") {
  CHost host(Json{{"tools", {tool("open_buffer")}}});
  CHECK_THAT(gib_tools(host.runtime, "openai"), Contains("open_buffer"));
  const std::int64_t id =
      gib_call(host.runtime, R"({"tool":"open_buffer","arguments":{"path":"x"},"progress":true})");
  REQUIRE(host.until(GIB_HOST_CALL));
  const std::uint64_t token = host.last().token;
  CHECK(host.last().call == id);
  CHECK(host.last().json["tool"] == "open_buffer");
  CHECK(host.last().json["arguments"] == Json{{"path", "x"}});
  CHECK(gib_reply(host.runtime, token, R"({"texx":1})") == GIB_INVALID);
  CHECK_THAT(gib_error(host.runtime), Contains("json.texx") && Contains("'text'"));
  CHECK(gib_progress(host.runtime, token, R"({"progress":1,"total":2,"message":"half"})") ==
        GIB_OK);
  CHECK(gib_reply(host.runtime, token, R"({"text":"opened","data":{"line":1}})") == GIB_OK);
  CHECK(gib_reply(host.runtime, token, R"({"text":"again"})") == GIB_NOT_FOUND);
  CHECK(gib_progress(host.runtime, token, R"({"progress":2})") == GIB_NOT_FOUND);
  REQUIRE(host.until(GIB_PROGRESS));
  CHECK(host.last().json["message"] == "half");
  REQUIRE(host.until(GIB_RESULT));
  CHECK(host.last().json["data"]["line"] == 1);
}

TEST_CASE("c: an error of the host is the error of its tool") {
  CHost host(Json{{"tools", {tool("open_buffer")}}});
  REQUIRE(gib_call(host.runtime, R"({"tool":"open_buffer","arguments":{"path":"x"}})") > 0);
  REQUIRE(host.until(GIB_HOST_CALL));
  CHECK(gib_reply(host.runtime, host.last().token,
                  R"({"error":{"code":"no_such_file","message":"x does not exist"}})") == GIB_OK);
  REQUIRE(host.until(GIB_RESULT));
  CHECK(host.last().json["code"] == "no_such_file");
}

TEST_CASE("c: a host call is withdrawn when its call ends, and its token is gone") {
  CHost host(Json{{"tools", {tool("open_buffer")}}});
  const std::int64_t id =
      gib_call(host.runtime, R"({"tool":"open_buffer","arguments":{"path":"x"}})");
  REQUIRE(host.until(GIB_HOST_CALL));
  const std::uint64_t token = host.last().token;
  REQUIRE(gib_cancel(host.runtime, id) == GIB_OK);
  REQUIRE(host.until(
      [token](const Taken& each) { return each.kind == GIB_CANCELLED && each.token == token; }));
  CHECK(gib_reply(host.runtime, token, R"({"text":"late"})") == GIB_NOT_FOUND);
}

TEST_CASE("c: tools are added, kept across a reload, and removed") {
  CHost host;
  const std::string added = text(tool("later"));
  REQUIRE(gib_tool_add(host.runtime, added.c_str()) == GIB_OK);
  CHECK(gib_tool_add(host.runtime, added.c_str()) == GIB_INVALID);
  CHECK(gib_reload(host.runtime) == GIB_OK);
  REQUIRE(gib_call(host.runtime, R"({"tool":"later","arguments":{"path":"x"}})") > 0);
  REQUIRE(host.until(GIB_HOST_CALL));
  CHECK(gib_reply(host.runtime, host.last().token, R"({"text":"there"})") == GIB_OK);
  REQUIRE(host.until(GIB_RESULT));
  CHECK(host.last().json["text"] == "there");
  CHECK(gib_tool_remove(host.runtime, "later") == GIB_OK);
  CHECK(gib_tool_remove(host.runtime, "later") == GIB_NOT_FOUND);
  Json wrong = tool("bg_start");
  CHECK(gib_tool_add(host.runtime, text(wrong).c_str()) == GIB_FAILED);
  CHECK_THAT(gib_error(host.runtime), Contains("defined twice"));
  wrong["name"] = 7;
  CHECK(gib_tool_add(host.runtime, text(wrong).c_str()) == GIB_INVALID);
  CHECK_THAT(gib_error(host.runtime), Contains("tool.name: expected a string, got 7"));
}

TEST_CASE("c: a script calls a function of the host, which answers later") {
  const testing::TempDir scripts;
  scripts.write("init.lua",
                "return { toolsets = { { name = 'mine', tools = { tool { name = 'try',"
                " description = 'Tries.', permission = 'read', run = function()"
                " return host.answer { of = 'everything' }.text end } } } } }");
  CHost host(Json{{"scripts_dir", scripts.path()}});
  REQUIRE(gib_function_add(host.runtime, R"({"name":"answer","description":"Answers.",)"
                                         R"("permission":"read","input":{"type":"object",)"
                                         R"("additionalProperties":true}})") == GIB_OK);
  REQUIRE(gib_call(host.runtime, R"({"tool":"try"})") > 0);
  REQUIRE(host.until(GIB_HOST_CALL));
  CHECK(host.last().json["function"] == "answer");
  CHECK(host.last().json["arguments"] == Json{{"of", "everything"}});
  CHECK(gib_reply(host.runtime, host.last().token, R"({"value":{"text":"42"}})") == GIB_OK);
  REQUIRE(host.until(GIB_RESULT));
  CHECK(host.last().json["text"] == "42");
  CHECK(gib_function_remove(host.runtime, "answer") == GIB_OK);
  CHECK(gib_function_remove(host.runtime, "answer") == GIB_NOT_FOUND);
}

TEST_CASE("c: scripts come from memory") {
  CHost host(Json{{"files",
                   {{"scripts/init.lua",
                     "return { toolsets = { { name = 'mine', tools = { tool { name = 'try',"
                     " description = 'Tries.', permission = 'read',"
                     " run = function() return 'from memory' end } } } } }"}}}});
  REQUIRE(gib_call(host.runtime, R"({"tool":"try"})") > 0);
  REQUIRE(host.until(GIB_RESULT));
  CHECK(host.last().json["text"] == "from memory");
}

TEST_CASE("c: the policy asks, and the answer decides") {
  CHost host(Json{{"mode", "default"}});
  const char* start = R"({"tool":"bg_start","arguments":{"command":"true"}})";
  REQUIRE(gib_call(host.runtime, start) > 0);
  REQUIRE(host.until(GIB_ASK));
  CHECK(host.last().json["tool"] == "bg_start");
  CHECK(host.last().json["command"] == "true");
  const std::uint64_t token = host.last().token;
  CHECK(gib_reply(host.runtime, token, R"({"reason":"no"})") == GIB_INVALID);
  CHECK(gib_reply(host.runtime, token, R"({"allow":true,"remember":"for ever"})") == GIB_INVALID);
  CHECK(gib_reply(host.runtime, token, R"({"allow":false,"reason":"not today"})") == GIB_OK);
  REQUIRE(host.until(GIB_RESULT));
  CHECK_THAT(host.last().json["message"].get<std::string>(), Contains("not today"));
  const std::int64_t id = gib_call(host.runtime, start);
  REQUIRE(host.until(GIB_ASK));
  REQUIRE(gib_cancel(host.runtime, id) == GIB_OK);
  REQUIRE(host.until(GIB_CANCELLED));
}

TEST_CASE("c: open questions are listed, and answered by their ids") {
  CHost host(Json{{"mode", "default"}});
  REQUIRE(gib_has("asks") == 1);
  const char* start = R"({"tool":"bg_start","arguments":{"command":"true"}})";
  REQUIRE(gib_call(host.runtime, start) > 0);
  REQUIRE(host.until(GIB_ASK));
  const std::string id = host.last().json["id"];
  const char* text = gib_asks(host.runtime);
  REQUIRE(text != nullptr);
  const Json asks = Json::parse(text)["asks"];
  REQUIRE(asks.size() == 1);
  CHECK(asks[0]["id"] == id);
  CHECK(asks[0]["command"] == "true");
  CHECK(gib_ask_answer(host.runtime, id.c_str(), R"({"no_approver":true})") == GIB_INVALID);
  CHECK(gib_ask_answer(host.runtime, "none", R"({"allow":true})") == GIB_NOT_FOUND);
  CHECK(gib_ask_answer(host.runtime, id.c_str(), R"({"allow":true,"who":"ann"})") == GIB_OK);
  REQUIRE(host.until(GIB_CANCELLED));  // the form is taken back
  REQUIRE(host.until(GIB_RESULT));
  CHECK(host.last().json["ok"] == true);
  CHECK(gib_ask_answer(host.runtime, id.c_str(), R"({"allow":true})") == GIB_NOT_FOUND);
  CHECK_THAT(gib_error(host.runtime), Contains("already answered: allowed once by ann at "));
}

TEST_CASE("c: runs are listed, their events given once, and their output read") {
  CHost host;
  const Json result =
      host.call({{"tool", "bg_start"}, {"arguments", {{"command", "printf 12345"}}}});
  const std::string run = result["data"]["id"];
  REQUIRE(host.saw_event("run_ended"));
  const std::int64_t runs = gib_runs(host.runtime, nullptr);
  REQUIRE(runs > 0);
  REQUIRE(
      host.until([runs](const Taken& each) { return each.kind == GIB_RUNS && each.call == runs; }));
  CHECK(host.last().json["runs"][0]["id"] == run);
  REQUIRE(gib_backlog(host.runtime, "") > 0);
  REQUIRE(host.until(GIB_BACKLOG));
  CHECK(host.last().json["events"].size() == 2);  // its start and its end
  REQUIRE(gib_backlog(host.runtime, "") > 0);
  REQUIRE(host.until(GIB_BACKLOG));
  CHECK(host.last().json["events"].empty());
  std::uint64_t cursor = 0;
  int ended = 0;
  char bytes[3];
  CHECK(gib_read(host.runtime, run.c_str(), 1, &cursor, bytes, 3, &ended) == 3);
  CHECK(cursor == 3);
  CHECK(gib_read(host.runtime, run.c_str(), 1, &cursor, bytes, 3, &ended) == 2);
  CHECK(ended == 1);
  CHECK(gib_read(host.runtime, "none", 1, &cursor, bytes, 3, &ended) == GIB_NOT_FOUND);
  CHECK(gib_read(host.runtime, run.c_str(), 3, &cursor, bytes, 3, &ended) == GIB_INVALID);
  CHECK(gib_read(host.runtime, run.c_str(), 1, nullptr, bytes, 3, nullptr) == GIB_INVALID);
}

TEST_CASE("c: another thread posts, and the owner takes it from the queue") {
  CHost host;
  std::thread poster([&] {
    CHECK(gib_post(host.runtime, R"({"from":"there"})") == GIB_OK);
    CHECK(gib_post(host.runtime, "no json") == GIB_INVALID);
    CHECK(gib_call(host.runtime, R"({"tool":"bg_status"})") == GIB_WRONG_THREAD);
  });
  REQUIRE(host.until(GIB_POSTED));
  CHECK(host.last().json == Json{{"from", "there"}});
  poster.join();
}

TEST_CASE("c: closing ends every call, and the last message says that nothing is left") {
  CHost host(Json{{"tools", {tool("open_buffer")}}});
  REQUIRE(gib_call(host.runtime, R"({"tool":"open_buffer","arguments":{"path":"x"}})") > 0);
  REQUIRE(gib_call(host.runtime, R"({"tool":"wait_for","arguments":{"port":1}})") > 0);
  REQUIRE(host.until(GIB_HOST_CALL));
  REQUIRE(gib_close(host.runtime) == GIB_OK);
  CHECK(gib_close(host.runtime) == GIB_CLOSED);
  std::size_t results = 0;
  REQUIRE(host.until([&](const Taken& each) {
    results += each.kind == GIB_RESULT ? 1 : 0;
    return each.kind == GIB_CLOSED_DOWN;
  }));
  CHECK(results == 2);
  gib_message message = {};
  message.size = sizeof message;
  CHECK(gib_next(host.runtime, &message) == GIB_CLOSED);
}

}  // namespace
}  // namespace gibbous
