// The policy's questions to the client: requests of the server for legacy clients, and answers that
// require input for modern ones.
#include <string>
#include <vector>

#include "bindings/mcp/elicitation.h"
#include "tests/bindings/mcp/fake_backend.h"
#include "tests/support/catch.h"

namespace gibbous::mcp {
namespace {

using Remember = AskAnswer::Remember;
using About = AskAnswer::About;

constexpr auto kAnswerTime = std::chrono::minutes(10);
const Json kForms = Json{{"elicitation", Json::object()}};

// A client, and the answers that reached the runtime.
struct Asking : Fixture {
  using Fixture::Fixture;

  void shake_hands(const std::string& revision, const Json& capabilities) {
    ask(request("init", "initialize",
                Json{{"protocolVersion", revision}, {"capabilities", capabilities}}));
    say(notification("notifications/initialized"));
  }

  static Json call_params(const std::string& command = "make") {
    return Json{{"name", "echo"}, {"arguments", {{"command", command}}}};
  }

  static Json modern_call(const Json& id, const Json& capabilities, const Json& extra = {},
                          const std::string& command = "make") {
    Json message = modern(id, "tools/call", call_params(command));
    message["params"]["_meta"][kMetaCapabilities] = capabilities;
    if (extra.is_object()) message["params"].update(extra);
    return message;
  }

  // The policy asks about this call; `answers` gets the answer.
  void policy_asks(CallId call, const std::string& rule = "test.rule") {
    AskRequest question;
    question.call = call;
    question.id = "question-" + std::to_string(call);
    question.tool = "echo";
    question.effect = "call";
    question.reason = "It builds.";
    question.rule = rule;
    question.rules = {rule};
    question.may_approve_rules = !rule.empty();
    question.prefix = "make *";
    question.file = "rules/build.lua";
    question.line = 7;
    question.command = "make && true";
    question.commands = {"make", "true"};
    question.arguments = R"({"command":"make"})";
    const std::size_t place = answers.size();
    answers.emplace_back();
    question.reply = [this, place](const AskAnswer& given) {
      REQUIRE(!answers[place]);
      answers[place] = given;
      return true;
    };
    server.on_ask(std::move(question));
  }

  // Makes a legacy call about which the server asks, and returns the server's request.
  Json asked_call(const Json& id) {
    say(request(id, "tools/call", call_params()));
    policy_asks(backend.last);
    return heard();
  }

  void respond(const Json& id, Json result) {
    say(Json{{"jsonrpc", "2.0"}, {"id", id}, {"result", std::move(result)}});
  }

  static Json accepting(const Json& answer) {
    return Json{{"action", "accept"}, {"content", {{"answer", answer}}}};
  }

  std::vector<std::optional<AskAnswer>> answers;
};

// Returns the call as a modern client repeats it.
Json repeat(const Json& result, const Json& answer) {
  Json responses = Json::object();
  for (const auto& [key, each] : result["inputRequests"].items()) responses[key] = answer;
  return Json{{"inputResponses", responses}, {"requestState", result["requestState"]}};
}

TEST_CASE("a legacy client gets a question as a request") {
  struct Case {
    const char* revision;
    Json capabilities;
  };
  for (const Case& each :
       {Case{"2025-06-18", kForms}, Case{"2025-11-25", kForms},
        Case{"2025-11-25", Json::parse(R"({"elicitation":{"form":{},"url":{}}})")}}) {
    INFO(each.revision);
    Asking client;
    client.shake_hands(each.revision, each.capabilities);
    const Json asked = client.asked_call(1);
    CHECK(asked["jsonrpc"] == "2.0");
    CHECK(asked["method"] == "elicitation/create");
    CHECK(is_id(asked["id"]));
    const auto text = asked["params"]["message"].get<std::string>();
    // A dialog may fold what comes after three lines.
    CHECK_THAT(text, Catch::Matchers::StartsWith(
                         "make && true\nWhy: It builds.\nAnswers: once; session (exactly this "
                         "command until the session ends); always (exactly this command in this "
                         "workspace until you revoke it); prefix ("));
    for (const char* part : {"rule (what rule test.rule asks about); deny\n", "Tool: echo",
                             "It would run:\n  make\n  true", "test.rule (rules/build.lua:7)"}) {
      INFO(part);
      CHECK(text.find(part) != std::string::npos);
    }
    const Json schema = asked["params"]["requestedSchema"];
    CHECK(schema["type"] == "object");
    CHECK(schema["required"] == Json::array({"answer"}));
    const Json answer = schema["properties"]["answer"];
    CHECK(answer["type"] == "string");
    const std::vector<std::string> values = {"once", "session", "always", "prefix", "rule", "deny"};
    if (std::string(each.revision) == "2025-06-18") {
      CHECK(answer["enum"] == values);
      CHECK(answer["enumNames"].size() == values.size());
      // Its hosts do not submit a form while an optional text is empty.
      CHECK(!schema["properties"].contains("reason"));
    } else {
      CHECK(schema["properties"]["reason"]["type"] == "string");
      REQUIRE(answer["oneOf"].size() == values.size());
      CHECK(answer["oneOf"][4] ==
            Json{{"const", "rule"}, {"title", "Always allow what rule test.rule asks about"}});
    }

    client.respond(asked["id"], Asking::accepting("once"));
    REQUIRE(client.answers[0]);
    CHECK(client.answers[0]->allow);
    CHECK(client.silent());
    client.backend.finish_text(1, "made");
    CHECK(client.heard()["result"]["content"][0]["text"] == "made");
  }
}

TEST_CASE("each answer does what its title says") {
  struct Case {
    const char* answer;
    bool allow;
    Remember remember;
    About about;
  };
  for (const Case& each : {Case{"once", true, Remember::kOnce, About::kCommand},
                           Case{"session", true, Remember::kSession, About::kCommand},
                           Case{"always", true, Remember::kAlways, About::kCommand},
                           Case{"rule", true, Remember::kAlways, About::kRule},
                           Case{"prefix", true, Remember::kAlways, About::kPrefix},
                           Case{"deny", false, Remember::kOnce, About::kCommand}}) {
    INFO(each.answer);
    Asking client;
    client.shake_hands("2025-11-25", kForms);
    const Json asked = client.asked_call(1);
    Json answer = Asking::accepting(each.answer);
    answer["content"]["reason"] = "because";
    client.respond(asked["id"], answer);
    REQUIRE(client.answers[0]);
    CHECK(client.answers[0]->allow == each.allow);
    CHECK(client.answers[0]->remember == each.remember);
    CHECK(client.answers[0]->about == each.about);
    CHECK(client.answers[0]->reason.find("because") != std::string::npos);
    CHECK(!client.answers[0]->no_approver);
    CHECK(!client.answers[0]->who.empty());
  }
}

TEST_CASE("anything but a yes is a refusal with a reason, in both eras") {
  struct Case {
    Json answer;
    const char* reason;
  };
  const std::vector<Case> cases = {
      {Json{{"action", "decline"}}, "declined by the user"},
      {Json{{"action", "cancel"}}, "cannot ask"},
      {Json{{"action", "accept"}}, "lacks the field"},
      {Json{{"action", "accept"}, {"content", "once"}}, "lacks the field"},
      {Asking::accepting("everything"), "not one of the choices"},
      {Asking::accepting(Json::array({"once"})), "lacks the field"},
      {Asking::accepting(true), "lacks the field"},
      {Json{{"action", "agree"}, {"content", {{"answer", "once"}}}}, "unknown action"},
      {Json{{"content", {{"answer", "once"}}}}, "lacks an action"},
      {Json(5), "lacks an action"},
      {Json(), "lacks an action"},
  };
  for (const Case& each : cases) {
    INFO(each.answer.dump());
    Asking legacy;
    legacy.shake_hands("2025-11-25", kForms);
    legacy.respond(legacy.asked_call(1)["id"], each.answer);
    Asking modern;
    modern.say(Asking::modern_call(1, kForms));
    modern.policy_asks(1);
    const Json result = modern.heard()["result"];
    modern.say(Asking::modern_call(2, kForms, repeat(result, each.answer)));
    for (const Asking* client : {&legacy, &modern}) {
      REQUIRE(client->answers[0]);
      CHECK(!client->answers[0]->allow);
      // Nothing was chosen: another person may be asked.
      CHECK(client->answers[0]->no_approver == (each.answer == Json{{"action", "cancel"}}));
      CHECK(client->answers[0]->reason.find(each.reason) != std::string::npos);
      CHECK(client->silent());
    }
  }
}

TEST_CASE("a rule without a name cannot be remembered") {
  Asking client;
  client.shake_hands("2025-11-25", kForms);
  client.say(Fixture::request(1, "tools/call", Asking::call_params()));
  client.policy_asks(1, "");
  const Json asked = client.heard();
  CHECK(asked["params"]["requestedSchema"]["properties"]["answer"]["oneOf"].size() == 5);
  client.respond(asked["id"], Asking::accepting("rule"));
  REQUIRE(client.answers[0]);
  CHECK(!client.answers[0]->allow);
}

TEST_CASE("an error instead of an answer means that the client cannot ask, and says why") {
  Asking client;
  client.shake_hands("2025-06-18", kForms);
  const Json id = client.asked_call(1)["id"];
  client.say(Json{{"jsonrpc", "2.0"},
                  {"id", id},
                  {"error", {{"code", -32603}, {"message", "no \x1b[2Jdialog"}}}});
  REQUIRE(client.answers[0]);
  CHECK(!client.answers[0]->allow);
  CHECK(client.answers[0]->no_approver);
  CHECK(client.answers[0]->reason == "the client could not ask: no \\x1b[2Jdialog");
}

TEST_CASE("a question that is answered elsewhere is withdrawn from the client's form") {
  Asking legacy;
  legacy.shake_hands("2025-11-25", kForms);
  const Json asked = legacy.asked_call(1);
  legacy.server.on_withdrawn("another");
  CHECK(legacy.silent());
  legacy.server.on_withdrawn("question-1");
  const Json cancelled = legacy.heard();
  CHECK(cancelled["method"] == "notifications/cancelled");
  CHECK(cancelled["params"]["requestId"] == asked["id"]);
  legacy.respond(asked["id"], Asking::accepting("once"));
  CHECK_FALSE(legacy.answers[0]);  // it is too late
  legacy.backend.finish_text(1, "made");
  CHECK(legacy.heard()["result"]["content"][0]["text"] == "made");

  Asking modern;
  modern.say(Asking::modern_call(1, kForms));
  modern.policy_asks(1);
  const Json result = modern.heard()["result"];
  modern.server.on_withdrawn("question-1");
  CHECK(modern.silent());
  modern.backend.finish_text(1, "made");
  modern.say(Asking::modern_call(2, kForms, repeat(result, Asking::accepting("once"))));
  CHECK_FALSE(modern.answers[0]);
  CHECK(modern.heard()["result"]["content"][0]["text"] == "made");
}

TEST_CASE("a client without elicitation is not asked") {
  const Json url = Json::parse(R"({"elicitation":{"url":{}}})");
  for (const Json& capabilities :
       {Json::object(), Json{{"elicitation", nullptr}}, Json{{"elicitation", true}}, url}) {
    INFO(capabilities.dump());
    Asking legacy;
    legacy.shake_hands("2025-11-25", capabilities);
    legacy.say(Fixture::request(1, "tools/call", Asking::call_params()));
    legacy.policy_asks(1);
    Asking modern;
    modern.shake_hands("2025-11-25", kForms);  // this does not cover modern requests
    modern.say(Asking::modern_call(1, capabilities));
    modern.policy_asks(1);
    for (const Asking* client : {&legacy, &modern}) {
      REQUIRE(client->answers[0]);
      CHECK(client->answers[0]->no_approver);
      CHECK(client->silent());
    }
  }
  Asking old;
  old.shake_hands("2024-11-05", kForms);
  old.say(Fixture::request(1, "tools/call", Asking::call_params()));
  old.policy_asks(1);
  REQUIRE(old.answers[0]);
  CHECK(old.answers[0]->no_approver);
}

TEST_CASE("a legacy client whose input has ended is not asked, and was not to answer any more") {
  Asking legacy;
  legacy.shake_hands("2025-11-25", kForms);
  legacy.asked_call(1);
  legacy.server.ask_no_more();
  REQUIRE(legacy.answers[0]);
  CHECK(legacy.heard()["method"] == "notifications/cancelled");
  legacy.say(Fixture::request(2, "tools/call", Asking::call_params()));
  legacy.policy_asks(legacy.backend.last);
  REQUIRE(legacy.answers[1]);
  for (const auto& answer : legacy.answers) {
    CHECK(answer->no_approver);
    CHECK(answer->reason == "the client's input has ended: it cannot answer");
  }
  CHECK(legacy.silent());
  // The question is the answer that a modern client waits for.
  Asking modern;
  modern.say(Asking::modern_call(1, kForms));
  modern.server.ask_no_more();
  modern.policy_asks(1);
  CHECK(modern.heard()["result"].contains("inputRequests"));
  modern.server.shut_down();
}

TEST_CASE("unexpected and late answers are ignored") {
  Asking client;
  client.shake_hands("2025-11-25", kForms);
  const Json asked = client.asked_call(1);
  for (const Json& id : {Json("ask-99"), Json(1), Json("1"), Json(), Json(1.5)}) {
    client.respond(id, Asking::accepting("always"));
  }
  CHECK(!client.answers[0]);
  client.respond(asked["id"], Json{{"action", "decline"}});
  client.respond(asked["id"], Asking::accepting("always"));
  REQUIRE(client.answers[0]);
  CHECK(!client.answers[0]->allow);
  CHECK(client.silent());
}

TEST_CASE("two simultaneous questions have different ids") {
  Asking client;
  client.shake_hands("2025-11-25", kForms);
  const Json first = client.asked_call(1);
  const Json second = client.asked_call(2);
  CHECK(first["id"] != second["id"]);
  client.policy_asks(1);  // another task of the first call
  const Json third = client.heard();
  client.respond(second["id"], Json{{"action", "decline"}});
  CHECK(!client.answers[0]);
  client.respond(first["id"], Asking::accepting("once"));
  client.respond(third["id"], Asking::accepting("session"));
  CHECK(client.answers[0]->allow);
  CHECK(!client.answers[1]->allow);
  CHECK(client.answers[2]->remember == Remember::kSession);
}

TEST_CASE("a legacy call that ends withdraws its questions") {
  Asking client;
  client.shake_hands("2025-11-25", kForms);
  const Json asked = client.asked_call(1);
  client.say(Fixture::notification("notifications/cancelled", Json{{"requestId", 1}}));
  CHECK(client.backend.calls.at(1).cancelled);
  const Json taken_back = client.heard();
  CHECK(taken_back["method"] == "notifications/cancelled");
  CHECK(taken_back["params"]["requestId"] == asked["id"]);
  REQUIRE(client.answers[0]);
  CHECK(!client.answers[0]->allow);
  client.respond(asked["id"], Asking::accepting("always"));

  const Json other = client.asked_call(2);
  client.backend.fail(2, "script_error", "broken");
  CHECK(client.next()["params"]["requestId"] == other["id"]);
  CHECK(client.next()["id"] == 2);
  CHECK(!client.answers[1]->allow);

  // The policy asks about a call whose client is gone.
  client.policy_asks(1);
  CHECK(client.silent());
}

TEST_CASE("an open legacy question is denied at the end") {
  Asking client;
  client.shake_hands("2025-11-25", kForms);
  client.asked_call(1);
  client.clock.advance(10 * kAnswerTime);
  client.server.expire();
  CHECK(!client.answers[0]);
  CHECK(!client.server.next_timeout());
  client.server.shut_down();
  REQUIRE(client.answers[0]);
  CHECK(!client.answers[0]->allow);
  CHECK(client.silent());
}

TEST_CASE("a modern call returns the question, and its result when it is repeated") {
  Asking client;
  Json call = Asking::modern_call(1, kForms);
  call["params"]["_meta"]["progressToken"] = "first";
  client.say(call);
  client.policy_asks(1);
  const Json answer = client.heard();
  CHECK(answer["id"] == 1);
  const Json result = answer["result"];
  CHECK(result["resultType"] == "input_required");
  CHECK(result["_meta"].contains(kMetaServerInfo));
  CHECK(result["requestState"].get<std::string>().size() >= 20);
  REQUIRE(result["inputRequests"].size() == 1);
  const Json question = *result["inputRequests"].begin();
  CHECK(question["method"] == "elicitation/create");
  CHECK(question["params"]["requestedSchema"]["properties"]["answer"]["oneOf"].size() == 6);
  CHECK(client.server.requests_in_flight() == 0);
  CHECK(client.server.next_timeout() == kAnswerTime);
  client.backend.report(1, 1);  // no client waits for it now
  CHECK(client.silent());

  Json again = Asking::modern_call("two", kForms, repeat(result, Asking::accepting("always")));
  again["params"]["_meta"]["progressToken"] = "second";
  client.say(again);
  REQUIRE(client.answers[0]);
  CHECK(client.answers[0]->allow);
  CHECK(client.answers[0]->remember == Remember::kAlways);
  CHECK(client.silent());
  CHECK(client.backend.calls.size() == 1);
  client.backend.report(1, 1);
  CHECK(client.heard()["params"]["progressToken"] == "second");
  client.backend.finish_text(1, "made");
  const Json end = client.heard();
  CHECK(end["id"] == "two");
  CHECK(end["result"]["resultType"] == "complete");
  CHECK(!client.server.next_timeout());
}

TEST_CASE("a state is valid once, unchanged, and for the same call") {
  Asking client;
  client.say(Asking::modern_call(1, kForms));
  client.policy_asks(1);
  const Json result = client.heard()["result"];
  const Json good = repeat(result, Asking::accepting("once"));
  const auto refused = [&client](const Json& message) {
    const Json answer = client.ask(message);
    return answer.contains("error") && answer["error"]["code"] == kInvalidParams;
  };
  Json tampered = good;
  auto state = good["requestState"].get<std::string>();
  state.back() = state.back() == 'A' ? 'B' : 'A';
  tampered["requestState"] = state;
  CHECK(refused(Asking::modern_call(2, kForms, tampered)));
  for (const Json& wrong : {Json(""), Json(5), Json::object()}) {
    tampered["requestState"] = wrong;
    CHECK(refused(Asking::modern_call(2, kForms, tampered)));
  }
  CHECK(refused(Asking::modern_call(2, kForms, good, "rm -rf /")));
  Json other_tool = Asking::modern_call(2, kForms, good);
  other_tool["params"]["name"] = "other";
  CHECK(refused(other_tool));
  CHECK(!client.answers[0]);
  CHECK(client.backend.calls.size() == 1);

  client.say(Asking::modern_call(2, kForms, good));
  REQUIRE(client.answers[0]);
  CHECK(client.answers[0]->allow);
  CHECK(refused(Asking::modern_call(3, kForms, good)));
}

TEST_CASE("answers without a valid state make a new call") {
  Asking client;
  client.shake_hands("2025-11-25", kForms);
  client.say(Asking::modern_call(1, kForms));
  client.policy_asks(1);
  Json extra = repeat(client.heard()["result"], Asking::accepting("always"));
  Json legacy = Fixture::request(2, "tools/call", Asking::call_params());
  legacy["params"].update(extra);
  client.say(legacy);
  extra.erase("requestState");
  client.say(Asking::modern_call(3, kForms, extra));
  CHECK(client.backend.calls.size() == 3);
  CHECK(!client.answers[0]);
  CHECK(client.silent());
}

TEST_CASE("a question that a modern client did not answer is asked again") {
  Asking client;
  client.say(Asking::modern_call(1, kForms));
  client.policy_asks(1);
  client.policy_asks(1);  // another task, while the client is away
  const Json first = client.heard()["result"];
  CHECK(first["inputRequests"].size() == 1);
  for (const Json& responses : {Json(), Json::array(), Json{{"other", {{"action", "accept"}}}}}) {
    Asking other;
    other.say(Asking::modern_call(1, kForms));
    other.policy_asks(1);
    const Json asked = other.heard()["result"];
    const Json again = other.ask(Asking::modern_call(
        2, kForms, Json{{"inputResponses", responses}, {"requestState", asked["requestState"]}}));
    CHECK(again["result"]["inputRequests"] == asked["inputRequests"]);
    CHECK(again["result"]["requestState"] != asked["requestState"]);
    CHECK(!other.answers[0]);
  }
  const Json second =
      client.ask(Asking::modern_call(2, kForms, repeat(first, Asking::accepting("once"))));
  CHECK(client.answers[0]->allow);
  CHECK(!client.answers[1]);
  CHECK(second["result"]["inputRequests"].size() == 1);
  CHECK(second["result"]["inputRequests"] != first["inputRequests"]);
  client.say(Asking::modern_call(3, kForms, repeat(second["result"], Json{{"action", "decline"}})));
  REQUIRE(client.answers[1]);
  CHECK(!client.answers[1]->allow);
  // And a later question of the same call.
  client.policy_asks(1);
  CHECK(client.heard()["result"]["resultType"] == "input_required");
}

TEST_CASE("a modern call that ended meanwhile returns its result when it is repeated") {
  Asking client;
  client.say(Asking::modern_call(1, kForms));
  client.policy_asks(1);
  const Json result = client.heard()["result"];
  client.backend.fail(1, "script_error", "broken");
  CHECK(client.silent());
  REQUIRE(client.answers[0]);
  CHECK(!client.answers[0]->allow);
  const Json end =
      client.ask(Asking::modern_call(2, kForms, repeat(result, Asking::accepting("once"))));
  CHECK(end["id"] == 2);
  CHECK(end["result"]["isError"] == true);
}

TEST_CASE("a modern client that loses elicitation cannot answer") {
  Asking client;
  client.say(Asking::modern_call(1, kForms));
  client.policy_asks(1);
  const Json result = client.heard()["result"];
  client.say(
      Asking::modern_call(2, Json::object(), Json{{"requestState", result["requestState"]}}));
  REQUIRE(client.answers[0]);
  CHECK(!client.answers[0]->allow);
  client.policy_asks(1);
  CHECK(client.answers[1]->no_approver);
  CHECK(client.silent());
}

TEST_CASE("a modern call is cancelled when its client does not return") {
  Asking client;
  client.say(Asking::modern_call(1, kForms));
  client.policy_asks(1);
  const Json result = client.heard()["result"];
  client.clock.advance(kAnswerTime - std::chrono::seconds(1));
  client.server.expire();
  CHECK(!client.answers[0]);
  CHECK(client.server.next_timeout() == std::chrono::seconds(1));
  client.clock.advance(std::chrono::seconds(1));
  client.server.expire();
  REQUIRE(client.answers[0]);
  CHECK(!client.answers[0]->allow);
  CHECK(client.backend.calls.at(1).cancelled);
  CHECK(client.silent());
  CHECK(!client.server.next_timeout());
  const Json late =
      client.ask(Asking::modern_call(2, kForms, repeat(result, Asking::accepting("once"))));
  CHECK(late["error"]["code"] == kInvalidParams);
}

TEST_CASE("a modern call can be cancelled before and after it is repeated") {
  Asking client;
  const auto cancel = [&client](int id) {
    client.say(Fixture::notification("notifications/cancelled", Json{{"requestId", id}}));
  };
  client.say(Asking::modern_call(1, kForms));
  client.policy_asks(1);
  const Json first = client.heard()["result"];
  cancel(1);
  CHECK(client.backend.calls.at(1).cancelled);
  CHECK(!client.answers[0]->allow);
  CHECK(client.ask(Asking::modern_call(2, kForms, repeat(first, Asking::accepting("once"))))
            .contains("error"));

  client.say(Asking::modern_call(3, kForms));
  client.policy_asks(2);
  const Json second = client.heard()["result"];
  client.say(Asking::modern_call(4, kForms, repeat(second, Asking::accepting("once"))));
  cancel(3);  // answered long ago
  CHECK(!client.backend.calls.at(2).cancelled);
  cancel(4);
  CHECK(client.backend.calls.at(2).cancelled);
  client.backend.fail(2, "cancelled", "cancelled");
  CHECK(client.silent());
}

TEST_CASE("suspended calls count with those in flight") {
  ServerOptions options;
  options.max_calls = 1;
  Asking client(options);
  client.say(Asking::modern_call(1, kForms));
  client.policy_asks(1);
  const Json result = client.heard()["result"];
  CHECK(client.ask(Asking::modern_call(2, kForms)).contains("error"));
  client.say(Asking::modern_call(3, kForms, repeat(result, Asking::accepting("once"))));
  CHECK(client.answers[0]->allow);
  client.server.shut_down();
}

}  // namespace
}  // namespace gibbous::mcp
