// The members of a JSON object as text: which are passed on unchanged, and which are refused.
#include "bindings/cli/json_members.h"

#include <string>
#include <vector>

#include "tests/support/catch.h"

using namespace gibbous::cli;

namespace {

constexpr std::size_t kDepth = 8;

std::string value_of(const std::string& object, const std::string& key) {
  const auto members = json_members(object, kDepth);
  REQUIRE(members.ok());
  for (const JsonMember& member : members.value()) {
    if (member.key == key) return std::string(member.value);
  }
  FAIL("no member " << key);
  return "";
}

std::string complaint(const std::string& object) {
  const auto members = json_members(object, kDepth);
  return members.ok() ? "" : members.status().message();
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("members keep their text exactly") {
  const std::string object =
      R"( { "a" : 1.50 ,"b":{"x":[1,2,{"y":"}"}]}, "c":"q\"\\", "d":12345678901234567890123 ,"e":null} )";
  CHECK(value_of(object, "a") == "1.50");
  CHECK(value_of(object, "b") == R"({"x":[1,2,{"y":"}"}]})");
  CHECK(value_of(object, "c") == R"("q\"\\")");
  CHECK(value_of(object, "d") == "12345678901234567890123");
  CHECK(value_of(object, "e") == "null");
}

TEST_CASE("empty objects and arrays are read") {
  CHECK(json_members("{}", kDepth).value().empty());
  CHECK(value_of(R"({"a":{},"b":[],"c":""})", "a") == "{}");
  CHECK(value_of(R"({"a":{},"b":[],"c":""})", "b") == "[]");
  CHECK(value_of(R"({"a":{},"b":[],"c":""})", "c") == "\"\"");
}

TEST_CASE("an escaped key is decoded") {
  CHECK(value_of(R"({"\u0069d":7})", "id") == "7");
}

TEST_CASE("text that is not a JSON object is refused with the reason") {
  CHECK(has(complaint("{\"a\":1"), "not valid JSON"));
  CHECK(has(complaint("{\"a\":1"), "column"));
  CHECK(has(complaint(""), "not valid JSON"));
  CHECK(has(complaint("{\"a\":\"\xff\"}"), "UTF-8"));
  CHECK(has(complaint("{\"a\":1e999}"), "not valid JSON"));
  CHECK(has(complaint("[1]"), "not an array"));
  CHECK(has(complaint("42"), "not a number"));
  CHECK(has(complaint("null"), "not null"));
  CHECK(has(complaint(R"({"a":1,"\u0061":2})"), "\"a\" appears twice"));
}

TEST_CASE("nesting is limited") {
  const std::string deep(1'000'000, '[');
  CHECK(has(complaint("{\"a\":" + deep), "nested deeper than 8"));
  const std::string brackets_in_text = R"({"a":"[[[[[[[[[[[[\"[[[["})";
  CHECK(complaint(brackets_in_text).empty());
}

TEST_CASE("quoting a string and reading it back changes nothing") {
  const std::string text = "a\"b\\c\n\t\x01 é 💡";
  CHECK(json_unquote(json_quote(text)) == text);
  CHECK(json_quote("bad \xff byte") == "\"bad \xEF\xBF\xBD byte\"");
}
