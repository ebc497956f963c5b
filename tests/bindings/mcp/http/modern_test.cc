// Requests of revision 2026-07-28 over HTTP: answers as one body or as a stream, what the headers
// must say, what closing the connection means, questions, and what each client hears.
#include "bindings/mcp/run_resource.h"
#include "tests/bindings/mcp/http/http_fixture.h"

#include "bindings/mcp/http/modern_headers.h"
#include "tests/support/catch.h"

namespace gibbous::mcp::http {
namespace {

using Strings = std::map<std::string, std::string>;

Json listen_of(const Json& id) {
  return Fixture::modern(id, "subscriptions/listen",
                         Json{{"notifications", {{"toolsListChanged", true}}}});
}

TEST_CASE("requests of one connection are answered as JSON, in their order") {
  HttpFixture served;
  HttpClient client(served);
  const Heard discovered = client.ask(HttpClient::modern(Fixture::modern(1, "server/discover")));
  CHECK(discovered.status == 200);
  CHECK(discovered.fields.at("content-type") == "application/json");
  CHECK(discovered.json()["result"]["_meta"][kMetaServerInfo]["version"] == "1.2.3");
  client.write(HttpClient::modern(call_of("c", "echo")) +
               HttpClient::modern(Fixture::modern(1, "tools/list")));
  CHECK(client.hear().json()["id"] == "c");
  CHECK(client.hear().json()["result"]["tools"].size() == 2);
  CHECK(served.transport->front_end().connections() == 1);
}

TEST_CASE("a resource that is not there is an answer") {
  HttpFixture served;
  HttpClient client(served);
  for (const char* uri : {"test://nothing", "gibbous://runs/unknown1"}) {
    INFO(uri);
    const Json read = Fixture::modern(uri, "resources/read", Json{{"uri", uri}});
    client.write(HttpClient::modern(read));
    if (run_address_of(uri)) {
      served.until([&] { return !served.runtime.fake.run_lists.empty(); });
      served.runtime.fake.notify_runs();
    }
    const Heard heard = client.hear();
    CHECK(heard.json()["id"] == uri);
    CHECK(heard.json()["error"]["code"] == kInvalidParams);
  }
}

TEST_CASE("clients may use the same ids at the same time") {
  HttpFixture served;
  HttpClient one(served);
  HttpClient other(served);
  one.write(HttpClient::modern(call_of(1, "never")));
  served.until([&] { return served.runtime.fake.last == 1; });
  other.write(HttpClient::modern(call_of(1, "never")));
  served.until([&] { return served.runtime.fake.last == 2; });
  served.runtime.fake.finish_text(2, "second");
  served.runtime.fake.finish_text(1, "first");
  CHECK(one.hear().json()["result"]["content"][0]["text"] == "first");
  CHECK(other.hear().json()["result"]["content"][0]["text"] == "second");
}

TEST_CASE("progress makes the answer a stream") {
  HttpFixture served;
  HttpClient client(served);
  Json call = call_of(7, "never");
  call["params"]["_meta"]["progressToken"] = "t";
  client.write(HttpClient::modern(call));
  served.until([&] { return served.runtime.fake.last == 1; });
  served.runtime.fake.report(1, 50, 100, "half");
  const Heard begun = client.hear_events(1);
  CHECK(begun.status == 200);
  CHECK(begun.fields.at("content-type") == "text/event-stream");
  CHECK_FALSE(begun.whole);
  served.runtime.fake.finish_text(1, "done");
  const Heard heard = client.hear();
  REQUIRE(heard.events().size() == 2);
  CHECK(heard.events()[0]["params"]["message"] == "half");
  CHECK(heard.events()[1]["id"] == 7);
  // The connection goes on.
  CHECK(client.ask(HttpClient::modern(Fixture::modern(8, "tools/list"))).status == 200);
}

TEST_CASE("an answer that takes long becomes a stream, which comments keep open") {
  HttpFixture served;
  HttpClient client(served);
  client.write(HttpClient::modern(call_of(1, "never")));
  served.until([&] { return served.runtime.fake.last == 1; });
  served.pass(std::chrono::seconds(2));
  const Heard begun = client.hear_until([](const Heard& heard) { return !heard.body.empty(); });
  CHECK(begun.fields.at("content-type") == "text/event-stream");
  served.pass(std::chrono::seconds(30));
  const Heard kept =
      client.hear_until([&](const Heard& heard) { return heard.body.size() > begun.body.size(); });
  CHECK(kept.events().empty());
  served.runtime.fake.finish_text(1, "done");
  CHECK(client.hear().events().at(0)["result"]["content"][0]["text"] == "done");
}

TEST_CASE("clients get the form that they accept") {
  HttpFixture served;
  HttpClient client(served);
  const Json list = Fixture::modern(1, "tools/list");
  for (const char* body : {"application/json", "*/*", "text/html, application/*;q=0.5"}) {
    CHECK(client.ask(HttpClient::modern(list, {{"Accept", body}})).fields.at("content-type") ==
          "application/json");
  }
  const Heard stream = client.ask(HttpClient::modern(list, {{"Accept", "text/event-stream"}}));
  CHECK(stream.fields.at("content-type") == "text/event-stream");
  CHECK(stream.events().at(0)["id"] == 1);

  Json call = call_of(2, "never");
  call["params"]["_meta"]["progressToken"] = "t";
  client.write(HttpClient::modern(call, {{"Accept", "application/json"}}));
  served.until([&] { return served.runtime.fake.last == 1; });
  served.runtime.fake.report(1, 1);
  served.pass(std::chrono::seconds(30));
  served.runtime.fake.finish_text(1, "done");
  CHECK(client.hear().json()["id"] == 2);
  CHECK(client.ask(HttpClient::modern(listen_of(3), {{"Accept", "application/json"}})).status ==
        406);
  CHECK(client.ask(HttpClient::modern(list, {{"Accept", "text/html"}})).status == 406);
}

TEST_CASE("closing the connection cancels the request") {
  HttpFixture served;
  for (const bool streaming : {false, true}) {
    HttpClient client(served);
    client.write(HttpClient::modern(call_of(1, "never")));
    const CallId call = served.runtime.fake.last + 1;
    served.until([&] { return served.runtime.fake.last == call; });
    if (streaming) {
      served.pass(std::chrono::seconds(2));
      client.hear_until([](const Heard& heard) { return !heard.body.empty(); });
    }
    client.close();
    served.until([&] { return served.runtime.fake.calls.at(call).cancelled; });
    // Its end comes later, and concerns no client.
    served.runtime.fake.fail(call, "cancelled", "");
    served.work();
    CHECK(served.transport->front_end().connections() == 0);
  }
}

TEST_CASE("a client that sends no more gets the answers to all that it has sent") {
  HttpFixture served;
  HttpClient client(served);
  SECTION("one") {
    client.write(HttpClient::modern(call_of(1, "echo")));
    client.end_writing();
    CHECK(client.hear_until([](const Heard& heard) { return heard.whole; }).status == 200);
  }
  SECTION("several") {
    client.write(HttpClient::modern(call_of(1, "echo")) + HttpClient::modern(call_of(2, "echo")));
    client.end_writing();
    for (int each = 0; each < 2; ++each) CHECK(client.hear().status == 200);
  }
  SECTION("one that is large, and on its way when it ends") {
    served.runtime.answer = std::string(std::size_t{9} * 1024 * 1024, 'x');
    client.write(HttpClient::modern(call_of(1, "echo")));
    served.until([&] { return served.transport->front_end().unsent_bytes() > 0; });
    client.end_writing();
    served.work();
    const Heard heard = client.hear();
    CHECK(heard.json()["result"]["content"][0]["text"] == served.runtime.answer);
  }
  client.until_closed();
  served.until([&] { return served.transport->front_end().connections() == 0; });
}

TEST_CASE("a client that sends no more waits for a long answer as any other one does") {
  HttpFixture served;
  HttpClient client(served);
  const Limits limits;
  const bool takes_events = GENERATE(true, false);
  const std::string accepted =
      takes_events ? "application/json, text/event-stream" : "application/json";
  client.write(HttpClient::modern(call_of(1, "never"), {{"Accept", accepted}}));
  served.until([&] { return served.runtime.fake.last == 1; });
  const bool streams = takes_events && GENERATE(true, false);
  if (streams) {
    served.pass(limits.stream_after);
    client.hear_until([](const Heard& heard) { return !heard.body.empty(); });
  }
  client.end_writing();
  const auto is_open = [&] {
    served.work();
    return !served.runtime.fake.calls.at(1).cancelled &&
           served.transport->front_end().connections() == 1;
  };
  if (takes_events) {
    client.hear_until([](const Heard& heard) { return !heard.body.empty(); });
  } else {
    CHECK(client.hear().status == 102);
  }
  CHECK(is_open());
  // What comes from time to time finds out when it goes.
  for (int each = 0; each < 3; ++each) {
    served.pass(limits.keep_alive);
    CHECK(is_open());
    if (!takes_events) CHECK(client.hear().status == 102);
  }
  SECTION("and gets it") {
    served.runtime.fake.finish_text(1, "late");
    const Heard heard = client.hear();
    CHECK(heard.whole);
    CHECK(heard.status == 200);
    CHECK(heard.body.find("late") != std::string::npos);
    client.until_closed();
  }
  SECTION("or goes") {
    client.close();
    served.pass(limits.keep_alive);
    served.until([&] { return served.runtime.fake.calls.at(1).cancelled; });
  }
  SECTION("or is told that the server ends") {
    served.transport->stop();
    CHECK(served.runtime.handed_over);
    served.transport.reset();
  }
}

TEST_CASE("closing a connection that takes no stream cancels its request, too") {
  HttpFixture served;
  HttpClient client(served);
  client.write(HttpClient::modern(call_of(1, "never"), {{"Accept", "application/json"}}));
  served.until([&] { return served.runtime.fake.last == 1; });
  client.close();
  served.until([&] { return served.runtime.fake.calls.at(1).cancelled; });
  CHECK(served.transport->front_end().connections() == 0);
}

TEST_CASE("a request that ends in the middle gets no answer") {
  HttpFixture served;
  const std::string whole = HttpClient::modern(call_of(1, "echo"));
  for (const std::size_t size : {whole.size() - 1, whole.find("\r\n\r\n"), std::size_t{0}}) {
    HttpClient client(served);
    client.write(whole.substr(0, size));
    client.end_writing();
    client.until_closed();
    CHECK_FALSE(client.has_answer());
  }
  CHECK(served.runtime.fake.last == 0);
}

TEST_CASE("the headers must say what the body says") {
  HttpFixture served;
  HttpClient client(served);
  const Json call = call_of(1, "echo");
  const auto refused = [&](const Json& message, const Strings& fields) {
    const Heard heard = client.ask(HttpClient::modern(message, fields));
    CHECK(heard.status == 400);
    CHECK(heard.json()["id"] == 1);
    return heard.json()["error"]["code"].get<int>();
  };
  for (const char* name : {"MCP-Protocol-Version", "Mcp-Method", "Mcp-Name"}) {
    INFO(name);
    CHECK(refused(call, {{name, ""}}) == kHeaderMismatch);
    CHECK(refused(call, {{name, "other"}}) == kHeaderMismatch);
  }
  CHECK(refused(call, {{"Mcp-Name", "=?base64?!!!!?="}}) == kHeaderMismatch);
  const Heard encoded = client.ask(HttpClient::modern(call, {{"Mcp-Name", "=?base64?ZWNobw==?="}}));
  CHECK(encoded.status == 200);

  Json unknown = call;
  unknown["params"]["_meta"][kMetaVersion] = "2030-01-01";
  CHECK(refused(unknown, {{"MCP-Protocol-Version", "2030-01-01"}}) == kUnsupportedVersion);
  Json incomplete = call;
  incomplete["params"]["_meta"].erase(kMetaCapabilities);
  CHECK(refused(incomplete, {}) == kInvalidParams);
  CHECK(refused(Fixture::request(1, "tools/list"), {{"Mcp-Method", "tools/list"}}) ==
        kInvalidParams);
}

TEST_CASE("header values may be encoded") {
  CHECK(decode_header("plain") == "plain");
  CHECK(decode_header("=?base64?w6k=?=") == "\xc3\xa9");
  CHECK(decode_header("=?base64?"
                      "?=") == "");
  CHECK(decode_header("=?base64?YQ?=") == std::nullopt);
  CHECK(decode_header("=?base64?Y$==?=") == std::nullopt);
  CHECK(decode_header("=?base64?") == "=?base64?");
}

TEST_CASE("an unknown method is not found, and other errors are answers") {
  HttpFixture served;
  HttpClient client(served);
  const Heard unknown = client.ask(HttpClient::modern(Fixture::modern(1, "no/such")));
  CHECK(unknown.status == 404);
  CHECK(unknown.json()["error"]["code"] == kMethodNotFound);
  for (const char* legacy : {"ping", "initialize", "logging/setLevel"}) {
    CHECK(client.ask(HttpClient::modern(Fixture::modern(1, legacy))).status == 404);
  }
  const Heard cursor =
      client.ask(HttpClient::modern(Fixture::modern(1, "tools/list", Json{{"cursor", "x"}})));
  CHECK(cursor.status == 200);
  CHECK(cursor.json()["error"]["code"] == kInvalidParams);
}

TEST_CASE("what is no request is refused or accepted") {
  HttpFixture served;
  HttpClient client(served);
  const Heard garbage = client.ask(HttpClient::post("{nonsense"));
  CHECK(garbage.status == 400);
  CHECK(garbage.json()["error"]["code"] == kParseError);
  CHECK(client.ask(HttpClient::post("[]")).status == 400);
  CHECK(client.ask(HttpClient::post("")).status == 400);
  const Json cancelled = Fixture::notification("notifications/cancelled", Json{{"requestId", 1}});
  const Heard taken = client.ask(HttpClient::modern(cancelled));
  CHECK(taken.status == 202);
  CHECK(taken.body.empty());
  CHECK(client.ask(HttpClient::post(cancelled.dump())).status == 400);
  const Json response{{"jsonrpc", "2.0"}, {"id", 1}, {"result", Json::object()}};
  CHECK(client.ask(HttpClient::post(response.dump())).status == 400);
}

TEST_CASE("a subscription hears changes until the server ends") {
  HttpFixture served;
  HttpClient client(served);
  client.write(HttpClient::modern(listen_of("s")));
  CHECK(client.hear_events(1).events()[0]["method"] == "notifications/subscriptions/acknowledged");
  served.runtime.event_handler(Event{"tools_changed", "", "{}"});
  const Json changed = client.hear_events(2).events()[1];
  CHECK(changed["method"] == "notifications/tools/list_changed");
  CHECK(changed["params"]["_meta"][kMetaSubscription] == "s");
  served.transport->stop();
  CHECK(served.runtime.handed_over);
  const Heard ended = client.hear();
  REQUIRE(ended.events().size() == 3);
  CHECK(ended.events()[2]["result"]["resultType"] == "complete");
}

TEST_CASE("a client hears what happens in its session, and nothing of others") {
  HttpFixture served;
  HttpClient client(served);
  client.write(HttpClient::modern(Fixture::modern(
      "s", "subscriptions/listen", Json{{"notifications", {{"resourcesListChanged", true}}}})));
  client.hear_events(1);
  const auto started = [&](const std::string& session) {
    served.runtime.event_handler(
        Event{"run_started", session, Json{{"run", "r"}, {"session", session}}.dump()});
  };
  started("other@/w");
  started("owned@/w");
  started("other@/w");
  served.runtime.event_handler(Event{"tools_changed", "", "{}"});
  served.transport->stop();
  const Heard heard = client.hear();
  REQUIRE(heard.events().size() == 3);
  CHECK(heard.events()[1]["method"] == "notifications/resources/list_changed");
}

Json can_ask(Json message) {
  message["params"]["_meta"][kMetaCapabilities]["elicitation"] = Json::object();
  return message;
}

struct Question {
  std::optional<AskAnswer> answer;
  void put(HttpFixture& served, CallId call) {
    AskRequest request;
    request.call = call;
    request.id = "question";
    request.reply = [this](const AskAnswer& given) {
      answer = given;
      return true;
    };
    served.runtime.ask_handler(std::move(request));
  }
};

TEST_CASE("a question is answered with the next request, on any connection") {
  HttpFixture served;
  Question question;
  Json asked;
  {
    HttpClient client(served);
    client.write(HttpClient::modern(can_ask(call_of(1, "never"))));
    served.until([&] { return served.runtime.fake.last == 1; });
    question.put(served, 1);
    asked = client.hear().json()["result"];
    CHECK(asked["resultType"] == "input_required");
  }
  served.work();
  Json again = can_ask(call_of(1, "never"));
  again["params"]["requestState"] = asked["requestState"];
  const std::string name = asked["inputRequests"].begin().key();
  again["params"]["inputResponses"][name] = {{"action", "accept"},
                                             {"content", {{"answer", "once"}}}};
  HttpClient other(served);
  other.write(HttpClient::modern(again));
  served.until([&] { return question.answer.has_value(); });
  CHECK(question.answer->allow);
  served.runtime.fake.finish_text(1, "allowed");
  CHECK(other.hear().json()["result"]["content"][0]["text"] == "allowed");
  // The state counts once.
  CHECK(other.ask(HttpClient::modern(again)).json()["error"]["code"] == kInvalidParams);
  again["params"]["requestState"] = "999.unknown";
  CHECK(other.ask(HttpClient::modern(again)).json()["error"]["code"] == kInvalidParams);
}

TEST_CASE("a call whose client never returns with answers is cancelled") {
  HttpFixture served;
  Question question;
  HttpClient client(served);
  client.write(HttpClient::modern(can_ask(call_of(1, "never"))));
  served.until([&] { return served.runtime.fake.last == 1; });
  question.put(served, 1);
  client.hear();
  client.close();
  served.pass(std::chrono::minutes(5));
  CHECK_FALSE(served.runtime.fake.calls.at(1).cancelled);
  served.pass(std::chrono::minutes(6));
  CHECK(served.runtime.fake.calls.at(1).cancelled);
  CHECK_FALSE(question.answer->allow);
}

}  // namespace
}  // namespace gibbous::mcp::http
