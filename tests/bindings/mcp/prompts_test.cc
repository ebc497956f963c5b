// Prompts of the scripts: lists, gets and changes, in both eras.
#include <string>

#include "tests/bindings/mcp/fake_backend.h"
#include "tests/support/catch.h"

namespace gibbous::mcp {
namespace {

constexpr Era kEras[] = {Era::kLegacy, Era::kModern};

int code(const Json& answer) {
  return answer.at("error").at("code").get<int>();
}

Json make(Era era, const Json& id, const std::string& method, Json params = Json::object()) {
  return era == Era::kModern ? Fixture::modern(id, method, std::move(params))
                             : Fixture::request(id, method, std::move(params));
}

struct Prompting : Fixture {
  Prompting() { handshake(); }
  void offer(const std::string& name) {
    PromptInfo info;
    info.name = name;
    info.title = "Title of " + name;
    info.description = "Description of " + name;
    info.arguments = R"([{"name":"since","required":true}])";
    backend.offered.push_back(info);
  }
};

TEST_CASE("prompts are listed with their arguments, in pages") {
  Prompting fixture;
  for (int i = 100; i < 201; ++i) fixture.offer("p" + std::to_string(i));
  fixture.backend.offered[0].arguments = "[]";
  for (const Era era : kEras) {
    const Json first = fixture.ask(make(era, 1, "prompts/list"))["result"];
    REQUIRE(first["prompts"].size() == 100);
    CHECK(first["prompts"][0] == Json{{"name", "p100"},
                                      {"title", "Title of p100"},
                                      {"description", "Description of p100"}});
    CHECK(first["prompts"][1]["arguments"] == Json::parse(R"([{"name":"since","required":true}])"));
    CHECK(first.contains("ttlMs") == (era == Era::kModern));
    const Json cursor{{"cursor", first["nextCursor"]}};
    const Json second = fixture.ask(make(era, 2, "prompts/list", cursor))["result"];
    REQUIRE(second["prompts"].size() == 1);
    CHECK_FALSE(second.contains("nextCursor"));
    for (const Json& wrong : {Json("nobody"), Json(""), Json(7)}) {
      CHECK(code(fixture.ask(make(era, 3, "prompts/list", Json{{"cursor", wrong}}))) ==
            kInvalidParams);
    }
  }
}

TEST_CASE("a prompt is got by a call, in both eras") {
  Prompting fixture;
  fixture.offer("review");
  const std::string made =
      R"({"description":"d","messages":[{"role":"user","content":{"type":"text","text":"x"}}]})";
  for (const Era era : kEras) {
    const Json params{{"name", "review"}, {"arguments", {{"since", "main"}}}};
    fixture.say(make(era, 1, "prompts/get", params));
    const CallRequest& call = fixture.backend.calls.at(fixture.backend.last).request;
    CHECK(call.kind == CallKind::kPrompt);
    CHECK(call.tool == "review");
    CHECK(call.arguments == R"({"since":"main"})");
    fixture.backend.finish_text(fixture.backend.last, "user: x", made);
    const Json result = fixture.heard()["result"];
    CHECK(result["messages"] == Json::parse(made)["messages"]);
    CHECK(result["description"] == "d");
    CHECK(result.contains("resultType") == (era == Era::kModern));
    CHECK_FALSE(result.contains("ttlMs"));
  }
}

TEST_CASE("a prompt that is unknown, lacks arguments or fails is an error of the protocol") {
  Prompting fixture;
  const auto failing = [&](const std::string& why) {
    fixture.say(make(Era::kModern, 1, "prompts/get", Json{{"name", "review"}}));
    fixture.backend.fail(fixture.backend.last, why, "it says why");
    const Json answer = fixture.heard();
    CHECK(answer["error"]["message"] == "it says why");
    CHECK(answer["error"]["data"]["code"] == why);
    return code(answer);
  };
  CHECK(failing("unknown_prompt") == kInvalidParams);
  CHECK(failing("invalid_arguments") == kInvalidParams);
  CHECK(failing("script_error") == kInternalError);
  CHECK(failing("denied") == kInternalError);
  CHECK(code(fixture.ask(make(Era::kModern, 1, "prompts/get"))) == kInvalidParams);
  const Json wrong{{"name", "review"}, {"arguments", "main"}};
  CHECK(code(fixture.ask(make(Era::kModern, 1, "prompts/get", wrong))) == kInvalidParams);
}

TEST_CASE("a cancelled prompt ends its call, and so does the end of the server") {
  Prompting fixture;
  fixture.say(make(Era::kModern, 1, "prompts/get", Json{{"name", "review"}}));
  const CallId call = fixture.backend.last;
  fixture.say(Fixture::notification("notifications/cancelled", Json{{"requestId", 1}}));
  CHECK(fixture.backend.calls.at(call).cancelled);
  fixture.say(make(Era::kModern, 2, "prompts/get", Json{{"name", "review"}}));
  fixture.server.shut_down();
  fixture.backend.finish_text(fixture.backend.last, "", R"({"messages":[]})");
  CHECK(fixture.silent());
}

TEST_CASE("a prompt that is longer than clients accept is an error") {
  Prompting fixture;
  ServerOptions options = Fixture::with_version({});
  options.max_line_bytes = 4000;
  Server server(fixture.backend, fixture.sink, fixture.clock, options);
  server.receive(make(Era::kModern, 1, "prompts/get", Json{{"name", "review"}}).dump());
  const Json content{{"type", "text"}, {"text", std::string(5000, 'x')}};
  const Json messages = Json::array({Json{{"role", "user"}, {"content", content}}});
  fixture.backend.finish_text(fixture.backend.last, "", Json{{"messages", messages}}.dump());
  CHECK(code(fixture.heard()) == kInternalError);
}

TEST_CASE("a reload that changes the prompts is announced to those who asked") {
  Prompting fixture;
  const Event changed{"prompts_changed", "", R"({"event":"prompts_changed","session":""})"};
  const Json filter{{"notifications", {{"promptsListChanged", true}}}};
  const Json acknowledged = fixture.ask(Fixture::modern("s", "subscriptions/listen", filter));
  CHECK(acknowledged["params"]["notifications"] == Json{{"promptsListChanged", true}});
  fixture.server.on_event(changed);
  CHECK(fixture.next()["method"] == "notifications/prompts/list_changed");
  const Json told = fixture.next();
  CHECK(told["method"] == "notifications/prompts/list_changed");
  CHECK(told["params"]["_meta"][kMetaSubscription] == "s");
}

TEST_CASE("a completion is a call that says what was typed, in both eras") {
  Prompting fixture;
  for (const Era era : kEras) {
    for (const bool is_prompt : {true, false}) {
      const Json ref = is_prompt ? Json{{"type", "ref/prompt"}, {"name", "review"}}
                                 : Json{{"type", "ref/resource"}, {"uri", "notes://{day}"}};
      const Json params{{"ref", ref},
                        {"argument", {{"name", "since"}, {"value", "ma"}}},
                        {"context", {{"arguments", {{"style", "x"}}}}}};
      fixture.say(make(era, 1, "completion/complete", params));
      const CallRequest& call = fixture.backend.calls.at(fixture.backend.last).request;
      CHECK(call.kind == (is_prompt ? CallKind::kPromptCompletion : CallKind::kResourceCompletion));
      CHECK(call.tool == (is_prompt ? "review" : "notes://{day}"));
      CHECK(Json::parse(call.arguments) ==
            Json::parse(R"({"argument":"since","value":"ma","arguments":{"style":"x"}})"));
      fixture.backend.finish_text(fixture.backend.last, "main\n",
                                  R"({"values":["main"],"total":1,"hasMore":false})");
      const Json result = fixture.heard()["result"];
      CHECK(result["completion"] ==
            Json::parse(R"({"values":["main"],"total":1,"hasMore":false})"));
      CHECK(result.contains("resultType") == (era == Era::kModern));
    }
  }
}

TEST_CASE("a completion of nothing known is refused") {
  Prompting fixture;
  const Json good{{"ref", {{"type", "ref/prompt"}, {"name", "review"}}},
                  {"argument", {{"name", "since"}, {"value", ""}}}};
  for (const char* place :
       {"/ref", "/ref/type", "/ref/name", "/argument", "/argument/name", "/argument/value"}) {
    INFO(place);
    for (const Json& wrong : {Json(nullptr), Json(7)}) {
      Json params = good;
      params[Json::json_pointer(place)] = wrong;
      CHECK(code(fixture.ask(make(Era::kModern, 1, "completion/complete", params))) ==
            kInvalidParams);
    }
  }
  fixture.say(make(Era::kModern, 1, "completion/complete", good));
  fixture.backend.fail(fixture.backend.last, "unknown_prompt", "no such prompt");
  CHECK(code(fixture.heard()) == kInvalidParams);
}

TEST_CASE("ids of runs are completed") {
  Prompting fixture;
  for (const char* id : {"aaaaaaaa", "aabbbbbb", "cccccccc"}) fixture.backend.add_run(id, "x", "");
  const Json params{{"ref", {{"type", "ref/resource"}, {"uri", "gibbous://runs/{id}"}}},
                    {"argument", {{"name", "id"}, {"value", "aa"}}}};
  fixture.say(make(Era::kModern, 1, "completion/complete", params));
  fixture.backend.notify_runs();
  CHECK(fixture.heard()["result"]["completion"] ==
        Json::parse(R"({"values":["aabbbbbb","aaaaaaaa"],"total":2,"hasMore":false})"));
}

}  // namespace
}  // namespace gibbous::mcp
