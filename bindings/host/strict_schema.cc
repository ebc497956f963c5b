#include "bindings/host/strict_schema.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace gibbous::host {
namespace {

// What is said of a value in the subset without being changed.
const std::set<std::string> kStrictKept = {
    "description", "title",    "minimum",          "maximum",    "pattern", "exclusiveMinimum",
    "minItems",    "maxItems", "exclusiveMaximum", "multipleOf", "$ref"};
const std::set<std::string> kStrictFormats = {"date-time", "time", "date", "duration", "email",
                                              "hostname",  "ipv4", "ipv6", "uuid"};
// The subset has no word for these, and what they say cannot be left out without a change of what
// the model may send in the other properties.
constexpr const char* kInexpressible[] = {"allOf", "prefixItems", "if"};

class Strict {
 public:
  Result<Json> root(const Json& schema) {
    std::optional<Json> made = converted(schema, "the schema", 1);
    if (made && !(made->is_object() && made->value("type", Json()) == "object")) {
      made = refuse("the schema", "is no object");
    }
    if (!made) return Status::error("not_strict", why_);
    for (const char* holder : {"$defs", "definitions"}) {
      if (!schema.contains(holder)) continue;
      Json definitions = Json::object();
      for (const auto& [name, definition] : schema.at(holder).items()) {
        std::optional<Json> each = converted(definition, std::string(holder) + "." + name, 1);
        if (!each) return Status::error("not_strict", why_);
        definitions[name] = std::move(*each);
      }
      (*made)[holder] = std::move(definitions);
    }
    return std::move(*made);
  }

 private:
  std::optional<Json> refuse(const std::string& place, const std::string& problem) {
    if (why_.empty()) why_ = place + " " + problem;
    return std::nullopt;
  }

  std::optional<Json> converted(const Json& schema, const std::string& place, int level) {
    if (!schema.is_object()) return refuse(place, "takes any value");
    if (level > kStrictLevels) return refuse(place, "is nested too deeply");
    for (const char* word : kInexpressible) {
      if (schema.contains(word)) return refuse(place, std::string("uses ") + word);
    }
    Json made = Json::object();
    for (const auto& [key, value] : schema.items()) {
      if (kStrictKept.count(key) != 0) made[key] = value;
    }
    if (const auto type = schema.find("type"); type != schema.end()) made["type"] = *type;
    if (const auto values = schema.find("enum"); values != schema.end()) made["enum"] = *values;
    if (const auto value = schema.find("const"); value != schema.end()) {
      made["enum"] = Json::array({*value});
    }
    if (const auto format = schema.find("format");
        format != schema.end() && format->is_string() && kStrictFormats.count(*format) != 0) {
      made["format"] = *format;
    }
    tell_default(schema, &made);
    for (const char* branches : {"anyOf", "oneOf"}) {
      if (schema.contains(branches) && !choices(schema, branches, place, level, &made)) return {};
    }
    if (names(schema, "object") || schema.contains("properties")) {
      if (!object(schema, place, level, &made)) return std::nullopt;
    }
    if (names(schema, "array")) {
      if (!schema.contains("items")) return refuse(place, "is a list of anything");
      std::optional<Json> items = converted(schema.at("items"), place + "[]", level + 1);
      if (!items) return std::nullopt;
      made["items"] = std::move(*items);
    }
    const bool said = made.contains("type") || made.contains("anyOf") || made.contains("enum") ||
                      made.contains("$ref");
    return said ? std::optional(std::move(made)) : refuse(place, "takes any value");
  }

  bool choices(const Json& schema, const char* branches, const std::string& place, int level,
               Json* made) {
    if (made->contains("anyOf")) return refuse(place, "has anyOf and oneOf").has_value();
    // Types beside branches would have to hold as well; each branch has its own.
    made->erase("type");
    Json& list = (*made)["anyOf"] = Json::array();
    for (const Json& branch : schema.at(branches)) {
      Json whole = branch;
      if (whole.is_object() && !whole.contains("type") && schema.contains("type")) {
        whole["type"] = schema.at("type");
      }
      std::optional<Json> each = converted(whole, place, level);
      if (!each) return false;
      list.push_back(std::move(*each));
    }
    return true;
  }

  // The names of an object must be known. One that has branches has its properties there, too.
  bool object(const Json& schema, const std::string& place, int level, Json* made) {
    const Json properties = schema.value("properties", Json::object());
    const auto more = schema.find("additionalProperties");
    const bool has_names = !properties.empty();
    const bool closed = more != schema.end() && *more == false;
    if (made->contains("anyOf")) {
      return !has_names || refuse(place, "has properties and branches").has_value();
    }
    if ((!has_names && !closed) || (more != schema.end() && !more->is_boolean())) {
      return refuse(place, "is an object with names of any kind").has_value();
    }
    Json listed = Json::object();
    Json required = Json::array();
    for (const auto& [name, property] : properties.items()) {
      const bool needed = is_required(schema, name);
      const std::string before = why_;
      std::optional<Json> each = converted(property, place + "." + name, level + 1);
      if (!each && needed) return false;
      if (!each) {
        why_ = before;
        continue;
      }
      if (++properties_ > kStrictProperties) return refuse(place, "is too large").has_value();
      listed[name] = needed ? std::move(*each) : or_null(std::move(*each));
      required.push_back(name);
    }
    (*made)["properties"] = std::move(listed);
    (*made)["required"] = std::move(required);
    (*made)["additionalProperties"] = false;
    return true;
  }

  static bool is_required(const Json& schema, const std::string& name) {
    const auto list = schema.find("required");
    return list != schema.end() && std::find(list->begin(), list->end(), name) != list->end();
  }

  static bool names(const Json& schema, const char* type) {
    const auto types = schema.find("type");
    if (types == schema.end()) return false;
    return *types == type ||
           (types->is_array() && std::find(types->begin(), types->end(), type) != types->end());
  }

  static Json or_null(Json schema) {
    if (schema.contains("$ref")) {
      Json whole = {{"anyOf", Json::array({{{"$ref", schema["$ref"]}}, {{"type", "null"}}})}};
      if (schema.contains("description")) whole["description"] = schema["description"];
      return whole;
    }
    if (schema.contains("anyOf")) {
      if (!has(schema["anyOf"], {{"type", "null"}})) schema["anyOf"].push_back({{"type", "null"}});
      return schema;
    }
    if (const auto values = schema.find("enum"); values != schema.end() && !has(*values, nullptr)) {
      values->push_back(nullptr);
    }
    if (const auto type = schema.find("type"); type != schema.end() && !names(schema, "null")) {
      if (!type->is_array()) *type = Json::array({*type});
      type->push_back("null");
    }
    return schema;
  }

  static bool has(const Json& list, const Json& value) {
    return std::find(list.begin(), list.end(), value) != list.end();
  }

  // What null stands for, unless the description has it.
  static void tell_default(const Json& schema, Json* made) {
    const auto usual = schema.find("default");
    if (usual == schema.end() || usual->is_structured() || usual->is_null()) return;
    const std::string value = usual->is_string() ? usual->get<std::string>() : usual->dump();
    const auto told = schema.find("description");
    const std::string description =
        told != schema.end() && told->is_string() ? told->get<std::string>() : "";
    if (description.find(value) != std::string::npos) return;
    (*made)["description"] =
        description + (description.empty() ? "" : " ") + "(null: " + value + ")";
  }

  std::string why_;
  std::size_t properties_ = 0;
};

}  // namespace

Result<Json> strict_schema(const Json& schema) {
  if (!schema.is_object()) return Status::error("not_strict", "the schema takes any value");
  return Strict().root(schema);
}

}  // namespace gibbous::host
