// `gibbous session`: what scripts offer besides tools, and with --inputs what they ask.
#include <string>
#include <vector>

#include "tests/support/catch.h"
#include "tests/support/conversation.h"
#include "tests/support/loop.h"
#include "tests/support/source.h"

using namespace gibbous::testing;
using gibbous::Json;

namespace {

// A session with the tools of examples/notes.
class Notes {
 public:
  explicit Notes(std::vector<std::string> first = {}) : session_(options(std::move(first))) {}
  Conversation& session() { return session_; }

  Json write(const Json& id, const std::string& text) {
    const Json args = {{"day", "monday"}, {"text", text}};
    session_.send({{"id", id}, {"tool", "note_write"}, {"args", args}});
    return id;
  }
  std::string read(const Json& id) {
    session_.send({{"id", id}, {"resource", "notes://monday"}});
    return session_.answer(id)["result"]["data"]["contents"][0]["text"];
  }
  // Writes twice, and returns what the script asks the second time.
  Json asked() {
    REQUIRE(session_.answer(write("first", "one")).contains("result"));
    write("second", "two");
    return session_.next_with("input")["input"];
  }

 private:
  std::vector<std::string> options(std::vector<std::string> first) const {
    const std::vector<std::string> rest = {
        "--scripts", source_path("examples/notes"), "--toolset",   "notes",    "--mode", "auto",
        "--state",   dir_.path() + "/state",        "--workspace", dir_.path()};
    first.insert(first.end(), rest.begin(), rest.end());
    return first;
  }

  TempDir dir_;
  Conversation session_;
};

TEST_CASE("a session lists and reads what scripts offer besides tools") {
  Notes notes;
  Conversation& session = notes.session();
  REQUIRE(session.answer(notes.write(1, "buy milk")).contains("result"));
  session.send({{"id", 2}, {"list", "resources"}});
  const Json resources = session.answer(2)["list"];
  CHECK(resources["resources"] == Json::array());
  CHECK(resources["templates"][0]["uriTemplate"] == "notes://{day}");
  session.send({{"id", 3}, {"list", "prompts"}});
  CHECK(session.answer(3)["list"]["prompts"][0]["name"] == "plan");
  session.send({{"id", 4}, {"list", "tools"}});
  CHECK(session.answer(4)["list"]["tools"][0]["name"] == "note_write");
  CHECK(notes.read(5) == "buy milk");
  session.send({{"id", 6}, {"prompt", "plan"}, {"args", {{"day", "monday"}}}});
  CHECK(session.answer(6)["result"]["data"]["messages"].size() == 2);
  const Json typed = {{"argument", "day"}, {"value", "t"}};
  session.send({{"id", 7}, {"prompt_completion", "plan"}, {"args", typed}});
  CHECK(session.answer(7)["result"]["data"]["values"] == Json({"tuesday", "thursday"}));
  session.send({{"id", 8}, {"resource", "notes://friday"}});
  CHECK(session.answer(8)["error"]["code"] == "resource_not_found");
  session.send({{"id", 9}, {"list", "toys"}});
  CHECK_THAT(session.answer(9)["error"]["message"].get<std::string>(),
             Catch::Matchers::Contains("\"tools\", \"resources\", \"prompts\""));
}

TEST_CASE("with --inputs, what a script asks is a line, and the answer goes to the script") {
  Notes notes({"--inputs"});
  Conversation& session = notes.session();
  const Json input = notes.asked();
  CHECK(input["call"] == "second");
  CHECK(input["kind"] == "elicitation");
  CHECK(input["params"]["requestedSchema"]["properties"].contains("choice"));
  session.send({{"input", input["id"]}, {"id", "a"}});
  CHECK(session.answer("a")["error"]["code"] == "invalid_request");
  session.send({{"input", input["id"]},
                {"result", {{"action", "accept"}, {"content", {{"choice", "replace"}}}}},
                {"id", "b"}});
  CHECK(session.answer("b")["input"]["found"] == true);
  CHECK(session.answer("second").contains("result"));
  CHECK(notes.read("read") == "two");
  session.send({{"input", input["id"]}, {"message", "late"}, {"id", "c"}});
  CHECK(session.answer("c")["error"]["code"] == "input_not_found");
}

TEST_CASE("a script learns why a client gives it no answer") {
  Notes notes({"--inputs"});
  const Json input = notes.asked();
  notes.session().send({{"input", input["id"]}, {"message", "nobody is here"}});
  CHECK_THAT(notes.session().answer("second")["error"]["message"].get<std::string>(),
             Catch::Matchers::Contains("nobody is here"));
}

TEST_CASE("without --inputs, scripts cannot ask the client of a session") {
  Notes notes;
  REQUIRE(notes.session().answer(notes.write(1, "one")).contains("result"));
  CHECK(notes.session().answer(notes.write(2, "two")).contains("error"));
  CHECK(notes.read(3) == "one");
}

TEST_CASE("what a script asks ends with its call, and with the session's input") {
  Notes notes({"--inputs"});
  Conversation& session = notes.session();
  const Json input = notes.asked();
  session.send({{"cancel", "second"}});
  CHECK(session.answer("second")["error"]["code"] == "cancelled");
  session.send({{"input", input["id"]}, {"message", "late"}, {"id", "a"}});
  CHECK(session.answer("a")["error"]["code"] == "input_not_found");
  notes.write("third", "three");
  REQUIRE(session.next_with("input")["input"]["call"] == "third");
  session.program().close_stdin();
  CHECK(session.answer("third").contains("error"));
}

}  // namespace
