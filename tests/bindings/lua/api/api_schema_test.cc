// schema.*: plain JSON Schema tables.
#include "bindings/lua/vm/value.h"
#include "tests/bindings/lua/call/engine_fixture.h"

using gibbous::Json;
using gibbous::testing::contains;
using gibbous::testing::World;

namespace {

// Returns the schema that an expression makes, as a tool sees it.
Json made(const std::string& expression) {
  World world;
  world.start("local made = " + expression +
              "\ndefine('show', function() return json.encode(made) end)");
  return Json::parse(world.run("show").text);
}

std::string refused(const std::string& expression) {
  World world;
  world.script("local made = " + expression);
  const auto engine = gibbous::lua::Engine::create(world.options, world.context);
  return engine.ok() ? "it was accepted" : engine.status().message();
}

}  // namespace

TEST_CASE("each constructor gives a plain JSON Schema") {
  CHECK(made("schema.string()") == Json{{"type", "string"}});
  CHECK(made("schema.string({ description = 'd', enum = { 'a', 'b' }, default = 'a' })") ==
        Json{{"type", "string"}, {"description", "d"}, {"enum", {"a", "b"}}, {"default", "a"}});
  CHECK(made("schema.string({ pattern = '^a', min_length = 1, max_length = 3, format = 'uri' })") ==
        Json{{"type", "string"},
             {"pattern", "^a"},
             {"minLength", 1},
             {"maxLength", 3},
             {"format", "uri"}});
  CHECK(made("schema.integer({ minimum = -1, maximum = 5, multiple_of = 2 })") ==
        Json{{"type", "integer"}, {"minimum", -1}, {"maximum", 5}, {"multipleOf", 2}});
  CHECK(made("schema.number({ minimum = 0.5 })") == Json{{"type", "number"}, {"minimum", 0.5}});
  CHECK(made("schema.boolean({ default = false })") ==
        Json{{"type", "boolean"}, {"default", false}});
  CHECK(made("schema.any({ title = 't' })") == Json{{"title", "t"}});
  CHECK(made("schema.array(schema.string(), { min_items = 1, max_items = 2, unique = true })") ==
        Json{{"type", "array"},
             {"items", {{"type", "string"}}},
             {"minItems", 1},
             {"maxItems", 2},
             {"uniqueItems", true}});
  CHECK(made("schema.one_of({ schema.string(), { type = 'null' } })") ==
        Json{{"oneOf", {{{"type", "string"}}, {{"type", "null"}}}}});
}

TEST_CASE("a property is required unless it is optional or has a default") {
  const Json schema = made(
      "schema.object({\n"
      "  z = schema.string(), a = schema.integer(),\n"
      "  optional = schema.string({ optional = true }),\n"
      "  default = schema.string({ default = '' }),\n"
      "  raw = { type = 'string' },\n"
      "  raw_optional = { type = 'string', optional = true },\n"
      "  raw_default = { type = 'string', default = 'x' },\n"
      "})");
  CHECK(schema["required"] == Json{"a", "raw", "z"});
  CHECK(schema["properties"]["optional"] == Json{{"type", "string"}});
  CHECK(schema["properties"]["raw_optional"] == Json{{"type", "string"}});
  CHECK(schema["additionalProperties"] == false);
}

TEST_CASE("objects may be empty, nested, open, or open for one kind of value") {
  const Json empty = made("schema.object({})");
  CHECK(empty ==
        Json{{"type", "object"}, {"properties", Json::object()}, {"additionalProperties", false}});
  CHECK(made("schema.object()") == empty);
  CHECK(made("schema.object({}, { additional = true })")["additionalProperties"] == true);
  CHECK(made("schema.object({}, { additional = schema.integer() })")["additionalProperties"] ==
        Json{{"type", "integer"}});
  const Json nested = made("schema.object({ inner = schema.object({ x = schema.any() }) })");
  CHECK(nested["properties"]["inner"]["required"] == Json{"x"});
}

TEST_CASE("an error of wrong options names the field at the script's line") {
  CHECK(contains(
      refused("schema.string({ min_lenght = 1 })"),
      "tools.lua:2: schema.string: min_lenght: unknown field; did you mean \"min_length\"?"));
  CHECK(contains(refused("schema.string({ min_length = 'x' })"),
                 "schema.string: min_length: expected"));
  CHECK(contains(refused("schema.string({ min_length = -1 })"), "min_length: expected"));
  CHECK(contains(refused("schema.string({ enum = 'a' })"), "enum: expected array of string"));
  CHECK(contains(refused("schema.string({ enum = {} })"), "enum"));
  CHECK(contains(refused("schema.string('x')"), "schema.string: expected a table"));
  CHECK(contains(refused("schema.integer({ minimum = 1.5 })"), "schema.integer: minimum"));
  CHECK(contains(refused("schema.array()"), "bad argument #1 to 'array'"));
  CHECK(contains(refused("schema.array({ schema.string() })"), "expected the schema of an item"));
  CHECK(contains(refused("schema.object({ schema.string() })"), "expected properties with names"));
  CHECK(contains(refused("schema.object({ a = 'string' })"),
                 "property 'a': expected a schema, got a string"));
  CHECK(
      contains(refused("schema.object({}, { aditional = true })"), "did you mean \"additional\"?"));
  CHECK(contains(refused("schema.object({}, { additional = 'x' })"), "additional: expected"));
  CHECK(contains(refused("schema.one_of({})"), "expected a list of schemas"));
}
