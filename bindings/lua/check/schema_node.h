// SchemaNode: one compiled (sub)schema. schema_compile.cc makes the tree, schema_check.cc walks it
// with a value. Private to these two files. Immutable once compiled, so any thread may read it.
#pragma once

#include <re2/re2.h>

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bindings/lua/vm/value.h"
#include "gibbous/status.h"

namespace gibbous::lua {

enum SchemaType : unsigned {
  kSchemaNull = 1U << 0,
  kSchemaBoolean = 1U << 1,
  kSchemaObject = 1U << 2,
  kSchemaArray = 1U << 3,
  kSchemaNumber = 1U << 4,
  kSchemaInteger = 1U << 5,
  kSchemaString = 1U << 6,
};

struct SchemaNode {
  using Owned = std::unique_ptr<SchemaNode>;

  std::string place;   // in the schema, for compile errors
  bool never = false;  // the schema `false`
  unsigned types = 0;  // SchemaType bits; 0: any
  const SchemaNode* ref = nullptr;

  std::vector<Json> enumeration;
  std::optional<Json> constant;
  std::optional<Json> fallback;  // `default`

  std::optional<double> minimum, maximum, above, below, multiple_of;
  std::optional<std::size_t> min_length, max_length;
  std::unique_ptr<re2::RE2> pattern;
  std::string description;  // shown with the pattern: it says what the pattern means

  std::map<std::string, Owned> properties;
  std::vector<std::string> required;
  bool closed = false;  // additionalProperties: false
  Owned additional;     // additionalProperties as a schema

  Owned items;
  std::vector<Owned> prefix_items;
  std::optional<std::size_t> min_items, max_items;
  bool unique_items = false;

  std::vector<Owned> any_of, one_of, all_of;
  Owned negated;
  Owned condition, consequence, alternative;  // if, then, else

  // Describes what a value must be, for messages: "integer from 1 to 20".
  std::string describe(int depth = 0) const;
};

// A compiled schema: the root, and the targets of `$ref`.
struct SchemaTree {
  SchemaNode::Owned root;
  std::map<std::string, SchemaNode::Owned> definitions;
};

Result<SchemaTree> compile_schema(const Json& schema);
// One value in the words of JSON, short enough for a message to a model: `string "npm tset"`,
// `array (3 items)`, `number 1.5`.
std::string show_value(const Json& value);
// JSON text that is always valid UTF-8, cut to a length that suits a message.
std::string short_dump(const Json& value);

}  // namespace gibbous::lua
