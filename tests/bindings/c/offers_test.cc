// What scripts offer besides tools, through the C interface: resources, prompts, completions, and
// questions to the client.
#include <string>

#include "tests/bindings/c/host.h"
#include "tests/support/source.h"

namespace gibbous {
namespace {

using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;
using testing::CHost;
using testing::Taken;

Json notes(bool inputs) {
  return {{"scripts_dir", testing::source_path("examples/notes")},
          {"toolsets", {"notes"}},
          {"inputs", inputs}};
}

Json note(const std::string& text) {
  return {{"tool", "note_write"}, {"arguments", {{"day", "monday"}, {"text", text}}}};
}

std::int64_t begun(const CHost& host, const Json& request) {
  const std::int64_t call = gib_call(host.runtime, request.dump().c_str());
  REQUIRE(call > 0);
  return call;
}

// Writes a note twice, and returns what the script asks before the second one replaces the first.
Taken asked(CHost& host, std::int64_t* call) {
  REQUIRE(host.call(note("one"))["ok"] == true);
  *call = begun(host, note("two"));
  REQUIRE(host.until(GIB_INPUT));
  return host.last();
}

TEST_CASE("c: resources, templates and prompts are listed and read") {
  CHost host(notes(false));
  REQUIRE(host.call(note("buy milk"))["ok"] == true);
  const Json listed = Json::parse(gib_resources(host.runtime));
  CHECK(listed["resources"] == Json::array());
  CHECK(listed["templates"][0]["uriTemplate"] == "notes://{day}");
  CHECK(listed["templates"][0]["mimeType"] == "text/markdown");
  const Json prompts = Json::parse(gib_prompts(host.runtime));
  CHECK(prompts["prompts"][0]["name"] == "plan");
  CHECK(prompts["prompts"][0]["arguments"][0]["name"] == "day");

  const Json read = host.call({{"resource", "notes://monday"}});
  CHECK(read["data"]["contents"][0]["text"] == "buy milk");
  const Json plan = host.call({{"prompt", "plan"}, {"arguments", {{"day", "monday"}}}});
  CHECK(plan["data"]["messages"].size() == 2);
  const Json typed = {{"argument", "day"}, {"value", "t"}};
  const Json days = host.call({{"prompt_completion", "plan"}, {"arguments", typed}});
  CHECK(days["data"]["values"] == Json({"tuesday", "thursday"}));
  const Json same = host.call({{"resource_completion", "notes://{day}"}, {"arguments", typed}});
  CHECK(same["data"]["values"] == days["data"]["values"]);
}

TEST_CASE("c: a resource or prompt that is not there is an error with its code") {
  CHost host(notes(false));
  CHECK(host.call({{"resource", "notes://monday"}})["code"] == "resource_not_found");
  CHECK(host.call({{"prompt", "plans"}})["code"] == "unknown_prompt");
}

TEST_CASE("c: a request names exactly one target") {
  CHost host(notes(false));
  CHECK(gib_call(host.runtime, R"({"tool":"note_write","prompt":"plan"})") == GIB_INVALID);
  CHECK_THAT(gib_error(host.runtime), Contains("request.prompt: expected only one"));
  CHECK(gib_call(host.runtime, R"({"arguments":{}})") == GIB_INVALID);
  CHECK_THAT(gib_error(host.runtime), Contains("request.tool"));
  CHECK(gib_call(host.runtime, R"({"resource":7})") == GIB_INVALID);
  CHECK_THAT(gib_error(host.runtime), Contains("request.resource: expected a string, got 7"));
}

TEST_CASE("c: what a script asks is a message, and its answer goes to the script") {
  CHost host(notes(true));
  std::int64_t call = 0;
  const Taken question = asked(host, &call);
  CHECK(question.call == call);
  CHECK(question.json["kind"] == "elicitation");
  CHECK_THAT(question.json["params"]["message"].get<std::string>(), Contains("monday"));
  // A reply that is wrong leaves the question open.
  CHECK(gib_reply(host.runtime, question.token, R"({"result":{},"message":"no"})") == GIB_INVALID);
  CHECK(gib_reply(host.runtime, question.token, R"({"allow":true})") == GIB_INVALID);
  CHECK(gib_reply(host.runtime, question.token,
                  R"({"result":{"action":"accept","content":{"choice":"replace"}}})") == GIB_OK);
  REQUIRE(host.until(GIB_RESULT));
  CHECK_THAT(host.last().json["text"].get<std::string>(), StartsWith("Noted."));
  CHECK(host.call({{"resource", "notes://monday"}})["data"]["contents"][0]["text"] == "two");
  CHECK(gib_reply(host.runtime, question.token, "{}") == GIB_NOT_FOUND);
}

TEST_CASE("c: a script learns that nobody can be asked, and why") {
  CHost host(notes(true));
  std::int64_t call = 0;
  const Taken question = asked(host, &call);
  CHECK(gib_reply(host.runtime, question.token, R"({"message":"nobody is here"})") == GIB_OK);
  REQUIRE(host.until(GIB_RESULT));
  CHECK_THAT(host.last().json["message"].get<std::string>(), Contains("nobody is here"));
}

TEST_CASE("c: without the option inputs, scripts cannot ask") {
  CHost host(notes(false));
  REQUIRE(host.call(note("one"))["ok"] == true);
  const Json refused = host.call(note("two"));
  CHECK(refused["ok"] == false);
  CHECK(host.call({{"resource", "notes://monday"}})["data"]["contents"][0]["text"] == "one");
}

TEST_CASE("c: what a script asks is withdrawn when its call or the runtime ends") {
  CHost host(notes(true));
  std::int64_t call = 0;
  const Taken question = asked(host, &call);
  const auto withdrawn = [](std::uint64_t token) {
    return [token](const Taken& each) { return each.kind == GIB_CANCELLED && each.token == token; };
  };
  CHECK(gib_cancel(host.runtime, call) == GIB_OK);
  REQUIRE(host.until(withdrawn(question.token)));
  CHECK(gib_reply(host.runtime, question.token, "{}") == GIB_NOT_FOUND);

  begun(host, note("three"));
  REQUIRE(host.until(GIB_INPUT));
  const std::uint64_t last = host.last().token;
  CHECK(gib_close(host.runtime) == GIB_OK);
  REQUIRE(host.until(withdrawn(last)));
  REQUIRE(host.until(GIB_CLOSED_DOWN));
}

TEST_CASE("c: a question outlives a reload") {
  CHost host(notes(true));
  std::int64_t call = 0;
  const Taken question = asked(host, &call);
  CHECK(gib_reload(host.runtime) == GIB_OK);
  CHECK(gib_reply(host.runtime, question.token,
                  R"({"result":{"action":"accept","content":{"choice":"keep"}}})") == GIB_OK);
  REQUIRE(host.until(
      [call](const Taken& each) { return each.kind == GIB_RESULT && each.call == call; }));
  CHECK(host.last().json["ok"] == false);
}

}  // namespace
}  // namespace gibbous
