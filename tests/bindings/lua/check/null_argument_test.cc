// What models send counts as what they mean: an argument that is null is absent, for models that
// must send every argument, and a string is read where none can be meant.
#include "bindings/lua/check/schema_check.h"
#include "tests/support/catch.h"

using gibbous::Json;
using gibbous::Status;
using gibbous::lua::argument_names;
using gibbous::lua::SchemaCheck;

namespace {

// Returns the arguments after the check, or its message.
Json checked(const Json& schema, const char* value) {
  const auto check = SchemaCheck::compile(schema, argument_names());
  INFO((check ? "" : check.status().message()));
  REQUIRE(check.ok());
  Json json = Json::parse(value);
  const Status status = (*check)->apply(json);
  return status ? json : Json(status.message());
}

const Json kText = {{"type", "string"}};
const Json kEither = {{"type", {"string", "null"}}};

Json object(const Json& properties, const Json& more = Json::object()) {
  Json schema = {{"type", "object"}, {"properties", properties}, {"additionalProperties", false}};
  schema.update(more);
  return schema;
}

}  // namespace

TEST_CASE("an argument that is null is absent, at every depth") {
  const Json schema = object({{"id", kText}, {"until", object({{"line", kText}})}});
  CHECK(checked(schema, R"({"id":null,"until":{"line":null}})") == Json{{"until", Json::object()}});
  CHECK(checked(schema, R"({"until":null})") == Json::object());
  const Json list = object({{"all", {{"type", "array"}, {"items", object({{"id", kText}})}}}});
  CHECK(checked(list, R"({"all":[{"id":null}]})") == Json{{"all", Json::array({Json::object()})}});
}

TEST_CASE("an argument that is null has its default") {
  const Json schema = object({{"lines", {{"type", "number"}, {"default", 50}}}});
  CHECK(checked(schema, R"({"lines":null})") == Json{{"lines", 50}});
}

TEST_CASE("a required argument that is null is missing") {
  const Json schema = object({{"id", kText}}, {{"required", {"id"}}});
  CHECK(checked(schema, R"({"id":null})") == "args.id: is missing; expected string");
}

TEST_CASE("a member with a name of any kind that is null is absent") {
  const Json schema = object(Json::object(), {{"additionalProperties", kText}});
  CHECK(checked(schema, R"({"A":null,"B":"b"})") == Json{{"B", "b"}});
}

TEST_CASE("null stays where the schema has a null") {
  CHECK(checked(object({{"id", kEither}}), R"({"id":null})") == Json{{"id", nullptr}});
  const Json choice = {{"oneOf", {kText, {{"type", "null"}}}}};
  CHECK(checked(object({{"id", choice}}), R"({"id":null})") == Json{{"id", nullptr}});
  const Json listed = {{"enum", {"a", nullptr}}};
  CHECK(checked(object({{"id", listed}}), R"({"id":null})") == Json{{"id", nullptr}});
  CHECK(checked(object({{"id", Json::object()}}), R"({"id":null})") == Json{{"id", nullptr}});
}

TEST_CASE("null is absent in each of several forms") {
  const Json schema = {{"type", "object"},
                       {"oneOf",
                        {object({{"id", kText}, {"line", kText}}, {{"required", {"id"}}}),
                         object({{"port", {{"type", "integer"}}}}, {{"required", {"port"}}})}}};
  CHECK(checked(schema, R"({"id":"a","line":null})") == Json{{"id", "a"}});
}

TEST_CASE("an unknown argument is unknown, though it is null") {
  CHECK(checked(object({{"id", kText}}), R"({"idd":null})") ==
        R"(args.idd: unknown field; did you mean "id"?)");
}

TEST_CASE("null in a list is no absent item") {
  const Json schema = object({{"names", {{"type", "array"}, {"items", kText}}}});
  CHECK(checked(schema, R"({"names":["a",null]})") == "args.names[1]: expected string, got null");
}

TEST_CASE("a string is read as JSON where the schema has no string") {
  const Json number = {{"type", "integer"}, {"minimum", 1}};
  const Json flag = {{"type", "boolean"}};
  const Json list = {{"type", "array"}, {"items", kText}};
  const Json schema = object({{"port", number},
                              {"wait", flag},
                              {"words", list},
                              {"until", object({{"port", number}})},
                              {"either", {{"anyOf", {number, flag}}}},
                              {"level", {{"enum", {1, 2}}}}});
  const Json meant = {{"port", 3000},    {"wait", true},
                      {"words", {"x"}},  {"until", {{"port", 80}}},
                      {"either", false}, {"level", 2}};
  CHECK(checked(schema, R"x({"port":"3000","wait":"true","words":"[\"x\"]","either":"false",
                            "until":"{\"port\":\"80\"}","level":"2"})x") == meant);
  CHECK(checked(object({{"all", {{"type", "array"}, {"items", number}}}}), R"({"all":["1",2]})") ==
        Json{{"all", {1, 2}}});
  CHECK(checked(object({{"all", {{"type", "array"}, {"items", flag}}}}),
                R"({"all":["True","False"]})") == Json{{"all", {true, false}}});
  CHECK(checked(object(Json::object(), {{"additionalProperties", number}}), R"({"A":"1"})") ==
        Json{{"A", 1}});
}

TEST_CASE("a string stays a string where the schema has one, or where it is no such value") {
  const Json number = {{"type", "integer"}};
  CHECK(checked(object({{"id", kText}}), R"({"id":"3000"})") == Json{{"id", "3000"}});
  const Json choice = {{"oneOf", {kText, number}}};
  CHECK(checked(object({{"id", choice}}), R"({"id":"3000"})") == Json{{"id", "3000"}});
  CHECK(checked(object({{"id", Json::object()}}), R"({"id":"3000"})") == Json{{"id", "3000"}});
  CHECK(checked(object({{"id", number}}), R"({"id":"3.5"})") ==
        "args.id: expected integer, got string \"3.5\"");
  CHECK(checked(object({{"id", number}}), R"({"id":"many"})") ==
        "args.id: expected integer, got string \"many\"");
  CHECK(checked(object({{"id", number}}), R"({"id":"\"5\""})") ==
        R"(args.id: expected integer, got string "\"5\"")");
}
