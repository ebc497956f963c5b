// tools/list and tools/call in both eras: pages, results, errors, progress, cancellation.
#include <limits>
#include <string>
#include <utility>

#include "bindings/mcp/event_line.h"
#include "tests/bindings/mcp/fake_backend.h"
#include "tests/support/catch.h"

namespace gibbous::mcp {
namespace {

int code(const Json& answer) {
  return answer.at("error").at("code").get<int>();
}

Json call_params(const std::string& tool, Json arguments = Json::object()) {
  return Json{{"name", tool}, {"arguments", std::move(arguments)}};
}

Json make(Era era, const Json& id, const std::string& method, Json params = Json::object()) {
  return era == Era::kModern ? Fixture::modern(id, method, std::move(params))
                             : Fixture::request(id, method, std::move(params));
}

std::string text_of(const Json& result) {
  return result.at("content").at(0).at("text").get<std::string>();
}

constexpr Era kEras[] = {Era::kLegacy, Era::kModern};

ServerOptions structured() {
  ServerOptions options;
  options.structured = true;
  return options;
}

TEST_CASE(
    "a small list is to be loaded at once, and tools of a large one are found by their titles") {
  ServerOptions options;
  Fixture fixture(options);
  fixture.handshake();
  fixture.backend.add("alpha");
  for (const Era era : kEras) {
    const Json tools = fixture.ask(make(era, 1, "tools/list"))["result"]["tools"];
    REQUIRE(tools.size() == 2);
    for (const Json& tool : tools) CHECK(tool["_meta"] == Json{{"anthropic/alwaysLoad", true}});
  }
  fixture.backend.add("wordy");
  fixture.backend.known.back().description = std::string(options.page.small, 'w');
  fixture.backend.add("untitled");
  fixture.backend.known.back().title = "";
  for (const Era era : kEras) {
    const Json tools = fixture.ask(make(era, 2, "tools/list"))["result"]["tools"];
    REQUIRE(tools.size() == 4);
    CHECK(tools[0]["_meta"] == Json{{"anthropic/searchHint", "Title of alpha"}});
    CHECK(tools[2]["name"] == "untitled");
    CHECK(!tools[2].contains("_meta"));
  }
}

TEST_CASE("tools are described in full and in the order of their names") {
  Fixture fixture(structured());
  fixture.handshake();
  fixture.backend.add("zeta");
  fixture.backend.add("alpha");
  for (const Era era : kEras) {
    const Json result = fixture.ask(make(era, 1, "tools/list"))["result"];
    REQUIRE(result["tools"].size() == 3);
    CHECK(result["tools"][0]["name"] == "alpha");
    CHECK(result["tools"][1]["name"] == "echo");
    CHECK(result["tools"][2]["name"] == "zeta");
    CHECK(!result.contains("nextCursor"));
    const Json& tool = result["tools"][0];
    CHECK(tool["title"] == "Title of alpha");
    CHECK(tool["description"] == "Description of alpha");
    CHECK(tool["inputSchema"]["type"] == "object");
    CHECK(tool["inputSchema"]["properties"].is_object());
    CHECK(tool["outputSchema"]["type"] == "object");
    // Hints that the tool does not set have the value that a client must assume.
    CHECK(tool["annotations"] == Json{{"readOnlyHint", true},
                                      {"destructiveHint", true},
                                      {"idempotentHint", false},
                                      {"openWorldHint", true},
                                      {"title", "Title"}});
    CHECK(result.contains("ttlMs") == (era == Era::kModern));
    CHECK(result.contains("cacheScope") == (era == Era::kModern));
  }
}

TEST_CASE("no tools make an empty array, and a schema is always an object") {
  Fixture fixture(structured());
  fixture.backend.known.clear();
  CHECK(fixture.ask(Fixture::modern(1, "tools/list"))["result"]["tools"] == Json::array());
  fixture.backend.add("bare");
  fixture.backend.known[0].input_schema = "";
  fixture.backend.known[0].output_schema = R"({"type":"string"})";
  fixture.backend.known[0].annotations = "";
  const Json tool = fixture.ask(Fixture::modern(1, "tools/list"))["result"]["tools"][0];
  CHECK(tool["inputSchema"] == Json{{"type", "object"}});
  CHECK(!tool.contains("outputSchema"));
  CHECK(tool["annotations"]["destructiveHint"] == true);
}

TEST_CASE("pages join to the whole list, each tool once") {
  ServerOptions options;
  options.page.tools = 2;
  Fixture fixture(options);
  for (const char* name : {"a", "b", "c", "d"}) fixture.backend.add(name);
  std::string names;
  Json params = Json::object();
  int pages = 0;
  do {
    const Json result = fixture.ask(Fixture::modern(1, "tools/list", params))["result"];
    for (const Json& tool : result["tools"]) names += tool["name"].get<std::string>() + " ";
    params = result.contains("nextCursor") ? Json{{"cursor", result["nextCursor"]}} : Json();
    ++pages;
  } while (!params.is_null());
  CHECK(names == "a b c d echo ");
  CHECK(pages == 3);
}

TEST_CASE("a page is bounded in bytes too") {
  ServerOptions options;
  options.page.bytes = 1000;
  Fixture fixture(options);
  fixture.backend.add("big");
  fixture.backend.known[1].description = std::string(5000, 'x');
  const Json result = fixture.ask(Fixture::modern(1, "tools/list"))["result"];
  CHECK(result["tools"].size() == 1);
  CHECK(result["nextCursor"].is_string());
}

TEST_CASE("a forged cursor is refused") {
  Fixture fixture;
  fixture.handshake();
  for (const Json& cursor : {Json("nonsense"), Json("after:gone"), Json(""), Json(3), Json(true)}) {
    INFO(cursor.dump());
    for (const Era era : kEras) {
      CHECK(code(fixture.ask(make(era, 1, "tools/list", Json{{"cursor", cursor}}))) ==
            kInvalidParams);
    }
  }
  // Some clients write their empty optionals as null.
  CHECK(fixture.ask(make(Era::kLegacy, 1, "tools/list", Json{{"cursor", nullptr}}))
            .contains("result"));
}

TEST_CASE("content takes the place of the text, also in an error") {
  Fixture fixture;
  fixture.handshake();
  const Json blocks = Json::parse(
      R"([{"type":"text","text":"Look"},{"type":"image","mimeType":"image/png","data":"AAH/"}])");
  for (const Era era : kEras) {
    CallResult result;
    result.ok = true;
    result.text = "Look\n[image: image/png, 3 bytes]";
    result.content = blocks.dump();
    fixture.say(make(era, 1, "tools/call", call_params("echo")));
    fixture.backend.finish(fixture.backend.last, result);
    Json answer = fixture.heard()["result"];
    CHECK(answer["content"] == blocks);
    CHECK(answer["isError"] == false);

    result.ok = false;
    result.code = "tool_error";
    result.message = std::exchange(result.text, "");
    result.backlog = {R"({"event":"ready","run":"a","session":"","line":"up"})"};
    fixture.say(make(era, 1, "tools/call", call_params("echo")));
    fixture.backend.finish(fixture.backend.last, result);
    answer = fixture.heard()["result"];
    CHECK(answer["isError"] == true);
    REQUIRE(answer["content"].size() == 3);
    CHECK(answer["content"][1] == blocks[1]);
    CHECK(answer["content"][2]["type"] == "text");
  }
}

TEST_CASE("a call's text and data both reach the client") {
  Fixture fixture(structured());
  fixture.handshake();
  for (const Era era : kEras) {
    fixture.say(make(era, "c", "tools/call", call_params("echo", Json{{"n", 5}})));
    CHECK(fixture.silent());
    const FakeBackend::Call& call = fixture.backend.calls.at(fixture.backend.last);
    CHECK(call.request.tool == "echo");
    CHECK(call.request.arguments == "{\"n\":5}");
    CHECK(call.request.session.empty());
    CHECK(!call.request.wants_progress);
    fixture.backend.finish_text(fixture.backend.last, "said it", R"({"said":"it","count":2})");
    const Json answer = fixture.heard();
    CHECK(answer["id"] == "c");
    const Json& result = answer["result"];
    CHECK(result["content"] == Json::array({Json{{"type", "text"}, {"text", "said it"}}}));
    CHECK(result["structuredContent"] == Json{{"said", "it"}, {"count", 2}});
    CHECK(result["isError"] == false);
    CHECK(result.contains("resultType") == (era == Era::kModern));
    CHECK(result.contains("_meta") == (era == Era::kModern));
  }
}

TEST_CASE("a tool without data has text only, one without text repeats its data") {
  Fixture fixture(structured());
  fixture.say(Fixture::modern(1, "tools/call", call_params("echo")));
  fixture.backend.finish_text(1, "text");
  CHECK(!fixture.heard()["result"].contains("structuredContent"));

  fixture.say(Fixture::modern(2, "tools/call", call_params("echo")));
  fixture.backend.finish_text(2, "", R"({"a":1})");
  Json result = fixture.heard()["result"];
  CHECK(text_of(result) == R"({"a":1})");
  CHECK(result["structuredContent"] == Json{{"a", 1}});

  fixture.say(Fixture::modern(3, "tools/call", call_params("echo")));
  fixture.backend.finish_text(3, "");
  CHECK(fixture.heard()["result"]["content"] == Json::array());
}

TEST_CASE("events read as lines, and successive matches of one watcher as one") {
  const auto match = [](int line, const std::string& text) {
    return Json{{"event", "error"}, {"run", "Ab3xK9mZ"}, {"label", "web"},
                {"watcher", 1},     {"line", text},      {"line_number", line}};
  };
  const std::vector<Json> events = {Json{{"event", "run_ended"},
                                         {"run", "Ab3xK9mZ"},
                                         {"label", "web"},
                                         {"state", "failed"},
                                         {"exit_code", 1},
                                         {"reason", "exit code 1"},
                                         {"runtime_ms", 2149},
                                         {"errors", "7:boom\n"}},
                                    Json{{"event", "run_ended"},
                                         {"run", "Cd3xK9mZ"},
                                         {"state", "killed"},
                                         {"exit_code", nullptr},
                                         {"reason", "killed by SIGTERM"},
                                         {"runtime_ms", 40}},
                                    match(3, "one"), match(4, "two"),
                                    Json{{"event", "run_ready"},
                                         {"run", "Ab3xK9mZ"},
                                         {"because", "port 80"},
                                         {"runtime_ms", 600}}};
  CHECK(event_lines(events) ==
        "[web ended: exit 1 after 2.1s]\n7:boom\n"
        "[Cd3xK9mZ ended: killed by SIGTERM after 40ms]\n"
        "[web error ×2: line 3: one\nline 4: two]\n"
        "[Ab3xK9mZ ready after 600ms: port 80]\n");
  CHECK(event_lines({}).empty());
}

TEST_CASE("matches of two watchers that take turns are one event line each") {
  const auto match = [](const char* event, int watcher, int line, const std::string& text) {
    return Json{{"event", event},     {"run", "Ab3xK9mZ"}, {"watcher", watcher},
                {"stream", "stdout"}, {"line", text},      {"line_number", line}};
  };
  const Json ended = {{"event", "run_ready"}, {"run", "Ab3xK9mZ"}, {"because", "port 80"}};
  CHECK(event_lines({match("error", 1, 3, "one"), match("slow", 2, 4, "two"),
                     match("error", 1, 5, "three"), match("slow", 2, 6, "four"), ended,
                     match("error", 1, 9, "later")}) ==
        "[Ab3xK9mZ error ×2: line 3: one\nline 5: three]\n"
        "[Ab3xK9mZ slow ×2: line 4: two\nline 6: four]\n"
        "[Ab3xK9mZ ready: port 80]\n"
        "[Ab3xK9mZ error: line 9: later]\n");
}

TEST_CASE("matches of one watcher within 200 ms are one event line, whatever came between") {
  const auto match = [](std::int64_t at, int line, const std::string& text) {
    return Json{{"event", "error"}, {"run", "Ab3xK9mZ"}, {"at_ms", at},
                {"watcher", 1},     {"line", text},      {"line_number", line}};
  };
  const Json ready = {{"event", "run_ready"}, {"run", "Cd3xK9mZ"}, {"because", "port 80"}};
  CHECK(event_lines({match(1000, 3, "one"), ready, match(1200, 4, "two"), ready,
                     match(1401, 9, "later")}) ==
        "[Ab3xK9mZ error ×2: line 3: one\nline 4: two]\n"
        "[Cd3xK9mZ ready: port 80]\n[Cd3xK9mZ ready: port 80]\n"
        "[Ab3xK9mZ error: line 9: later]\n");
}

TEST_CASE("the watchers of a preset are one event line, which has each line once") {
  const auto match = [](int watcher, int line, const std::string& text) {
    return Json{{"event", "compile_error"}, {"run", "Ab3xK9mZ"}, {"watcher", watcher},
                {"stream", "stderr"},       {"line", text},      {"line_number", line}};
  };
  CHECK(event_lines({match(4, 2, "./a.go:5:2: undefined: x"), match(7, 3, "make: *** Error 1"),
                     match(9, 3, "make: *** Error 1")}) ==
        "[Ab3xK9mZ compile_error ×2: line 2: ./a.go:5:2: undefined: x\n"
        "line 3: make: *** Error 1]\n");
}

TEST_CASE("a match in a long line is shown, and a line that was not searched to its end is named") {
  const std::string line = std::string(4000, 'a') + "error: boom" + std::string(4000, 'b');
  const std::string text = event_lines({Json{{"event", "error"},
                                             {"run", "Ab3xK9mZ"},
                                             {"watcher", 1},
                                             {"line", line},
                                             {"line_number", 7},
                                             {"column", 4001},
                                             {"cut", true}}});
  INFO(text);
  CHECK(text.find("error: boom") != std::string::npos);
  CHECK(text.find("longer than 64 KiB") != std::string::npos);
  CHECK(text.size() < 450);
}

TEST_CASE("what a run has changed of what git obeys is told in words") {
  Json event = {{"event", "repositories_changed"},
                {"run", "Ab3xK9mZ"},
                {"label", "setup"},
                {"changed", {".husky/pre-commit", ".git/config core.hookspath"}},
                {"made", {"a", "b"}},
                {"message", "Look at it."}};
  CHECK(event_lines({event}) ==
        "[setup changed .husky/pre-commit, .git/config core.hookspath and made the Git "
        "repositories a, b. Look at it.]\n");
  event["changed"] = Json::array();
  CHECK(event_lines({event}) == "[setup made the Git repositories a, b. Look at it.]\n");
  event["changed"] = {".gitmodules"};
  event["made"] = Json::array();
  CHECK(event_lines({event}) == "[setup changed .gitmodules. Look at it.]\n");
}

TEST_CASE("an event of an unknown kind is shown whole") {
  const std::string text = event_lines({Json{{"event", "odd"}, {"run", 5}, {"deep", {{"a", 1}}}}});
  CHECK(text.find("[odd: {") == 0);
  CHECK(text.find("\"deep\":{\"a\":1}") != std::string::npos);
}

TEST_CASE("structuredContent is an object or absent") {
  Fixture fixture(structured());
  int id = 0;
  for (const char* data : {"[1,2]", "5", "\"x\"", "null", "{broken"}) {
    INFO(data);
    fixture.say(Fixture::modern(++id, "tools/call", call_params("echo")));
    fixture.backend.finish_text(fixture.backend.last, "text", data);
    CHECK(!fixture.heard()["result"].contains("structuredContent"));
  }
}

TEST_CASE("invalid UTF-8 in a result is replaced") {
  Fixture fixture;
  fixture.say(Fixture::modern(1, "tools/call", call_params("echo")));
  fixture.backend.finish_text(1,
                              "a\xff"
                              "b");
  CHECK(text_of(fixture.heard()["result"]) ==
        "a\xEF\xBF\xBD"
        "b");
}

TEST_CASE("a refusal by a tool or its policy is a result that the model can read") {
  Fixture fixture;
  fixture.handshake();
  for (const char* refusal : {"invalid_arguments", "denied", "needs_approval", "script_error",
                              "budget_exceeded", "run_not_found", "shutdown", "cancelled"}) {
    INFO(refusal);
    for (const Era era : kEras) {
      fixture.say(make(era, 1, "tools/call", call_params("echo")));
      fixture.backend.fail(fixture.backend.last, refusal, "this is why");
      const Json answer = fixture.heard();
      REQUIRE(answer.contains("result"));
      CHECK(answer["result"]["isError"] == true);
      CHECK(text_of(answer["result"]) == "this is why");
      CHECK(!answer["result"].contains("structuredContent"));
      CHECK(answer["result"]["_meta"]["gibbous/errorCode"] == refusal);
      CHECK(answer["result"].contains("resultType") == (era == Era::kModern));
    }
  }
}

TEST_CASE("an error has the script's place and message") {
  Fixture fixture;
  CallResult result;
  result.code = "script_error";
  result.message = "tool.lua:3: boom";
  result.traceback = "tool.lua:3: in function 'run'";
  result.data = R"({"hint":"x"})";
  fixture.say(Fixture::modern(1, "tools/call", call_params("echo")));
  fixture.backend.finish(1, result);
  const Json told = fixture.heard()["result"];
  CHECK(text_of(told) == "tool.lua:3: boom\ntool.lua:3: in function 'run'");
  CHECK(told["_meta"]["gibbous/errorData"] == Json{{"hint", "x"}});
}

TEST_CASE("without --structured results are only text, except for tools that say otherwise") {
  Fixture fixture;
  fixture.backend.add("alpha");
  fixture.backend.add("beta");
  fixture.backend.known.back().structured = true;
  const Json tools = fixture.ask(Fixture::modern(1, "tools/list"))["result"]["tools"];
  CHECK(!tools[0].contains("outputSchema"));
  CHECK(tools[1].contains("outputSchema"));

  for (const bool says_so : {false, true}) {
    fixture.say(Fixture::modern(2, "tools/call", call_params("alpha")));
    CallResult result;
    result.ok = true;
    result.text = "said it";
    result.data = R"({"said":"it"})";
    result.structured = says_so;
    fixture.backend.finish(fixture.backend.last, result);
    const Json answer = fixture.heard()["result"];
    CHECK(text_of(answer) == "said it");
    CHECK(answer.contains("structuredContent") == says_so);
  }
}

TEST_CASE("an unknown tool is a protocol error, but a tool's error with that code is not") {
  Fixture fixture;
  fixture.say(Fixture::modern(1, "tools/call", call_params("ehco")));
  fixture.backend.fail(1, "unknown_tool", "No tool ehco; did you mean echo?");
  const Json answer = fixture.heard();
  CHECK(code(answer) == kInvalidParams);
  CHECK(answer["id"] == 1);
  CHECK(answer["error"]["message"] == "No tool ehco; did you mean echo?");

  fixture.say(Fixture::modern(2, "tools/call", call_params("echo")));
  fixture.backend.fail(2, "unknown_tool", "the tool called another one");
  CHECK(fixture.heard()["result"]["isError"] == true);
}

TEST_CASE("malformed parameters of a call are a protocol error") {
  Fixture fixture;
  for (const Json& params :
       {Json::object(), Json{{"name", 5}}, Json{{"name", "echo"}, {"arguments", 5}},
        Json{{"name", "echo"}, {"arguments", Json::array()}}}) {
    INFO(params.dump());
    CHECK(code(fixture.ask(Fixture::modern(1, "tools/call", params))) == kInvalidParams);
  }
  CHECK(fixture.backend.calls.empty());
  fixture.say(Fixture::modern(1, "tools/call", Json{{"name", "echo"}, {"arguments", nullptr}}));
  CHECK(fixture.backend.calls.at(1).request.arguments == "{}");
}

TEST_CASE("a result too long for a line becomes an error that says so") {
  ServerOptions options;
  options.max_line_bytes = 5000;
  Fixture fixture(options);
  fixture.say(Fixture::modern(1, "tools/call", call_params("echo")));
  fixture.backend.finish_text(1, std::string(5000, 'x'), R"({"a":1})");
  const Json result = fixture.heard()["result"];
  CHECK(result["isError"] == true);
  CHECK(!result.contains("structuredContent"));
  CHECK(text_of(result).find("The result of echo is") == 0);
  fixture.say(Fixture::modern(2, "tools/call", call_params("echo")));
  fixture.backend.finish_text(2, std::string(1000, 'x'));
  CHECK(fixture.heard()["result"]["isError"] == false);
}

TEST_CASE("an id in use is refused, and may be used again afterwards") {
  Fixture fixture;
  fixture.say(Fixture::modern(1, "tools/call", call_params("echo")));
  CHECK(code(fixture.ask(Fixture::modern(1, "tools/call", call_params("echo")))) ==
        kInvalidRequest);
  fixture.say(Fixture::modern("1", "tools/call", call_params("echo")));
  CHECK(fixture.server.requests_in_flight() == 2);
  fixture.backend.finish_text(1, "done");
  CHECK(fixture.heard()["id"] == 1);
  fixture.say(Fixture::modern(1, "tools/call", call_params("echo")));
  CHECK(fixture.server.requests_in_flight() == 2);
}

TEST_CASE("calls in flight are bounded") {
  ServerOptions options;
  options.max_calls = 2;
  Fixture fixture(options);
  fixture.say(Fixture::modern(1, "tools/call", call_params("echo")));
  fixture.say(Fixture::modern(2, "tools/call", call_params("echo")));
  CHECK(code(fixture.ask(Fixture::modern(3, "tools/call", call_params("echo")))) == kInternalError);
  fixture.backend.finish_text(1, "done");
  fixture.heard();
  fixture.say(Fixture::modern(3, "tools/call", call_params("echo")));
  CHECK(fixture.silent());
}

Json with_token(Json params, const Json& token) {
  params["_meta"]["progressToken"] = token;
  return params;
}

TEST_CASE("progress rises strictly, echoes its token and ends with the answer") {
  Fixture fixture;
  fixture.handshake();
  for (const Era era : kEras) {
    for (const Json& token : {Json(7), Json("7"), Json(0), Json("")}) {
      INFO(token.dump());
      fixture.say(make(era, 1, "tools/call", with_token(call_params("echo"), token)));
      const CallId call = fixture.backend.last;
      CHECK(fixture.backend.calls.at(call).request.wants_progress);
      fixture.backend.report(call, 0, 100, "starting");
      const Json first = fixture.heard();
      CHECK(first["method"] == "notifications/progress");
      CHECK(
          first["params"] ==
          Json{{"progressToken", token}, {"progress", 0}, {"total", 100}, {"message", "starting"}});
      CHECK(first["params"]["progressToken"].dump() == token.dump());
      CHECK(first["params"]["progress"].is_number_integer());
      CHECK(!first.contains("id"));
      for (const double useless : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN(),
                                   std::numeric_limits<double>::infinity()}) {
        fixture.backend.report(call, useless);
        CHECK(fixture.silent());
      }
      fixture.backend.report(call, 50.5, std::numeric_limits<double>::infinity());
      CHECK(fixture.heard()["params"] == Json{{"progressToken", token}, {"progress", 50.5}});
      fixture.backend.finish_text(call, "done");
      CHECK(fixture.heard().contains("result"));
      fixture.backend.report(call, 99);
      CHECK(fixture.silent());
    }
  }
}

TEST_CASE("only a client that asked for progress gets it") {
  Fixture fixture;
  for (const Json& params : {call_params("echo"), with_token(call_params("echo"), nullptr)}) {
    fixture.say(Fixture::modern(1, "tools/call", params));
    fixture.backend.report(fixture.backend.last, 1);
    CHECK(fixture.silent());
    fixture.backend.finish_text(fixture.backend.last, "done");
    fixture.heard();
  }
}

TEST_CASE("a client that does not keep up loses progress, never an answer") {
  Fixture fixture;
  fixture.say(Fixture::modern(1, "tools/call", with_token(call_params("echo"), 1)));
  fixture.sink.full = true;
  fixture.backend.report(1, 1);
  CHECK(fixture.silent());
  fixture.backend.finish_text(1, "done");
  CHECK(fixture.heard().contains("result"));
}

TEST_CASE("a cancelled call ends without any further message") {
  Fixture fixture;
  fixture.handshake();
  for (const Era era : kEras) {
    fixture.say(make(era, 1, "tools/call", with_token(call_params("echo"), 5)));
    const CallId call = fixture.backend.last;
    // The same text with another type is another id.
    fixture.say(Fixture::notification("notifications/cancelled", Json{{"requestId", "1"}}));
    CHECK(!fixture.backend.calls.at(call).cancelled);
    fixture.say(Fixture::notification("notifications/cancelled",
                                      Json{{"requestId", 1}, {"reason", "user"}}));
    CHECK(fixture.backend.calls.at(call).cancelled);
    CHECK(fixture.server.requests_in_flight() == 0);
    fixture.backend.report(call, 1);
    fixture.backend.fail(call, "cancelled", "cancelled");
    CHECK(fixture.silent());
    // A late cancellation is not an error either.
    fixture.say(Fixture::notification("notifications/cancelled", Json{{"requestId", 1}}));
    CHECK(fixture.silent());
  }
}

TEST_CASE("the end of a cancelled call does not answer a later one with its id") {
  Fixture fixture;
  fixture.say(Fixture::modern(1, "tools/call", call_params("echo")));
  fixture.say(Fixture::notification("notifications/cancelled", Json{{"requestId", 1}}));
  fixture.say(Fixture::modern(1, "tools/call", call_params("echo")));
  fixture.backend.fail(1, "cancelled", "cancelled");
  CHECK(fixture.silent());
  fixture.backend.finish_text(2, "second");
  CHECK(text_of(fixture.heard()["result"]) == "second");
}

TEST_CASE("a call that ends after the server is gone touches nothing") {
  FakeBackend backend;
  FakeSink sink;
  const ManualClock clock;
  {
    Server server(backend, sink, clock, {});
    server.receive(Fixture::modern(1, "tools/call", call_params("echo")).dump());
  }
  backend.report(1, 1);
  backend.finish_text(1, "late");
  CHECK(sink.lines.empty());
}

TEST_CASE("the instructions mention only tools that exist") {
  FakeBackend backend;
  CHECK(usage_instructions(backend.tools()).find("bg_start") == std::string::npos);
  for (const char* name : {"bg_start", "bg_output", "bg_kill", "wait_for"}) backend.add(name);
  for (const char* name : {"bg_start", "bg_output", "bg_kill", "wait_for"}) {
    INFO(name);
    CHECK(usage_instructions(backend.tools()).find(name) != std::string::npos);
  }
}

}  // namespace
}  // namespace gibbous::mcp
