#include "bindings/host/gemini_schema.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

namespace gibbous::host {
namespace {

const std::map<std::string, std::string> kGeminiTypes = {
    {"string", "STRING"},   {"number", "NUMBER"}, {"integer", "INTEGER"},
    {"boolean", "BOOLEAN"}, {"array", "ARRAY"},   {"object", "OBJECT"}};
constexpr const char* kGeminiKept[] = {"title",     "description", "minimum",
                                       "maximum",   "minItems",    "maxItems",
                                       "minLength", "maxLength",   "pattern"};
constexpr const char* kNotInGemini[] = {"$ref",  "$defs",       "definitions",
                                        "allOf", "prefixItems", "if"};

// Adds the types that are no null. One of several is an alternative.
bool add_types(const Json& schema, Json* made) {
  const auto type = schema.find("type");
  if (type == schema.end()) return schema.contains("anyOf") || schema.contains("oneOf");
  std::vector<std::string> types;
  for (const Json& each : type->is_array() ? *type : Json::array({*type})) {
    if (each == "null") {
      (*made)["nullable"] = true;
    } else if (const auto known = kGeminiTypes.find(each.get<std::string>());
               known != kGeminiTypes.end()) {
      types.push_back(known->second);
    }
  }
  if (types.empty()) return false;
  if (types.size() == 1) {
    (*made)["type"] = types.front();
    return true;
  }
  for (const std::string& each : types) (*made)["anyOf"].push_back({{"type", each}});
  return true;
}

std::optional<Json> converted_schema(const Json& schema);

// Only texts can be listed; other values are named in the description.
void add_values(const Json& schema, Json* made) {
  Json values = schema.value("enum", Json::array());
  if (schema.contains("const")) values = Json::array({schema["const"]});
  values.erase(std::remove(values.begin(), values.end(), Json()), values.end());
  if (values.empty()) return;
  if (std::all_of(values.begin(), values.end(),
                  [](const Json& each) { return each.is_string(); })) {
    if (!made->contains("type")) (*made)["type"] = "STRING";
    (*made)["enum"] = std::move(values);
    return;
  }
  std::string list;
  for (const Json& each : values) list += (list.empty() ? "one of " : ", ") + each.dump();
  const std::string description = made->value("description", "");
  (*made)["description"] = description + (description.empty() ? "" : "; ") + list;
}

// The names of an object must be known. An optional property that cannot be described is left out.
bool add_properties(const Json& schema, Json* made) {
  const Json properties = schema.value("properties", Json::object());
  const Json required = schema.value("required", Json::array());
  Json listed = Json::object();
  for (const auto& [name, property] : properties.items()) {
    std::optional<Json> each = converted_schema(property);
    const bool needed = std::find(required.begin(), required.end(), name) != required.end();
    if (!each && needed) return false;
    if (!each) continue;
    listed[name] = std::move(*each);
    if (needed) (*made)["required"].push_back(name);
  }
  if (!listed.empty()) (*made)["properties"] = std::move(listed);
  return true;
}

bool add_branches(const Json& schema, Json* made) {
  for (const char* word : {"anyOf", "oneOf"}) {
    if (!schema.contains(word)) continue;
    if (made->contains("anyOf")) return false;
    for (const Json& branch : schema[word]) {
      if (branch.is_object() && branch.value("type", Json()) == "null") {
        (*made)["nullable"] = true;
        continue;
      }
      Json whole = branch;
      if (whole.is_object() && !whole.contains("type") && schema.contains("type")) {
        whole["type"] = schema["type"];
      }
      std::optional<Json> each = converted_schema(whole);
      if (!each) return false;
      (*made)["anyOf"].push_back(std::move(*each));
    }
  }
  return true;
}

std::optional<Json> described(const Json& schema) {
  if (!schema.is_object()) return std::nullopt;
  for (const char* word : kNotInGemini) {
    if (schema.contains(word)) return std::nullopt;
  }
  Json made = Json::object();
  for (const char* key : kGeminiKept) {
    if (schema.contains(key)) made[key] = schema[key];
  }
  const bool typed = add_types(schema, &made);
  add_values(schema, &made);
  if (!typed && !made.contains("type")) return std::nullopt;
  if (!add_branches(schema, &made) || !add_properties(schema, &made)) return std::nullopt;
  if (made.value("type", "") == "ARRAY") {
    std::optional<Json> items = converted_schema(schema.value("items", Json()));
    if (!items) return std::nullopt;
    made["items"] = std::move(*items);
  }
  return made;
}

// Below the top, an object that names no properties is refused.
std::optional<Json> converted_schema(const Json& schema) {
  std::optional<Json> made = described(schema);
  const bool nameless = made && made->value("type", "") == "OBJECT" &&
                        !made->contains("properties") && !made->contains("anyOf");
  return nameless ? std::nullopt : std::move(made);
}

}  // namespace

std::optional<Json> gemini_schema(const Json& schema) {
  return described(schema);
}

}  // namespace gibbous::host
