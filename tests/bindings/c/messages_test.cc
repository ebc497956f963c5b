// The queue of messages, and the JSON of what it holds.
#include "bindings/c/messages.h"

#include "bindings/json/json.h"
#include "tests/support/catch.h"

namespace gibbous::c {
namespace {

TEST_CASE("c: what a host does not take is dropped, the oldest events first, and counted") {
  Messages messages;
  messages.add({GIB_RESULT, 7, 0, "{}"});
  for (int i = 0; i < 10'050; ++i) messages.add({GIB_EVENT, 0, 0, std::to_string(i)});
  const Json note = Json::parse(messages.take().json);
  CHECK(note["event"] == "events_dropped");
  CHECK(note["count"] == 50);
  CHECK(messages.take().call == 7);
  CHECK(messages.take().json == "50");
  messages.add({GIB_LOG, 0, 0, "log"});
  std::size_t rest = 0;
  for (; !messages.empty(); ++rest) messages.take();
  CHECK(rest == 10'000);
}

TEST_CASE("c: a result holds data and backlog as they are, and leaves out what there is not") {
  CallResult result;
  result.ok = true;
  result.text = "\"quoted\"";
  CHECK(Json::parse(result_json(result)) == Json{{"ok", true}, {"text", "\"quoted\""}});
  result.data = R"({"a":[1]})";
  result.structured = true;
  result.backlog = {R"({"event":"x"})", R"({"event":"y"})"};
  result.reported = {{"r1", true}};
  const Json whole = Json::parse(result_json(result));
  CHECK(whole["data"]["a"][0] == 1);
  CHECK(whole["structured"] == true);
  CHECK(whole["backlog"].size() == 2);
  CHECK(whole["reported"][0] == Json{{"run", "r1"}, {"ended", true}});
  CallResult failed;
  failed.code = "denied";
  failed.message = "no";
  CHECK(Json::parse(result_json(failed)) ==
        Json{{"ok", false}, {"code", "denied"}, {"message", "no"}});
}

}  // namespace
}  // namespace gibbous::c
