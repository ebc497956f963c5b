#include "tests/support/vendor_rules.h"

#include <re2/re2.h>

#include <algorithm>
#include <set>

namespace gibbous::testing {
namespace {

using Names = std::set<std::string>;

class Rules {
 public:
  std::vector<std::string> broken;

  void require(bool holds, const std::string& place, const std::string& rule) {
    if (!holds) broken.push_back(place + ": " + rule);
  }
  void only(const Json& schema, const Names& known, const std::string& place) {
    for (const auto& [key, unused] : schema.items())
      require(known.count(key) != 0, place, "'" + key + "' is not permitted");
  }
};

Names types_of(const Json& schema) {
  Names types;
  const Json type = schema.value("type", Json::array());
  for (const Json& each : type.is_array() ? type : Json::array({type})) types.insert(each);
  return types;
}

struct OpenAi : Rules {
  std::size_t properties = 0;

  void check(const Json& schema, const std::string& place, int level) {
    static const Names kKnown = {"type",
                                 "description",
                                 "title",
                                 "enum",
                                 "const",
                                 "anyOf",
                                 "properties",
                                 "required",
                                 "items",
                                 "additionalProperties",
                                 "pattern",
                                 "format",
                                 "multipleOf",
                                 "minimum",
                                 "maximum",
                                 "minItems",
                                 "exclusiveMinimum",
                                 "exclusiveMaximum",
                                 "maxItems",
                                 "$ref",
                                 "$defs",
                                 "definitions"};
    static const Names kTypes = {"string", "number", "boolean", "integer",
                                 "object", "array",  "null"};
    static const Names kFormats = {"date-time", "time", "date", "duration", "email",
                                   "hostname",  "ipv4", "ipv6", "uuid"};
    require(level <= 10, place, "more than 10 levels");
    only(schema, kKnown, place);
    const Names types = types_of(schema);
    for (const std::string& type : types) require(kTypes.count(type) != 0, place, type);
    require(!types.empty() || schema.contains("anyOf") || schema.contains("$ref") ||
                schema.contains("enum"),
            place, "has no type");
    if (schema.contains("format"))
      require(kFormats.count(schema["format"]) != 0, place, "unknown format");
    if (schema.contains("enum")) require(schema["enum"].size() <= 1000, place, "too many values");
    if (types.count("object") != 0) check_object(schema, place, level);
    if (types.count("array") != 0) {
      require(schema.contains("items"), place, "an array needs items");
      if (schema.contains("items")) check(schema["items"], place + "[]", level + 1);
    }
    for (const Json& branch : schema.value("anyOf", Json::array()))
      check(branch, place + "|", level);
    for (const char* holder : {"$defs", "definitions"}) {
      const Json held = schema.value(holder, Json::object());
      for (const auto& [name, definition] : held.items()) check(definition, name, 1);
    }
  }

  void check_object(const Json& schema, const std::string& place, int level) {
    require(schema.value("additionalProperties", Json()) == false, place,
            "additionalProperties must be false");
    const Json listed = schema.value("properties", Json::object());
    Names names;
    Names required;
    for (const auto& [name, property] : listed.items()) {
      names.insert(name);
      ++properties;
      check(property, place + "." + name, level + 1);
    }
    for (const Json& name : schema.value("required", Json::array())) required.insert(name);
    require(names == required, place, "every property must be required");
    require(properties <= 5000, place, "more than 5000 properties");
  }
};

struct Gemini : Rules {
  void check(const Json& schema, const std::string& place) {
    require(schema.value("type", "") != "OBJECT" || place == "root" ||
                schema.contains("properties") || schema.contains("anyOf"),
            place, "properties should be non-empty");
    static const Names kKnown = {"type",      "format",    "title",         "description",
                                 "nullable",  "enum",      "maxItems",      "minItems",
                                 "required",  "items",     "minProperties", "maxProperties",
                                 "minLength", "maxLength", "pattern",       "properties",
                                 "example",   "anyOf",     "default",       "propertyOrdering",
                                 "minimum",   "maximum"};
    static const Names kTypes = {"STRING", "NUMBER", "INTEGER", "BOOLEAN", "ARRAY", "OBJECT"};
    only(schema, kKnown, place);
    const bool typed = schema.contains("type") && schema["type"].is_string();
    require(typed ? kTypes.count(schema["type"]) != 0 : schema.contains("anyOf"), place, "no type");
    if (schema.contains("enum")) {
      require(schema.value("type", "") == "STRING", place, "only texts can be listed");
      for (const Json& value : schema["enum"]) require(value.is_string(), place, "enum of no text");
    }
    require((schema.value("type", "") == "ARRAY") == schema.contains("items"), place, "items");
    if (schema.contains("items")) check(schema["items"], place + "[]");
    for (const Json& branch : schema.value("anyOf", Json::array())) check(branch, place + "|");
    if (!schema.contains("properties")) return;
    require(!schema["properties"].empty(), place, "properties should be non-empty");
    static const re2::RE2 kName("[A-Za-z_][A-Za-z0-9_]{0,63}");
    for (const auto& [name, property] : schema["properties"].items()) {
      require(re2::RE2::FullMatch(name, kName), place, "name '" + name + "'");
      check(property, place + "." + name);
    }
    for (const Json& name : schema.value("required", Json::array()))
      require(schema["properties"].contains(name.get<std::string>()), place, "requires unknown");
  }
};

}  // namespace

std::vector<std::string> against_openai_strict(const Json& schema) {
  OpenAi rules;
  rules.require(schema.value("type", Json()) == "object" && !schema.contains("anyOf"), "root",
                "the root must be an object and no anyOf");
  rules.check(schema, "root", 1);
  return rules.broken;
}

std::vector<std::string> against_gemini(const Json& declaration) {
  Gemini rules;
  static const re2::RE2 kName("[A-Za-z_][A-Za-z0-9_.:-]{0,63}");
  rules.only(declaration, {"name", "description", "parameters", "parametersJsonSchema"}, "tool");
  rules.require(re2::RE2::FullMatch(declaration.value("name", ""), kName), "tool", "name");
  rules.require(!declaration.value("description", "").empty(), "tool", "description");
  rules.require(
      !declaration.contains("parameters") || !declaration.contains("parametersJsonSchema"), "tool",
      "parameters twice");
  if (declaration.contains("parameters")) {
    rules.require(declaration["parameters"].value("type", "") == "OBJECT", "root", "no object");
    rules.check(declaration["parameters"], "root");
  }
  return rules.broken;
}

std::vector<std::string> against_anthropic(const Json& tool) {
  Rules rules;
  static const re2::RE2 kName("[a-zA-Z0-9_-]{1,128}");
  static const re2::RE2 kProperty("[a-zA-Z0-9_.-]{1,64}");
  rules.only(tool, {"name", "description", "input_schema"}, "tool");
  rules.require(re2::RE2::FullMatch(tool.value("name", ""), kName), "tool", "name");
  const Json schema = tool.value("input_schema", Json::object());
  rules.require(schema.value("type", Json()) == "object", "root", "must be an object");
  for (const char* word : {"anyOf", "oneOf", "allOf"})
    rules.require(!schema.contains(word), "root", std::string(word) + " at the top");
  const Json properties = schema.value("properties", Json::object());
  for (const auto& [name, unused] : properties.items())
    rules.require(re2::RE2::FullMatch(name, kProperty), name, "name of a property");
  return rules.broken;
}

}  // namespace gibbous::testing
