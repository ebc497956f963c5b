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

TEST_CASE("a run has its output, by stream and cursor, and its events") {
  TwoRuns fixture;
  const std::string uri = "gibbous://runs/aaaaaaaa";
  const auto content = [&](const std::string& of) {
    return answer_to(fixture, fixture.read(1, of))["result"]["contents"][0];
  };
  const Json whole = content(uri + "/stdout");
  CHECK(whole["uri"] == uri + "/stdout");
  CHECK(whole["text"] == "listening on 3000\n");
  CHECK(whole["_meta"]["gibbous/from"] == 0);
  CHECK(whole["_meta"]["gibbous/next"] == 18);
  CHECK(whole["_meta"]["gibbous/ended"] == false);
  CHECK(content(uri + "/stdout?cursor=10")["text"] == "on 3000\n");
  fixture.backend.ended.insert("aaaaaaaa");
  const Json last = content(uri + "/stdout?cursor=99");
  CHECK(last["text"] == "");
  CHECK(last["_meta"]["gibbous/ended"] == true);
  CHECK(content(uri + "/stderr")["text"] == "");

  fixture.say(fixture.read(2, uri + "/events"));
  fixture.backend.notify_runs();
  REQUIRE(fixture.backend.event_lists.size() == 1);
  CHECK(fixture.backend.event_lists.front().first == "aaaaaaaa");
  fixture.backend.event_lists.front().second(std::string("{\"events\":[]}"));
  const Json events = fixture.heard()["result"]["contents"][0];
  CHECK(events["mimeType"] == "application/json");
  CHECK(events["text"] == "{\"events\":[]}");
}

TEST_CASE("only the end of a long output is read, and no half character begins it") {
  Fixture fixture;
  std::string text;
  while (text.size() < kMostRunOutput + 10) text += "\xc3\xa4";
  fixture.backend.add_run("aaaaaaaa", "make", "x" + text);
  const Json read = answer_to(
      fixture,
      Fixture::modern(1, "resources/read", Json{{"uri", "gibbous://runs/aaaaaaaa/stdout"}}));
  const Json content = read["result"]["contents"][0];
  CHECK(content["text"].get<std::string>().size() == kMostRunOutput);
  const Json middle = answer_to(fixture, Fixture::modern(2, "resources/read",
                                                         Json{{"uri",
                                                               "gibbous://runs/aaaaaaaa/stdout"
                                                               "?cursor=2"}}));
  CHECK(middle["result"]["contents"][0]["_meta"]["gibbous/from"] == 3);
}

TEST_CASE("a run that waits in the queue is a resource, without output yet") {
  Fixture fixture;
  const Json info{{"id", "aaaaaaaa"}, {"state", "queued"}, {"command", "make"}, {"reason", "wait"}};
  fixture.backend.runs.push_back(info.dump());
  const auto content = [&](const std::string& part) {
    const Json uri{{"uri", "gibbous://runs/aaaaaaaa" + part}};
    return answer_to(fixture, Fixture::modern(1, "resources/read", uri))["result"]["contents"][0];
  };
  CHECK(content("")["text"] == "run aaaaaaaa: queued (wait)\ncommand: make\n--- stdout ---\n");
  CHECK(content("/stdout")["text"] == "");
  CHECK(content("/stdout")["_meta"]["gibbous/ended"] == false);

  // It can be subscribed to before it begins.
  fixture.handshake();
  const Json output{{"uri", "gibbous://runs/aaaaaaaa/stdout"}};
  CHECK(answer_to(fixture, Fixture::request(2, "resources/subscribe", output)).contains("result"));
  fixture.backend.printed["aaaaaaaa"] = "begun\n";
  fixture.clock.advance(*fixture.server.next_timeout());
  fixture.server.expire();
  CHECK(fixture.heard()["params"] == output);
}

TEST_CASE("parts of a run that do not exist are not found") {
  TwoRuns fixture;
  const std::string run = "gibbous://runs/aaaaaaaa";
  for (const char* part : {"/", "/stdin", "/stdout/", "?cursor=1", "/events?cursor=1",
                           "/stdout?cursor=", "/stdout?cursor=-1", "/stdout?cursor=1x",
                           "/stdout?cursor=99999999999999999999", "/stdout?from=1"}) {
    INFO(part);
    const Json refused = fixture.ask(fixture.read(1, run + part));
    CHECK(code(refused) == kInvalidParams);
    const auto message = refused["error"]["message"].get<std::string>();
    const bool has_query = std::string(part).find('?') != std::string::npos;
    CHECK((message.find("takes ?cursor=N") != std::string::npos) == has_query);
  }
  CHECK(code(answer_to(fixture, fixture.read(1, "gibbous://runs/cccccccc/stdout"))) ==
        kInvalidParams);
}

TEST_CASE("events that cannot be read are an error that says why") {
  TwoRuns fixture;
  fixture.say(fixture.read(1, "gibbous://runs/aaaaaaaa/events"));
  fixture.backend.notify_runs();
  fixture.backend.event_lists.front().second(Status::error("no_journal", "there is no journal"));
  const Json answer = fixture.heard();
  CHECK(code(answer) == kInternalError);
  CHECK_THAT(answer["error"]["message"].get<std::string>(), Contains("there is no journal"));
}

TEST_CASE("the report of the session is a resource where there is one") {
  Fixture fixture;
  const Json about{{"uri", "gibbous://report"}};
  CHECK(code(fixture.ask(Fixture::modern(1, "resources/read", about))) == kInvalidParams);
  fixture.backend.writes_pages = true;
  const Json listed = answer_to(fixture, Fixture::modern(2, "resources/list"))["result"];
  CHECK(listed["resources"][0]["uri"] == "gibbous://report");
  fixture.say(Fixture::modern(3, "resources/read", about));
  fixture.backend.pages.front()(std::string("<html>"));
  const Json content = fixture.heard()["result"]["contents"][0];
  CHECK(content["mimeType"] == "text/html");
  CHECK(content["text"] == "<html>");
  fixture.say(Fixture::modern(4, "resources/read", about));
  fixture.backend.pages.back()(std::string(kMaxOutgoingLineBytes, 'x'));
  CHECK(code(fixture.heard()) == kInternalError);
  fixture.say(Fixture::modern(5, "resources/read", about));
  fixture.say(Fixture::notification("notifications/cancelled", Json{{"requestId", 5}}));
  fixture.backend.pages.back()(std::string("late"));
  CHECK(fixture.silent());
}

TEST_CASE("a subscriber of an output is told when it has grown, and when it ends") {
  TwoRuns fixture;
  fixture.handshake();
  const std::string uri = "gibbous://runs/aaaaaaaa/stdout";
  CHECK_FALSE(fixture.server.next_timeout());
  CHECK(fixture.ask(Fixture::request(1, "resources/subscribe", Json{{"uri", uri}}))
            .contains("result"));
  const auto look = [&fixture] {
    REQUIRE(fixture.server.next_timeout());
    fixture.clock.advance(*fixture.server.next_timeout());
    fixture.server.expire();
  };
  look();
  CHECK(fixture.silent());
  fixture.backend.printed["aaaaaaaa"] += "ready\n";
  look();
  CHECK(fixture.heard()["params"]["uri"] == uri);
  look();
  CHECK(fixture.silent());
  fixture.backend.ended.insert("aaaaaaaa");
  look();
  CHECK(fixture.heard()["params"]["uri"] == uri);
  CHECK_FALSE(fixture.server.next_timeout());
  CHECK(fixture.ask(Fixture::request(2, "resources/unsubscribe", Json{{"uri", uri}}))
            .contains("result"));
}

TEST_CASE("subscribers of events and of the report are told when something happens to a run") {
  TwoRuns fixture;
  fixture.backend.writes_pages = true;
  fixture.handshake();
  const std::string events = "gibbous://runs/aaaaaaaa/events";
  for (const std::string& uri : {events, std::string("gibbous://report")}) {
    CHECK(fixture.ask(Fixture::request(1, "resources/subscribe", Json{{"uri", uri}}))
              .contains("result"));
  }
  fixture.server.on_event(run_event("run_ended", "aaaaaaaa"));
  REQUIRE(fixture.sink.lines.size() == 2);
  CHECK(fixture.next()["params"]["uri"] == events);
  CHECK(fixture.next()["params"]["uri"] == "gibbous://report");
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
  const Json unknown{{"uri", "gibbous://runs/cccccccc"}};
  CHECK(code(answer_to(fixture, Fixture::request(3, "resources/subscribe", unknown))) ==
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

// A note and a template, as scripts define them.
struct Notes : Fixture {
  Notes() {
    ResourceInfo note;
    note.name = "today";
    note.title = "Today";
    note.description = "What is noted today";
    note.uri = "notes://today";
    note.mime_type = "text/plain";
    note.size = 12;
    note.annotations = R"({"priority":0.5})";
    backend.readable.push_back(note);
    note = {};
    note.name = "day";
    note.uri = "notes://{day}";
    note.is_template = true;
    backend.readable.push_back(note);
  }
  static Json read(Era era, const Json& id, const std::string& uri, Json more = Json::object()) {
    more["uri"] = uri;
    return era == Era::kModern ? modern(id, "resources/read", std::move(more))
                               : request(id, "resources/read", std::move(more));
  }
};

constexpr Era kEras[] = {Era::kLegacy, Era::kModern};

TEST_CASE("the scripts' resources are listed before runs, and their templates apart") {
  Notes fixture;
  fixture.backend.add_run("aaaaaaaa", "make", "");
  const Json result = answer_to(fixture, Fixture::modern(1, "resources/list"))["result"];
  REQUIRE(result["resources"].size() == 2);
  CHECK(result["resources"][0] == Json{{"uri", "notes://today"},
                                       {"name", "today"},
                                       {"title", "Today"},
                                       {"description", "What is noted today"},
                                       {"mimeType", "text/plain"},
                                       {"size", 12},
                                       {"annotations", {{"priority", 0.5}}}});
  CHECK(result["resources"][1]["name"] == "aaaaaaaa");
  const Json templates = fixture.ask(Fixture::modern(2, "resources/templates/list"))["result"];
  REQUIRE(templates["resourceTemplates"].size() == 4);
  CHECK(templates["resourceTemplates"].back() ==
        Json{{"uriTemplate", "notes://{day}"}, {"name", "day"}});
}

TEST_CASE("a resource of a script is read by a call, in both eras") {
  Notes fixture;
  fixture.handshake();
  for (const Era era : kEras) {
    fixture.say(Notes::read(era, 1, "notes://monday"));
    CHECK(fixture.silent());
    const CallRequest& call = fixture.backend.calls.at(fixture.backend.last).request;
    CHECK(call.kind == CallKind::kResource);
    CHECK(call.tool == "notes://monday");
    CHECK_FALSE(call.wants_backlog);
    fixture.backend.finish_text(fixture.backend.last, "x",
                                R"({"contents":[{"uri":"notes://monday","text":"x"}]})");
    const Json result = fixture.heard()["result"];
    CHECK(result["contents"] == Json::parse(R"([{"uri":"notes://monday","text":"x"}])"));
    CHECK(result.contains("ttlMs") == (era == Era::kModern));
    CHECK(result.contains("resultType") == (era == Era::kModern));
  }
}

TEST_CASE("a resource that cannot be read is an error of the protocol") {
  Notes fixture;
  fixture.handshake();
  for (const Era era : kEras) {
    fixture.say(Notes::read(era, 1, "notes://never"));
    fixture.backend.fail(fixture.backend.last, "resource_not_found", "there is no notes://never");
    const Json missing = fixture.heard();
    CHECK(code(missing) == (era == Era::kModern ? kInvalidParams : kResourceNotFound));
    CHECK(missing["error"]["message"] == "there is no notes://never");
    CHECK(missing["error"]["data"]["uri"] == "notes://never");
    fixture.say(Notes::read(era, 1, "notes://never"));
    fixture.backend.fail(fixture.backend.last, "denied", "not now");
    const Json denied = fixture.heard();
    CHECK(code(denied) == kInternalError);
    CHECK(denied["error"]["data"]["code"] == "denied");
  }
  const Json unknown = fixture.ask(Notes::read(Era::kModern, 1, "other://x"));
  CHECK(code(unknown) == kInvalidParams);
  CHECK(unknown["error"]["data"] == Json{{"uri", "other://x"}});
  const std::string longest(100'000, 'x');
  CHECK(fixture.ask(Notes::read(Era::kModern, 1, longest))["error"]["data"] == Json::object());
}

TEST_CASE("a resource that is longer than clients accept is an error") {
  Notes fixture;
  ServerOptions options = Fixture::with_version({});
  options.max_line_bytes = 4000;
  Server server(fixture.backend, fixture.sink, fixture.clock, options);
  server.receive(Notes::read(Era::kModern, 1, "notes://long").dump());
  Json contents = Json::array({{{"uri", "notes://long"}, {"text", std::string(5000, 'x')}}});
  fixture.backend.finish_text(fixture.backend.last, "", Json{{"contents", contents}}.dump());
  CHECK(code(fixture.heard()) == kInternalError);
}

TEST_CASE("a cancelled read ends its call, and nothing is answered") {
  Notes fixture;
  fixture.say(Notes::read(Era::kModern, 1, "notes://monday"));
  const CallId call = fixture.backend.last;
  fixture.say(Fixture::notification("notifications/cancelled", Json{{"requestId", 1}}));
  CHECK(fixture.backend.calls.at(call).cancelled);
  fixture.backend.fail(call, "cancelled", "");
  CHECK(fixture.silent());
}

TEST_CASE("a question about a read continues only that read") {
  Notes fixture;
  Json asking = Notes::read(Era::kModern, 1, "notes://monday");
  const Json forms = Json::parse(R"({"elicitation":{}})");
  asking["params"]["_meta"][kMetaCapabilities] = forms;
  fixture.say(asking);
  AskRequest question;
  question.call = fixture.backend.last;
  question.arguments = "{}";
  std::optional<bool> allowed;
  question.reply = [&](const AskAnswer& answer) {
    allowed = answer.allow;
    return true;
  };
  fixture.server.on_ask(std::move(question));
  const Json required = fixture.heard()["result"];
  CHECK(required["resultType"] == "input_required");
  Json again{{"requestState", required["requestState"]}, {"inputResponses", Json::object()}};
  for (const auto& [key, each] : required["inputRequests"].items()) {
    again["inputResponses"][key] = Json{{"action", "accept"}, {"content", {{"answer", "once"}}}};
  }
  // The state is about another resource, then about a tool.
  CHECK(code(fixture.ask(Notes::read(Era::kModern, 2, "notes://tuesday", again))) ==
        kInvalidParams);
  Json tool = again;
  tool["name"] = "notes://monday";
  CHECK(code(fixture.ask(Fixture::modern(3, "tools/call", tool))) == kInvalidParams);
  fixture.say(Notes::read(Era::kModern, 4, "notes://monday", again));
  CHECK(allowed == true);
  fixture.backend.finish_text(fixture.backend.last, "x", R"({"contents":[]})");
  CHECK(fixture.heard()["id"] == 4);
}

TEST_CASE("subscribers are told of updates of the scripts' resources") {
  Notes fixture;
  fixture.handshake();
  const Json about{{"uri", "notes://monday"}};
  CHECK(fixture.ask(Fixture::request(1, "resources/subscribe", about)).contains("result"));
  const Json filter{{"resourceSubscriptions", {"notes://today", "other://x"}}};
  const Json acknowledged =
      fixture.ask(Fixture::modern("s", "subscriptions/listen", Json{{"notifications", filter}}));
  CHECK(acknowledged["params"]["notifications"] ==
        Json{{"resourceSubscriptions", {"notes://today"}}});
  const auto update = [&](const std::string& uri) {
    const Json json{{"event", "resource_updated"}, {"session", ""}, {"uri", uri}};
    fixture.server.on_event({"resource_updated", "", json.dump()});
  };
  update("notes://monday");
  CHECK(fixture.heard()["params"] == about);
  update("notes://today");
  CHECK(fixture.heard()["params"]["_meta"][kMetaSubscription] == "s");
  update("notes://tuesday");
  CHECK(fixture.silent());
  CHECK(code(fixture.ask(Fixture::request(2, "resources/subscribe", Json{{"uri", "other://x"}}))) ==
        kResourceNotFound);
}

TEST_CASE("a reload that changes the resources is announced once the handshake is complete") {
  Notes fixture;
  const Event changed{"resources_changed", "", R"({"event":"resources_changed","session":""})"};
  fixture.initialize("2025-11-25");
  fixture.server.on_event(changed);
  CHECK(fixture.silent());
  fixture.say(Fixture::notification("notifications/initialized"));
  CHECK(fixture.heard()["method"] == "notifications/resources/list_changed");
  fixture.ask(Fixture::modern("s", "subscriptions/listen",
                              Json{{"notifications", {{"resourcesListChanged", true}}}}));
  fixture.server.on_event(changed);
  CHECK(fixture.next()["method"] == "notifications/resources/list_changed");
  CHECK(fixture.next()["params"]["_meta"][kMetaSubscription] == "s");
}

}  // namespace
}  // namespace gibbous::mcp
