// Clients that have tokens of their own: each has a runtime of its own, and nothing of it is
// another one's.
#include "bindings/mcp/http/principals.h"
#include "runtime/base/sha256.h"
#include "tests/bindings/mcp/http/http_fixture.h"

#include "tests/support/catch.h"

namespace gibbous::mcp::http {
namespace {

using Strings = std::map<std::string, std::string>;

constexpr const char* kOfAnn = "the-token-of-ann";
constexpr const char* kOfBob = "the-token-of-bob";

// The server, and two clients with tokens of their own.
struct Served : HttpFixture {
  explicit Served(const Limits& limits = {}) : HttpFixture(limits) {
    transport->add_client(ann, {"ann", sha256_hex(kOfAnn), "ann@/w", true});
    transport->add_client(bob, {"bob", sha256_hex(kOfBob), "bob@/w", false});
  }
  ~Served() { transport.reset(); }

  DrivenFakeRuntime ann;
  DrivenFakeRuntime bob;
};

Strings with(const std::string& token, Strings fields = {}) {
  fields["Authorization"] = "Bearer " + token;
  return fields;
}

std::string modern_as(const std::string& token, const Json& message) {
  return HttpClient::modern(message, with(token));
}
std::string legacy_as(const std::string& token, const Json& message, const std::string& session) {
  return HttpClient::post(message.dump(), with(token, {{"Mcp-Session-Id", session}}));
}
// On a connection of its own: one that is refused is closed.
Heard ask(HttpFixture& served, const std::string& bytes) {
  HttpClient client(served);
  return client.ask(bytes);
}
Json hello() {
  return Fixture::request("init", "initialize",
                          Json{{"protocolVersion", "2025-11-25"},
                               {"capabilities", {{"elicitation", Json::object()}}},
                               {"clientInfo", {{"name", "ann"}, {"version", "1"}}}});
}
Json listening() {
  return Fixture::modern("s", "subscriptions/listen",
                         Json{{"notifications", {{"toolsListChanged", true}}}});
}

TEST_CASE("a request belongs to the runtime of its token, whoever it says that it is from") {
  Served served;
  served.ann.answer = "ann's";
  served.bob.answer = "bob's";
  const auto said_to = [&](const std::string& token) {
    const Heard heard = ask(served, modern_as(token, call_of(1, "echo")));
    return heard.status == 200 ? heard.json()["result"]["content"][0]["text"].get<std::string>()
                               : std::to_string(heard.status);
  };
  CHECK(said_to(kOfAnn) == "ann's");
  CHECK(said_to(kOfBob) == "bob's");
  CHECK(said_to(kToken) == "answer");
  CHECK(said_to("the-token-of-eve") == "401");
  CHECK(said_to("") == "401");
  // clientInfo names ann.
  HttpClient client(served);
  const Heard opened = client.ask(HttpClient::post(hello().dump(), with(kOfBob)));
  const Json call =
      Fixture::request(1, "tools/call", Json{{"name", "echo"}, {"arguments", Json::object()}});
  const Heard answer = client.ask(legacy_as(kOfBob, call, opened.fields.at("mcp-session-id")));
  CHECK(answer.json()["result"]["content"][0]["text"] == "bob's");
}

TEST_CASE("a legacy session is only for the token that opened it") {
  Served served;
  HttpClient client(served);
  const Heard opened = client.ask(HttpClient::post(hello().dump(), with(kOfAnn)));
  const std::string session = opened.fields.at("mcp-session-id");
  const Json ping = Fixture::request(1, "ping");
  CHECK(client.ask(legacy_as(kOfAnn, ping, session)).status == 200);
  // As if there were none.
  const Heard none = client.ask(legacy_as(kOfBob, ping, std::string(64, '0')));
  const Heard others = client.ask(legacy_as(kOfBob, ping, session));
  CHECK(others.status == 404);
  CHECK(others.body == none.body);
  CHECK(client
            .ask(HttpClient::request(
                "DELETE", with(kOfBob, {{"Host", "localhost"}, {"Mcp-Session-Id", session}})))
            .status == 404);
  CHECK(client.ask(legacy_as(kOfAnn, ping, session)).status == 200);
}

TEST_CASE("two clients at once hear nothing of one another") {
  Served served;
  HttpClient ann(served);
  HttpClient bob(served);
  ann.write(modern_as(kOfAnn, listening()));
  bob.write(modern_as(kOfBob, listening()));
  ann.hear_events(1);
  bob.hear_events(1);
  served.ann.event_handler(Event{"tools_changed", "", "{}"});
  CHECK(ann.hear_events(2).events().size() == 2);
  served.bob.event_handler(Event{"tools_changed", "", "{}"});
  CHECK(bob.hear_events(2).events().size() == 2);
  CHECK(ann.hear_events(2).events().size() == 2);
}

TEST_CASE("a client with many connections keeps no other one out") {
  Limits limits;
  limits.connections_of_one = 2;
  Served served(limits);
  std::vector<std::unique_ptr<HttpClient>> streams;
  for (int each = 0; each < 2; ++each) {
    streams.push_back(std::make_unique<HttpClient>(served));
    streams.back()->write(modern_as(kOfAnn, listening()));
    streams.back()->hear_events(1);
  }
  const Heard refused = ask(served, modern_as(kOfAnn, call_of(1, "echo")));
  CHECK(refused.status == 503);
  CHECK(refused.json()["error"]["message"] ==
        "Too many connections of this token are open: end some of them");
  CHECK(ask(served, modern_as(kOfBob, call_of(1, "echo"))).status == 200);
  CHECK(ask(served, modern_as(kToken, call_of(1, "echo"))).status == 200);
  // Those that wait for a next request make room, and an end does.
  streams.back()->close();
  served.until([&] { return served.transport->front_end().connections() == 1; });
  HttpClient idle(served);
  CHECK(idle.ask(modern_as(kOfAnn, call_of(1, "echo"))).status == 200);
  CHECK(ask(served, modern_as(kOfAnn, call_of(2, "echo"))).status == 200);
  CHECK(ask(served, modern_as(kOfBob, call_of(2, "echo"))).status == 200);
  CHECK(streams.front()->hear_events(1).status == 200);
}

TEST_CASE("a client that does not read keeps no other one from its answers") {
  constexpr std::size_t kLarge = std::size_t{9} * 1024 * 1024;
  Limits limits;
  limits.unsent_bytes_of_one = std::size_t{12} * 1024 * 1024;
  limits.all_unsent_bytes = std::size_t{24} * 1024 * 1024;
  Served served(limits);
  const FrontEnd& front_end = served.transport->front_end();
  served.ann.answer = std::string(kLarge, 'a');
  served.bob.answer = std::string(kLarge, 'b');
  std::vector<std::unique_ptr<HttpClient>> slow;
  constexpr std::size_t kSlow = 8;
  for (std::size_t each = 1; each <= kSlow; ++each) {
    slow.push_back(std::make_unique<HttpClient>(served));
    slow.back()->write(modern_as(kOfAnn, call_of(1, "echo")));
    served.until([&] { return served.ann.fake.last == each; });
    served.work();
    CHECK(front_end.unsent_bytes() <= limits.unsent_bytes_of_one);
  }
  // Those that came last, beyond the limit, were closed.
  CHECK(front_end.connections() > 0);
  CHECK(front_end.connections() < kSlow);
  slow.back()->until_closed();
  const Heard answer = ask(served, modern_as(kOfBob, call_of(1, "echo")));
  CHECK(answer.json()["result"]["content"][0]["text"] == served.bob.answer);
  // Those that are read leave room, and so do those that go.
  CHECK(slow.front()->hear().whole);
  slow.clear();
  served.until([&] { return front_end.unsent_bytes() == 0; });
  CHECK(ask(served, modern_as(kOfAnn, call_of(1, "echo"))).status == 200);
}

TEST_CASE("a client that sends slowly keeps no other one from its requests") {
  constexpr std::size_t kHalf = 300'000;
  Limits limits;
  limits.body_bytes_of_one = 2 * kHalf + 10'000;
  limits.all_body_bytes = 4 * kHalf + 100'000;
  Served served(limits);
  const FrontEnd& front_end = served.transport->front_end();
  Json call = call_of(1, "echo");
  call["params"]["arguments"]["text"] = std::string(2 * kHalf, 'x');
  const auto begin = [&](const std::string& token) {
    const std::string request = modern_as(token, call);
    auto client = std::make_unique<HttpClient>(served);
    client->write(request.substr(0, request.size() - kHalf));
    return client;
  };
  const auto end = [&](HttpClient& client, const std::string& token) {
    const std::string request = modern_as(token, call);
    client.write(request.substr(request.size() - kHalf));
    return client.hear().status;
  };
  const auto are_read = [&](std::size_t halves) {
    served.until([&] { return front_end.body_bytes() >= halves * kHalf; });
  };
  const auto first = begin(kOfAnn);
  are_read(1);
  const auto second = begin(kOfAnn);
  are_read(2);
  // A third one would be too much, and so is the rest of the second.
  CHECK(begin(kOfAnn)->hear().status == 503);
  const auto of_bob = begin(kOfBob);
  are_read(3);
  CHECK(end(*of_bob, kOfBob) == 200);
  CHECK(end(*second, kOfAnn) == 503);
  // What was refused leaves room.
  CHECK(end(*first, kOfAnn) == 200);
  CHECK(ask(served, modern_as(kOfAnn, call)).status == 200);
}

TEST_CASE("one client alone may send and leave unread what all may") {
  Limits limits;
  limits.body_bytes_of_one = 200'000;
  limits.unsent_bytes_of_one = 200'000;
  HttpFixture served(limits);
  HttpClient client(served);
  served.runtime.answer = std::string(300'000, 'x');
  Json call = call_of(1, "echo");
  call["params"]["arguments"]["text"] = std::string(300'000, 'x');
  CHECK(client.ask(HttpClient::modern(call)).status == 200);
}

TEST_CASE("a client that no question of the policy is for is not asked") {
  Served served;
  HttpClient client(served);
  const auto asked_by = [&](DrivenFakeRuntime& runtime, const std::string& token) {
    Json call = call_of(1, "never");
    call["params"]["_meta"][kMetaCapabilities] = {{"elicitation", Json::object()}};
    client.write(modern_as(token, call));
    served.until([&] { return runtime.fake.last == 1; });
    std::optional<AskAnswer> answered;
    AskRequest request;
    request.call = 1;
    request.reply = [&](const AskAnswer& answer) {
      answered = answer;
      return true;
    };
    runtime.ask_handler(std::move(request));
    return answered;
  };
  const std::optional<AskAnswer> of_bob = asked_by(served.bob, kOfBob);
  REQUIRE(of_bob);
  CHECK(of_bob->no_approver);
  served.bob.fake.finish_text(1, "over");
  client.hear();
  CHECK_FALSE(asked_by(served.ann, kOfAnn));
  CHECK(client.hear().json()["result"]["resultType"] == "input_required");
}

TEST_CASE("a token that is removed stops working at once, and everything of it ends") {
  Served served;
  HttpClient calling(served);
  HttpClient subscribed(served);
  HttpClient streaming(served);
  HttpClient other(served);
  calling.write(modern_as(kOfAnn, call_of(1, "never")));
  subscribed.write(modern_as(kOfAnn, listening()));
  const std::string session =
      other.ask(HttpClient::post(hello().dump(), with(kOfAnn))).fields.at("mcp-session-id");
  streaming.write(HttpClient::request("GET", with(kOfAnn, {{"Host", "localhost"},
                                                           {"Accept", "text/event-stream"},
                                                           {"Mcp-Session-Id", session}})));
  streaming.hear_until([](const Heard& heard) { return !heard.body.empty(); });
  subscribed.hear_events(1);
  served.until([&] { return served.ann.fake.last == 1; });

  bool closed = false;
  served.transport->remove_client("ann", [&] { closed = true; });
  CHECK(served.ann.fake.calls.at(1).cancelled);
  calling.until_closed();
  CHECK(subscribed.hear().whole);
  CHECK(streaming.hear().whole);
  CHECK(ask(served, modern_as(kOfAnn, call_of(2, "echo"))).status == 401);
  CHECK(ask(served, modern_as(kOfBob, call_of(2, "echo"))).status == 200);
  served.until([&] { return closed; });
  served.ann.fake.fail(1, "cancelled", "");
  CHECK(served.ann.event_handler == nullptr);
}

TEST_CASE("a body that is still on its way when its token is removed is not served") {
  Served served;
  HttpClient client(served);
  const std::string whole = modern_as(kOfAnn, call_of(1, "echo"));
  client.write(whole.substr(0, whole.size() - 3));
  served.work();
  served.transport->remove_client("ann", nullptr);
  client.until_closed();
  CHECK(served.ann.fake.calls.empty());
}

TEST_CASE("another token for a client ends what the old one began, and keeps its sessions") {
  Served served;
  HttpClient client(served);
  const std::string session =
      client.ask(HttpClient::post(hello().dump(), with(kOfAnn))).fields.at("mcp-session-id");
  HttpClient subscribed(served);
  subscribed.write(modern_as(kOfAnn, listening()));
  subscribed.hear_events(1);
  served.transport->change_token("ann", sha256_hex("ann-has-a-new-one"));
  subscribed.until_closed();
  const Json ping = Fixture::request(1, "ping");
  CHECK(ask(served, legacy_as(kOfAnn, ping, session)).status == 401);
  CHECK(ask(served, legacy_as("ann-has-a-new-one", ping, session)).status == 200);
}

TEST_CASE("the end of the server ends the streams of all clients and hands all runs over") {
  Served served;
  HttpClient subscribed(served);
  subscribed.write(modern_as(kOfBob, listening()));
  subscribed.hear_events(1);
  served.transport->stop();
  CHECK(served.runtime.handed_over);
  CHECK(served.ann.handed_over);
  CHECK(served.bob.handed_over);
  CHECK(subscribed.hear().whole);
}

TEST_CASE("where only clients with tokens are served, every request needs one") {
  AccessRules rules;
  rules.needs_token = true;
  HttpFixture served({}, rules);
  DrivenFakeRuntime ann;
  served.transport->add_client(ann, {"ann", sha256_hex(kOfAnn), "ann@/w", true});
  CHECK(ask(served, HttpClient::modern(call_of(1, "echo"), {{"Authorization", ""}})).status == 401);
  CHECK(ask(served, modern_as(kToken, call_of(1, "echo"))).status == 401);
  CHECK(ask(served, modern_as(kOfAnn, call_of(1, "echo"))).status == 200);
  served.transport.reset();
}

}  // namespace
}  // namespace gibbous::mcp::http
