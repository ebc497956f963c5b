// How SchemaNodes and values read in a message: "integer from 1 to 20", `string "npm tset"`. Pure,
// any thread.
#include <cmath>
#include <cstdio>

#include "bindings/json/text.h"
#include "bindings/lua/check/schema_node.h"
#include "runtime/base/cut_line.h"

namespace gibbous::lua {
namespace {

constexpr std::size_t kMaxShownBytes = 60;
constexpr std::size_t kMaxShownChoices = 12;
constexpr int kMaxDescribeDepth = 3;
constexpr double kMaxPlainInteger = 1e15;

std::string number_text(double number) {
  char text[32];
  const bool whole = number == std::floor(number) && std::fabs(number) < kMaxPlainInteger;
  std::snprintf(text, sizeof text, whole ? "%.0f" : "%g", number);
  return text;
}

// " from 1 to 20", " of at least 1", ""
std::string range_text(const SchemaNode& node) {
  std::string text;
  if (node.minimum && node.maximum) {
    text = " from " + number_text(*node.minimum) + " to " + number_text(*node.maximum);
  } else if (node.minimum) {
    text = " of at least " + number_text(*node.minimum);
  } else if (node.maximum) {
    text = " of at most " + number_text(*node.maximum);
  }
  if (node.above) text += " greater than " + number_text(*node.above);
  if (node.below) text += " less than " + number_text(*node.below);
  if (node.multiple_of) text += " that is a multiple of " + number_text(*node.multiple_of);
  return text;
}

std::string size_text(const std::optional<std::size_t>& low, const std::optional<std::size_t>& high,
                      const std::string& unit) {
  if (low && high && *low == *high) return std::to_string(*low) + " " + unit;
  if (low && high) return std::to_string(*low) + " to " + std::to_string(*high) + " " + unit;
  if (low) return "at least " + std::to_string(*low) + " " + unit;
  if (high) return "at most " + std::to_string(*high) + " " + unit;
  return "";
}

std::string one_type(const SchemaNode& node, unsigned type, int depth) {
  if (type == kSchemaNull) return "null";
  if (type == kSchemaBoolean) return "boolean";
  if (type == kSchemaObject) return "object";
  if (type == kSchemaNumber) return "number" + range_text(node);
  if (type == kSchemaInteger) return "integer" + range_text(node);
  if (type == kSchemaString) {
    const std::string size = size_text(node.min_length, node.max_length, "characters");
    std::string text = size.empty() ? "string" : "string of " + size;
    if (node.pattern) text += " that matches /" + node.pattern->pattern() + "/";
    if (node.pattern && !node.description.empty()) text += " (" + node.description + ")";
    return text;
  }
  std::string text = "array";
  if (node.items) text += " of " + node.items->describe(depth + 1);
  const std::string size = size_text(node.min_items, node.max_items, "items");
  if (!size.empty()) text += " with " + size;
  if (node.unique_items) text += ", no two alike";
  return text;
}

void add_choice(std::string* text, const std::string& choice) {
  *text += (text->empty() ? "" : " or ") + choice;
}

}  // namespace

std::string short_dump(const Json& value) {
  return cut_line(to_text(value), kMaxShownBytes);
}

std::string show_value(const Json& value) {
  if (value.is_null()) return "null";
  if (value.is_boolean()) return value.get<bool>() ? "true" : "false";
  if (value.is_string()) return "string " + short_dump(value);
  if (value.is_number_float()) return "number " + short_dump(value);
  if (value.is_number()) return "integer " + short_dump(value);
  if (value.is_array()) {
    return "array (" + std::to_string(value.size()) + (value.size() == 1 ? " item)" : " items)");
  }
  return "object";
}

std::string SchemaNode::describe(int depth) const {
  if (never) return "nothing";
  if (depth > kMaxDescribeDepth) return "a value";
  if (ref != nullptr) return ref->describe(depth + 1);
  if (constant) return short_dump(*constant);
  std::string text;
  if (!enumeration.empty()) {
    for (std::size_t i = 0; i < enumeration.size() && i < kMaxShownChoices; ++i) {
      text += (i == 0 ? "one of " : ", ") + short_dump(enumeration[i]);
    }
    if (enumeration.size() > kMaxShownChoices) text += ", ...";
    return text;
  }
  for (const unsigned type : {kSchemaString, kSchemaInteger, kSchemaNumber, kSchemaBoolean,
                              kSchemaArray, kSchemaObject, kSchemaNull}) {
    if ((types & type) != 0) add_choice(&text, one_type(*this, type, depth));
  }
  if (!text.empty()) return text;
  for (const auto* branches : {&any_of, &one_of}) {
    for (const auto& branch : *branches) add_choice(&text, branch->describe(depth + 1));
  }
  if (!text.empty()) return text;
  if (!properties.empty()) return "object";
  if (items) return "array of " + items->describe(depth + 1);
  if (pattern || min_length || max_length) return one_type(*this, kSchemaString, depth);
  if (!range_text(*this).empty()) return "number" + range_text(*this);
  return "a value";
}

}  // namespace gibbous::lua
