// Turns a JSON Schema into SchemaNodes, and reports errors in it. Called when a generation loads;
// any thread.
#include <cmath>
#include <set>
#include <utility>

#include "bindings/lua/check/schema_node.h"
#include "runtime/base/nearest.h"

namespace gibbous::lua {
namespace {

constexpr int kMaxSchemaDepth = 64;
constexpr std::size_t kMaxPatternBytes = 4096;

// Annotations for people and models; any value is valid.
const std::set<std::string> kAnnotations = {
    "title",       "description", "examples",  "format",     "$schema", "$comment", "$defs",
    "definitions", "readOnly",    "writeOnly", "deprecated", "x-rare",  "$anchor",  "enumNames"};
const std::vector<std::string> kKeywords = {"type",
                                            "properties",
                                            "required",
                                            "additionalProperties",
                                            "enum",
                                            "const",
                                            "minimum",
                                            "maximum",
                                            "multipleOf",
                                            "exclusiveMinimum",
                                            "exclusiveMaximum",
                                            "minLength",
                                            "maxLength",
                                            "pattern",
                                            "items",
                                            "prefixItems",
                                            "minItems",
                                            "maxItems",
                                            "uniqueItems",
                                            "anyOf",
                                            "oneOf",
                                            "allOf",
                                            "not",
                                            "if",
                                            "then",
                                            "else",
                                            "default",
                                            "$ref",
                                            "title",
                                            "description",
                                            "examples"};
const std::map<std::string, unsigned> kTypeNames = {
    {"null", kSchemaNull},     {"boolean", kSchemaBoolean}, {"object", kSchemaObject},
    {"array", kSchemaArray},   {"number", kSchemaNumber},   {"integer", kSchemaInteger},
    {"string", kSchemaString},
};

std::string join_place(const std::string& place, const std::string& key) {
  return place.empty() ? key : place + "." + key;
}

class Compiler {
 public:
  Status compile(const Json& schema, SchemaTree* tree) {
    for (const char* holder : {"$defs", "definitions"}) {
      if (!schema.is_object() || !schema.contains(holder)) continue;
      const Json& definitions = schema.at(holder);
      if (!definitions.is_object()) return fault(holder, "expected an object of schemas");
      for (const auto& [name, definition] : definitions.items()) {
        const std::string place = std::string(holder) + "." + name;
        auto& slot = tree->definitions["#/" + std::string(holder) + "/" + name];
        if (Status status = node(definition, place, 1, &slot); !status) return status;
      }
    }
    if (Status status = node(schema, "", 0, &tree->root); !status) return status;
    for (auto& [from, target] : references_) {
      if (target == "#") {
        from->ref = tree->root.get();
        continue;
      }
      const auto found = tree->definitions.find(target);
      if (found == tree->definitions.end()) {
        return fault(join_place(from->place, "$ref"),
                     short_dump(target) +
                         " is not defined; only #, #/$defs/NAME and "
                         "#/definitions/NAME of the same schema can be referred to");
      }
      from->ref = found->second.get();
    }
    for (const SchemaNode* each : nodes_) {
      std::set<const SchemaNode*> path;
      if (loops(each, &path)) {
        return fault(each->place, "refers to itself without descending into the value");
      }
    }
    return {};
  }

 private:
  static Status fault(const std::string& place, const std::string& message) {
    return Status::error("invalid_schema", (place.empty() ? "the schema" : place) + ": " + message);
  }

  // Applicators that check the same value again must not form a cycle.
  static bool loops(const SchemaNode* at, std::set<const SchemaNode*>* path) {
    if (at == nullptr) return false;
    if (!path->insert(at).second) return true;
    bool found = loops(at->ref, path);
    for (const auto* each : {&at->negated, &at->condition, &at->consequence, &at->alternative}) {
      found = found || loops(each->get(), path);
    }
    for (const auto* branches : {&at->any_of, &at->one_of, &at->all_of}) {
      for (const auto& branch : *branches) found = found || loops(branch.get(), path);
    }
    path->erase(at);
    return found;
  }

  Status node(const Json& schema, const std::string& place, int depth, SchemaNode::Owned* into) {
    if (depth > kMaxSchemaDepth) return fault(place, "is nested too deeply");
    *into = std::make_unique<SchemaNode>();
    SchemaNode& made = **into;
    made.place = place;
    nodes_.push_back(&made);
    if (schema.is_boolean()) {
      made.never = !schema.get<bool>();
      return {};
    }
    if (!schema.is_object()) {
      return fault(place, "expected an object or a boolean, got " + show_value(schema));
    }
    for (const auto& [key, value] : schema.items()) {
      if (Status status = keyword(made, key, value, join_place(place, key), depth); !status) {
        return status;
      }
    }
    return {};
  }

  Status keyword(SchemaNode& made, const std::string& key, const Json& value,
                 const std::string& place, int depth) {
    if (key == "description" && value.is_string()) made.description = value.get<std::string>();
    if (kAnnotations.count(key) != 0 || key.rfind("x-", 0) == 0) return {};
    if (key == "type") return types(made, value, place);
    if (key == "enum") {
      if (!value.is_array() || value.empty()) return fault(place, "expected a list of values");
      made.enumeration.assign(value.begin(), value.end());
      return {};
    }
    if (key == "const") return made.constant = value, Status();
    if (key == "default") return made.fallback = value, Status();
    if (key == "minimum") return number(&made.minimum, value, place);
    if (key == "maximum") return number(&made.maximum, value, place);
    if (key == "exclusiveMinimum") return number(&made.above, value, place);
    if (key == "exclusiveMaximum") return number(&made.below, value, place);
    if (key == "multipleOf") {
      if (Status status = number(&made.multiple_of, value, place); !status) return status;
      return *made.multiple_of > 0 ? Status() : fault(place, "expected a number greater than 0");
    }
    if (key == "minLength") return count(&made.min_length, value, place);
    if (key == "maxLength") return count(&made.max_length, value, place);
    if (key == "minItems") return count(&made.min_items, value, place);
    if (key == "maxItems") return count(&made.max_items, value, place);
    if (key == "uniqueItems") {
      if (!value.is_boolean()) return fault(place, "expected true or false");
      made.unique_items = value.get<bool>();
      return {};
    }
    if (key == "pattern") return pattern(made, value, place);
    if (key == "required") return required(made, value, place);
    if (key == "properties") return properties(made, value, place, depth);
    if (key == "additionalProperties") {
      if (value.is_boolean()) return made.closed = !value.get<bool>(), Status();
      return node(value, place, depth + 1, &made.additional);
    }
    if (key == "items") return node(value, place, depth + 1, &made.items);
    if (key == "prefixItems") return branches(&made.prefix_items, value, place, depth);
    if (key == "anyOf") return branches(&made.any_of, value, place, depth);
    if (key == "oneOf") return branches(&made.one_of, value, place, depth);
    if (key == "allOf") return branches(&made.all_of, value, place, depth);
    if (key == "not") return node(value, place, depth + 1, &made.negated);
    if (key == "if") return node(value, place, depth + 1, &made.condition);
    if (key == "then") return node(value, place, depth + 1, &made.consequence);
    if (key == "else") return node(value, place, depth + 1, &made.alternative);
    if (key == "$ref") {
      if (!value.is_string()) return fault(place, "expected a string");
      references_.emplace_back(&made, value.get<std::string>());
      return {};
    }
    const std::string near = nearest_name(key, kKeywords);
    return fault(place, near.empty() ? "unknown keyword"
                                     : "unknown keyword; did you mean \"" + near + "\"?");
  }

  static Status types(SchemaNode& made, const Json& value, const std::string& place) {
    const Json list = value.is_array() ? value : Json::array({value});
    for (const Json& name : list) {
      const auto known =
          name.is_string() ? kTypeNames.find(name.get<std::string>()) : kTypeNames.end();
      if (known == kTypeNames.end()) {
        return fault(place,
                     "unknown type " + short_dump(name) +
                         "; known are array, boolean, integer, null, number, object, string");
      }
      made.types |= known->second;
    }
    return made.types != 0 ? Status() : fault(place, "expected at least one type");
  }

  static Status number(std::optional<double>* into, const Json& value, const std::string& place) {
    if (!value.is_number()) return fault(place, "expected a number, got " + show_value(value));
    *into = value.get<double>();
    return {};
  }

  static Status count(std::optional<std::size_t>* into, const Json& value,
                      const std::string& place) {
    const double number = value.is_number() ? value.get<double>() : -1;
    if (!(number >= 0 && number <= 1e15) || number != std::floor(number)) {
      return fault(place, "expected an integer of at least 0, got " + show_value(value));
    }
    *into = static_cast<std::size_t>(number);
    return {};
  }

  static Status pattern(SchemaNode& made, const Json& value, const std::string& place) {
    if (!value.is_string()) return fault(place, "expected a string, got " + show_value(value));
    const auto& text = value.get_ref<const std::string&>();
    if (text.size() > kMaxPatternBytes) return fault(place, "is too long");
    re2::RE2::Options options(re2::RE2::Quiet);
    made.pattern = std::make_unique<re2::RE2>(text, options);
    if (made.pattern->ok()) return {};
    return fault(place, "is not a valid RE2 pattern: " + made.pattern->error() + ": " +
                            short_dump(made.pattern->error_arg()));
  }

  static Status required(SchemaNode& made, const Json& value, const std::string& place) {
    if (!value.is_array()) return fault(place, "expected a list of names");
    for (const Json& name : value) {
      if (!name.is_string()) return fault(place, "expected a list of names");
      made.required.push_back(name.get<std::string>());
    }
    return {};
  }

  Status properties(SchemaNode& made, const Json& value, const std::string& place, int depth) {
    if (!value.is_object()) return fault(place, "expected an object of schemas");
    for (const auto& [name, property] : value.items()) {
      Status status = node(property, place + "." + name, depth + 1, &made.properties[name]);
      if (!status) return status;
    }
    return {};
  }

  Status branches(std::vector<SchemaNode::Owned>* into, const Json& value, const std::string& place,
                  int depth) {
    if (!value.is_array() || value.empty()) return fault(place, "expected a list of schemas");
    for (std::size_t i = 0; i < value.size(); ++i) {
      into->emplace_back();
      Status status =
          node(value[i], place + "[" + std::to_string(i) + "]", depth + 1, &into->back());
      if (!status) return status;
    }
    return {};
  }

  std::vector<const SchemaNode*> nodes_;
  std::vector<std::pair<SchemaNode*, std::string>> references_;
};

}  // namespace

Result<SchemaTree> compile_schema(const Json& schema) {
  SchemaTree tree;
  if (Status status = Compiler().compile(schema, &tree); !status) return status;
  return tree;
}

}  // namespace gibbous::lua
