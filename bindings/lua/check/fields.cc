// Options tables, checked.
#include "bindings/lua/check/fields.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "bindings/lua/check/schema_check.h"
#include "runtime/base/nearest.h"

namespace gibbous::lua {
Fields::Fields(FieldPath place, Json options) : place_(std::move(place)) {
  constexpr std::size_t kUsual = 16;
  known_.reserve(kUsual);
  if (options.is_object()) {
    options_ = std::move(options);
  } else if (options.is_null() || (options.is_array() && options.empty())) {
    options_ = Json::object();
  } else {
    fail("expected a table of options, got " + describe_value(options));
  }
}

const Json* Fields::find(const char* name) {
  known_.push_back(name);
  const auto found = options_.find(name);
  return found == options_.end() || found->is_null() ? nullptr : &*found;
}

bool Fields::has(const char* name) {
  return find(name) != nullptr;
}

const Json& Fields::value(const char* name) {
  static const Json kNone;
  const Json* found = find(name);
  return found == nullptr ? kNone : *found;
}

std::optional<std::string> Fields::text(const char* name) {
  const Json* found = find(name);
  if (found == nullptr) return std::nullopt;
  if (!found->is_string()) fail(name, "a string", *found);
  return found->get<std::string>();
}

std::optional<bool> Fields::flag(const char* name) {
  const Json* found = find(name);
  if (found == nullptr) return std::nullopt;
  if (!found->is_boolean()) fail(name, "true or false", *found);
  return found->get<bool>();
}

std::optional<double> Fields::number(const char* name, double minimum, double maximum, bool whole) {
  const Json* found = find(name);
  if (found == nullptr) return std::nullopt;
  const double number = found->is_number() ? found->get<double>() : minimum - 1;
  if (!(number >= minimum && number <= maximum)) {
    fail(name, "a number from " + describe_value(minimum) + " to " + describe_value(maximum),
         *found);
  }
  if (whole && number != std::floor(number)) fail(name, "a whole number", *found);
  return number;
}

std::optional<std::int64_t> Fields::integer(const char* name, std::int64_t minimum,
                                            std::int64_t maximum) {
  const auto found = number(name, static_cast<double>(minimum), static_cast<double>(maximum), true);
  if (!found) return std::nullopt;
  return static_cast<std::int64_t>(*found);
}

std::optional<std::vector<std::string>> Fields::texts(const char* name) {
  const Json* found = find(name);
  if (found == nullptr) return std::nullopt;
  std::vector<std::string> texts;
  if (!found->is_array() && !(found->is_object() && found->empty()))
    fail(name, "a list of strings", *found);
  for (const Json& item : *found) {
    if (!item.is_string()) {
      throw WrongUse(place_.below(name, texts.size()), "a string", item);
    }
    texts.push_back(item.get<std::string>());
  }
  return texts;
}

std::optional<std::string> Fields::choice(const char* name,
                                          const std::vector<std::string>& choices) {
  auto found = text(name);
  if (!found) return std::nullopt;
  std::string expected;
  for (const std::string& choice : choices) {
    if (*found == choice) return found;
    expected += (expected.empty() ? "'" : " or '") + choice + "'";
  }
  fail(name, expected, value(name));
}

void Fields::done() const {
  for (const auto& [name, value] : options_.items()) {
    if (std::find(known_.begin(), known_.end(), std::string_view(name)) != known_.end()) continue;
    std::vector<std::string> names(known_.begin(), known_.end());
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    const std::string near = nearest_name(name, names);
    fail("unknown field '" + name + "'" + (near.empty() ? "" : "; did you mean '" + near + "'?"));
  }
}

void Fields::fail(const std::string& field, const std::string& expected, const Json& got) const {
  throw WrongUse(place_.below(field), expected, got);
}

void Fields::fail(const std::string& problem) const {
  throw WrongUse(place_, problem);
}

Json checked_fields(const FieldPath& place, const SchemaCheck& check, const Json& options) {
  Json given = Json::object();
  if (options.is_object()) {
    for (const auto& [name, value] : options.items()) {
      if (!value.is_null()) given[name] = value;
    }
  } else if (!options.is_null() && !(options.is_array() && options.empty())) {
    throw WrongUse(place, "a table", options);
  }
  Json filled = given;
  if (const auto fault = check.first_fault(filled)) throw WrongUse(place, *fault);
  return given;
}

}  // namespace gibbous::lua
