// Clients of the revisions with a handshake over HTTP: sessions, their streams, what a lost
// connection means, and how a client comes back.
#include <chrono>

#include "bindings/mcp/http/event_history.h"
#include "bindings/mcp/run_resource.h"
#include "tests/bindings/mcp/http/http_fixture.h"
#include "tests/support/catch.h"

namespace gibbous::mcp::http {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

Json plain_call(const Json& id, const std::string& tool) {
  return Fixture::request(id, "tools/call", Json{{"name", tool}});
}

Json call_with_progress(const Json& id) {
  return Fixture::request(id, "tools/call",
                          Json{{"name", "never"}, {"_meta", {{"progressToken", "t"}}}});
}

void begin_call(HttpFixture& served, HttpClient& client, const Json& call,
                const std::string& session) {
  const CallId next = served.runtime.fake.last + 1;
  client.write(HttpClient::legacy(call, session));
  served.until([&] { return served.runtime.fake.last == next; });
}

TEST_CASE("a session lasts from initialize to DELETE") {
  HttpFixture served;
  HttpClient client(served);
  const Heard opened = client.ask(HttpClient::initialize("2025-06-18"));
  CHECK(opened.status == 200);
  CHECK(opened.json()["result"]["protocolVersion"] == "2025-06-18");
  const std::string session = opened.fields.at("mcp-session-id");
  CHECK(session.size() >= 32);
  const Heard noted =
      client.ask(HttpClient::legacy(Fixture::notification("notifications/initialized"), session));
  CHECK(noted.status == 202);
  CHECK(client.ask(HttpClient::legacy(Fixture::request(1, "ping"), session)).json()["id"] == 1);
  CHECK(client.ask(HttpClient::legacy(plain_call(2, "echo"), session))
            .json()["result"]["content"][0]["text"] == "answer");
  CHECK(client.ask(HttpClient::in_session("DELETE", session)).status == 200);
  CHECK(client.ask(HttpClient::legacy(Fixture::request(3, "ping"), session)).status == 404);
  CHECK(client.ask(HttpClient::in_session("GET", session)).status == 404);
}

TEST_CASE("a request must name its session, once and with a version of it") {
  HttpFixture served;
  HttpClient client(served);
  const std::string session = client.handshake();
  CHECK(client.ask(HttpClient::legacy(Fixture::request(1, "ping"), "")).status == 400);
  CHECK(client.ask(HttpClient::legacy(Fixture::request(1, "ping"), "unknown")).status == 404);
  const std::string ping = Fixture::request(1, "ping").dump();
  const auto with_version = [&](const std::string& version) {
    return client
        .ask(HttpClient::post(ping,
                              {{"Mcp-Session-Id", session}, {"MCP-Protocol-Version", version}}))
        .status;
  };
  CHECK(with_version("2025-11-25") == 200);
  CHECK(with_version("1999-01-01") == 400);
  CHECK(with_version("2026-07-28") == 400);
}

TEST_CASE("a resource that is not there is an answer, of scripts as of runs") {
  HttpFixture served;
  HttpClient client(served);
  const std::string session = client.handshake();
  for (const char* uri : {"test://nothing", "gibbous://runs/unknown1"}) {
    INFO(uri);
    const Json read = Fixture::request(uri, "resources/read", Json{{"uri", uri}});
    client.write(HttpClient::legacy(read, session));
    if (run_address_of(uri)) {
      served.until([&] { return !served.runtime.fake.run_lists.empty(); });
      served.runtime.fake.notify_runs();
    }
    const Heard heard = client.hear();
    CHECK(heard.json()["id"] == uri);
    CHECK(heard.json()["error"]["code"] == -32002);
  }
}

TEST_CASE("an initialize that fails opens no session") {
  HttpFixture served;
  HttpClient client(served);
  const Heard refused = client.ask(HttpClient::legacy(Fixture::request(1, "initialize"), ""));
  CHECK(refused.json()["error"]["code"] == kInvalidParams);
  const std::string session = refused.fields.at("mcp-session-id");
  CHECK(client.ask(HttpClient::legacy(Fixture::request(1, "ping"), session)).status == 404);
}

TEST_CASE("each session has calls, runs and events of its own") {
  HttpFixture served;
  HttpClient one(served);
  HttpClient other(served);
  HttpClient stateless(served);
  const std::string first = one.handshake();
  const std::string second = other.handshake();
  CHECK(first != second);
  one.ask(HttpClient::legacy(plain_call(1, "echo"), first));
  other.ask(HttpClient::legacy(plain_call(1, "echo"), second));
  stateless.ask(HttpClient::modern(call_of(1, "echo")));
  const std::string name = served.runtime.fake.calls.at(1).request.session;
  CHECK(name.compare(0, 6, "owned-") == 0);
  CHECK(name.substr(name.find('@')) == "@/w");
  CHECK(name.find(first) == std::string::npos);
  CHECK(served.runtime.fake.calls.at(2).request.session != name);
  CHECK(served.runtime.fake.calls.at(3).request.session.empty());

  one.write(HttpClient::legacy(Fixture::request(2, "resources/list"), first));
  served.until([&] { return !served.runtime.fake.run_lists.empty(); });
  CHECK(served.runtime.listed_session == name);
  served.runtime.fake.notify_runs();
  one.hear();

  HttpClient listening(served);
  listening.write(HttpClient::in_session("GET", first));
  listening.hear_until([](const Heard& heard) { return !heard.body.empty(); });
  for (const std::string& session : {std::string("owned@/w"), std::string("owned-else@/w"), name}) {
    served.runtime.event_handler(
        Event{"run_started", session, Json{{"run", "of " + session}}.dump()});
  }
  served.runtime.event_handler(Event{"tools_changed", "", "{}"});
  const Heard heard = listening.hear_events(2);
  CHECK(heard.events()[0]["method"] == "notifications/resources/list_changed");
  CHECK(heard.events()[1]["method"] == "notifications/tools/list_changed");
}

TEST_CASE("what is about a request comes with it, the rest on the session's stream") {
  HttpFixture served;
  HttpClient client(served);
  const std::string session = client.handshake();
  HttpClient listening(served);
  listening.write(HttpClient::in_session("GET", session));
  listening.hear_until([](const Heard& heard) { return !heard.body.empty(); });
  begin_call(served, client, call_with_progress(7), session);
  served.runtime.fake.report(1, 1);
  served.runtime.event_handler(Event{"tools_changed", "", "{}"});
  served.runtime.fake.finish_text(1, "done");
  const Heard call = client.hear();
  REQUIRE(call.events().size() == 2);
  CHECK(call.events()[0]["method"] == "notifications/progress");
  CHECK(call.events()[1]["id"] == 7);
  CHECK(listening.hear_events(1).events()[0]["method"] == "notifications/tools/list_changed");
}

TEST_CASE("a question comes with its call, and its answer as a POST") {
  HttpFixture served;
  HttpClient client(served);
  HttpClient other(served);
  const std::string session = client.handshake("2025-11-25", Json{{"elicitation", Json::object()}});
  begin_call(served, client, plain_call(1, "never"), session);
  AskRequest question;
  question.call = 1;
  std::optional<AskAnswer> answer;
  question.reply = [&](const AskAnswer& given) {
    answer = given;
    return true;
  };
  served.runtime.ask_handler(std::move(question));
  const Json asked = client.hear_events(1).events()[0];
  CHECK(asked["method"] == "elicitation/create");
  const Json reply{{"jsonrpc", "2.0"},
                   {"id", asked["id"]},
                   {"result", {{"action", "accept"}, {"content", {{"answer", "once"}}}}}};
  CHECK(other.ask(HttpClient::legacy(reply, session)).status == 202);
  REQUIRE(answer);
  CHECK(answer->allow);
}

TEST_CASE("a cancelled request ends without an answer") {
  HttpFixture served;
  HttpClient client(served);
  HttpClient other(served);
  const std::string session = client.handshake();
  for (const bool streaming : {false, true}) {
    begin_call(served, client, call_with_progress("c"), session);
    const CallId call = served.runtime.fake.last;
    if (streaming) {
      served.runtime.fake.report(call, 1);
      client.hear_events(1);
    }
    const Json cancel = Fixture::notification("notifications/cancelled", Json{{"requestId", "c"}});
    CHECK(other.ask(HttpClient::legacy(cancel, session)).status == 202);
    CHECK(served.runtime.fake.calls.at(call).cancelled);
    const Heard ended = client.hear();
    CHECK(ended.status == (streaming ? 200 : 202));
    CHECK(ended.events().size() == (streaming ? 1U : 0U));
  }
}

TEST_CASE("a second request with the same id is refused and disturbs nothing") {
  HttpFixture served;
  HttpClient client(served);
  HttpClient other(served);
  const std::string session = client.handshake();
  begin_call(served, client, plain_call(1, "never"), session);
  const Heard refused = other.ask(HttpClient::legacy(plain_call(1, "never"), session));
  CHECK(refused.status == 400);
  CHECK_FALSE(refused.json().contains("id"));
  CHECK(refused.json()["error"]["data"] == Json{{"id", 1}});
  served.runtime.fake.finish_text(1, "done");
  CHECK(client.hear().json()["result"]["content"][0]["text"] == "done");
}

TEST_CASE("a lost connection cancels nothing, and the client hears what it missed") {
  HttpFixture served;
  HttpClient first(served);
  const std::string session = first.handshake();
  std::string last;
  {
    HttpClient client(served);
    begin_call(served, client, call_with_progress(1), session);
    served.runtime.fake.report(1, 1);
    const Heard heard = client.hear_events(1);
    // The first event is empty, so that a client can come back before any message.
    CHECK(heard.event_data().front().empty());
    CHECK(heard.event_ids().size() == 2);
    last = heard.event_ids().back();
  }
  served.until([&] { return served.transport->front_end().connections() == 1; });
  CHECK_FALSE(served.runtime.fake.calls.at(1).cancelled);
  served.runtime.fake.report(1, 2);
  HttpClient again(served);
  again.write(HttpClient::in_session("GET", session, last));
  CHECK(again.hear_events(1).events()[0]["params"]["progress"] == 2);
  served.runtime.fake.finish_text(1, "done");
  const Heard rest = again.hear();
  REQUIRE(rest.events().size() == 2);
  CHECK(rest.events()[1]["result"]["content"][0]["text"] == "done");

  // The answer stays for a while, also for one that lost the connection again.
  HttpClient later(served);
  later.write(HttpClient::in_session("GET", session, last));
  CHECK(later.hear().events().size() == 2);
  served.pass(minutes(6));
  HttpClient late(served);
  late.write(HttpClient::in_session("GET", session, last));
  CHECK(late.hear().events().empty());
}

TEST_CASE("the session's stream goes on where it was, without repeating or losing messages") {
  HttpFixture served;
  HttpClient client(served);
  const std::string session = client.handshake();
  const auto change = [&] { served.runtime.event_handler(Event{"tools_changed", "", "{}"}); };
  change();
  std::string last;
  {
    // What came before it is not lost.
    HttpClient listening(served);
    listening.write(HttpClient::in_session("GET", session));
    last = listening.hear_events(1).event_ids().back();
  }
  served.until([&] { return served.transport->front_end().connections() == 1; });
  change();
  HttpClient again(served);
  again.write(HttpClient::in_session("GET", session, last));
  const Heard heard = again.hear_events(1);
  CHECK(heard.events().size() == 1);
  // A second stream takes the place of the first.
  HttpClient second(served);
  second.write(HttpClient::in_session("GET", session));
  second.hear_until([](const Heard& part) { return !part.body.empty(); });
  CHECK(again.hear().events().size() == 1);
  change();
  CHECK(second.hear_events(1).events().size() == 1);
}

TEST_CASE("an event id that is none of the session is refused") {
  HttpFixture served;
  HttpClient client(served);
  const std::string session = client.handshake();
  for (const char* id : {"x", "0", "0-", "-1", "0-99", "99-0", "0-0x", "18446744073709551616-0"}) {
    INFO(id);
    CHECK(client.ask(HttpClient::in_session("GET", session, id)).status == 400);
  }
}

TEST_CASE("clients of earlier revisions get no empty events") {
  HttpFixture served;
  HttpClient client(served);
  const std::string session = client.handshake("2025-06-18");
  HttpClient listening(served);
  listening.write(HttpClient::in_session("GET", session));
  const Heard begun = listening.hear_until([](const Heard& heard) { return !heard.body.empty(); });
  CHECK(begun.event_data().empty());
}

TEST_CASE("an answer that nobody can come back for is dropped") {
  HttpFixture served;
  HttpClient first(served);
  const std::string session = first.handshake();
  HttpClient client(served);
  begin_call(served, client, plain_call(1, "never"), session);
  client.close();
  served.until([&] { return served.transport->front_end().connections() == 1; });
  served.runtime.fake.finish_text(1, "done");
  CHECK(first.ask(HttpClient::legacy(plain_call(1, "echo"), session)).status == 200);
}

TEST_CASE("DELETE cancels the calls of the session and ends its streams") {
  HttpFixture served;
  HttpClient client(served);
  HttpClient listening(served);
  HttpClient other(served);
  const std::string session = client.handshake();
  listening.write(HttpClient::in_session("GET", session));
  listening.hear_until([](const Heard& heard) { return !heard.body.empty(); });
  begin_call(served, client, call_with_progress(1), session);
  CHECK(other.ask(HttpClient::in_session("DELETE", session)).status == 200);
  CHECK(served.runtime.fake.calls.at(1).cancelled);
  CHECK(client.hear().status == 503);
  CHECK(listening.hear().whole);
  served.runtime.fake.fail(1, "cancelled", "");
}

TEST_CASE("the end of a session ends its runs, however it ends") {
  Limits limits;
  limits.sessions = 1;
  HttpFixture served(limits);
  HttpClient client(served);
  const auto& ended = served.runtime.ended_sessions;
  const auto name = [&](const std::string& session) {
    client.ask(HttpClient::legacy(plain_call(1, "echo"), session));
    return served.runtime.fake.calls.rbegin()->second.request.session;
  };
  const std::string first = client.handshake();
  const std::string first_name = name(first);
  CHECK(client.ask(HttpClient::in_session("DELETE", first)).status == 200);
  CHECK(ended == std::vector<std::string>{first_name});
  CHECK(client.ask(HttpClient::in_session("DELETE", first)).status == 404);
  CHECK(ended.size() == 1);

  const std::string second_name = name(client.handshake());
  client.close();
  served.pass(limits.session_time + minutes(2));
  REQUIRE(ended.size() == 2);
  CHECK(ended.back() == second_name);

  // One that makes room for another.
  HttpClient other(served);
  const std::string third = other.handshake();
  other.ask(HttpClient::legacy(plain_call(1, "echo"), third));
  const std::string third_name = served.runtime.fake.calls.rbegin()->second.request.session;
  other.handshake();
  REQUIRE(ended.size() == 3);
  CHECK(ended.back() == third_name);
}

TEST_CASE("another session's run is as one that does not exist") {
  HttpFixture served;
  HttpClient client(served);
  const std::string session = client.handshake();
  const auto subscribe = [&](const std::string& run) {
    client.write(HttpClient::legacy(
        Fixture::request(1, "resources/subscribe", Json{{"uri", run_uri(run)}}), session));
    if (run != "run00002") {
      // It may wait in the queue; the list of the session has neither.
      served.until([&] { return !served.runtime.fake.run_lists.empty(); });
      served.runtime.fake.notify_runs();
    }
    const Heard heard = client.hear();
    std::string said = heard.json().value("error", Json::object()).value("message", "subscribed");
    // The only difference is the name that was asked for.
    if (const std::size_t at = said.find(run); at != std::string::npos) said.erase(at, run.size());
    return std::to_string(heard.status) + " " + said;
  };
  served.runtime.fake.printed = {{"run00001", "output"}, {"run00002", "output"}};
  served.runtime.owners = {{"run00001", "somebody else's"}};
  CHECK(subscribe("run00002") == "200 subscribed");
  CHECK(subscribe("run00001") == subscribe("run00003"));
  CHECK(subscribe("run00001").find("There is no resource") != std::string::npos);
}

TEST_CASE("sessions that nobody uses end, and make room for others") {
  Limits limits;
  limits.sessions = 2;
  HttpFixture served(limits);
  HttpClient client(served);
  const std::string oldest = client.handshake();
  served.pass(seconds(1));
  const std::string listened = client.handshake();
  HttpClient listening(served);
  listening.write(HttpClient::in_session("GET", listened));
  listening.hear_until([](const Heard& heard) { return !heard.body.empty(); });
  const std::string newest = client.handshake();
  const auto status = [&](const std::string& session) {
    HttpClient asking(served);
    return asking.ask(HttpClient::legacy(Fixture::request(1, "ping"), session)).status;
  };
  CHECK(status(oldest) == 404);
  CHECK(status(newest) == 200);
  served.pass(limits.session_time + minutes(2));
  CHECK(status(newest) == 404);
  CHECK(status(listened) == 200);
  listening.close();
  served.pass(limits.session_time + minutes(2));
  served.pass(limits.session_time + minutes(2));
  CHECK(status(listened) == 404);
}

TEST_CASE("busy sessions are not ended for a new one") {
  Limits limits;
  limits.sessions = 1;
  HttpFixture served(limits);
  HttpClient client(served);
  const std::string session = client.handshake();
  begin_call(served, client, plain_call(1, "never"), session);
  HttpClient other(served);
  CHECK(other.ask(HttpClient::initialize()).status == 503);
}

TEST_CASE("the end of the server ends the streams of sessions") {
  HttpFixture served;
  HttpClient client(served);
  HttpClient listening(served);
  const std::string session = client.handshake();
  listening.write(HttpClient::in_session("GET", session));
  listening.hear_until([](const Heard& heard) { return !heard.body.empty(); });
  begin_call(served, client, plain_call(1, "never"), session);
  served.transport->stop();
  CHECK(listening.hear().whole);
  CHECK(client.hear().status == 503);
}

TEST_CASE("a history is bounded, alone and with all others") {
  Limits limits;
  limits.history_bytes = 100;
  limits.all_history_bytes = 150;
  std::size_t total = 0;
  const auto count = [](const EventHistory& history, const EventId& after) {
    int found = 0;
    history.each_after(after, [&](const EventId&, const std::string&) { ++found; });
    return found;
  };
  {
    EventHistory one(limits, total);
    const EventId first = one.add(1, std::string(40, 'a'), Nanos{0});
    one.add(2, std::string(40, 'b'), Nanos{0});
    CHECK(count(one, {1, 0}) == 1);
    one.add(1, std::string(40, 'c'), Nanos{0});
    CHECK(count(one, {1, 0}) == 1);
    CHECK(count(one, first) == 1);
    CHECK(total == 80);
    // One that is too large is kept as long as it is the newest.
    one.add(1, std::string(120, 'd'), Nanos{0});
    CHECK(total == 120);
    EventHistory other(limits, total);
    other.add(1, std::string(40, 'e'), Nanos{0});
    CHECK(other.empty());
    one.forget_old(limits.history_time);
    CHECK(one.empty());
    CHECK(one.knows({1, 4}));
    CHECK_FALSE(one.knows({1, 5}));
    other.add(1, std::string(40, 'e'), Nanos{0});
  }
  CHECK(total == 0);
}

TEST_CASE("event ids are read as they are written") {
  const std::optional<EventId> id = EventId::parse(EventId{3, 17}.text());
  REQUIRE(id);
  CHECK(id->stream == 3);
  CHECK(id->number == 17);
}

}  // namespace
}  // namespace gibbous::mcp::http
