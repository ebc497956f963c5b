// JSON-RPC, eras, and the errors of invalid messages.
#include <string>

#include "bindings/mcp/protocol.h"
#include "tests/bindings/mcp/fake_backend.h"
#include "tests/support/catch.h"

namespace gibbous::mcp {
namespace {

int code(const Json& answer) {
  return answer.at("error").at("code").get<int>();
}

TEST_CASE("an unreadable message is answered without an id") {
  Fixture fixture;
  struct Case {
    const char* line;
    int code;
  };
  const Case cases[] = {
      {"{nonsense", kParseError},
      {"\"\xff\"", kParseError},
      {"[]", kInvalidRequest},
      {R"([{"jsonrpc":"2.0","id":1,"method":"ping"}])", kInvalidRequest},
      {"5", kInvalidRequest},
      {"null", kInvalidRequest},
      {"{}", kInvalidRequest},
      {R"({"jsonrpc":"2.0","id":null,"method":"ping"})", kInvalidRequest},
      {R"({"jsonrpc":"2.0","id":1.5,"method":"ping"})", kInvalidRequest},
      {R"({"jsonrpc":"2.0","id":true,"method":"ping"})", kInvalidRequest},
      {R"({"jsonrpc":"2.0","id":{},"method":"ping"})", kInvalidRequest},
      {R"({"jsonrpc":"2.0","id":[1],"method":"ping"})", kInvalidRequest},
  };
  for (const Case& wrong : cases) {
    INFO(wrong.line);
    fixture.say_text(wrong.line);
    const Json answer = fixture.heard();
    CHECK(code(answer) == wrong.code);
    CHECK(!answer.contains("id"));
    CHECK(answer["jsonrpc"] == "2.0");
  }
}

TEST_CASE("a request that is no JSON is answered with the id that it shows") {
  Fixture fixture;
  const std::pair<const char*, Json> cases[] = {
      {R"({"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"a":"\ud83d"}})", 4},
      {R"({"method":"tools/call","params":{"id":5,"a":["\ud83d","\"id\":6"]}, "id" : "x-1" })",
       "x-1"},
      {"{\"method\":\"ping\",\"params\":{\"a\":\"\xff\"},\"id\":7}", 7},
      {R"({"id":8,"method":"ping","params":{"a":1)", 8},
      {R"({"a":"id","method":"ping","params":{"id":9},)", nullptr},
      {R"({"id":[9],"method":"ping",)", nullptr},
      {R"({"id":"\ud83d","method":"ping"})", nullptr},
      {R"({"id":)", nullptr},
      {R"({"method":"ping","id")", nullptr},
      {R"({"id":4,"result":{"a":"\ud83d"}})", nullptr},  // the id is that of a question
  };
  for (const auto& [line, id] : cases) {
    INFO(line);
    fixture.say_text(line);
    const Json answer = fixture.heard();
    CHECK(code(answer) == kParseError);
    CHECK(answer.value("id", Json()) == id);
  }
}

TEST_CASE("an invalid request is answered with its id") {
  Fixture fixture;
  struct Case {
    const char* line;
    int code;
  };
  const Case cases[] = {
      {R"({"id":4,"method":"ping"})", kInvalidRequest},
      {R"({"jsonrpc":"1.0","id":4,"method":"ping"})", kInvalidRequest},
      {R"({"jsonrpc":"2.0","id":4,"method":5})", kInvalidRequest},
      {R"({"jsonrpc":"2.0","id":4,"method":"ping","params":[1]})", kInvalidParams},
      {R"({"jsonrpc":"2.0","id":4,"method":"ping","params":{"_meta":3}})", kInvalidParams},
  };
  for (const Case& wrong : cases) {
    INFO(wrong.line);
    fixture.say_text(wrong.line);
    const Json answer = fixture.heard();
    CHECK(code(answer) == wrong.code);
    CHECK(answer["id"] == 4);
  }
}

TEST_CASE("a request nested 200,000 levels deep is refused with its id") {
  Fixture fixture;
  constexpr std::size_t kManyLevels = 200'000;
  fixture.say_text(R"({"jsonrpc":"2.0","id":"deep","method":"tools/call","params":)" +
                   std::string(kManyLevels, '[') + std::string(kManyLevels, ']') + "}");
  const Json answer = fixture.heard();
  CHECK(code(answer) == kInvalidRequest);
  CHECK(answer["id"] == "deep");
  CHECK(fixture.ask(Fixture::request(1, "ping"))["result"] == Json::object());
}

TEST_CASE("an oversized line is answered without an id") {
  Fixture fixture;
  fixture.server.receive_oversized(10);
  const Json answer = fixture.heard();
  CHECK(code(answer) == kInvalidRequest);
  CHECK(!answer.contains("id"));
}

TEST_CASE("ids come back with type and value intact") {
  Fixture fixture;
  for (const char* id : {"1", "0", "-7", "\"1\"", "\"\"", "9007199254740993",
                         "18446744073709551615", "-9223372036854775808", "\"\\u00e9\\n\\u0000\""}) {
    INFO(id);
    fixture.say_text(std::string(R"({"jsonrpc":"2.0","method":"ping","id":)") + id + "}");
    const Json answer = fixture.heard();
    CHECK(answer["id"] == Json::parse(id));
    CHECK(answer["id"].type() == Json::parse(id).type());
  }
}

TEST_CASE("responses, unknown notifications and wrong notifications are ignored") {
  Fixture fixture;
  fixture.handshake();
  for (const char* line : {
           R"({"jsonrpc":"2.0","id":1,"result":{}})",
           R"({"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"x"}})",
           R"({"jsonrpc":"2.0","method":"notifications/unknown"})",
           R"({"jsonrpc":"2.0","method":"notifications/roots/list_changed","params":{}})",
           R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":[]})",
           R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":99}})",
           R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":null}})",
           R"({"jsonrpc":"2.0","method":"tools/list"})",
       }) {
    INFO(line);
    fixture.say_text(line);
    CHECK(fixture.silent());
  }
}

TEST_CASE("an un-tagged request before initialize lacks its _meta, except ping") {
  Fixture fixture;
  for (const char* method : {"tools/list", "tools/call", "server/discover", "logging/setLevel",
                             "subscriptions/listen", "nonsense"}) {
    INFO(method);
    CHECK(code(fixture.ask(Fixture::request(1, method))) == kInvalidParams);
  }
  CHECK(fixture.ask(Fixture::request(1, "ping"))["result"] == Json::object());
}

TEST_CASE("initialize selects a revision that both support") {
  struct Case {
    const char* requested;
    const char* answered;
  };
  const Case cases[] = {{"2025-11-25", "2025-11-25"},
                        {"2025-06-18", "2025-06-18"},
                        {"2024-11-05", "2024-11-05"},
                        {"2025-03-26", "2024-11-05"},
                        {"2026-07-28", "2025-11-25"},
                        {"2099-01-01", "2025-11-25"},
                        {"", "2025-11-25"}};
  for (const Case& version : cases) {
    INFO(version.requested);
    Fixture fixture;
    const Json result = fixture.initialize(version.requested)["result"];
    CHECK(result["protocolVersion"] == version.answered);
    CHECK(result["capabilities"] ==
          Json{{"tools", {{"listChanged", true}}},
               {"resources", {{"subscribe", true}, {"listChanged", true}}},
               {"prompts", {{"listChanged", true}}},
               {"completions", Json::object()},
               {"logging", Json::object()}});
    CHECK(result["serverInfo"] ==
          Json{{"name", "gibbous"}, {"title", "Gibbous"}, {"version", "1.2.3"}});
    CHECK(result["instructions"].is_string());
    CHECK(!result.contains("resultType"));
    CHECK(!result.contains("_meta"));
  }
}

TEST_CASE("initialize without a version is refused") {
  Fixture fixture;
  CHECK(code(fixture.ask(Fixture::request(1, "initialize"))) == kInvalidParams);
  CHECK(code(fixture.ask(Fixture::request(1, "initialize", Json{{"protocolVersion", 3}}))) ==
        kInvalidParams);
  // It opened no session.
  CHECK(code(fixture.ask(Fixture::request(2, "tools/list"))) == kInvalidParams);
}

TEST_CASE("server/discover returns what a modern client needs") {
  Fixture fixture;
  const Json result = fixture.ask(Fixture::modern(1, "server/discover"))["result"];
  CHECK(result["resultType"] == "complete");
  CHECK(result["supportedVersions"] == Json::array({"2026-07-28"}));
  CHECK(result["capabilities"]["tools"] == Json{{"listChanged", true}});
  CHECK(result["ttlMs"].is_number_integer());
  CHECK(result["cacheScope"] == "private");
  CHECK(result["instructions"].is_string());
  CHECK(result["_meta"][kMetaServerInfo]["name"] == "gibbous");
  CHECK(!result.contains("protocolVersion"));
}

TEST_CASE("an unsupported version is refused with the supported ones") {
  Fixture fixture;
  fixture.handshake();
  const Json discovered =
      fixture.ask(Fixture::modern(1, "server/discover"))["result"]["supportedVersions"];
  for (const char* version : {"2025-11-25", "2099-01-01", ""}) {
    INFO(version);
    for (const char* method : {"tools/list", "server/discover", "initialize", "nonsense"}) {
      Json request = Fixture::modern(2, method);
      request["params"]["_meta"][kMetaVersion] = version;
      const Json answer = fixture.ask(request);
      CHECK(code(answer) == kUnsupportedVersion);
      CHECK(answer["error"]["data"]["requested"] == version);
      CHECK(answer["error"]["data"]["supported"] == discovered);
    }
  }
}

TEST_CASE("a modern request must have a complete envelope") {
  Fixture fixture;
  Json request = Fixture::modern(1, "tools/list");
  request["params"]["_meta"].erase(kMetaCapabilities);
  CHECK(code(fixture.ask(request)) == kInvalidParams);
  request = Fixture::modern(1, "tools/list");
  request["params"]["_meta"][kMetaCapabilities] = 1;
  CHECK(code(fixture.ask(request)) == kInvalidParams);
  request = Fixture::modern(1, "tools/list");
  request["params"]["_meta"][kMetaVersion] = 20260728;
  CHECK(code(fixture.ask(request)) == kInvalidParams);
  request = Fixture::modern(1, "tools/list");
  request["params"]["_meta"][kMetaLogLevel] = "loud";
  CHECK(code(fixture.ask(request)) == kInvalidParams);
  request = Fixture::modern(1, "tools/list");
  request["params"]["_meta"]["progressToken"] = 1.5;
  CHECK(code(fixture.ask(request)) == kInvalidParams);
}

TEST_CASE("each request names its own era") {
  Fixture fixture;
  CHECK(fixture.ask(Fixture::modern(1, "tools/list"))["result"]["resultType"] == "complete");
  // A modern request opens no session for un-tagged ones.
  CHECK(code(fixture.ask(Fixture::request(2, "tools/list"))) == kInvalidParams);
  fixture.handshake();
  CHECK(!fixture.ask(Fixture::request(3, "tools/list"))["result"].contains("resultType"));
  CHECK(fixture.ask(Fixture::modern(4, "tools/list"))["result"]["resultType"] == "complete");
  CHECK(!fixture.ask(Fixture::request(5, "tools/list"))["result"].contains("resultType"));
}

TEST_CASE("methods exist in their own era only") {
  Fixture fixture;
  fixture.handshake();
  for (const char* method : {"initialize", "ping", "logging/setLevel", "resources/subscribe",
                             "resources/unsubscribe", "tasks/list", "nonsense"}) {
    INFO(method);
    CHECK(code(fixture.ask(Fixture::modern(1, method))) == kMethodNotFound);
  }
  for (const char* method : {"server/discover", "subscriptions/listen", "tasks/list", "nonsense"}) {
    INFO(method);
    CHECK(code(fixture.ask(Fixture::request(1, method))) == kMethodNotFound);
  }
}

TEST_CASE("an error quotes a long name only in part") {
  Fixture fixture;
  fixture.handshake();
  fixture.say(Fixture::request(1, std::string(1'000'000, '\x01')));
  CHECK(fixture.sink.lines.front().size() < 20'000);
}

}  // namespace
}  // namespace gibbous::mcp
