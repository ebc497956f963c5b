// Applies a compiled schema to a value: defaults first, then every keyword; faults are collected
// with their paths. Called for the arguments and results of every call. Pure.
#include "bindings/lua/check/schema_check.h"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <optional>
#include <utility>

#include "bindings/lua/check/schema_node.h"
#include "runtime/base/nearest.h"

namespace gibbous::lua {
namespace {

// Nested anyOf can check a value many times over; after this many steps the value is rejected.
constexpr std::size_t kMaxSteps = 4'000'000;
constexpr int kMaxCheckDepth = 512;
constexpr double kExactIntegers = 9007199254740992.0;  // 2^53
constexpr double kMultipleTolerance = 1e-9;
constexpr unsigned kAllTypes = (kSchemaString << 1U) - 1;
constexpr std::size_t kMaxReadBytes = std::size_t{64} << 10;
constexpr std::size_t kMaxReadDepth = 64;

// The position of the walk, a chain on the stack, so that nothing is built unless there is a fault.
struct Path {
  const Path* up = nullptr;
  const std::string* key = nullptr;
  std::size_t index = 0;

  std::string text(const SchemaNames& names) const {
    if (up == nullptr) return names.root;
    const std::string above = up->text(names);
    if (key == nullptr) return above + "[" + std::to_string(index + names.first_index) + "]";
    return above.empty() ? *key : above + "." + *key;
  }

  Json steps() const {
    if (up == nullptr) return Json::array();
    Json above = up->steps();
    above.push_back(key == nullptr ? Json(index + 1) : Json(*key));
    return above;
  }
};

bool is_whole(const Json& value) {
  if (value.is_number_integer()) return true;
  if (!value.is_number_float()) return false;
  const double number = value.get<double>();
  return std::fabs(number) <= kExactIntegers && number == std::floor(number);
}

unsigned type_bits(const Json& value) {
  if (value.is_null()) return kSchemaNull;
  if (value.is_boolean()) return kSchemaBoolean;
  if (value.is_object()) return kSchemaObject;
  if (value.is_array()) return kSchemaArray;
  if (value.is_string()) return kSchemaString;
  return is_whole(value) ? kSchemaNumber | kSchemaInteger : unsigned{kSchemaNumber};
}

std::size_t code_points(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char byte) {
    return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U;
  }));
}

bool all_different(const Json& list) {
  std::vector<const Json*> sorted;
  for (const Json& item : list) sorted.push_back(&item);
  std::sort(sorted.begin(), sorted.end(), [](const Json* a, const Json* b) { return *a < *b; });
  return std::adjacent_find(sorted.begin(), sorted.end(),
                            [](const Json* a, const Json* b) { return *a == *b; }) == sorted.end();
}

class Walk {
 public:
  // `names` must outlive the walk.
  explicit Walk(const SchemaNames& names) : names_(names) {}
  explicit Walk(SchemaNames&&) = delete;

  // Returns false when `value` does not fit; the faults say why.
  bool check(const SchemaNode& node, Json& value, const Path& path, int depth) {
    if (++steps_ > kMaxSteps || depth > kMaxCheckDepth) {
      if (!gave_up_) fault(path, "is too large or too deeply nested to be checked");
      gave_up_ = true;
      return false;
    }
    if (names_.first_index == 1 && node.types == kSchemaArray && value.is_object() && value.empty())
      value = Json::array();  // {} in Lua
    if (node.never) return fault(path, "nothing is allowed here");
    if (node.ref != nullptr && !check(*node.ref, value, path, depth + 1)) return false;
    if (!fits_itself(node, value)) {
      return mismatch(path, node, value, enum_hint(node, value));
    }
    bool fits = true;
    if (value.is_object()) fits = object(node, value, path, depth) && fits;
    if (value.is_array()) fits = array(node, value, path, depth) && fits;
    return branches(node, value, path, depth) && fits;
  }

  Status status() const {
    if (total_ == 0) return {};
    std::string text;
    for (const SchemaFault& each : faults_) text += (text.empty() ? "" : "; ") + each.text();
    if (total_ > faults_.size()) {
      text += "; and " + std::to_string(total_ - faults_.size()) + " more";
    }
    return Status::error("invalid_arguments", text);
  }

  std::optional<SchemaFault> first_fault() const {
    return faults_.empty() ? std::nullopt : std::optional(faults_.front());
  }

 private:
  bool fault(const Path& path, SchemaFault parts) {
    ++total_;
    if (faults_.size() >= kMaxReportedFaults) return false;
    parts.place = path.text(names_);
    if (parts.place.empty()) parts.place = "the value";
    parts.path = path.steps();
    faults_.push_back(std::move(parts));
    return false;
  }
  bool fault(const Path& path, const std::string& problem) {
    return fault(path, SchemaFault{"", {}, problem, "", ""});
  }
  bool mismatch(const Path& path, const SchemaNode& node, const Json& value,
                const std::string& hint = "") {
    const std::string expected = node.describe();
    const std::string got = show_value(value);
    return fault(
        path, SchemaFault{"", {}, "expected " + expected + ", got " + got + hint, expected, got});
  }

  static std::string enum_hint(const SchemaNode& node, const Json& value) {
    if (!value.is_string()) return "";
    std::vector<std::string> choices;
    for (const Json& each : node.enumeration) {
      if (each.is_string()) choices.push_back(each.get<std::string>());
    }
    const std::string near = nearest_name(value.get_ref<const std::string&>(), choices);
    return near.empty() ? "" : "; did you mean \"" + near + "\"?";
  }

  // Checks everything about the value except its contents.
  static bool fits_itself(const SchemaNode& node, const Json& value) {
    if (node.types != 0 && (node.types & type_bits(value)) == 0) return false;
    if (node.constant && *node.constant != value) return false;
    if (!node.enumeration.empty() && std::find(node.enumeration.begin(), node.enumeration.end(),
                                               value) == node.enumeration.end()) {
      return false;
    }
    if (value.is_number()) return number_fits(node, value.get<double>());
    if (value.is_string()) return string_fits(node, value.get_ref<const std::string&>());
    if (value.is_array()) {
      if (node.min_items && value.size() < *node.min_items) return false;
      if (node.max_items && value.size() > *node.max_items) return false;
      if (node.unique_items && !all_different(value)) return false;
    }
    return true;
  }

  static bool number_fits(const SchemaNode& node, double number) {
    if (node.minimum && !(number >= *node.minimum)) return false;
    if (node.maximum && !(number <= *node.maximum)) return false;
    if (node.above && !(number > *node.above)) return false;
    if (node.below && !(number < *node.below)) return false;
    if (!node.multiple_of) return true;
    const double times = number / *node.multiple_of;
    return std::fabs(times - std::round(times)) <= kMultipleTolerance;
  }

  static bool string_fits(const SchemaNode& node, const std::string& text) {
    if (node.min_length || node.max_length) {
      const std::size_t length = code_points(text);
      if (node.min_length && length < *node.min_length) return false;
      if (node.max_length && length > *node.max_length) return false;
    }
    return !node.pattern || re2::RE2::PartialMatch(text, *node.pattern);
  }

  // Returns the types that a node takes; a schema that says nothing of its type takes all.
  static unsigned types_of(const SchemaNode& node, int depth = 0) {
    constexpr int kMaxTypeDepth = 8;
    unsigned types = node.never ? 0U : node.types != 0 ? node.types : kAllTypes;
    if ((types & kSchemaNumber) != 0) types |= kSchemaInteger;
    if (depth > kMaxTypeDepth) return types;
    if (node.ref != nullptr) types &= types_of(*node.ref, depth + 1);
    if (node.constant) types &= type_bits(*node.constant);
    unsigned listed = node.enumeration.empty() ? kAllTypes : 0U;
    for (const Json& each : node.enumeration) listed |= type_bits(each);
    types &= listed;
    for (const auto& each : node.all_of) types &= types_of(*each, depth + 1);
    for (const auto* choices : {&node.any_of, &node.one_of}) {
      unsigned any = choices->empty() ? kAllTypes : 0U;
      for (const auto& each : *choices) any |= types_of(*each, depth + 1);
      types &= any;
    }
    return types;
  }

  // "3000" for a number: a model's string is read where a string cannot be meant.
  void read_string(const SchemaNode& node, Json& value) const {
    if (!names_.from_model || !value.is_string()) return;
    const unsigned types = types_of(node);
    const auto& text = value.get_ref<const std::string&>();
    if ((types & kSchemaString) != 0 || text.size() > kMaxReadBytes) return;
    if (nests_deeper(text, kMaxReadDepth)) return;
    const std::string_view meant = text == "True"    ? "true"  // as Python writes it
                                   : text == "False" ? "false"
                                                     : std::string_view(text);
    Json read = Json::parse(meant, nullptr, /*allow_exceptions=*/false);
    if (!read.is_discarded() && (types & type_bits(read)) != 0) value = std::move(read);
  }

  static void drop_nulls(const SchemaNode& node, Json& value) {
    for (auto member = value.begin(); member != value.end();) {
      const auto known = node.properties.find(member.key());
      const SchemaNode* schema =
          known != node.properties.end() ? known->second.get() : node.additional.get();
      const bool absent =
          member->is_null() && schema != nullptr && (types_of(*schema) & kSchemaNull) == 0;
      member = absent ? value.erase(member) : std::next(member);
    }
  }

  bool object(const SchemaNode& node, Json& value, const Path& path, int depth) {
    if (names_.from_model) drop_nulls(node, value);
    bool fits = true;
    for (const auto& [name, property] : node.properties) {
      if (property->fallback && !value.contains(name)) value[name] = *property->fallback;
    }
    for (const std::string& name : node.required) {
      if (value.contains(name)) continue;
      const auto known = node.properties.find(name);
      const std::string wanted =
          known == node.properties.end() ? "a value" : known->second->describe();
      fits = fault({&path, &name, 0}, "is missing; expected " + wanted);
    }
    for (auto& [name, member] : value.items()) {
      const auto known = node.properties.find(name);
      const Path below{&path, &name, 0};
      if (known != node.properties.end()) {
        read_string(*known->second, member);
        fits = check(*known->second, member, below, depth + 1) && fits;
      } else if (node.closed) {
        fits = fault(below, "unknown field" + field_hint(node, name));
      } else if (node.additional) {
        read_string(*node.additional, member);
        fits = check(*node.additional, member, below, depth + 1) && fits;
      }
    }
    return fits;
  }

  static std::string field_hint(const SchemaNode& node, const std::string& name) {
    std::vector<std::string> known;
    for (const auto& [property, unused] : node.properties) known.push_back(property);
    if (known.empty()) return "; no fields are expected here";
    const std::string near = nearest_name(name, known);
    if (!near.empty()) return "; did you mean \"" + near + "\"?";
    std::string list;
    for (const std::string& each : known) list += (list.empty() ? "" : ", ") + each;
    return "; known fields are " + list;
  }

  bool array(const SchemaNode& node, Json& value, const Path& path, int depth) {
    bool fits = true;
    for (std::size_t i = 0; i < value.size(); ++i) {
      const SchemaNode* item =
          i < node.prefix_items.size() ? node.prefix_items[i].get() : node.items.get();
      if (item == nullptr) break;
      read_string(*item, value[i]);
      fits = check(*item, value[i], {&path, nullptr, i}, depth + 1) && fits;
    }
    return fits;
  }

  bool branches(const SchemaNode& node, Json& value, const Path& path, int depth) {
    for (const auto& branch : node.all_of) {
      if (!check(*branch, value, path, depth + 1)) return false;
    }
    for (const bool exactly_one : {false, true}) {
      const auto& choices = exactly_one ? node.one_of : node.any_of;
      if (choices.empty()) continue;
      if (none_has_type(choices, value)) {
        return mismatch(path, node, value);
      }
      if (!choose(choices, exactly_one, value, path, depth)) return false;
    }
    if (node.negated) {
      Json copy = value;
      Walk inner = nested();
      const bool matched = inner.check(*node.negated, copy, path, depth + 1);
      take_steps(inner);
      if (matched) return fault(path, "must not be " + node.negated->describe());
    }
    return !node.condition || conditional(node, value, path, depth);
  }

  bool conditional(const SchemaNode& node, Json& value, const Path& path, int depth) {
    Json copy = value;
    Walk inner = nested();
    const bool holds = inner.check(*node.condition, copy, path, depth + 1);
    take_steps(inner);
    const SchemaNode* next = holds ? node.consequence.get() : node.alternative.get();
    return next == nullptr || check(*next, value, path, depth + 1);
  }

  // Then one short sentence says more than the faults of every alternative.
  static bool none_has_type(const std::vector<SchemaNode::Owned>& choices, const Json& value) {
    return std::all_of(choices.begin(), choices.end(), [&value](const SchemaNode::Owned& choice) {
      const SchemaNode* node = choice->ref == nullptr ? choice.get() : choice->ref;
      return node->types != 0 && (node->types & type_bits(value)) == 0;
    });
  }

  // Keeps the defaults of the branch that fits, not those of the others.
  bool choose(const std::vector<SchemaNode::Owned>& choices, bool exactly_one, Json& value,
              const Path& path, int depth) {
    std::size_t fitting = 0;
    Json chosen;
    std::string why;
    for (const auto& choice : choices) {
      Json copy = value;
      Walk inner = nested();
      const bool fits = inner.check(*choice, copy, path, depth + 1);
      take_steps(inner);
      if (fits) {
        if (fitting++ == 0) chosen = std::move(copy);
        if (!exactly_one) break;
      } else if (!inner.faults_.empty()) {
        why += (why.empty() ? "" : " | ") + inner.faults_.front().text();
      }
    }
    if (fitting == 1) {
      value = std::move(chosen);
      return true;
    }
    if (fitting > 1) return fault(path, "fits more than one of the forms that exclude each other");
    return fault(path, "fits none of the allowed forms (" + why + ")");
  }

  Walk nested() const {
    Walk inner(names_);
    inner.steps_ = steps_;
    return inner;
  }
  void take_steps(const Walk& inner) { steps_ = inner.steps_; }

  const SchemaNames& names_;
  std::vector<SchemaFault> faults_;
  std::size_t total_ = 0;
  std::size_t steps_ = 0;
  bool gave_up_ = false;
};

class CompiledSchema final : public SchemaCheck {
 public:
  CompiledSchema(SchemaTree tree, SchemaNames names)
      : tree_(std::move(tree)), names_(std::move(names)) {}

  Status apply(Json& value) const override {
    Walk walk(names_);
    walk.check(*tree_.root, value, Path{}, 0);
    return walk.status();
  }

  std::optional<SchemaFault> first_fault(Json& value) const override {
    Walk walk(names_);
    walk.check(*tree_.root, value, Path{}, 0);
    return walk.first_fault();
  }

  // A default that its own schema rejects would fail every call without the field.
  static Status check_defaults(const SchemaNode& node) {
    static const SchemaNames kNames("");
    if (node.fallback) {
      Json copy = *node.fallback;
      Walk walk(kNames);
      if (!walk.check(node, copy, Path{}, 0)) {
        return Status::error("invalid_schema", node.place + ".default: " + walk.status().message());
      }
    }
    for (const auto& [name, property] : node.properties) {
      if (Status status = check_defaults(*property); !status) return status;
    }
    for (const SchemaNode* inner : {node.items.get(), node.additional.get(), node.consequence.get(),
                                    node.alternative.get()}) {
      if (inner == nullptr) continue;
      if (Status status = check_defaults(*inner); !status) return status;
    }
    for (const auto* list : {&node.any_of, &node.one_of, &node.all_of, &node.prefix_items}) {
      for (const auto& each : *list) {
        if (Status status = check_defaults(*each); !status) return status;
      }
    }
    return {};
  }

 private:
  SchemaTree tree_;
  SchemaNames names_;
};

class LaterSchema final : public SchemaCheck {
 public:
  LaterSchema(Json schema, SchemaNames names)
      : schema_(std::move(schema)), names_(std::move(names)) {}

  Status apply(Json& value) const override {
    const Result<std::shared_ptr<const SchemaCheck>>& check = compiled();
    return check ? (*check)->apply(value) : check.status();
  }

  std::optional<SchemaFault> first_fault(Json& value) const override {
    const Result<std::shared_ptr<const SchemaCheck>>& check = compiled();
    if (check) return (*check)->first_fault(value);
    SchemaFault fault;
    fault.place = names_.root;
    fault.problem = check.status().message();
    return fault;
  }

 private:
  const Result<std::shared_ptr<const SchemaCheck>>& compiled() const {
    std::call_once(once_, [this] {
      compiled_.emplace(compile(schema_, names_));
      schema_ = Json();
    });
    return *compiled_;
  }

  mutable std::once_flag once_;
  mutable Json schema_;
  SchemaNames names_;
  mutable std::optional<Result<std::shared_ptr<const SchemaCheck>>> compiled_;
};

}  // namespace

Result<std::shared_ptr<const SchemaCheck>> SchemaCheck::compile(const Json& schema,
                                                                SchemaNames names) {
  Result<SchemaTree> tree = compile_schema(schema);
  if (!tree) return tree.status();
  if (Status status = CompiledSchema::check_defaults(*tree->root); !status) return status;
  for (const auto& [name, definition] : tree->definitions) {
    if (Status status = CompiledSchema::check_defaults(*definition); !status) return status;
  }
  return std::shared_ptr<const SchemaCheck>(
      std::make_shared<CompiledSchema>(std::move(*tree), std::move(names)));
}

Json closed_object(Json properties, Json required) {
  Json schema = {{"type", "object"}, {"additionalProperties", false}};
  schema["properties"] = properties.is_null() ? Json::object() : std::move(properties);
  if (!required.empty()) schema["required"] = std::move(required);
  return schema;
}

std::shared_ptr<const SchemaCheck> SchemaCheck::later(Json schema, SchemaNames names) {
  return std::make_shared<LaterSchema>(std::move(schema), std::move(names));
}

}  // namespace gibbous::lua
