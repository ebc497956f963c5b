// Lines of `gibbous session`: what they mean, and how an invalid one is explained.
#include "bindings/cli/request.h"

#include <string>

#include "tests/support/catch.h"

using namespace gibbous::cli;
using gibbous::Status;

namespace {

Request parsed(const std::string& line) {
  Request request;
  const Status status = parse_request(line, &request);
  INFO(line << ": " << status.message());
  REQUIRE(status.ok());
  return request;
}

std::string complaint(const std::string& line, std::string* id = nullptr) {
  Request request;
  const Status status = parse_request(line, &request);
  REQUIRE_FALSE(status.ok());
  CHECK(status.code() == "invalid_request");
  if (id != nullptr) *id = request.id;
  return status.message();
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("every member of a call is read") {
  const Request request = parsed(
      R"({"id":1,"tool":"bg_start","args":{"command":"make"},"session":"a","progress":true})");
  CHECK(request.kind == Request::Kind::kCall);
  CHECK(request.id == "1");
  CHECK(request.tool == "bg_start");
  CHECK(request.arguments == R"({"command":"make"})");
  CHECK(request.session == "a");
  CHECK(request.wants_progress);
}

TEST_CASE("a call needs only an id and a tool") {
  const Request request = parsed(R"({"tool":"bg_status","id":"x"})");
  CHECK(request.arguments == "{}");
  CHECK(request.session.empty());
  CHECK_FALSE(request.wants_progress);
}

TEST_CASE("ids are returned unchanged") {
  CHECK(parsed(R"({"tool":"t","id":12345678901234567890123})").id == "12345678901234567890123");
  CHECK(parsed(R"({"tool":"t","id":1.50})").id == "1.50");
  CHECK(parsed(R"({"tool":"t","id":-0})").id == "-0");
  CHECK(parsed(R"({"tool":"t","id":""})").id == "\"\"");
  CHECK(parsed(R"({"tool":"t","id":"a\"b"})").id == R"("a\"b")");
  CHECK(parsed(R"({"tool":"t","id":"\u0061"})").id == "\"a\"");
}

TEST_CASE("cancel, reload and drain are read") {
  CHECK(parsed(R"({"cancel":"a"})").cancelled_id == "\"a\"");
  CHECK(parsed(R"({"cancel":3,"id":4})").id == "4");
  CHECK(parsed(R"({"reload":true})").kind == Request::Kind::kReload);
  const Request drain = parsed(R"({"drain":"a","id":9})");
  CHECK(drain.kind == Request::Kind::kDrain);
  CHECK(drain.session == "a");
  CHECK(drain.id == "9");
}

TEST_CASE("an error names the wrong field") {
  CHECK(has(complaint("nonsense"), "not valid JSON"));
  CHECK(has(complaint("{}"), "\"tool\""));
  CHECK(has(complaint(R"({"id":1})"), "\"tool\""));
  CHECK(has(complaint(R"({"tool":"t"})"), "\"id\""));
  CHECK(
      has(complaint(R"({"tool":"t","id":null})"), "\"id\" must be a string or a number, not null"));
  CHECK(has(complaint(R"({"tool":"t","id":[1]})"), "not an array"));
  CHECK(has(complaint(R"({"tool":7,"id":1})"), "\"tool\" must be a string, not a number"));
  CHECK(has(complaint(R"({"tool":"t","id":1,"args":[]})"), "\"args\" must be an object"));
  CHECK(has(complaint(R"({"tool":"t","id":1,"session":1})"), "\"session\" must be a string"));
  CHECK(
      has(complaint(R"({"tool":"t","id":1,"progress":1})"), "\"progress\" must be true or false"));
  CHECK(has(complaint(R"({"reload":false})"), "\"reload\" must be true"));
  CHECK(has(complaint(R"({"tool":"t","id":1,"arg":{}})"), "did you mean \"args\"?"));
  CHECK(has(complaint(R"({"cancel":1,"drain":"a"})"), "unknown field"));
}

TEST_CASE("an invalid line keeps its id") {
  std::string id;
  (void)complaint(R"({"tool":"t","id":5,"args":"x"})", &id);
  CHECK(id == "5");
  (void)complaint(R"({"id":"q","tol":"t"})", &id);
  CHECK(id == "\"q\"");
}

TEST_CASE("an id has a limit") {
  CHECK(has(complaint(R"({"tool":"t","id":")" + std::string(kMaxIdBytes, 'x') + "\"}"), "longer"));
}

TEST_CASE("every member of an answer to an ask is read") {
  const Request plain = parsed(R"({"answer":"Ab3xK9mZ","allow":true})");
  CHECK(plain.kind == Request::Kind::kAnswer);
  CHECK(plain.ask == "Ab3xK9mZ");
  CHECK(plain.answer.allow);
  CHECK(plain.answer.remember == gibbous::AskAnswer::Remember::kOnce);
  CHECK(plain.answer.about == gibbous::AskAnswer::About::kCommand);
  const Request full = parsed(
      R"({"answer":"a","allow":true,"remember":"always","about":"rule","lasts_s":3600,"id":7})");
  CHECK(full.id == "7");
  CHECK(full.answer.remember == gibbous::AskAnswer::Remember::kAlways);
  CHECK(full.answer.about == gibbous::AskAnswer::About::kRule);
  CHECK(full.answer.lasts == std::chrono::hours(1));
  const Request no = parsed(R"({"answer":"a","allow":false,"reason":"no \u0022x\u0022"})");
  CHECK_FALSE(no.answer.allow);
  CHECK(no.answer.reason == "no \"x\"");
}

TEST_CASE("errors in an answer to an ask are explained") {
  CHECK(has(complaint(R"({"answer":1,"allow":true})"), "\"answer\" must be a string"));
  CHECK(has(complaint(R"({"answer":"a"})"), "\"allow\""));
  CHECK(has(complaint(R"({"answer":"a","allow":1})"), "true or false"));
  CHECK(
      has(complaint(R"({"answer":"a","allow":true,"remember":"ever"})"), "\"once\", \"session\""));
  CHECK(has(complaint(R"({"answer":"a","allow":true,"about":"tool"})"), "\"command\", \"rule\""));
  for (const char* lasts : {"-1", "1.5", "1e3", "\"1\"", "99999999999999999999", "true"}) {
    INFO(lasts);
    CHECK(
        has(complaint(std::string(R"({"answer":"a","allow":true,"remember":"always","lasts_s":)") +
                      lasts + "}"),
            "whole number"));
  }
  CHECK(has(complaint(R"({"answer":"a","allow":true,"lasts_s":5})"), "always"));
  CHECK(has(complaint(R"({"answer":"a","allow":true,"remembr":"once"})"), "remember"));
}
