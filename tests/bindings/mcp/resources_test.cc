// Runs as resources: lists, reads and subscriptions, in both eras.
#include <string>

#include "tests/bindings/mcp/fake_backend.h"
#include "tests/support/catch.h"

namespace gibbous::mcp {
namespace {

using Catch::Matchers::Contains;

int code(const Json& answer) {
  return answer.at("error").at("code").get<int>();
}

Event run_event(const std::string& name, const std::string& run) {
  return {name, "", Json{{"event", name}, {"session", ""}, {"run", run}}.dump()};
}

// Returns the answer to a request about runs, which the backend answers later.
Json answer_to(Fixture& fixture, const Json& request) {
  fixture.say(request);
  fixture.backend.notify_runs();
  return fixture.heard();
}

struct TwoRuns : Fixture {
  TwoRuns() {
    backend.add_run("aaaaaaaa", "npm run dev", "listening on 3000\n");
    backend.add_run("bbbbbbbb", "make test", "ok\n");
  }
  Json read(const Json& id, const std::string& uri) {
    return modern(id, "resources/read", Json{{"uri", uri}});
  }
};

TEST_CASE("runs are listed as resources, newest first") {
  TwoRuns fixture;
  const Json result = answer_to(fixture, Fixture::modern(1, "resources/list"))["result"];
  REQUIRE(result["resources"].size() == 2);
  CHECK(result["resources"][0]["uri"] == "gibbous://runs/bbbbbbbb");
  CHECK(result["resources"][1]["uri"] == "gibbous://runs/aaaaaaaa");
  CHECK(result["resources"][1]["title"] == "npm run dev");
  CHECK(result["resultType"] == "complete");
  CHECK(result["ttlMs"] == 0);
  CHECK(result["cacheScope"] == "private");
  CHECK_FALSE(result.contains("nextCursor"));

  fixture.handshake();
  const Json legacy = answer_to(fixture, Fixture::request(2, "resources/list"))["result"];
  CHECK(legacy["resources"] == result["resources"]);
  CHECK_FALSE(legacy.contains("ttlMs"));
}

TEST_CASE("long lists of runs come in pages, and an invalid cursor is refused") {
  Fixture fixture;
  for (int i = 0; i < 501; ++i) {
    fixture.backend.add_run("run" + std::to_string(i), "true", "");
  }
  const Json first = answer_to(fixture, Fixture::modern(1, "resources/list"))["result"];
  CHECK(first["resources"].size() == 500);
  const auto next = [](const Json& cursor) {
    return Fixture::modern(2, "resources/list", Json{{"cursor", cursor}});
  };
  const Json second = answer_to(fixture, next(first["nextCursor"]))["result"];
  REQUIRE(second["resources"].size() == 1);
  CHECK(second["resources"][0]["name"] == "run0");
  CHECK_FALSE(second.contains("nextCursor"));
  CHECK(code(answer_to(fixture, next("nobody"))) == kInvalidParams);
  CHECK(code(fixture.ask(next(7))) == kInvalidParams);
}

TEST_CASE("a resource has the state and the output of its run") {
  TwoRuns fixture;
  const std::string uri = "gibbous://runs/aaaaaaaa";
  const Json result = answer_to(fixture, fixture.read(1, uri))["result"];
  REQUIRE(result["contents"].size() == 1);
  CHECK(result["contents"][0]["uri"] == uri);
  CHECK(result["contents"][0]["text"] ==
        "run aaaaaaaa: running\ncommand: npm run dev\n--- stdout ---\nlistening on 3000\n");
  const Json templates = fixture.ask(Fixture::modern(2, "resources/templates/list"))["result"];
  CHECK(templates["resourceTemplates"][0]["uriTemplate"] == "gibbous://runs/{id}");
}

TEST_CASE("a resource that does not exist is an error, with a code for each era") {
  TwoRuns fixture;
  CHECK(code(answer_to(fixture, fixture.read(1, "gibbous://runs/cccccccc"))) == kInvalidParams);
  const std::string others[] = {"gibbous://runs/../x", "gibbous://runs/", "file:///etc/passwd", ""};
  for (const std::string& uri : others) {
    CHECK(code(fixture.ask(fixture.read(1, uri))) == kInvalidParams);
  }
  CHECK(code(fixture.ask(Fixture::modern(1, "resources/read", Json{{"uri", 1}}))) ==
        kInvalidParams);
  CHECK(code(fixture.ask(Fixture::modern(1, "resources/subscribe"))) == kMethodNotFound);
  fixture.handshake();
  const Json request =
      Fixture::request(2, "resources/read", Json{{"uri", "gibbous://runs/cccccccc"}});
  const Json answer = answer_to(fixture, request);
  CHECK(code(answer) == kResourceNotFound);
  CHECK_THAT(answer["error"]["message"].get<std::string>(), Contains("cccccccc"));
}

TEST_CASE("a cancelled question about runs is not answered, and its id is free again") {
  TwoRuns fixture;
  fixture.say(Fixture::modern(1, "resources/list"));
  CHECK(code(fixture.ask(Fixture::modern(1, "resources/list"))) == kInvalidRequest);
  fixture.say(Fixture::notification("notifications/cancelled", Json{{"requestId", 1}}));
  fixture.backend.notify_runs();
  CHECK(fixture.silent());
  CHECK(answer_to(fixture, Fixture::modern(1, "resources/list")).contains("result"));
}

TEST_CASE("an answer about runs that comes after the server is gone is dropped") {
  FakeBackend backend;
  FakeSink sink;
  ManualClock clock;
  {
    Server server(backend, sink, clock, {.version = "1"});
    server.receive(Fixture::modern(1, "resources/list").dump());
  }
  backend.notify_runs();
  CHECK(sink.lines.empty());
}

TEST_CASE("a legacy subscriber is notified of its run until it unsubscribes") {
  TwoRuns fixture;
  fixture.handshake();
  const Json about{{"uri", "gibbous://runs/aaaaaaaa"}};
  CHECK(fixture.ask(Fixture::request(1, "resources/subscribe", about)).contains("result"));
  fixture.server.on_event(run_event("run_ended", "bbbbbbbb"));
  CHECK(fixture.silent());
  fixture.server.on_event(run_event("run_ended", "aaaaaaaa"));
  const Json updated = fixture.heard();
  CHECK(updated["method"] == "notifications/resources/updated");
  CHECK(updated["params"] == about);
  CHECK(fixture.ask(Fixture::request(2, "resources/unsubscribe", about)).contains("result"));
  fixture.server.on_event(run_event("run_ended", "aaaaaaaa"));
  CHECK(fixture.silent());
  CHECK(code(fixture.ask(Fixture::request(3, "resources/subscribe",
                                          Json{{"uri", "gibbous://runs/cccccccc"}}))) ==
        kResourceNotFound);
}

TEST_CASE("a new run changes the list for a legacy client, and for the subscription that asked") {
  TwoRuns fixture;
  const Json filter{{"resourcesListChanged", true},
                    {"resourceSubscriptions", {"gibbous://runs/aaaaaaaa", "x://y"}}};
  const Json acknowledged =
      fixture.ask(Fixture::modern("sub", "subscriptions/listen", Json{{"notifications", filter}}));
  CHECK(
      acknowledged["params"]["notifications"] ==
      Json{{"resourcesListChanged", true}, {"resourceSubscriptions", {"gibbous://runs/aaaaaaaa"}}});
  fixture.server.on_event(run_event("run_started", "cccccccc"));
  const Json changed = fixture.heard();
  CHECK(changed["method"] == "notifications/resources/list_changed");
  CHECK(changed["params"]["_meta"][kMetaSubscription] == "sub");
  fixture.server.on_event(run_event("ready", "aaaaaaaa"));
  const Json updated = fixture.heard();
  CHECK(updated["params"]["uri"] == "gibbous://runs/aaaaaaaa");
  CHECK(updated["params"]["_meta"][kMetaSubscription] == "sub");

  Fixture legacy;
  legacy.handshake();
  legacy.server.on_event(run_event("run_started", "cccccccc"));
  CHECK(legacy.heard()["method"] == "notifications/resources/list_changed");
}

TEST_CASE("the target of a subscription is checked") {
  Fixture fixture({.max_watched = 1});
  const auto listen = [&](const Json& filter) {
    return fixture.ask(Fixture::modern(1, "subscriptions/listen", Json{{"notifications", filter}}));
  };
  CHECK(code(listen(Json{{"resourceSubscriptions", "gibbous://runs/a"}})) == kInvalidParams);
  CHECK(code(listen(Json{{"resourceSubscriptions", {"a", "b"}}})) == kInvalidParams);
  CHECK(code(listen(Json{{"resourcesListChanged", 1}})) == kInvalidParams);
}

}  // namespace
}  // namespace gibbous::mcp
