// Notifications of the server: changed tools, log messages, the end of subscriptions.
#include <string>

#include "tests/bindings/mcp/fake_backend.h"
#include "tests/support/catch.h"

namespace gibbous::mcp {
namespace {

int code(const Json& answer) {
  return answer.at("error").at("code").get<int>();
}

const Event kToolsChanged{"tools_changed", "", R"({"event":"tools_changed","session":""})"};

Json listen(const Json& id, Json filter) {
  return Fixture::modern(id, "subscriptions/listen", Json{{"notifications", std::move(filter)}});
}

Json cancelled(const Json& id) {
  return Fixture::notification("notifications/cancelled", Json{{"requestId", id}});
}

TEST_CASE("a legacy client is notified of changed tools after its handshake") {
  Fixture fixture;
  fixture.server.on_event(kToolsChanged);
  CHECK(fixture.silent());
  fixture.initialize("2025-06-18");
  CHECK(fixture.silent());
  fixture.server.on_event(kToolsChanged);
  CHECK(fixture.silent());
  fixture.say(Fixture::notification("notifications/initialized"));
  const Json held = fixture.heard();
  CHECK(held == Json{{"jsonrpc", "2.0"}, {"method", "notifications/tools/list_changed"}});
  fixture.server.on_event(kToolsChanged);
  CHECK(fixture.heard()["method"] == "notifications/tools/list_changed");
}

TEST_CASE("a modern client is notified of changed tools on its subscription") {
  Fixture fixture;
  fixture.server.on_event(kToolsChanged);
  CHECK(fixture.silent());
  for (const Json& id : {Json("sub"), Json(12)}) {
    const Json acknowledged = fixture.ask(listen(id, Json{{"toolsListChanged", true},
                                                          {"nonsenseListChanged", true},
                                                          {"resourceSubscriptions", {"x://y"}}}));
    CHECK(acknowledged["method"] == "notifications/subscriptions/acknowledged");
    CHECK(!acknowledged.contains("id"));
    // Only the accepted subscriptions, tagged with the original id.
    CHECK(acknowledged["params"]["notifications"] == Json{{"toolsListChanged", true}});
    CHECK(acknowledged["params"]["_meta"][kMetaSubscription] == id);
    fixture.server.on_event(kToolsChanged);
    const Json changed = fixture.heard();
    CHECK(changed["method"] == "notifications/tools/list_changed");
    CHECK(changed["params"]["_meta"][kMetaSubscription] == id);
    fixture.say(cancelled(id));
    CHECK(fixture.silent());
    fixture.server.on_event(kToolsChanged);
    CHECK(fixture.silent());
  }
}

TEST_CASE("each subscription is notified separately") {
  Fixture fixture;
  fixture.ask(listen(1, Json{{"toolsListChanged", true}}));
  fixture.ask(listen(2, Json{{"toolsListChanged", false}}));
  fixture.ask(listen(3, Json{{"toolsListChanged", true}}));
  CHECK(fixture.ask(listen(4, Json::object()))["params"]["notifications"] == Json::object());
  fixture.server.on_event(kToolsChanged);
  REQUIRE(fixture.sink.lines.size() == 2);
  CHECK(fixture.next()["params"]["_meta"][kMetaSubscription] == 1);
  CHECK(fixture.next()["params"]["_meta"][kMetaSubscription] == 3);
}

TEST_CASE("clients of both eras on one connection are notified") {
  Fixture fixture;
  fixture.handshake();
  fixture.ask(listen("s", Json{{"toolsListChanged", true}}));
  fixture.server.on_event(kToolsChanged);
  REQUIRE(fixture.sink.lines.size() == 2);
  CHECK(!fixture.next().contains("params"));
  CHECK(fixture.next()["params"]["_meta"][kMetaSubscription] == "s");
}

TEST_CASE("a subscription must name its subject, and their number is limited") {
  ServerOptions options;
  options.max_subscriptions = 1;
  Fixture fixture(options);
  CHECK(code(fixture.ask(Fixture::modern(1, "subscriptions/listen"))) == kInvalidParams);
  CHECK(code(fixture.ask(listen(1, 5))) == kInvalidParams);
  CHECK(code(fixture.ask(listen(1, Json{{"toolsListChanged", "yes"}}))) == kInvalidParams);
  CHECK(fixture.ask(listen(1, Json{{"toolsListChanged", true}})).contains("method"));
  CHECK(code(fixture.ask(listen(1, Json::object()))) == kInvalidRequest);
  CHECK(code(fixture.ask(listen(2, Json::object()))) == kInternalError);
}

TEST_CASE("shutting down ends open subscriptions, and nothing is sent afterwards") {
  Fixture fixture;
  fixture.handshake();
  fixture.ask(listen("s", Json{{"toolsListChanged", true}}));
  fixture.ask(listen("gone", Json::object()));
  fixture.say(cancelled("gone"));
  fixture.say(Fixture::modern(1, "tools/call", Json{{"name", "echo"}}));
  fixture.server.shut_down();
  const Json ended = fixture.heard();
  CHECK(ended["id"] == "s");
  CHECK(ended["result"]["resultType"] == "complete");
  CHECK(ended["result"]["_meta"][kMetaSubscription] == "s");
  CHECK(ended["result"]["_meta"][kMetaServerInfo]["name"] == "gibbous");
  fixture.backend.fail(1, "shutdown", "shutdown");
  fixture.server.on_event(kToolsChanged);
  fixture.say(Fixture::request(5, "ping"));
  fixture.server.shut_down();
  CHECK(fixture.silent());
}

Event log_event(const std::string& level, const std::string& message, CallId call = 0) {
  Json event{{"event", "log"}, {"session", ""}, {"level", level}, {"message", message}};
  if (call != 0) event["call"] = call;
  return Event{"log", "", event.dump()};
}

TEST_CASE("a legacy client gets log messages at or above its level") {
  Fixture fixture;
  fixture.server.on_event(log_event("error", "before"));
  CHECK(fixture.silent());
  fixture.handshake();
  fixture.server.on_event(log_event("info", "not by default"));
  CHECK(fixture.silent());
  fixture.server.on_event(log_event("warn", "by default"));
  CHECK(fixture.heard()["params"] ==
        Json{{"level", "warning"}, {"logger", "scripts"}, {"data", {{"message", "by default"}}}});
  CHECK(fixture.ask(Fixture::request(1, "logging/setLevel", Json{{"level", "debug"}}))["result"] ==
        Json::object());
  fixture.server.on_event(log_event("debug", "x"));
  CHECK(fixture.heard()["params"]["level"] == "debug");
  fixture.ask(Fixture::request(2, "logging/setLevel", Json{{"level", "emergency"}}));
  fixture.server.on_event(log_event("error", "x"));
  CHECK(fixture.silent());
}

TEST_CASE("an unknown log level is refused") {
  Fixture fixture;
  fixture.handshake();
  for (const Json& params :
       {Json::object(), Json{{"level", "loud"}}, Json{{"level", 3}}, Json{{"level", "warn"}}}) {
    INFO(params.dump());
    CHECK(code(fixture.ask(Fixture::request(1, "logging/setLevel", params))) == kInvalidParams);
  }
}

TEST_CASE("a failed reload is an error in a legacy client's log") {
  Fixture fixture;
  fixture.handshake();
  fixture.server.on_event(
      Event{"reload_failed", "", R"({"event":"reload_failed","file":"a.lua","line":3})"});
  const Json params = fixture.heard()["params"];
  CHECK(params["level"] == "error");
  CHECK(params["data"] == Json{{"file", "a.lua"}, {"line", 3}});
}

Json logging_call(int id, const char* level) {
  Json request = Fixture::modern(id, "tools/call", Json{{"name", "echo"}});
  request["params"]["_meta"][kMetaLogLevel] = level;
  return request;
}

TEST_CASE("a modern client gets log messages for requests that ask for them") {
  Fixture fixture;
  fixture.say(logging_call(1, "info"));
  fixture.say(Fixture::modern(2, "tools/call", Json{{"name", "echo"}}));
  fixture.server.on_event(log_event("info", "of the second", 2));
  fixture.server.on_event(log_event("debug", "too fine", 1));
  fixture.server.on_event(log_event("error", "of nobody knows whom"));
  CHECK(fixture.silent());
  fixture.server.on_event(log_event("info", "of the first", 1));
  const Json message = fixture.heard();
  CHECK(message["method"] == "notifications/message");
  CHECK(message["params"]["data"] == Json{{"message", "of the first"}});
  fixture.backend.finish_text(2, "done");
  fixture.heard();
  // The only call.
  fixture.server.on_event(log_event("error", "of the first"));
  CHECK(fixture.heard()["params"]["level"] == "error");
  fixture.backend.finish_text(1, "done");
  fixture.heard();
  fixture.server.on_event(log_event("error", "afterwards", 1));
  CHECK(fixture.silent());
}

TEST_CASE("log messages are dropped while the client does not keep up") {
  Fixture fixture;
  fixture.handshake();
  fixture.sink.full = true;
  fixture.server.on_event(log_event("error", "x"));
  CHECK(fixture.silent());
  fixture.server.on_event(kToolsChanged);
  CHECK(fixture.heard()["method"] == "notifications/tools/list_changed");
}

TEST_CASE("an event that is not JSON is ignored") {
  Fixture fixture;
  fixture.handshake();
  fixture.server.on_event(Event{"log", "", "{broken"});
  fixture.server.on_event(Event{"something_new", "", ""});
  CHECK(fixture.silent());
}

}  // namespace
}  // namespace gibbous::mcp
