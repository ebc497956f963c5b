// `gibbous session --asks`: the policy's questions as lines, and their answers.
#include <string>
#include <vector>

#include "tests/bindings/cli/asking.h"
#include "tests/support/catch.h"
#include "tests/support/conversation.h"

using namespace gibbous::testing;
using gibbous::Json;

namespace {

bool has(const Json& text, const std::string& part) {
  return text.get<std::string>().find(part) != std::string::npos;
}

Json build(const Json& id, const std::string& command = "make && make install") {
  return {{"id", id}, {"tool", "build"}, {"args", {{"command", command}}}, {"session", "mine"}};
}

Json yes(const Json& ask, Json more = Json::object()) {
  more["answer"] = ask.at("id");
  more["allow"] = true;
  return more;
}

// Sends the call and returns the ask about it.
Json asked(Conversation& session, const Json& call) {
  session.send(call);
  return session.next_with("ask")["ask"];
}

}  // namespace

TEST_CASE("an ask describes its call, and an answer lets the call continue") {
  const Asking asking;
  Conversation session(asking.options({"--asks"}));
  const Json ask = asked(session, build("one"));
  CHECK(ask.at("id").get<std::string>().size() == 8);
  CHECK(ask.at("call") == "one");
  CHECK(ask.at("session") == "mine");
  CHECK(ask.at("tool") == "build");
  CHECK(ask.at("effect") == "call");
  CHECK(ask.at("reason") == "It\x1b[2J builds.");
  CHECK(ask.at("rule") == "test.ask");
  CHECK(has(ask.at("file"), "init.lua"));
  CHECK(ask.at("line").is_number_integer());
  CHECK(ask.at("command") == "make && make install");
  CHECK(ask.at("commands") == Json({"make", "make install"}));
  CHECK(ask.at("arguments")["command"] == "make && make install");
  session.send(yes(ask));
  CHECK(session.answer("one")["result"]["text"] == "built with make && make install");
  // Allowing once does not cover the next call.
  CHECK(asked(session, build("two"))["id"] != ask.at("id"));
}

TEST_CASE("the reason of a refusal reaches the model") {
  const Asking asking;
  Conversation session(asking.options({"--asks"}));
  const Json ask = asked(session, build(1));
  session.send({{"answer", ask.at("id")}, {"allow", false}, {"reason", "use ninja"}, {"id", "a"}});
  CHECK(session.answer("a")["answer"]["found"] == true);
  const Json error = session.answer(1)["error"];
  CHECK(error["code"] == "denied");
  CHECK(has(error["message"], "use ninja"));
}

TEST_CASE("an answer may be remembered, even for the rule") {
  const Asking asking;
  {
    Conversation session(asking.options({"--asks"}));
    session.send(yes(asked(session, build(1)), {{"remember", "session"}}));
    CHECK(session.answer(1).contains("result"));
    session.send(build(2));
    CHECK(session.answer(2).contains("result"));
    const Json always = {{"remember", "always"}, {"about", "rule"}, {"lasts_s", 3600}};
    session.send(yes(asked(session, build(3, "ninja")), always));
    CHECK(session.answer(3).contains("result"));
    session.send(build(4, "whatever"));
    CHECK(session.answer(4).contains("result"));
  }
  Conversation other(asking.options());
  CHECK(other.call("build", {{"command", "cmake"}}).contains("result"));
}

TEST_CASE("without --asks there are no questions") {
  const Asking asking;
  Conversation session(asking.options());
  session.send(build(1));
  CHECK(session.answer(1)["error"]["code"] == "needs_approval");
  for (const Json& line : session.others()) CHECK_FALSE(line.contains("ask"));
}

TEST_CASE("simultaneous questions have different ids") {
  const Asking asking;
  Conversation session(asking.options({"--asks"}));
  const Json first = asked(session, build(1, "one"));
  const Json second = asked(session, build(2, "two"));
  session.send({{"answer", second["id"]}, {"allow", false}});
  CHECK(session.answer(2)["error"]["code"] == "denied");
  session.send(yes(first));
  CHECK(session.answer(1)["result"]["text"] == "built with one");
}

TEST_CASE("an answer without an open ask is an error, and the next line is read") {
  const Asking asking;
  Conversation session(asking.options({"--asks"}));
  session.send({{"answer", "nonesuch"}, {"allow", true}});
  CHECK(session.next_with("error")["error"]["code"] == "ask_not_found");
  const Json ask = asked(session, build(1));
  session.send({{"cancel", 1}});
  CHECK(session.answer(1)["error"]["code"] == "cancelled");
  session.send(yes(ask, {{"id", "late"}}));
  CHECK(session.answer("late")["error"]["code"] == "ask_not_found");
  for (const char* wrong : {R"({"answer":"x"})", R"({"answer":"x","allow":"yes"})"}) {
    session.program().write_line(wrong);
    CHECK(session.next_with("error")["error"]["code"] == "invalid_request");
  }
  session.send(yes(asked(session, build(2))));
  CHECK(session.answer(2).contains("result"));
}

TEST_CASE("the end of input denies open questions") {
  const Asking asking;
  Conversation session(asking.options({"--asks"}));
  CHECK(asked(session, build(1))["call"] == 1);
  session.program().close_stdin();
  CHECK(session.answer(1)["error"]["code"] == "denied");
  const auto status = session.program().wait();
  REQUIRE(status);
  CHECK(status->code == 0);
}

TEST_CASE("an ask reaches a slow reader that misses events") {
  const Asking asking;
  Conversation session(asking.options({"--asks"}));
  const std::string path = asking.dir().path() + "/go";
  session.send({{"id", "late"}, {"tool", "late"}, {"args", {{"path", path}}}});
  constexpr int kLarge = 8;  // MiB that the test does not read yet
  for (int id = 0; id < kLarge; ++id) session.send({{"id", id}, {"tool", "large"}});
  asking.dir().write("go", "");
  const Json ask = session.next_with("ask").at("ask");
  CHECK(ask.at("call") == "late");
  session.send(yes(ask));
  CHECK(session.answer("late").contains("result"));
  for (int id = 0; id < kLarge; ++id) CHECK(session.answer(id).contains("result"));
}
