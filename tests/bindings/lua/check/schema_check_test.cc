// SchemaCheck: what it accepts, how its messages read, and which schemas it refuses.
#include "bindings/lua/check/schema_check.h"

#include "tests/support/catch.h"

using gibbous::Json;
using gibbous::Status;
using gibbous::lua::SchemaCheck;

namespace {

// Returns the message for `value`, or "" if it fits.
std::string fault(const char* schema, const char* value) {
  const auto check = SchemaCheck::compile(Json::parse(schema));
  INFO((check ? "" : check.status().message()));
  REQUIRE(check.ok());
  Json json = Json::parse(value);
  const Status status = (*check)->apply(json);
  if (!status) CHECK(status.code() == "invalid_arguments");
  return status.message();
}

std::string refused(const char* schema) {
  const auto check = SchemaCheck::compile(Json::parse(schema));
  REQUIRE_FALSE(check.ok());
  CHECK(check.status().code() == "invalid_schema");
  return check.status().message();
}

Json filled(const char* schema, const char* value) {
  const auto check = SchemaCheck::compile(Json::parse(schema));
  REQUIRE(check.ok());
  Json json = Json::parse(value);
  REQUIRE((*check)->apply(json).ok());
  return json;
}

}  // namespace

TEST_CASE("a fault names the path, the expected and the actual value") {
  const char* schema = R"({"type":"object","properties":{"limits":{"type":"object","properties":
    {"cpu":{"type":"integer","minimum":1,"maximum":20}}}}})";
  CHECK(fault(schema, R"({"limits":{"cpu":3}})").empty());
  CHECK(fault(schema, R"({"limits":{"cpu":"4"}})") ==
        R"(args.limits.cpu: expected integer from 1 to 20, got string "4")");
  CHECK(fault(schema, R"({"limits":{"cpu":25}})") ==
        "args.limits.cpu: expected integer from 1 to 20, got integer 25");
  CHECK(fault(schema, R"({"limits":[1,2]})") ==
        "args.limits: expected object, got array (2 items)");
  CHECK(fault(schema, "null") == "args: expected object, got null");
}

TEST_CASE("the caller chooses the root name") {
  const auto check = SchemaCheck::compile({{"type", "object"}, {"required", {"a"}}}, "");
  REQUIRE(check.ok());
  Json value = Json::object();
  CHECK((*check)->apply(value).message() == "a: is missing; expected a value");
  value = 5;
  CHECK((*check)->apply(value).message() == "the value: expected object, got integer 5");
}

TEST_CASE("an unknown field is named with the nearest known one") {
  const char* schema = R"({"type":"object","additionalProperties":false,"properties":
    {"command":{"type":"string"},"timeout":{"type":"number"}}})";
  CHECK(fault(schema, R"({"comand":"ls"})") ==
        R"(args.comand: unknown field; did you mean "command"?)");
  CHECK(fault(schema, R"({"zzz":1})") ==
        "args.zzz: unknown field; known fields are command, timeout");
  CHECK(fault(R"({"type":"object","additionalProperties":false})", R"({"x":1})") ==
        "args.x: unknown field; no fields are expected here");
}

TEST_CASE("a missing field is named with its expected type") {
  CHECK(fault(R"({"type":"object","required":["id"],"properties":{"id":{"type":"string"}}})",
              "{}") == "args.id: is missing; expected string");
}

TEST_CASE("at most five faults are listed, and the rest is counted") {
  const char* schema = R"({"type":"array","items":{"type":"string"}})";
  const std::string message = fault(schema, "[1,2,3,4,5,6,7]");
  CHECK(message.find("args[0]: expected string, got integer 1; args[1]") == 0);
  CHECK(message.find("args[4]") != std::string::npos);
  CHECK(message.find("args[5]") == std::string::npos);
  CHECK(message.find("; and 2 more") != std::string::npos);
}

TEST_CASE("an integer may be written with a zero fraction") {
  CHECK(fault(R"({"type":"integer"})", "5.0").empty());
  CHECK(fault(R"({"type":"integer"})", "5.5") == "args: expected integer, got number 5.5");
  CHECK(fault(R"({"type":"integer"})", "-3").empty());
  CHECK_FALSE(fault(R"({"type":"integer"})", "true").empty());
  CHECK(fault(R"({"type":"number"})", "5").empty());
}

TEST_CASE("every scalar keyword is checked") {
  struct Row {
    const char* schema;
    const char* good;
    const char* bad;
  };
  const Row rows[] = {
      {R"({"type":["string","null"]})", "null", "1"},
      {R"({"enum":["a",1,null]})", "1", R"("b")"},
      {R"({"const":{"a":1}})", R"({"a":1})", R"({"a":2})"},
      {R"({"minimum":2})", "2", "1.9"},
      {R"({"maximum":2})", "2", "2.1"},
      {R"({"exclusiveMinimum":2})", "2.1", "2"},
      {R"({"exclusiveMaximum":2})", "1.9", "2"},
      {R"({"multipleOf":0.1})", "0.3", "0.35"},
      {R"({"minLength":2})", R"("äö")", R"("ä")"},
      {R"({"maxLength":2})", R"("äö")", R"("äöü")"},
      {R"({"pattern":"^[a-z]+$"})", R"("abc")", R"("aBc")"},
      {R"({"minItems":1})", "[1]", "[]"},
      {R"({"maxItems":1})", "[1]", "[1,2]"},
      {R"({"uniqueItems":true})", R"([1,"1",[1]])", "[1,2,1.0]"},
      {R"({"items":{"type":"string"}})", R"(["a"])", R"(["a",1])"},
      {R"({"prefixItems":[{"type":"string"}],"items":false})", R"(["a"])", R"(["a",1])"},
      {R"({"additionalProperties":{"type":"string"}})", R"({"a":"b"})", R"({"a":1})"},
      {R"({"anyOf":[{"type":"string"},{"minimum":3}]})", "3", "2"},
      {R"({"oneOf":[{"minimum":3},{"maximum":5}]})", "6", "4"},
      {R"({"allOf":[{"minimum":3},{"maximum":5}]})", "4", "6"},
      {R"({"not":{"type":"string"}})", "1", R"("a")"},
      {R"({"if":{"type":"string"},"then":{"minLength":2},"else":{"minimum":3}})", R"("ab")",
       R"("a")"},
      {R"({"if":{"type":"string"},"then":{"minLength":2},"else":{"minimum":3}})", "3", "2"},
      {R"({"if":{"minimum":3},"else":{"const":1}})", "1", "2"},
      {R"({"type":"integer","then":false,"else":false})", "1", R"("a")"},
      {"false", "1", "1"},
      {"true", "1", nullptr},
      {R"({"minimum":2,"title":"t","format":"date","examples":[1],"$schema":"x","x-own":1})", "3",
       "1"},
  };
  for (const Row& row : rows) {
    INFO(row.schema);
    if (row.bad != nullptr) CHECK_FALSE(fault(row.schema, row.bad).empty());
    if (std::string(row.schema) != "false") CHECK(fault(row.schema, row.good).empty());
  }
}

TEST_CASE("a wrong choice is refused with the choices and the nearest") {
  CHECK(fault(R"({"enum":["SIGTERM","SIGKILL","SIGINT"]})", R"("SIGTERN")") ==
        R"(args: expected one of "SIGTERM", "SIGKILL", "SIGINT", )"
        R"(got string "SIGTERN"; did you mean "SIGTERM"?)");
}

TEST_CASE("alternatives of different types are described in one sentence") {
  const char* schema =
      R"({"anyOf":[{"type":"string"},{"type":"array","items":{"type":"string"}}]})";
  CHECK(fault(schema, "5") == "args: expected string or array of string, got integer 5");
  CHECK(fault(schema, "[1]").find("args[0]: expected string, got integer 1") != std::string::npos);
}

TEST_CASE("defaults are filled in, even in nested objects and in the alternative that fits") {
  const char* schema = R"({"type":"object","properties":{
    "lines":{"type":"integer","default":50},
    "deep":{"type":"object","default":{},"properties":{"x":{"default":[1]}}}}})";
  CHECK(filled(schema, "{}") == Json::parse(R"({"lines":50,"deep":{"x":[1]}})"));
  CHECK(filled(schema, R"({"lines":1})")["lines"] == 1);
  const char* union_schema = R"({"anyOf":[
    {"type":"object","required":["a"],"properties":{"p":{"default":1}}},
    {"type":"object","required":["b"],"properties":{"q":{"default":2}}}]})";
  CHECK(filled(union_schema, R"({"b":0})") == Json::parse(R"({"b":0,"q":2})"));
}

TEST_CASE("references to definitions are followed, also when they recurse through the value") {
  const char* schema = R"({"$ref":"#/$defs/tree","$defs":{"tree":{"type":"object",
    "additionalProperties":false,
    "properties":{"name":{"type":"string"},
      "children":{"type":"array","items":{"$ref":"#/$defs/tree"}}}}}})";
  CHECK(fault(schema, R"({"name":"a","children":[{"name":"b"}]})").empty());
  CHECK(fault(schema, R"({"children":[{"children":[{"nam":1}]}]})") ==
        R"(args.children[0].children[0].nam: unknown field; did you mean "name"?)");
}

TEST_CASE("invalid schemas are refused with the place") {
  CHECK(refused(R"({"type":"int"})").find("type: unknown type \"int\"") == 0);
  CHECK(refused(R"({"properties":{"a":{"minLenght":1}}})") ==
        R"(properties.a.minLenght: unknown keyword; did you mean "minLength"?)");
  CHECK(refused(R"({"pattern":"a("})").find("pattern: is not a valid RE2 pattern") == 0);
  CHECK(refused(R"({"minimum":"1"})") == "minimum: expected a number, got string \"1\"");
  CHECK(refused(R"({"minLength":-1})").find("minLength: expected an integer") == 0);
  CHECK(refused(R"({"multipleOf":0})") == "multipleOf: expected a number greater than 0");
  CHECK(refused(R"({"required":"a"})") == "required: expected a list of names");
  CHECK(refused(R"({"$ref":"#/$defs/a"})").find("$ref: \"#/$defs/a\" is not defined") == 0);
  CHECK(refused(R"({"$ref":"http://x/"})").find("is not defined") != std::string::npos);
  CHECK(refused(R"({"$ref":"#"})").find("refers to itself") != std::string::npos);
  CHECK(refused(R"({"$defs":{"a":{"anyOf":[{"$ref":"#/$defs/a"}]}}})").find("refers to itself") !=
        std::string::npos);
  CHECK(refused(R"({"enum":[]})") == "enum: expected a list of values");
  CHECK(refused(R"({"properties":{"a":{"type":"integer","default":"x"}}})")
            .find("properties.a.default") == 0);
  CHECK(refused("5") == "the schema: expected an object or a boolean, got integer 5");
  std::string deep = "true";
  for (int i = 0; i < 100; ++i) deep = R"({"items":)" + deep + "}";
  CHECK(refused(deep.c_str()).find("nested too deeply") != std::string::npos);
}

TEST_CASE("alternatives that multiply are rejected instead of tried forever") {
  // Two alternatives at each of 40 levels would be 2^40 steps.
  std::string schema = R"({"type":"string"})";
  std::string value = "1";
  for (int i = 0; i < 40; ++i) {
    schema = R"({"anyOf":[{"items":)" + schema + R"(},{"items":)" + schema + "}]}";
    value = "[" + value + "]";
    if (schema.size() > 200'000) break;
  }
  CHECK_FALSE(fault(schema.c_str(), value.c_str()).empty());
}

TEST_CASE("a schema that is compiled later checks alike, and fails each time when it is wrong") {
  const auto check = SchemaCheck::later({{"type", "integer"}, {"minimum", 1}}, {"count"});
  Json good = 1;
  CHECK(check->apply(good).ok());
  Json wrong = 0;
  for (int time = 0; time < 2; ++time) {
    CHECK(check->apply(wrong).code() == "invalid_arguments");
    REQUIRE(check->first_fault(wrong));
    CHECK(check->first_fault(wrong)->place == "count");
  }
  const auto broken = SchemaCheck::later({{"type", "number of things"}}, {"count"});
  for (int time = 0; time < 2; ++time) {
    CHECK(broken->apply(good).code() == "invalid_schema");
    CHECK(broken->first_fault(good));
  }
}

TEST_CASE("the actual value is shown as valid UTF-8, cut short") {
  Json value = std::string("\xff\xfe") + std::string(500, 'x');
  const auto check = SchemaCheck::compile({{"type", "integer"}});
  REQUIRE(check.ok());
  const Status status = (*check)->apply(value);
  CHECK(status.message().size() < 200);
  CHECK(status.message().find("\xEF\xBF\xBD") != std::string::npos);
}
