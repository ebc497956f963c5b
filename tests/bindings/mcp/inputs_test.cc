// Questions of scripts to the client: requests of the server for legacy clients, and answers that
// require input for modern ones.
#include <string>
#include <vector>

#include "tests/bindings/mcp/fake_backend.h"
#include "tests/support/catch.h"

namespace gibbous::mcp {
namespace {

const Json kForms = Json{{"elicitation", Json::object()}};
const Json kModel = Json{{"sampling", Json::object()}};
constexpr const char* kForm =
    R"({"message":"Which?","requestedSchema":{"type":"object","properties":{
        "one":{"type":"string","oneOf":[{"const":"a","title":"A"},{"const":"b","title":"B"}]}}}})";

struct Asked : Fixture {
  void shake_hands(const std::string& revision, const Json& capabilities) {
    ask(request("init", "initialize",
                Json{{"protocolVersion", revision}, {"capabilities", capabilities}}));
    say(notification("notifications/initialized"));
  }
  void call(const Json& id) { say(request(id, "tools/call", Json{{"name", "echo"}})); }
  static Json modern_call(const Json& id, const Json& capabilities, const Json& extra = {}) {
    Json message = modern(id, "tools/call", Json{{"name", "echo"}});
    message["params"]["_meta"][kMetaCapabilities] = capabilities;
    if (extra.is_object()) message["params"].update(extra);
    return message;
  }
  // The script of the last call asks.
  void script_asks(const std::string& kind = "elicitation", const std::string& params = kForm,
                   const std::string& key = "", bool more = false) {
    InputRequest question;
    question.key = key;
    question.more = more;
    question.call = backend.last;
    question.id = "input" + std::to_string(answers.size());
    question.kind = kind;
    question.params = params;
    const std::size_t place = answers.size();
    answers.emplace_back();
    question.check = [](const std::string& result) {
      const Json read = Json::parse(result);
      const bool fits = read.value("action", "") != "accept" || !read.contains("content") ||
                        read["content"].value("one", Json("a")).is_string();
      return fits ? Status() : Status::error("invalid_answer", "answer.one: expected string");
    };
    question.reply = [this, place](const InputAnswer& given) {
      REQUIRE(!answers[place]);
      answers[place] = given;
      return true;
    };
    server.on_input(std::move(question));
  }
  void respond(const Json& id, Json result) {
    say(Json{{"jsonrpc", "2.0"}, {"id", id}, {"result", std::move(result)}});
  }
  std::vector<std::optional<InputAnswer>> answers;
};

TEST_CASE("a script's question is not put to a legacy client whose input has ended") {
  Asked client;
  client.shake_hands("2025-11-25", kForms);
  client.call(1);
  client.server.ask_no_more();
  client.script_asks();
  REQUIRE(client.answers[0]);
  CHECK(client.answers[0]->message.find("the client's input has ended") != std::string::npos);
  CHECK(client.silent());
}

TEST_CASE("a legacy client gets a script's question as a request, and its answer comes back") {
  for (const char* revision : {"2025-06-18", "2025-11-25"}) {
    INFO(revision);
    Asked client;
    client.shake_hands(revision, kForms);
    client.call(1);
    client.script_asks();
    const Json asked = client.heard();
    CHECK(asked["method"] == "elicitation/create");
    CHECK(asked["params"]["message"] == "Which?");
    const Json one = asked["params"]["requestedSchema"]["properties"]["one"];
    if (std::string(revision) == "2025-06-18") {
      CHECK(one["enum"] == Json::array({"a", "b"}));
      CHECK(one["enumNames"] == Json::array({"A", "B"}));
    } else {
      CHECK(one["oneOf"][1]["title"] == "B");
    }
    const Json answer{{"action", "accept"}, {"content", {{"one", "a"}}}};
    client.respond(asked["id"], answer);
    REQUIRE(client.answers[0]);
    CHECK(Json::parse(client.answers[0]->result) == answer);
    client.backend.finish_text(client.backend.last, "done");
    CHECK(client.heard()["result"]["content"][0]["text"] == "done");
  }
}

TEST_CASE("a modern client repeats its call with the answers of each round") {
  Asked client;
  client.say(Asked::modern_call(1, kForms));
  client.script_asks();
  Json required = client.heard()["result"];
  for (int round = 2; round < 4; ++round) {
    REQUIRE(required["resultType"] == "input_required");
    REQUIRE(required["inputRequests"].size() == 1);
    const std::string key = required["inputRequests"].begin().key();
    CHECK(required["inputRequests"][key]["method"] == "elicitation/create");
    const Json answer{{"action", "accept"}, {"content", {{"one", "a"}}}};
    client.say(Asked::modern_call(
        round, kForms,
        Json{{"requestState", required["requestState"]}, {"inputResponses", {{key, answer}}}}));
    CHECK(client.silent());
    REQUIRE(client.answers.back());
    CHECK(Json::parse(client.answers.back()->result) == answer);
    if (round == 3) break;
    client.script_asks();
    required = client.heard()["result"];
  }
  client.backend.finish_text(client.backend.last, "done");
  const Json result = client.heard();
  CHECK(result["id"] == 3);
  CHECK(result["result"]["resultType"] == "complete");
}

TEST_CASE("a question to the model goes to clients that have sampling, in both eras") {
  Asked legacy;
  legacy.shake_hands("2025-11-25", kModel);
  legacy.call(1);
  legacy.script_asks("sampling", R"({"messages":[],"maxTokens":5})");
  const Json asked = legacy.heard();
  CHECK(asked["method"] == "sampling/createMessage");
  CHECK(asked["params"]["maxTokens"] == 5);
  legacy.respond(asked["id"], Json{{"role", "assistant"}, {"model", "m"}});
  CHECK(Json::parse(legacy.answers[0]->result)["model"] == "m");

  Asked modern;
  modern.say(Asked::modern_call(1, kModel));
  modern.script_asks("sampling", R"({"messages":[],"maxTokens":5})");
  const Json required = modern.heard()["result"];
  CHECK(required["inputRequests"].begin().value()["method"] == "sampling/createMessage");
}

TEST_CASE("a client that cannot answer is not asked, and the script learns why") {
  Asked legacy;
  legacy.shake_hands("2025-11-25", kModel);
  legacy.call(1);
  legacy.script_asks();
  CHECK(legacy.silent());
  CHECK(legacy.answers[0]->result.empty());
  CHECK(legacy.answers[0]->message == "the client does not support elicitation (forms)");

  Asked modern;
  modern.say(Asked::modern_call(1, kForms));
  modern.script_asks("sampling", "{}");
  CHECK(modern.answers[0]->message == "the client does not support sampling");
  modern.backend.last = 77;
  modern.script_asks();
  CHECK(modern.answers[1]->message == "no client waits for this call");
  CHECK(modern.silent());
}

TEST_CASE("an error, a cancel and the end of the server answer that nobody could be asked") {
  Asked client;
  client.shake_hands("2025-11-25", kForms);
  client.call(1);
  client.script_asks();
  const Json asked = client.heard();
  client.say(Json{{"jsonrpc", "2.0"},
                  {"id", asked["id"]},
                  {"error", {{"code", -1}, {"message", "no window"}}}});
  CHECK(client.answers[0]->result.empty());
  CHECK(client.answers[0]->message == "the client could not ask: no window");

  client.script_asks();
  client.heard();
  client.say(Fixture::notification("notifications/cancelled", Json{{"requestId", 1}}));
  CHECK(client.answers[1]->result.empty());
  CHECK(client.heard()["method"] == "notifications/cancelled");

  client.call(2);
  client.script_asks();
  client.heard();
  client.server.shut_down();
  CHECK(client.answers[2]->result.empty());
}

TEST_CASE("a question whose script waits no longer is withdrawn") {
  Asked client;
  client.shake_hands("2025-11-25", kForms);
  client.call(1);
  client.script_asks();
  const Json asked = client.heard();
  client.server.on_withdrawn("input0");
  const Json over = client.heard();
  CHECK(over["method"] == "notifications/cancelled");
  CHECK(over["params"]["requestId"] == asked["id"]);
  client.respond(asked["id"], Json{{"action", "decline"}});
  CHECK_FALSE(client.answers[0]);
}

TEST_CASE("a question without a response is asked again, with a new state") {
  Asked client;
  client.say(Asked::modern_call(1, kForms));
  client.script_asks();
  const Json first = client.heard()["result"];
  const Json again = client.ask(
      Asked::modern_call(2, kForms, Json{{"requestState", first["requestState"]}}))["result"];
  CHECK(again["resultType"] == "input_required");
  CHECK(again["requestState"] != first["requestState"]);
  CHECK(again["inputRequests"] == first["inputRequests"]);
  // The client has lost what it could do.
  client.say(Asked::modern_call(3, Json::object(), Json{{"requestState", again["requestState"]}}));
  CHECK(client.answers[0]->message == "the client does not support elicitation (forms)");
}

const Json kWrong{{"action", "accept"}, {"content", {{"one", 5}}}};
const Json kRight{{"action", "accept"}, {"content", {{"one", "b"}}}};

TEST_CASE("a modern client whose answer does not fit the form is asked again, and told why") {
  Asked client;
  client.say(Asked::modern_call(1, kForms));
  client.script_asks("elicitation", kForm, "", true);
  client.script_asks("elicitation", kForm);
  Json required = client.heard()["result"];
  REQUIRE(required["inputRequests"].size() == 2);
  const std::string first = required["inputRequests"].begin().key();
  const std::string second = std::next(required["inputRequests"].begin()).key();
  const auto answer = [&](const Json& id, const Json& responses) {
    client.say(Asked::modern_call(
        id, kForms,
        Json{{"requestState", required["requestState"]}, {"inputResponses", responses}}));
  };
  // The one that fits is taken.
  answer(2, Json{{first, kWrong}, {second, kRight}});
  required = client.heard()["result"];
  CHECK(required["resultType"] == "input_required");
  REQUIRE(required["inputRequests"].size() == 1);
  const auto message = required["inputRequests"][first]["params"]["message"].get<std::string>();
  CHECK(message == "Which?\n(The last answer did not fit: answer.one: expected string)");
  CHECK_FALSE(client.answers[0]);
  CHECK(client.answers[1]);
  SECTION("and may answer then") {
    answer(3, Json{{first, kRight}});
    CHECK(client.silent());
    REQUIRE(client.answers[0]);
    CHECK(Json::parse(client.answers[0]->result) == kRight);
  }
  SECTION("but not for ever") {
    answer(3, Json{{first, kWrong}});
    required = client.heard()["result"];
    CHECK_FALSE(client.answers[0]);
    answer(4, Json{{first, kWrong}});
    CHECK(client.silent());
    REQUIRE(client.answers[0]);
    CHECK(Json::parse(client.answers[0]->result) == kWrong);
  }
  SECTION("and a refusal is an answer") {
    answer(3, Json{{first, {{"action", "decline"}}}});
    CHECK(client.silent());
    CHECK(client.answers[0]);
  }
}

TEST_CASE("a legacy client whose answer does not fit the form is asked again, under a new id") {
  Asked client;
  client.shake_hands("2025-11-25", kForms);
  client.call(1);
  client.script_asks();
  const Json asked = client.heard();
  client.respond(asked["id"], kWrong);
  const Json again = client.heard();
  CHECK(again["method"] == "elicitation/create");
  CHECK(again["id"] != asked["id"]);
  CHECK(again["params"]["message"].get<std::string>().find("expected string") != std::string::npos);
  CHECK_FALSE(client.answers[0]);
  // The old id belongs to no question.
  client.respond(asked["id"], kRight);
  CHECK_FALSE(client.answers[0]);
  SECTION("and may answer then") {
    client.respond(again["id"], kRight);
    CHECK(client.answers[0]);
    CHECK(client.silent());
  }
  SECTION("but not for ever") {
    client.respond(again["id"], kWrong);
    client.respond(client.heard()["id"], kWrong);
    CHECK(client.answers[0]);
    CHECK(client.silent());
  }
  SECTION("unless the call is cancelled") {
    client.say(Fixture::notification("notifications/cancelled", Json{{"requestId", 1}}));
    REQUIRE(client.answers[0]);
    CHECK(client.answers[0]->result.empty());
  }
  SECTION("and a result that is no object is no answer either") {
    client.respond(again["id"], Json(5));
    CHECK(client.heard()["method"] == "elicitation/create");
  }
}

TEST_CASE("an answer of the model that does not fit is not asked for again") {
  Asked client;
  client.shake_hands("2025-11-25", kModel);
  client.call(1);
  client.script_asks("sampling", R"({"messages":[],"maxTokens":5})");
  client.respond(client.heard()["id"], kWrong);
  CHECK(client.answers[0]);
  CHECK(client.silent());
}

const Json kEverything =
    Json{{"elicitation", Json::object()}, {"sampling", Json::object()}, {"roots", Json::object()}};

TEST_CASE("what a script asks at the same time reaches a modern client in one round") {
  Asked client;
  client.say(Asked::modern_call(1, kEverything));
  client.script_asks("elicitation", kForm, "user_name", true);
  CHECK(client.silent());
  client.script_asks("sampling", R"({"messages":[],"maxTokens":5})", "user_name", true);
  client.script_asks("roots", "{}", "where");
  const Json required = client.heard()["result"];
  const Json& asked = required["inputRequests"];
  REQUIRE(asked.size() == 3);
  CHECK(asked["user_name"]["method"] == "elicitation/create");
  CHECK(asked["where"] == Json{{"method", "roots/list"}, {"params", Json::object()}});
  // The name was taken.
  CHECK(asked["ask-1"]["method"] == "sampling/createMessage");
  const Json answer{{"roots", Json::array()}};
  // One answer is not enough: the rest is asked again.
  const Json again = client.ask(Asked::modern_call(
      2, kEverything,
      Json{{"requestState", required["requestState"]}, {"inputResponses", {{"where", answer}}}}));
  CHECK(Json::parse(client.answers[2]->result) == answer);
  CHECK(again["result"]["inputRequests"].size() == 2);
}

TEST_CASE("of several questions a client gets those that it can answer") {
  Asked client;
  client.say(Asked::modern_call(1, kModel));
  client.script_asks("sampling", R"({"messages":[],"maxTokens":5})", "", true);
  client.script_asks("elicitation", kForm);
  const Json required = client.heard()["result"];
  REQUIRE(required["inputRequests"].size() == 1);
  CHECK(required["inputRequests"].begin().value()["method"] == "sampling/createMessage");
  CHECK(client.answers[1]->result.empty());
  client.say(Asked::modern_call(2, Json::object()));
  client.script_asks("roots", "{}");
  CHECK(client.answers[2]->message == "the client does not support roots");
  CHECK(client.silent());
}

TEST_CASE("a legacy client gets each of several questions as a request, with an id of its own") {
  Asked client;
  client.shake_hands("2025-11-25", kEverything);
  client.call(1);
  client.script_asks("elicitation", kForm, "same", true);
  client.script_asks("roots", "{}", "same");
  const Json form = client.next();
  const Json roots = client.next();
  CHECK(form["method"] == "elicitation/create");
  CHECK(roots["method"] == "roots/list");
  CHECK(form["id"] != roots["id"]);
  client.respond(roots["id"], Json{{"roots", Json::array()}});
  CHECK_FALSE(client.answers[0]);
  CHECK(client.answers[1]);
}

TEST_CASE("a tool that needs what the client lacks is refused before it runs") {
  Asked modern;
  modern.backend.asked_by["echo"] = {"form", "model"};
  const Json refused = modern.ask(Asked::modern_call(1, kForms))["error"];
  CHECK(refused["code"] == -32021);
  CHECK(refused["data"] == Json{{"requiredCapabilities", Json{{"sampling", Json::object()}}}});
  CHECK(modern.backend.last == 0);
  modern.say(Asked::modern_call(2, kEverything));
  CHECK(modern.backend.last != 0);

  Asked legacy;
  legacy.backend.asked_by["echo"] = {"form"};
  legacy.shake_hands("2025-11-25", kModel);
  const Json result =
      legacy.ask(Fixture::request(1, "tools/call", Json{{"name", "echo"}}))["result"];
  CHECK(result["isError"] == true);
  CHECK(result["_meta"]["gibbous/errorCode"] == "cannot_ask");
  CHECK(result["content"][0]["text"] == "The tool echo needs a client with: elicitation");
}

}  // namespace
}  // namespace gibbous::mcp
